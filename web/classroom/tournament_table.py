"""A student at a tournament, and their table at one of its deals.

What they have played lies with the class and not in a browser's session, so all browsers of a
student are at the same table, and nobody plays a deal twice. The table itself follows from the
deal and from what was done there. The move that ends a round writes the result, in the same
transaction.
"""

from functools import lru_cache
from typing import ClassVar

import msgspec

from cardgames.records.record import Record
from cardgames.table import Table
from cardgames.text import Text, format_points
from web import db
from web.classroom.access import save_students
from web.classroom.forms import NotAllowed
from web.classroom.standings import TOO_LATE, Seat
from web.classroom.tournaments import TournamentPlay
from web.deals.deal import moves_after_deal
from web.deals.models import Deal
from web.http.sessions import PlayerSession
from web.tables.location import TableLocation
from web.tables.page import TablePage
from web.tables.rows import TableSlot


class TournamentTablePage(TablePage, frozen=True, kw_only=True):
    """The page of a table at a deal of a tournament."""

    layout: ClassVar[str] = "class/tournament_table.html"
    seat: Seat
    number: int
    """Of the deal, from 1."""

    chart: ClassVar[None] = None
    """None is drawn: one round has no course."""

    @property
    def status(self) -> Text:
        """Until when it can be played, and what the student has made of it so far."""
        seat = self.seat
        if not seat.entry.played or not seat.tournament.by_play:
            return seat.when
        if seat.hides_points:
            return Text("{when} · points are shown when it ends", when=seat.when)
        points = format_points(seat.entry.total)
        return Text("{when} · {points} points given away", when=seat.when, points=points)


class TournamentTable(TableLocation, frozen=True):
    """A student's table at a deal of a tournament: it lies with the class, not in a session."""

    seat: Seat
    number: int
    """Of the deal, from 1."""

    has_coach: ClassVar[bool] = False
    """There is no coach: everybody decides alone."""

    @classmethod
    def at(cls, seat: Seat, number: int) -> "TournamentTable":
        """Return a student's table at a deal, counted from 1."""
        return cls(seat.tournament.game, "", seat, number)

    @property
    def address(self) -> str:
        """The address of its page."""
        return self.seat.deal_address(self.number)

    @property
    def deal(self) -> Deal:
        """What is played."""
        return self.seat.tournament.deal(self.number)

    def new_salt(self) -> str:
        """Return the salt that all students have."""
        return self.deal.salt.hex()

    def empty_table(self) -> Table:
        """Return the table before the deal."""
        return self.deal.shared.table

    def load(self, session: PlayerSession) -> TableSlot:  # noqa: ARG002 - it lies with the class
        """Return the table as the student's moves have left it."""
        play = self.seat.entry.play(self.number)
        table = table_after(self.deal, play.moves) if play else self.empty_table()
        return TableSlot(table.record.steps if play else 0, table)

    def save(
        self,
        session: PlayerSession,  # noqa: ARG002 - it lies with the class
        slot: TableSlot,
        finished: tuple[Record, ...],  # noqa: ARG002 - the table says how the round has ended
    ) -> None:
        """Write what was done, and with the last move how the round ended.

        Raises:
            NotAllowed: the tournament has ended meanwhile.
        """
        seat, table, now = self.seat, slot.table, db.now()
        if seat.tournament.phase(now) == "over":  # looked at again, when it is written
            raise NotAllowed(TOO_LATE)
        moves, who = moves_after_deal(table.record), seat.student
        play = TournamentPlay(class_code=who.class_code, student=who.number, moves=moves, winner="")
        play.tournament, play.deal = seat.tournament.number, self.number
        if table.result:
            play.winner, play.finished = table.result.winner, now
            play.score = seat.tournament.score(self.number, moves, play.winner)
        db.session().merge(play)
        if table.result and self.number == seat.tournament.deals:
            save_students(seat.classroom)  # the big screen and dashboards look again

    def page(
        self,
        session: PlayerSession,  # noqa: ARG002 - it lies with the class
        table: Table,  # noqa: ARG002 - it is in the page
        page: TablePage,
    ) -> TournamentTablePage:
        """Return the page of the table with the tournament around it."""
        asdict = msgspec.structs.asdict(page)
        return TournamentTablePage(**asdict, seat=self.seat, number=self.number)


@lru_cache(maxsize=512)
def table_after(deal: Deal, moves: str) -> Table:
    """Return a student's table after some moves: words of a record, with blanks between."""
    table = deal.shared.table
    for action in deal.record(moves).single_actions():
        table = deal.shared.play(table, action.name)
    return table
