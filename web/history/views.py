"""The history of a table, as a page, as JSON and as a spreadsheet."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

import flask
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.game import AnyGame
from cardgames.records.line import action_word, readable_line
from cardgames.records.record import Record
from cardgames.records.replay import replay
from cardgames.records.transcript import TRANSCRIPTS
from cardgames.table import Phase
from cardgames.text import Text
from web.db.models import Round
from web.history.addresses import replay_address
from web.history.queries import (
    action_text,
    finished_round,
    is_opened,
    latest_rounds,
    own_seat,
    rounds_since_cleared,
    shown_record,
)
from web.http.addresses import query_int
from web.http.downloads import Cell, csv_download, download
from web.http.requests import wants_json
from web.http.responses import json_response, see_other
from web.http.sessions import PlayerSession, current_session
from web.signing import sign_record
from web.tables.lobby import player_score
from web.tables.models import UNREADABLE
from web.tables.queries import decisions_in, load_rounds, parsed
from web.tables.seat import Seat, game_or_404

PAGE_SIZE: Final = 20
"""Maximum number of rounds that are listed on a page."""

LATEST: Final = 10
"""Maximum number of rounds in the list for all tables."""

# number of decimal places of a cost, because further places of a sum depend on the order of
# addition
_DIGITS: Final = 9

TRANSCRIPT: Final = Text("Download the transcript, as the sheet's program prints it")

blueprint = flask.Blueprint("history", __name__)
log = logging.getLogger("cardgames.rounds")


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """A finished round and its values for the history."""

    number: int
    finished: datetime
    ending: str
    """The result in words."""

    view: Any
    """The game's view of the end of the round, or None for long games such as War."""

    actions: tuple[str, ...]
    """The moves after the deal in words."""

    assessments: tuple[Text, ...]
    """The value of each decision, at tables with a coach."""

    deal: str
    """The ID of the round's deal link, or an empty string."""

    standing: str
    """The player's result: ``won``, ``lost`` or ``tied``."""

    cost: float
    """Total points given away, rounded to a hundredth."""


