"""Where a table stands: its game, its row in a session, and its address."""

import logging
import secrets
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar, Final

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.game import AnyGame
from cardgames.records.record import Record
from cardgames.shuffling import random_salt
from cardgames.table import Table
from web.http.sessions import PlayerSession
from web.tables.by_hand import with_hand
from web.tables.page import TablePage
from web.tables.rounds import keep_round
from web.tables.rows import UNREADABLE, TableSlot, counts_of, pack_table, unpack_table

TABLE_ROW: Final = "table:"
"""How the key of a table's row in a session begins; the game's slug follows."""

_RECENT: Final = 1_024
"""Maximum number of tables that a worker remembers beside their rows: the next request is mostly
about one of them. It saves a fifth of a JSON move; the row itself is the key, so none is stale."""

log = logging.getLogger("cardgames.tables")


class TableLocation(msgspec.Struct, frozen=True):
    """A game's own table of a player. Deal links have locations of their own."""

    game: AnyGame
    key: str
    """Its row in the session."""

    has_coach: ClassVar[bool] = True
    """Whether the coach can be asked there."""

    @property
    def address(self) -> str:
        """The address of its page."""
        return flask.url_for("tables.show", slug=self.game.info.slug)

    def new_salt(self) -> str:
        """Return what the next shuffle follows from."""
        return random_salt()

    def empty_table(self) -> Table:
        """Return the table before its first deal."""
        return Table(self.game)

    # A deal's table differs: its player may have finished it, and its row be gone.
    def vacant(self, session: PlayerSession) -> TableSlot:
        """Return the table where the session has none for it."""
        return TableSlot(0, self.empty_table(), session.unreadable, _new_id())

    def load(self, session: PlayerSession) -> TableSlot:
        """Return the table; what cannot be read is begun anew, at the step where it was."""
        row = session.get(self.key)
        if row is None:
            return self.vacant(session)
        recent = _recent(self.key, bytes(row))
        try:
            if not recent:
                recent.append(unpack_table(row, self.empty_table()))
        except UNREADABLE as error:
            log.warning(
                "a table of %s could not be read: %s", self.game.info.slug, type(error).__name__
            )
            step, finished = counts_of(row)
            fresh = replace(self.empty_table(), finished=finished)
            return TableSlot(step, fresh, unreadable=True, id=_new_id())
        return recent[0]

    def save(self, session: PlayerSession, slot: TableSlot, finished: tuple[Record, ...]) -> None:
        """Put the table into the session, and finished rounds beside it.

        Args:
            session: the player's.
            slot: the table.
            finished: the records of the rounds that the move has ended.
        """
        session.pop(self.key, None)  # the rows stand in the order in which they were played
        row = session[self.key] = pack_table(slot)
        _recent(self.key, row)[:] = [slot]
        # A move may end two rounds: it gives one up, and deals one that is over at once.
        first = slot.table.finished - len(finished) + 1
        for number, record in enumerate(finished, first):
            keep_round(session.sid, record, table=(slot.id, number), step=slot.step)

    def page(self, session: PlayerSession, table: Table, page: TablePage) -> TablePage:
        """Return the page of the table as this location shows it."""
        return with_hand(session, table, page)


@lru_cache(maxsize=_RECENT)
def _recent(key: str, row: bytes) -> list[TableSlot]:  # noqa: ARG001 - what it is remembered by
    """Return the table that a row has, in a list; an empty one where nobody has looked lately."""
    return []


def _new_id() -> bytes:
    return secrets.token_bytes(4)


def location_for(slug: str) -> TableLocation:
    """Return where a game's own table stands.

    Raises:
        NotFound: there is no such game.
    """
    return TableLocation(game_or_404(slug), f"{TABLE_ROW}{slug}")


def game_or_404(slug: str) -> AnyGame:
    """Return a game by its slug.

    Raises:
        NotFound: there is no such table.
    """
    if slug not in GAMES:
        raise NotFound
    return GAMES[slug]
