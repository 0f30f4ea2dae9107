"""A student at a tournament, and their table at one of its deals.

What they have played lies with the class and not in a browser's session, so all browsers of a
student are at the same table, and nobody plays a deal twice. The table itself follows from the
deal and from what was done there. The move that ends a round writes the result, in the same
transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Final

import msgspec

from cardgames.advice import Decision
from cardgames.records.record import Record
from cardgames.table import Table
from cardgames.text import Text, format_points, plural
from web import db
from web.classroom import standings, tournaments
from web.classroom.access import save_students
from web.classroom.models import Classroom, Student
from web.classroom.seen_deals import deals_seen_before
from web.classroom.standings import Standing, TournamentState
from web.classroom.tournaments import Entry, Play
from web.classroom.words import time_text
from web.deals.deal import Deal, moves_after_deal
from web.http.sessions import PlayerSession
from web.tables.location import TableLocation, TableSlot
from web.tables.page import TablePage

TOO_LATE: Final = Text("This tournament is over. What you had played till then is kept.")
NOT_OPEN: Final = Text("This tournament opens {time}.")
STEPPED_OUT: Final = Text("You have stepped out: step in again to play.")
NEXT_DEAL: Final = Text("The deals are played in their order: deal {number} is next.")
NO_DEAL: Final = Text("This tournament has no such deal.")
PLAYED_BEFORE: Final = Text("This browser has played deal {number} already, as another student.")
ALL_PLAYED: Final = Text("You have played all deals of this tournament.")


class TooLate(Exception):
    """The tournament has ended while a move was made, and nothing was written."""


@dataclass(frozen=True)
class Seat(TournamentState):
    """A student at a tournament."""

    student: Student
    entry: Entry
    seen: int
    """How many deals the browser of the request has seen as another student."""

    @property
    def next_deal(self) -> int:
        """The deal that is open, or that comes next; one more than there are when all are over."""
        return self.entry.next_deal

    def has_played(self, deal: int) -> bool:
        """Return whether the student has played a deal to its end, counted from 1."""
        return self.entry.first <= deal < self.next_deal

    @property
    def shows_deals(self) -> bool:
        """Whether the student is shown what others have made of each deal: after playing them."""
        return not self.hides_points and (self.is_done or self.is_over)

    @cached_property
    def best(self) -> tuple[Standing, ...]:
        """Those who are named to the student."""
        best = self.standings.best
        return standings.with_scores(self.tournament, best) if self.shows_deals else best

    @cached_property
    def own_standing(self) -> Standing | None:
        """Where the student stands; None without a move."""
        own = self.standings.by_student.get(self.student.number)
        return own and replace(own, scores=self.entry.scores(self.tournament.deals))

    @property
    def is_done(self) -> bool:
        """Whether there is no deal left for this student."""
        return self.next_deal > self.tournament.deals

    def was_seen(self, deal: int) -> bool:
        """Return whether the browser has seen a deal, which the student has not begun yet."""
        return 1 <= deal <= self.seen and self.entry.play(deal) is None

    @property
    def is_due(self) -> bool:
        """Whether the student has a deal to play now, in whichever browser."""
        return self.phase == "open" and not self.is_done and self.student.state == "in"

    @property
    def may_play(self) -> bool:
        """Whether this student can make a move now, in this browser."""
        return self.is_due and not self.was_seen(self.next_deal)

    @property
    def progress(self) -> Text:
        """How far the student is, or which place they have."""
        deals = self.tournament.deals
        if missing := deals - self.entry.played:
            if self.is_over or self.is_done:
                return plural("one deal missing", "{number} deals missing", missing)
            return Text("deal {number} of {deals}", number=self.next_deal, deals=deals)
        found = self.standings
        own = found.by_student.get(self.student.number)
        if own is None or not own.rank:
            return Text("all deals played")
        return Text("place {place} of {number}", place=own.rank, number=len(found.ranked))

    def deal_address(self, deal: int) -> str:
        """Return the address of the student's table at a deal."""
        return f"{self.address}/deal/{deal}"

    def next_document(self) -> dict[str, Any] | None:
        """Return which deal the student can play now and where, as JSON; None for none."""
        if not self.may_play:
            return None
        return {"deal": self.next_deal, "address": self.deal_address(self.next_deal)}

    def list_document(self) -> dict[str, Any]:
        """Return the tournament as JSON for the student's list."""
        following, found = self.next_document(), TournamentState.list_document(self)
        return found | {"next": following} if following else found


def seats_of(
    classroom: Classroom, student: Student, at: Sequence[TournamentState] | None = None
) -> list[Seat]:
    """Return where a student is in tournaments of a class: by default in all, the oldest first.

    Nobody begins a tournament that is over.
    """
    at = standings.tournaments_of(classroom) if at is None else at
    if not at:
        return []
    found = tournaments.own_entries(classroom.code, student.number)
    before = {} if all(each.is_over for each in at) else deals_seen_before(classroom)
    seats = []
    for one in (each.tournament for each in at):
        seen = before.get(one.number, 0)
        entry = found.get(one.number) or Entry(first=1 + seen)
        seats.append(Seat(classroom, one, student, entry, seen))
    return seats


def refusal_at(seat: Seat, deal: int) -> Text | None:
    """Say why a student cannot be at a deal now; None where they can."""
    if seat.has_played(deal):
        return None
    if 1 <= deal < seat.entry.first:
        return PLAYED_BEFORE.fill(number=deal)
    if seat.is_over:
        return TOO_LATE if seat.entry.plays else standings.IS_OVER
    if seat.phase == "coming":
        return NOT_OPEN.fill(time=time_text(seat.tournament.opens, seat.classroom.now))
    if seat.student.state != "in":
        return STEPPED_OUT
    if deal > seat.tournament.deals:
        return ALL_PLAYED if seat.is_done else NO_DEAL
    if seat.was_seen(deal):
        return PLAYED_BEFORE.fill(number=deal)
    return NEXT_DEAL.fill(number=seat.next_deal) if deal > seat.next_deal else None


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
        decisions: tuple[Decision, ...] | None = None,  # noqa: ARG002 - there is no coach
    ) -> None:
        """Write what was done, and with the last move how the round ended.

        Raises:
            TooLate: the tournament has ended meanwhile.
        """
        seat, table, now = self.seat, slot.table, db.now()
        if seat.tournament.phase(now) == "over":  # looked at again, when it is written
            raise TooLate
        moves = moves_after_deal(table.record)
        play = Play(moves, "", None, None)
        if table.result:
            winner = table.result.winner
            play = Play(moves, winner, seat.tournament.score(self.number, moves, winner), now)
        tournaments.keep_play(seat.tournament, seat.student.number, self.number, play)
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
