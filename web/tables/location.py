"""Where a table stands: its game, its row in a session, and its address."""

import logging
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import msgspec
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.game import AnyGame
from cardgames.records.record import Record
from cardgames.shuffling import random_salt
from cardgames.table import Table
from web.storage.protocol import Round
from web.storage.sessions import Session
from web.tables.page import TablePage
from web.tables.rows import UNREADABLE, counts_of, pack_table, unpack_table
from web.tables.stored_round import StoredRound

TABLE_ROW: Final = "table:"
"""How the key of a table's row in a session begins; the game's slug follows."""

log = logging.getLogger("cardgames.tables")


@dataclass(frozen=True, slots=True)
class TableSlot:
    """A table of one player: how many moves it has accepted, and how it stands."""

    step: int
    table: Table
    unreadable: bool = False
    """Whether an older table was there that could not be read."""


@dataclass(frozen=True, slots=True)
class TableLocation:
    """A game's own table of a player. Deal links have locations of their own."""

    game: AnyGame
    key: str
    """Its row in the session."""

    path: str
    """Its address below the root."""

    has_coach: ClassVar[bool] = True
    """Whether the coach can be asked there."""

    def new_salt(self) -> str:
        """Return what the next shuffle follows from."""
        return random_salt()

    def empty_table(self) -> Table:
        """Return the table before its first deal."""
        return Table(self.game)

    def vacant(self, session: Session) -> TableSlot:
        """Return the table where the session has none for it."""
        return TableSlot(0, self.empty_table(), unreadable=session.unreadable)

    def load(self, session: Session) -> TableSlot:
        """Return the table; what cannot be read is begun anew, at the step where it was."""
        row = session.get(self.key)
        if row is None:
            return self.vacant(session)
        try:
            table, step = unpack_table(row, self.empty_table())
        except UNREADABLE as error:
            log.warning("a table of %s could not be read: %s", self.path, type(error).__name__)
            step, finished = counts_of(row)
            fresh = replace(self.empty_table(), finished=finished)
            return TableSlot(step, fresh, unreadable=True)
        return TableSlot(step, table)

    def save(self, session: Session, slot: TableSlot, finished: tuple[Record, ...]) -> None:
        """Put the table into the session as its last row, and finished rounds beside it."""
        session.pop(self.key, None)  # the rows stand in the order in which they were played
        session[self.key] = msgspec.Raw(pack_table(slot.table, slot.step))
        for back, record in enumerate(reversed(finished)):
            number = slot.table.finished - back
            stored = StoredRound.of(record, self.game)
            session.side_writes.append(Round(self.game.info.slug, number, stored.packed()))

    def page(self, session: Session, table: Table, page: TablePage) -> TablePage:  # noqa: ARG002
        """Return the page of the table with what there is to tell of this location: nothing."""
        return page


def location_for(slug: str) -> TableLocation:
    """Return where a game's own table stands.

    Raises:
        NotFound: there is no such game.
    """
    return TableLocation(game_or_404(slug), f"{TABLE_ROW}{slug}", f"/{slug}")


def game_or_404(slug: str) -> AnyGame:
    """Return a game by its slug.

    Raises:
        NotFound: there is no such table.
    """
    if slug not in GAMES:
        raise NotFound
    return GAMES[slug]
