"""The history of a table: its finished rounds as a page, as JSON and for a spreadsheet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import flask
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.advice import Decision
from cardgames.game import AnyGame
from cardgames.records.line import action_word, readable_line
from cardgames.records.record import Record
from cardgames.records.replay import replay
from cardgames.records.transcript import TRANSCRIPTS
from cardgames.text import Text
from web.history.addresses import replay_address
from web.history.costs import decided, decisions_of
from web.history.finished import (
    FinishedRound,
    disclosed,
    finished_round,
    latest_rounds,
    rounds_since_cleared,
    table_of,
)
from web.http.addresses import asked_number
from web.http.downloads import Cell, as_file, csv_download, download
from web.http.requests import wants_json
from web.http.responses import json_response, see_other
from web.signing import sign_record
from web.tables.advice import advisor_of
from web.tables.lobby import player_score
from web.tables.location import game_or_404
from web.tables.rounds import best_and_cost

PAGE_SIZE: Final = 20
"""Maximum number of rounds that are listed on a page."""

LATEST: Final = 10
"""Maximum number of rounds that are listed of all tables together."""

blueprint = flask.Blueprint("history", __name__)


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """A finished round as the history lists it."""

    number: int
    finished: datetime
    ending: str
    """How it ended, in words."""

    view: Any
    """The game's view of the round's end; None where the way there is long, as in War."""

    actions: tuple[str, ...]
    """What was done after the deal, in words."""

    assessments: tuple[Text, ...]
    """What each decision was worth, at the tables that have a coach."""

    deal: str
    """The deal link that it was played from, if any."""

    standing: str
    """``won``, ``lost`` or ``tied`` by the player."""

    cost: float
    """What the decisions have given away together, to the hundredth."""


@blueprint.get("/<slug>/history")
def index(slug: str) -> ResponseReturnValue:
    """List the finished rounds of a table, the newest first."""
    game = game_or_404(slug)
    rounds = latest_rounds(game)
    if wants_json():
        return json_response(_export(game, rounds))
    winners = dict.fromkeys((*game.info.winners, *(one.record.result for one in rounds)))
    wanted = flask.request.args.get("result", "")
    if wanted:
        rounds = [one for one in rounds if one.record.result == wanted]
    pages = max(1, -(-len(rounds) // PAGE_SIZE))
    page = min(max(1, asked_number("page", 1)), pages)
    shown = rounds[(page - 1) * PAGE_SIZE :][:PAGE_SIZE]
    return flask.render_template(
        "history/history.html",
        game=game,
        entries=[_summary(game, one) for one in shown],
        winners={winner: game.winner_text(winner) for winner in winners if winner},
        wanted=wanted,
        found=len(rounds),
        page=page,
        pages=pages,
    )


@blueprint.get("/history")
def all_tables() -> ResponseReturnValue:
    """Show how the player stands at every table, and list the rounds that they finished last."""
    rounds = [(game, one) for game in GAMES.values() for one in latest_rounds(game, LATEST)]
    rounds.sort(key=lambda found: found[1].row.finished, reverse=True)
    tables = [(game, table_of(game)) for game in GAMES.values()]
    if wants_json():
        return json_response(
            {"tables": [{"game": game.info.slug, "finished": one.finished} for game, one in tables]}
        )
    return flask.render_template(
        "history/all_tables.html",
        tables=[(game, table.finished, player_score(table)) for game, table in tables],
        latest=[(game, _summary(game, one)) for game, one in rounds[:LATEST]],
    )


@blueprint.get("/<slug>/history.json")
def json_file(slug: str) -> flask.Response:
    """Send all finished rounds of a table as a file."""
    game = game_or_404(slug)
    return as_file(json_response(_export(game, latest_rounds(game))), f"{slug}-history.json")


@blueprint.get("/<slug>/history.csv")
def csv_file(slug: str) -> flask.Response:
    """Send all finished rounds of a table as a table for a spreadsheet."""
    game = game_or_404(slug)
    head = ("round", "finished", "result", "decisions", "points given away", "record")
    rows: list[Sequence[Cell]] = [head]
    for one in latest_rounds(game):
        record, exported = _export_round(game, one)
        decisions = " ".join(action_word(action, game) for action in record.actions[1:])
        lost = round(100 * sum(decision["cost"] for decision in exported["decisions"]), 1)
        row = (one.row.number, exported["finished"], exported["result"], decisions, lost)
        rows.append((*row, exported["record"]))
    return csv_download(f"{slug}-history.csv", rows)


@blueprint.get("/<slug>/history/<int(max=999999999):number>")
def one_round(slug: str, number: int) -> flask.Response:
    """Lead to the replay of a round, at an address that can be sent on."""
    game = game_or_404(slug)
    found = finished_round(game, number)
    if found is None:
        raise NotFound
    record = found.record if found.opened else disclosed(game, found)[1]
    return see_other(replay_address(record))


@blueprint.get("/<slug>/transcript")
def transcript(slug: str) -> flask.Response:
    """Send the game so far as the sheet's terminal program prints it, as a text file."""
    if slug not in TRANSCRIPTS:
        raise NotFound
    text = TRANSCRIPTS[slug](rounds_since_cleared(game_or_404(slug)))
    return download(f"{slug}.txt", text, "text/plain")