@blueprint.get("/<slug>/history")
def index(slug: str) -> ResponseReturnValue:
    """List the finished rounds of a table, the newest first."""
    game = game_or_404(slug)
    if wants_json():
        return json_response(_export(game, latest_rounds(game)))
    rounds = load_rounds(current_session().sid, slug)
    winners = dict.fromkeys((*game.info.winners, *(round_.result for round_ in rounds)))
    wanted = flask.request.args.get("result", "")
    if wanted:
        rounds = [round_ for round_ in rounds if round_.result == wanted]
    pages = max(1, -(-len(rounds) // PAGE_SIZE))
    page = min(max(1, query_int("page", 1)), pages)
    page_rounds = rounds[(page - 1) * PAGE_SIZE :][:PAGE_SIZE]
    return flask.render_template(
        "history/history.html",
        game=game,
        entries=[entry for _, entry in _summaries(page_rounds)],
        winners={winner: game.winner_text(winner) for winner in winners if winner},
        wanted=wanted,
        found=len(rounds),
        page=page,
        pages=pages,
    )


@blueprint.get("/history")
def all_tables() -> ResponseReturnValue:
    """Show the player's tally at every table, and the last finished rounds."""
    sid = current_session().sid
    rounds = [row for slug in GAMES for row in load_rounds(sid, slug)]
    rounds.sort(key=lambda row: row.finished, reverse=True)
    tables = [(game, own_seat(game).table) for game in GAMES.values()]
    if wants_json():
        return json_response(
            {
                "tables": [
                    {"game": game.info.slug, "finished": table.finished} for game, table in tables
                ]
            }
        )
    return flask.render_template(
        "history/all_tables.html",
        tables=[(game, table.finished, player_score(table)) for game, table in tables],
        latest=[*islice(_summaries(rounds), LATEST)],
    )


@blueprint.get("/<slug>/history.csv")
def csv_file(slug: str) -> flask.Response:
    """Send all finished rounds of a table as a CSV file for a spreadsheet."""
    game = game_or_404(slug)
    head = ("round", "finished", "result", "decisions", "points given away", "record")
    rows: list[Sequence[Cell]] = [head]
    rounds = [*latest_rounds(game)]
    for stored, exported in zip(rounds, _export(game, rounds)["rounds"], strict=True):
        actions = parsed(stored.record).actions[1:]
        decisions = " ".join(map(action_word, actions))
        lost = round(100 * sum(decision["cost"] for decision in exported["decisions"]), 1)
        row = (stored.number, exported["finished"], exported["result"], decisions, lost)
        rows.append((*row, exported["record"]))
    return csv_download(f"{slug}-history.csv", rows)


@blueprint.get("/<slug>/history/<int(max=999999999):number>")
def one_round(slug: str, number: int) -> flask.Response:
    """Redirect to the replay of a round, at a URL that can be shared."""
    game = game_or_404(slug)
    stored = finished_round(game, number)
    if stored is None:
        raise NotFound
    seat = own_seat(game)
    record = parsed(stored.record) if is_opened(stored, seat) else shown_record(stored, seat)
    return see_other(replay_address(record))


def transcript_panel(_session: PlayerSession, seat: Seat) -> Mapping[str, Any] | None:
    """Return the link to a transcript of the game in the sheet's output format."""
    if seat.table.phase is Phase.READY:
        return None
    return {"links": (TRANSCRIPT, "history.transcript", "slug", seat.table.game.info.slug)}


@blueprint.get("/<slug>/transcript")
def transcript(slug: str) -> flask.Response:
    """Send the current game as a text file, in the format of the terminal program."""
    if slug not in TRANSCRIPTS:
        raise NotFound
    text = TRANSCRIPTS[slug](rounds_since_cleared(game_or_404(slug)))
    return download(f"{slug}.txt", text, "text/plain")


def _summaries(rounds: Iterable[Round]) -> Iterator[tuple[AnyGame, RoundSummary]]:
    """Yield the readable rounds for the list, and log the unreadable ones."""
    for row in rounds:
        game = GAMES[row.game]
        try:
            yield game, _summary(game, row)
        except UNREADABLE as error:  # UNREADABLE includes InvalidRecord, which is a ValueError.
            log.warning("a round could not be read: %s", type(error).__name__)


def _summary(game: AnyGame, stored: Round) -> RoundSummary:
    """Return a round for the list."""
    record, advisor = parsed(stored.record), game.advisor
    view: Any = None
    # Games that reshuffle have long replays, so the list omits the view of their last table.
    ending = game.ending_text(record.result, record.steps - 1)
    if not game.info.reshuffles:
        last = replay(record).last
        view, ending = last.shown(), last.result.text if last.result else ending
    decisions = decisions_in(record) if advisor else ()
    return RoundSummary(
        number=stored.number,
        finished=datetime.fromtimestamp(stored.finished, UTC),
        ending=ending,
        view=view,
        actions=tuple(
            action_text(game, action.name, action.times) for action in record.actions[1:]
        ),
        assessments=tuple(map(advisor.assessment, decisions)) if advisor else (),
        deal=stored.deal,
        standing=_standing(game, record),
        cost=round(sum(decision.cost for decision in decisions), 3),
    )


def _standing(game: AnyGame, record: Record) -> str:
    """Return the player's result.

    The first of the game's winners, or of its players, is the user.
    """
    winners = tuple(game.info.winners)
    if not winners:
        dealt = replay(record.truncated(1)).last
        return "won" if record.result == game.players(dealt.state)[0] else "lost"
    return dict(zip(winners, ("won", "lost", "tied"), strict=False)).get(record.result, "")


def _export(game: AnyGame, rounds: Iterable[Round]) -> dict[str, Any]:
    """Return rounds as JSON."""
    seat = own_seat(game)
    return {"game": game.info.slug, "rounds": [_export_round(round_, seat) for round_ in rounds]}


def _export_round(stored: Round, seat: Seat) -> dict[str, Any]:
    """Return all exported values of a round."""
    record = parsed(stored.record)
    has_coach = seat.table.game.advisor is not None
    text, opened = readable_line(shown_record(stored, seat)), is_opened(stored, seat)
    return {
        "number": stored.number,
        "finished": datetime.fromtimestamp(stored.finished, UTC).isoformat(),
        "result": stored.result,
        "deal": stored.deal,
        "decisions": [
            {
                "chosen": decision.chosen,
                "best": decision.best,
                "cost": round(decision.cost, _DIGITS),
            }
            for decision in (decisions_in(record) if has_coach else ())
        ],
        "record": text,
        "signature": sign_record(text),
        "opened": opened,
        "salt": record.salt if opened else "",
    }
