"""A player's table in a request, and the player's own tables in the session.

A table has its own URL, or belongs to a deal link or to homework. For each kind of table, one
function loads a :class:`Seat` and another function saves it; the steps between the two are the same
for all kinds (:mod:`web.tables.views`).
"""

import logging
import secrets
from dataclasses import replace
from typing import Any, Final, Literal

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.game import AnyGame
from cardgames.records.record import Record
from cardgames.table import Table
from web.http.sessions import PlayerSession
from web.tables.models import UNREADABLE, pack_table, read_counts, unpack_table
from web.tables.queries import save_round

TABLE_ROW: Final = "table:"
"""The beginning of the session keys of a player's own tables, before the game's slug."""

Kind = Literal["own", "deal", "homework"]

log = logging.getLogger("cardgames.tables")


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """A player's table and the number of moves that the table has accepted."""

    url: str
    table: Table
    step: int = 0
    salt: str = ""
    """The salt of the table's shuffles, or an empty string for a random salt at each deal."""

    kind: Kind = "own"
    place: Any = None
    """The deal link or the student's homework to which the table belongs, or None."""

    layout: str = "tables/table.html"
    """The template that the game's own template extends."""

    unreadable: bool = False
    """Whether there was an older table that could not be loaded."""

    id: bytes = b""
    """An ID that distinguishes the table from an earlier table that could not be loaded."""

    def after_move(self, table: Table) -> "Seat":
        """Return the seat after another move."""
        return msgspec.structs.replace(self, table=table, step=self.step + 1, unreadable=False)


def load_table(session: PlayerSession, slug: str) -> Seat:
    """Return a player's own table of a game.

    Raises:
        NotFound: If there is no such game.
    """
    game = game_or_404(slug)
    empty = Seat(url=flask.url_for("tables.show", slug=slug), table=Table(game))
    seat = read_row(session, f"{TABLE_ROW}{slug}", empty)
    return seat or msgspec.structs.replace(empty, unreadable=session.unreadable, id=_new_id())


def save_table(session: PlayerSession, seat: Seat, finished: tuple[Record, ...]) -> None:
    """Save a player's own table in the session, and finished rounds in the database.

    Args:
        session: The player's session.
        seat: The table after the move.
        finished: The records of the rounds that the move ended.
    """
    write_row(session, f"{TABLE_ROW}{seat.table.game.info.slug}", seat)
    # A move may end two rounds: the round that it abandons, and a round that it deals and that ends
    # immediately.
    first = seat.table.finished - len(finished) + 1
    for number, record in enumerate(finished, first):
        save_round(session.sid, record, table=(seat.id, number), step=seat.step)


def read_row(session: PlayerSession, key: str, empty: Seat) -> Seat | None:
    """Return a seat with the table that a session stores under a key, or None.

    A table that cannot be loaded is replaced by an empty table at the same step.
    """
    row = session.get(key)
    if row is None:
        return None
    try:
        step, id_, table = unpack_table(row, empty.table)
    except UNREADABLE as error:
        slug = empty.table.game.info.slug
        log.warning("a table of %s could not be read: %s", slug, type(error).__name__)
        step, finished = read_counts(row)
        table, id_ = replace(empty.table, finished=finished), _new_id()
        return msgspec.structs.replace(empty, table=table, step=step, id=id_, unreadable=True)
    return msgspec.structs.replace(empty, table=table, step=step, id=id_)


def write_row(session: PlayerSession, key: str, seat: Seat) -> None:
    """Save a seat's table in a session, as the most recently played table."""
    session.pop(key, None)
    session[key] = pack_table(seat.step, seat.id, seat.table)


ADVISED_GAMES: Final = {slug: game for slug, game in GAMES.items() if game.advisor}
"""The slugs of the games with decisions. Only these games need skill and have exact odds."""


def game_or_404(slug: str) -> AnyGame:
    """Return a game by its slug.

    Raises:
        NotFound: If there is no such table.
    """
    if slug not in GAMES:
        raise NotFound
    return GAMES[slug]


def _new_id() -> bytes:
    return secrets.token_bytes(4)
