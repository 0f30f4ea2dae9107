"""Replays, which show a round step by step, and rounds that are played with other decisions."""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import islice, takewhile
from typing import Any, Final, NamedTuple

import flask
from flask.sansio.blueprints import BlueprintSetupState
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.advice import Advisor, Decision, Odds
from cardgames.game import AnyGame
from cardgames.games.war import War
from cardgames.records.line import InvalidRecord, parse, readable_line
from cardgames.records.record import Record
from cardgames.records.replay import Replay, is_complete, replay, with_shuffle_orders
from cardgames.shuffling import SaltedRandom
from cardgames.table import NEW, Phase, Table
from cardgames.text import Text
from web.history.addresses import (
    RecordConverter,
    decode_record,
    other_decision,
    parse_token,
    what_if_address,
)
from web.history.queries import (
    Ghost,
    action_text,
    is_opened,
    latest_rounds,
    load_ghost,
    own_seat,
    shown_record,
)
from web.http.addresses import query_int
from web.http.requests import wants_json
from web.http.responses import error_response, json_response, see_other
from web.reach import public_url
from web.tables.charts import sampled
from web.tables.page import ShownTable, TablePage
from web.tables.queries import decisions_in
from web.tables.seat import game_or_404

NOT_FINISHED: Final = Text(
    "Only a finished round, with all its cards, can be replayed with different decisions."
)
NOT_SIGNED: Final = Text(
    "You can replay only your own rounds, and rounds signed by this server, with different "
    "decisions. Start from the replay of the round."
)

MAX_MOMENTS: Final = 12
"""Maximum number of steps that are listed for a round. A longer round has a slider."""

_FIRST_DECISION: Final = 2  # the number of the step after the deal

_replayed: Final = lru_cache(maxsize=4)(replay)
"""The most recently viewed replays are cached, because a reader views many steps of a replay.

A record's replay never changes. In a game of War with 3,400 turns, the first step takes 225 ms, and
each further step takes 4 ms.
"""

blueprint = flask.Blueprint("replays", __name__)


@blueprint.record_once
def _convert_records(state: BlueprintSetupState) -> None:
    """Register the converter for records in an app's URLs."""
    state.app.url_map.converters["record"] = RecordConverter


class Moment(NamedTuple):
    """A step of a replay, for the list of steps."""

    step: int
    did: str
    """The move that led to the step."""

    cost: float | None
    """Points lost by the decision, or None if the decision was not evaluated."""


@dataclass(frozen=True, slots=True)
class RecordStep:
    """A step of a record and the table after the step."""

    record: Record
    replayed: Replay
    number: int
    """The step's number, counted from 1, which is the deal."""

    signed: bool
    """Whether the complete record was played on this server."""

    @property
    def table(self) -> Table:
        """The table after the step."""
        return self.replayed.tables[self.number]

    @property
    def decision(self) -> str | None:
        """The next move, or None at the end of the record."""
        ahead = islice(self.record.single_actions(), self.number, None)
        return next((action.name for action in ahead), None)

    @property
    def text(self) -> str:
        """The complete record with its cards, in readable form."""
        return readable_line(with_shuffle_orders(self.record, self.replayed))

    @property
    def can_go_on(self) -> bool:
        """Whether the round can be continued with other decisions from this step."""
        is_whole = bool(self.record.result) and is_complete(self.record)
        return self.signed and is_whole and _may_decide(self.table)


@blueprint.get("/replay/<record:token>")
def show(token: str) -> ResponseReturnValue:
    """Show a step of any record."""
    try:
        record, signed = parse_token(token)
        replayed = _replayed(record)
    except InvalidRecord as error:
        return error_response(error.text, 422)
    number = min(max(1, query_int("step", 1)), record.steps)
    step = RecordStep(record, replayed, number, signed)
    if wants_json():
        return _json(step)
    until = sampled(replayed.tables[1 : number + 1])
    page = TablePage(
        table=ShownTable.of(step.table),
        layout="history/replay.html",
        panels={"progress": until},
    )
    return flask.render_template(
        page.table.templates,
        page=page,
        step=number,
        steps=record.steps,
        record=step.text,
        signed=signed,
        address=flask.url_for(".show", token=token),
        what_if=what_if_address(record.truncated(number), token) if step.can_go_on else "",
        shared_address=public_url(flask.url_for(".show", token=token)),
        **_about(step),
    )


def _about(step: RecordStep) -> dict[str, Any]:
    """Return the template variables for a step's decision and for the linked steps."""
    game, decision = step.table.game, step.decision
    # Anyone may have written an unsigned record, for example with their current hand in a
    # tournament.
    advisor = game.advisor if step.signed else None
    decisions = decisions_in(step.record) if advisor else ()
    remaining = decisions[step.number - 1 :]
    actions = [action.name for action in step.record.single_actions()]
    return {
        "advisor": advisor,
        "odds": _odds(advisor, step.table),
        "decision": _decided(game, advisor, decision) if decision else "",
        "assessment": advisor.assessment(remaining[0]) if advisor and remaining else None,
        "moments": _moments(game, actions, decisions),
        "ties": _ties(step.replayed),
    }


def _decided(game: AnyGame, advisor: Advisor | None, action: str) -> Text:
    if advisor:
        return advisor.decided_text(action)
    return Text("Your move: {move}.", move=action_text(game, action))


