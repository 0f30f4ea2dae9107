"""A question at the end of a deck that is never refilled: how many tens are left?

The question is shown only on the first page with few cards left in the deck. The answer is optional
and is not a move, so the next move is possible without an answer.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import flask
import msgspec
from werkzeug.exceptions import BadRequest

from cardgames.games.twentyone.engine import TwentyOne
from cardgames.games.twentyone.rules import POINTS, Shoe
from cardgames.table import Table
from web.http.requests import form_fields
from web.http.responses import see_other
from web.http.sessions import PlayerSession, current_session
from web.tables.page import Refusal
from web.tables.seat import Seat, load_table
from web.tables.views import STALE, render_seat

GAME: Final = "one-deck"
"""The slug of the game at whose table the question is asked."""

ROW: Final = "count"
"""The key of the question in a session."""

FEW: Final = 10
"""Number of cards left in the deck when the question is asked."""

_TEN: Final = 10

blueprint = flask.Blueprint("counting", __name__)


class CountQuestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """The question, in the form in which a session stores it."""

    step: int = 0
    """The step of the table at which the question is asked."""

    told: int | None = None
    """The player's answer, or None before the answer."""


class Count(msgspec.Struct, frozen=True):
    """The question and its answer, for the page."""

    unseen: int
    """Number of cards that the player has not seen."""

    tens: int
    """Number of unseen cards with the value 10."""

    told: int | None
    """The player's answer, or None before the answer."""


@blueprint.post("/<slug>/count")
def answer(slug: str) -> flask.Response:
    """Save the player's answer, which is not a move.

    Raises:
        BadRequest: If the answer is not a number of cards.
    """
    session, sent = current_session(), form_fields()
    seat = load_table(session, slug)
    question = open_question(session, seat)
    if question is None or sent.get("step") != str(seat.step):
        return render_seat(seat, 409, Refusal(STALE))
    told = sent.get("tens", "")
    if not told.isdecimal() or len(told) > len("52"):
        raise BadRequest
    session.keep(ROW, msgspec.structs.replace(question, told=int(told)))
    return see_other(seat.url, partial(render_seat, seat))


def after_move(session: PlayerSession, before: Seat, _move: str, after: Seat) -> None:
    """Ask the question if few cards are left in the deck after a move."""
    if deck_size(before.table) > FEW >= deck_size(after.table) > 0:
        session.keep(ROW, CountQuestion(after.step))


def panel(session: PlayerSession, seat: Seat) -> Mapping[str, Any] | None:
    """Return the question for the page that asks it, or the question with its answer."""
    question, advisor = open_question(session, seat), seat.table.game.advisor
    if question is None or not advisor:
        return None
    unseen = advisor.unseen(seat.table.state)
    tens = sum(POINTS[card.rank] == _TEN for card in unseen)
    count = Count(len(unseen), tens, question.told)
    return {"count": count, "notices": "tables/panels/count.html"}


def open_question(session: PlayerSession, seat: Seat) -> CountQuestion | None:
    """Return a table's question if it is asked on the current page, otherwise None."""
    if not deck_size(seat.table):
        return None
    question = session.value(ROW, CountQuestion)
    return question if question.step == seat.step else None


def deck_size(table: Table) -> int:
    """Return the size of a deck that is never refilled, or 0 for any other deck."""
    game = table.game
    if not isinstance(game, TwentyOne) or game.rules.shoe is not Shoe.ONCE or not table.state:
        return 0
    return len(table.state.deck)
