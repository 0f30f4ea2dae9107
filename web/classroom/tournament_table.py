"""A student at a tournament, and their table at one of its deals.

What they have played lies with the class and not in a browser's session, so all browsers of a
student are at the same table, and nobody plays a deal twice. The table itself follows from the
deal and from what was done there. The move that ends a round writes the result, in the same write.

Who is forgotten may join again, and has seen the cards. So for every browser of theirs the number
of deals outlives them, without a name, until the tournament is over: the deals up to there are
missing for the student that the browser is next.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Final

import msgspec

from cardgames.advice import Decision
from cardgames.records.record import Record
from cardgames.table import Table
from cardgames.text import Text, format_number, plural
from web.classroom.model import Member
from web.classroom.standings import Row, TournamentState, tournaments_of, unplaced
from web.classroom.state import ClassState, class_store
from web.classroom.tournaments import DealsPlayed, Entry, Play, StoredEntry
from web.deals.deal import Deal
from web.deals.location import moves_after_deal
from web.storage.sessions import Session
from web.tables.location import TableLocation, TableSlot
from web.tables.page import TablePage

MAX_BROWSERS: Final = 2_000
"""Maximum number of browsers of forgotten students that are kept for a tournament: the newest."""


class PlayedMeanwhile(Exception):
    """Another request of the same student came first, and nothing was written."""


@dataclass(frozen=True, slots=True)
class Seat(TournamentState):
    """A student at a tournament."""

    member: Member
    entry: Entry
    revision: int
    """That of the entry in the store."""

    @property
    def next_deal(self) -> int:
        """The deal that is open, or that comes next; one more than there are when all are over."""
        return self.entry.next_deal

    def has_played(self, deal: int) -> bool:
        """Return whether the student has played a deal to its end, counted from 1."""
        return self.entry.first <= deal < self.next_deal

    @property
    def is_done(self) -> bool:
        """Whether there is no deal left for this student."""
        return self.next_deal > self.tournament.deals

    @property
    def may_play(self) -> bool:
        """Whether this student can make a move now."""
        return self.phase == "open" and not self.is_done and self.member.student.state == "in"

    @property
    def progress(self) -> Text:
        """How far the student is, or which place they have."""
        deals = self.tournament.deals
        if missing := deals - self.entry.played:
            if self.is_over or self.is_done:
                return plural("one deal missing", "{number} deals missing", missing)
            return Text("deal {number} of {deals}", number=self.next_deal, deals=deals)
        found = self.standings
        own = found.by_student.get(self.member.number)
        if own is None or not own.place:
            return Text("all deals played")
        return Text("place {place} of {number}", place=own.place, number=len(found.ranked))

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
        following = self.next_document()
        found = TournamentState.list_document(self)
        return found | {"next": following} if following else found


def seats_of(
    state: ClassState, member: Member, at: Sequence[TournamentState] | None = None
) -> list[Seat]:
    """Return where a student is in tournaments of a class: by default in all, the oldest first.

    Nobody begins a tournament that is over.
    """
    at = tournaments_of(state) if at is None else at
    numbers = [each.tournament.number for each in at]
    if not numbers:
        return []
    found = class_store().tournaments.entries_of(state.code, member.number, numbers)
    is_new = any(each.tournament.number not in found and not each.is_over for each in at)
    before = played_before(state, member) if is_new else {}
    seats = []
    for each, number in zip(at, numbers, strict=True):
        kept = found.get(number) or StoredEntry(Entry(first=1 + before.get(number, 0)), 0)
        seats.append(Seat(state, each.tournament, member, kept.entry, kept.revision))
    return seats


def kept_entries(state: ClassState, member: Member) -> list[dict[str, Any]]:
    """Return all that is kept of a student's tournaments, as JSON for that student."""
    return [
        {
            "tournament": seat.tournament.number,
            "plays": [
                {"moves": play.moves, "winner": play.winner or None} for play in seat.entry.plays
            ],
            "finished": seat.entry.finished or None,
        }
        for seat in seats_of(state, member)
        if seat.revision
    ]


# ---- Browsers of forgotten students --------------------------------------------------------------


def played_before(state: ClassState, member: Member) -> dict[int, int]:
    """Return how many deals a student's browsers played when they were somebody else's.

    Returns:
        the numbers of deals, by the numbers of the tournaments.
    """
    browsers = member.student.browsers
    return {
        number: most
        for number, deals in _deals_played(state).items()
        if (most := max(deals.get(browser, 0) for browser in browsers))
    }