def _summary(game: AnyGame, one: FinishedRound) -> RoundSummary:
    """Return a round as it is listed."""
    record = one.record
    view: Any = None
    # Where cards are shuffled again and again a replay is long: a list does without.
    ending = game.ending_text(record.result, record.steps - 1)
    decisions: tuple[Decision, ...] = ()
    advisor = advisor_of(game)
    if not game.info.reshuffles:
        replayed = replay(record)
        view = replayed.last.shown()
        ending = replayed.last.result.text if replayed.last.result else ending
        if advisor:
            decisions = tuple(decisions_of(advisor, one.costs, record, replayed))
    return RoundSummary(
        number=one.row.number,
        finished=datetime.fromtimestamp(one.row.finished, UTC),
        ending=ending,
        view=view,
        actions=tuple(action_text(game, one.name, one.times) for one in record.actions[1:]),
        assessments=tuple(map(advisor.assessment, decisions)) if advisor else (),
        deal=one.row.deal,
        standing=_standing(game, record),
        cost=round(sum(decision.cost for decision in decisions), 3),
    )


def _standing(game: AnyGame, record: Record) -> str:
    """Return what a round was to the player, who is the first of its winners or players."""
    winners = tuple(game.info.winners)
    if not winners:
        dealt = replay(record.truncated(1)).last
        return "won" if record.result == game.players(dealt.state)[0] else "lost"
    return dict(zip(winners, ("won", "lost", "tied"), strict=False)).get(record.result, "")


def action_text(game: AnyGame, name: str, times: int = 1) -> str:
    """Say what was done."""
    move = game.move(name)
    return move.said(times) if move else Text("Gave the round up")


def _export(game: AnyGame, rounds: list[FinishedRound]) -> dict[str, Any]:
    """Return rounds for a program."""
    return {
        "game": game.info.slug,
        "rounds": [_export_round(game, one)[1] for one in rounds],
    }


def _export_round(game: AnyGame, one: FinishedRound) -> tuple[Record, dict[str, Any]]:
    """Return the record of a round as it may be shown, and all that is exported of it."""
    whole, record = disclosed(game, one)
    costs = one.costs if advisor_of(game) else ()
    text = readable_line(record)
    salt = one.record.salt
    return record, {
        "number": one.row.number,
        "finished": datetime.fromtimestamp(one.row.finished, UTC).isoformat(),
        "result": one.record.result,
        "deal": one.row.deal,
        "decisions": [
            {"chosen": chosen, "best": best, "cost": cost}
            for chosen, (best, cost) in zip(decided(whole), map(best_and_cost, costs), strict=False)
        ],
        "record": text,
        "signature": sign_record(text),
        "opened": one.opened,
        "salt": salt if one.opened else "",
    }