def _moments(
    game: AnyGame, actions: list[str], decisions: tuple[Decision, ...]
) -> tuple[Moment, ...]:
    """Return the steps of a short round, including the cost of each decision."""
    if len(actions) > MAX_MOMENTS:
        return ()
    costs = [None, *(decision.cost for decision in decisions), *[None] * len(actions)]
    return tuple(
        Moment(step, action_text(game, name), costs[step - 1])
        for step, name in enumerate(actions, start=1)
    )


def _ties(replayed: Replay) -> list[int]:
    """Return the steps with a tie in a game of War.

    The page has a link to each of these steps.
    """
    game = replayed.last.game
    if not isinstance(game, War):
        return []
    states = enumerate(table.state for table in replayed.tables)
    return [step for step, state in states if state and game.had_tie(state)]


@blueprint.get("/what-if/<record:text>")
def what_if(text: str) -> ResponseReturnValue:
    """Play a finished round with other decisions and the same cards.

    The result never counts. Only rounds that this server signed are accepted. Otherwise, anyone
    could get the exact odds for any hand, including a hand in a tournament.
    """
    token = flask.request.args.get("of", "")
    try:
        original = _original(token)
        record = _beginning(text, original)
        # Once all cards of the original round have been used, further shuffles may be arbitrary,
        # but every request must shuffle in the same way.
        luck = SaltedRandom(lambda: sha256(f"practice {record.game}".encode()).hexdigest())
        step = RecordStep(record, replay(record, luck), record.steps, signed=False)
    except InvalidRecord as error:
        return error_response(error.text, 422)
    if wants_json():
        return _json(step, practice=True)
    table, advisor = step.table, step.table.game.advisor
    page = TablePage(table=ShownTable.of(table), layout="history/practice.html")
    return flask.render_template(
        page.table.templates,
        page=page,
        ghost=_ghost(table, record, original),
        again=_again(record, original, token) if table.result else "",
        record=step.text,
        address=flask.url_for(".show", token=token),
        advisor=advisor,
        odds=_odds(advisor, table),
        choices=_choices(table, record, token),
    )


def _choices(table: Table, record: Record, token: str) -> dict[str, str]:
    """Return the URLs of the possible decisions, keyed by label."""
    legal = table.game.moves(table.state) if _may_decide(table) else ()
    return {
        move.label: what_if_address(record.with_action(move.read({})), token)
        for move in legal
        if not move.form and move.name != NEW.name
    }


@blueprint.get("/<slug>/what-if")
def after_loss(slug: str) -> flask.Response:
    """Redirect to the player's last round, to play it with another decision.

    Raises:
        NotFound: If the round or the decision does not exist, or not all cards of the round may be
            shown.
    """
    game = game_or_404(slug)
    own_rounds = (round_ for round_ in latest_rounds(game) if not round_.deal)
    last, step, seat = next(own_rounds, None), query_int("step", 0), own_seat(game)
    name = flask.request.args.get("move", "")
    move = next((round_move for round_move in game.round_moves if round_move.name == name), None)
    if not last or not is_opened(last, seat) or not move:
        raise NotFound
    record = shown_record(last, seat)
    if not 1 <= step < record.steps:
        raise NotFound
    return see_other(other_decision(record, step, move))


def _ghost(table: Table, record: Record, original: Record) -> Ghost | None:
    """Return the original round and the new round, next to each other."""
    if record.steps < _FIRST_DECISION:
        return None
    ended = None
    if table.result and (played := replay(original).last.result):
        ended = table.result.text, played.text
    return load_ghost(record, original, ended)


def _original(token: str) -> Record:
    """Return the round to play again, from the token of the round's replay.

    Raises:
        InvalidRecord: If the round is unreadable, not signed by this server, or not finished.
    """
    if not token:
        raise InvalidRecord(NOT_SIGNED)
    record, signed = parse_token(token)
    if not signed:
        raise InvalidRecord(NOT_SIGNED)
    if not (record.result and is_complete(record)):
        raise InvalidRecord(NOT_FINISHED)
    return record


def _again(record: Record, original: Record, token: str) -> str:
    """Return the URL to retry a round from its first changed decision."""
    now, then = record.single_actions(), original.single_actions()
    same = takewhile(lambda pair: pair[0].name == pair[1].name, zip(now, then, strict=False))
    steps = max(1, min(sum(1 for _ in same), record.steps - 1))
    return what_if_address(record.truncated(steps), token)


def _beginning(address: str, original: Record) -> Record:
    """Return the beginning of a round that is played again with other decisions.

    Raises:
        InvalidRecord: If the beginning cannot be read, has no open decision, or does not belong to
            the round.
    """
    record = parse(decode_record(address))
    if record.result or not record.steps or not _decides(GAMES[record.game]):
        raise InvalidRecord(NOT_FINISHED)
    if record.truncated(1) != original.truncated(1):  # The deal and its cards must match.
        raise InvalidRecord(NOT_SIGNED)
    return record


def _may_decide(table: Table) -> bool:
    """Return whether the player has a decision, that is, more than one move."""
    return _decides(table.game) and table.phase is Phase.PLAYING


def _decides(game: AnyGame) -> bool:
    return len(game.round_moves) > 1


def _odds(advisor: Advisor | None, table: Table) -> Odds | None:
    """Return the odds of the open decision, or None."""
    return advisor.odds(table.state) if advisor and table.phase is Phase.PLAYING else None


def _json(step: RecordStep, *, practice: bool = False) -> flask.Response:
    """Return a step of a round and the number of steps, as JSON."""
    answer = {
        "game": step.record.game,
        "record": step.text,
        "step": step.number,
        "steps": step.record.steps,
        "signed": step.signed,
        "practice": practice,
        "decision": step.decision,
        "view": step.table.view(),
    }
    return json_response(answer)