def deals_played_with(state: ClassState, *gone: Member) -> bytes | None:
    """Return what is kept of browsers once students are forgotten; None if that stays as it is."""
    still_on = _still_on(state)
    kept, is_changed = _deals_played(state), False
    for member in gone:
        for seat in seats_of(state, member, still_on):
            if deals := seat.entry.begun:
                number, browsers = seat.tournament.number, member.student.browsers
                known = kept.get(number, {}) | dict.fromkeys(browsers, deals)
                kept[number] = dict([*known.items()][-MAX_BROWSERS:])
                is_changed = True
    return msgspec.msgpack.encode(kept) if is_changed else None


def without_finished(state: ClassState) -> bytes | None:
    """Return what is kept of browsers without tournaments that are over; None if none is over."""
    if not state.classroom.tournaments:
        return None
    kept = _deals_played(state)
    still = msgspec.msgpack.encode(kept) if kept else b""
    return still if still != class_store().tournaments.deals_played(state.code) else None


def _deals_played(state: ClassState) -> DealsPlayed:
    """Return what is kept of browsers, of the tournaments that are not over."""
    data = class_store().tournaments.deals_played(state.code)
    kept = msgspec.msgpack.decode(data, type=DealsPlayed) if data else {}
    still_on = {at.tournament.number for at in _still_on(state)}
    return {number: deals for number, deals in kept.items() if number in still_on}


def _still_on(state: ClassState) -> list[TournamentState]:
    return [at for at in tournaments_of(state) if not at.is_over]


# ---- The table -----------------------------------------------------------------------------------


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
    def status(self) -> Text:
        """Until when it can be played, and what the student has made of it so far."""
        seat, own = self.seat, self.own
        if own is None or not own.known or not seat.tournament.by_play:
            return seat.when
        if seat.hides_points:
            return Text("{when} · points are shown when it ends", when=seat.when)
        points = format_number(own.total, ".1f")
        return Text("{when} · {points} points given away", when=seat.when, points=points)

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

    @classmethod
    def at(cls, seat: Seat, number: int) -> "TournamentTable":
        """Return a student's table at a deal, counted from 1."""
        path = f"/class/{seat.state.code}/tournament/{seat.tournament.number}/deal/{number}"
        return cls(seat.tournament.game, "", path, seat, number)

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
        finished: tuple[Record, ...],  # noqa: ARG002 - the table says how the round has ended
        decisions: tuple[Decision, ...] | None = None,  # noqa: ARG002 - there is no coach
    ) -> None:
        """Write what was done, and with the last move how the round ended.

        Raises:
            PlayedMeanwhile: the student has made another move since.
        """
        seat, entry, store = self.seat, self._entry_with(slot.table), class_store().tournaments
        code, student = seat.state.code, seat.member.number
        if not store.save_entry(code, seat.tournament, student, entry, seat.revision):
            raise PlayedMeanwhile

    def _entry_with(self, table: Table) -> Entry:
        """Return what the student has played, with this deal as its table stands."""
        seat, winner = self.seat, table.result.winner if table.result else ""
        play = Play(moves_after_deal(table.record), winner)
        if not table.record.steps or seat.entry.play(self.number) == play:
            return seat.entry
        return seat.entry.with_play(self.number, play, seat.state.counters.now)

    def page(
        self,
        session: Session,  # noqa: ARG002 - it lies with the class
        table: Table,
        page: TablePage,
    ) -> TournamentTablePage:
        """Return the page of the table with the tournament around it."""
        seat = replace(self.seat, entry=self._entry_with(table))  # with a move that was just made
        student = seat.member.number
        costs = class_store().tournaments.costs(seat.state.code, seat.tournament.number)
        own = unplaced(seat.tournament, {student: seat.entry}, costs).get(student)
        return TournamentTablePage(
            **msgspec.structs.asdict(page),
            seat=seat,
            number=self.number,
            own=own,
            digests=tuple(seal.digest for seal in (*table.seals.opened, *table.seals.closed)),
        )


@lru_cache(maxsize=512)
def table_after(deal: Deal, moves: str) -> Table:
    """Return a student's table after some moves: words of a record, with blanks between."""
    table = deal.shared.table
    for action in deal.record(moves).single_actions():
        table = deal.shared.play(table, action.name)
    return table
