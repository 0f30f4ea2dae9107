"""A guess at War: which player takes the next war?

The player guesses before cards are turned over, and the guess applies to the next turn with a tie.
Guessing is optional and is not a move, so every move is possible without a guess.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import flask
import msgspec
from werkzeug.exceptions import BadRequest

from cardgames.games.war import War
from cardgames.table import Phase, Table
from web.http.requests import form_fields
from web.http.responses import see_other
from web.http.sessions import PlayerSession, current_session
from web.tables.page import Refusal
from web.tables.seat import Seat, load_table
from web.tables.views import STALE, render_seat

GAME: Final = "war"
"""The slugs of the games whose tables ask for a guess."""

ROW: Final = "guess"
"""The key of the guess in a session."""

blueprint = flask.Blueprint("guessing", __name__)


class Guess(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player's guess, in the form in which a session stores it."""

    seat: int | None = None
    """The seat of the player who will take the next war according to the guess, or None without a
    guess.
    """

    step: int = 0
    """The table's step after the last war for which there was a guess."""

    is_right: bool = False
    """Whether the guess for the last war was right."""

    right: int = 0
    """The number of right guesses in this game."""

    guesses: int = 0
    """The number of guesses in this game that were decided by a war."""


@blueprint.post("/<slug>/guess")
def guess(slug: str) -> flask.Response:
    """Save the player's guess, which is not a move.

    Raises:
        BadRequest: If the guess is not the seat of a player with cards.
    """
    session, sent = current_session(), form_fields()
    seat = load_table(session, slug)
    if sent.get("step") != str(seat.step) or not may_guess(seat.table):
        return render_seat(seat, 409, Refusal(STALE))
    named = sent.get("seat", "")
    if named not in map(str, seats_with_cards(seat.table)):
        raise BadRequest
    session.keep(ROW, msgspec.structs.replace(session.value(ROW, Guess), seat=int(named)))
    return see_other(seat.url, partial(render_seat, seat))


def after_move(session: PlayerSession, before: Seat, move: str, after: Seat) -> None:
    """Compare the guess with any war that occurred in the move.

    A new game starts without guesses.
    """
    if ROW not in session:
        return
    if not may_guess(before.table):
        del session[ROW]
        return
    stored, fought = session.value(ROW, Guess), after.table.state and after.table.state.battle
    is_war = move == "turn" and after.table.times == 1 and fought and len(fought.cards) > 1
    if stored.seat is None or not is_war:
        return
    is_right = fought.winner_seat == stored.seat
    session.keep(
        ROW,
        Guess(None, after.step, is_right, stored.right + is_right, stored.guesses + 1),
    )


def panel(session: PlayerSession, seat: Seat) -> Mapping[str, Any] | None:
    """Return the guess, and the seats that the player can guess."""
    is_open = may_guess(seat.table)
    stored = session.value(ROW, Guess)
    is_decided = stored.guesses > 0 and stored.step == seat.step
    if not is_open and not is_decided:
        return None
    values = {"guess": stored, "guess_decided": is_decided}
    if not is_open:
        return values
    seats = seats_with_cards(seat.table)
    return {**values, "guess_seats": seats, "thoughts": "tables/panels/guess.html"}


def may_guess(table: Table) -> bool:
    """Return whether a war can still occur in the game at a table."""
    return isinstance(table.game, War) and table.phase is Phase.PLAYING


def seats_with_cards(table: Table) -> tuple[int, ...]:
    """Return the seats of the players who have cards."""
    return tuple(at for at, hand in enumerate(table.state.hands) if hand)
