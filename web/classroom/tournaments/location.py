"""A student's table at a deal of a tournament.

What they have played lies with the class and not in a browser's session, so all browsers of a
student are at the same table, and nobody plays a deal twice. The table itself follows from the
deal and from what was done there. The move that ends a round writes the result, in the same write.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import msgspec

from cardgames.advice import Decision
from cardgames.records.record import Record
from cardgames.table import Table
from cardgames.text import Text, format_number
from web.classroom.model import Member
from web.classroom.state import ClassState, class_store
from web.classroom.tournaments.costs import unpack_costs
from web.classroom.tournaments.entries import entries_of, hides_points, is_open, is_over
from web.classroom.tournaments.model import Entry, Play, Tournament, unpack_entry
from web.classroom.tournaments.standings import Row, standings
from web.classroom.tournaments.store import StoredEntry
from web.classroom.tournaments.words import title_text, when_text
from web.deals.deal import Deal
from web.deals.location import moves_after_deal
from web.storage.sessions import Session
from web.tables.location import TableLocation, TableSlot
from web.tables.page import TablePage


class PlayedMeanwhile(Exception):
    """Another request of the same student came first, and nothing was written."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A student at a tournament."""

    state: ClassState
    tournament: Tournament
    member: Member
    entry: Entry
    kept: bytes
    """The entry as it lies in the store."""

    @property
    def next_deal(self) -> int:
        """The deal that is open, or that comes next; one more than there are when all are over."""
        return self.entry.next_deal

    def has_played(self, deal: int) -> bool:
        """Say whether the student has played a deal to its end, counted from 1."""
        return self.entry.first <= deal < self.next_deal

    @property
    def is_done(self) -> bool:
        """Whether there is no deal left for this student."""
        return self.next_deal > self.tournament.deals

    @property
    def hides_points(self) -> bool:
        """Whether the student is not shown yet what their decisions gave away."""
        return hides_points(self.state, self.tournament)

    @property
    def is_over(self) -> bool:
        """Whether nobody plays any more."""
        return is_over(self.state, self.tournament)

    @property
    def may_play(self) -> bool:
        """Whether this student can make a move now."""
        may_play = is_open(self.state, self.tournament) and not self.is_done
        return may_play and self.member.student.state == "in"

    def table(self, number: int) -> "TournamentTable":
        """Return the student's table at a deal, counted from 1."""
        path = f"/class/{self.state.code}/tournament/{self.tournament.number}/deal/{number}"
        return TournamentTable(self.tournament.game, "", path, self, number)


def own_row(seat: Seat) -> Row | None:
    """Return what a student has made of a tournament so far; None before they begin."""
    costs = unpack_costs(class_store().tournaments.costs(seat.state.code, seat.tournament.number))
    number, name = seat.member.number, seat.member.student.name
    return standings(seat.tournament, {number: name}, {number: seat.entry}, costs).row_of(number)


def seat_of(state: ClassState, tournament: Tournament, member: Member) -> Seat:
    """Return where a student is in a tournament."""
    store, number = class_store().tournaments, tournament.number
    kept = store.entries_of(state.code, member.number, [number]).get(number)
    entry = unpack_entry(kept) if kept else entries_of(state, member)[number]
    return Seat(state, tournament, member, entry, kept or b"")


class TournamentTablePage(TablePage, frozen=True, kw_only=True):
    """The page of a table at a deal of a tournament."""

    layout: ClassVar[str] = "class/tournament_table.html"
    seat: Seat
    number: int
    """Which deal it is, from 1."""

    own: Row | None
    """What the student has made of the deals so far."""

    digests: tuple[str, ...]
    """The seals of the deal's shuffles, which stay closed until the tournament is over."""

    @property
    def tournament_title(self) -> str:
        """What the tournament is called."""
        return title_text(self.seat.tournament)

    @property
    def status(self) -> Text:
        """Until when it can be played, and what the student has made of it so far."""
        seat, tournament = self.seat, self.seat.tournament
        when = when_text(tournament, seat.state.counters.now, is_over=seat.is_over)
        if self.own is None or not self.own.known or tournament.ranking == "result":
            return when
        if seat.hides_points:
            return Text("{when} · points are shown when it ends", when=when)
        points = format_number(self.own.total, ".1f")
        return Text("{when} · {points} points given away", when=when, points=points)

    @property
    def chart(self) -> None:
        """No course: one round has none."""
        return None


class TournamentTable(TableLocation, frozen=True):
    """A student's table at a deal of a tournament."""

    seat: Seat
    number: int
    """Which deal it is, from 1."""

    has_coach: ClassVar[bool] = False
    """Everybody decides alone."""

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

    def load(self, session: Session) -> TableSlot:  # noqa: ARG002 - it lies with the class
        """Return the table as the student's moves have left it."""
        play = self.seat.entry.play(self.number)
        if play is None:
            return TableSlot(0, self.empty_table())
        table = table_after(self.deal, play.moves)
        return TableSlot(table.record.steps, table)

    def save(
        self,
        session: Session,  # noqa: ARG002 - it lies with the class
        slot: TableSlot,
        finished: tuple[Record, ...],
        decisions: tuple[Decision, ...] | None = None,  # noqa: ARG002 - there is no coach
    ) -> None:
        """Write what was done, and with the last move how the round ended.

        Raises:
            PlayedMeanwhile: the student has made another move since.
        """
        seat = self.seat
        winner = finished[-1].result if finished else ""
        play = Play(moves_after_deal(slot.table.record), winner)
        entry = seat.entry.with_play(self.number, play, seat.state.counters.now)
        stored = StoredEntry(seat.tournament.number, seat.member.number, entry.packed())
        finishes = entry.next_deal > seat.tournament.deals
        store = class_store().tournaments
        if not store.save_entry(seat.state.code, stored, seat.kept, finished=finishes):
            raise PlayedMeanwhile

    def page(
        self,
        session: Session,  # noqa: ARG002 - it lies with the class
        table: Table,
        page: TablePage,
    ) -> TournamentTablePage:
        """Return the page of the table with the tournament around it."""
        return TournamentTablePage(
            **msgspec.structs.asdict(page),
            seat=self.seat,
            number=self.number,
            own=own_row(self.seat),
            digests=tuple(seal.digest for seal in (*table.seals.opened, *table.seals.closed)),
        )


@lru_cache(maxsize=512)
def table_after(deal: Deal, moves: str) -> Table:
    """Return a student's table after some moves: words of a record, with blanks between."""
    table = deal.shared.table
    for action in deal.record(moves).single_actions():
        table = deal.shared.play(table, action.name)
    return table
