"""A student at a tournament, and their table at one of its deals.

What they have played lies with the class and not in a browser's session, so all browsers of a
student are at the same table, and nobody plays a deal twice. The table itself follows from the
deal and from what was done there. The move that ends a round writes the result, in the same write.

Who is forgotten may join again, and has seen the cards. So for every browser of theirs the number
of deals outlives them, without a name, until the tournament is over: the deals up to there are
missing for the student that the browser is next.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, Final

import msgspec

from cardgames.advice import Decision
from cardgames.records.record import Record
from cardgames.table import Table
from cardgames.text import Text, format_number
from web.classroom.answers import time_text
from web.classroom.model import Member
from web.classroom.standings import Row, unplaced
from web.classroom.state import ClassState, class_store
from web.classroom.tournaments import (
    DealsPlayed,
    Entry,
    Phase,
    Play,
    StoredEntry,
    Tournament,
)
from web.deals.deal import Deal
from web.deals.location import moves_after_deal
from web.storage.sessions import Session
from web.tables.location import TableLocation, TableSlot
from web.tables.page import TablePage

MAX_BROWSERS: Final = 2_000
"""Maximum number of browsers of forgotten students that are kept for a tournament: the newest."""


class PlayedMeanwhile(Exception):
    """Another request of the same student came first, and nothing was written."""


def phase_of(state: ClassState, tournament: Tournament) -> Phase:
    """Return whether a tournament is to come, open or over; it ends with its class too."""
    return "over" if state.classroom.closed else tournament.phase(state.counters.now)


def hides_points(tournament: Tournament, phase: Phase) -> bool:
    """Return whether students are not shown yet what their decisions gave away."""
    is_late = tournament.points == "end" and tournament.by_play and tournament.due > 0
    return is_late and phase != "over"


def when_text(tournament: Tournament, phase: Phase, now: float) -> Text:
    """Say when a tournament can be played."""
    if phase == "over":
        return Text("over")
    if phase == "coming":
        return Text("opens {time}", time=time_text(tournament.opens, now))
    if tournament.due:
        return Text("till {time}", time=time_text(tournament.due, now))
    return Text("open")


@dataclass(frozen=True, slots=True)
class Seat:
    """A student at a tournament, as the student's pages may show it."""

    code: str
    class_title: str
    tournament: Tournament
    """Without its salt."""

    phase: Phase
    now: float
    member: Member
    entry: Entry
    revision: int
    """That of the entry in the store."""

    @property
    def when(self) -> Text:
        """When the tournament can be played."""
        return when_text(self.tournament, self.phase, self.now)

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
    def is_over(self) -> bool:
        """Whether nobody plays any more."""
        return self.phase == "over"

    @property
    def hides_points(self) -> bool:
        """Whether the student is not shown yet what their decisions gave away."""
        return hides_points(self.tournament, self.phase)

    @property
    def may_play(self) -> bool:
        """Whether this student can make a move now."""
        return self.phase == "open" and not self.is_done and self.member.student.state == "in"


def seats_of(state: ClassState, member: Member) -> dict[int, Seat]:
    """Return where a student is in all tournaments of a class, by the tournaments' numbers."""
    tournaments = state.classroom.tournaments
    entries = _entries_of(state, member, tournaments)
    return {one.number: _seat(state, one, member, entries[one.number]) for one in tournaments}


def seat_of(state: ClassState, tournament: Tournament, member: Member) -> Seat:
    """Return where a student is in a tournament."""
    entries = _entries_of(state, member, (tournament,))
    return _seat(state, tournament, member, entries[tournament.number])


def _seat(state: ClassState, tournament: Tournament, member: Member, kept: StoredEntry) -> Seat:
    return Seat(
        code=state.code,
        class_title=state.classroom.title,
        tournament=tournament.public(),
        phase=phase_of(state, tournament),
        now=state.counters.now,
        member=member,
        entry=kept.entry,
        revision=kept.revision,
    )


def _entries_of(
    state: ClassState, member: Member, tournaments: tuple[Tournament, ...]
) -> Mapping[int, StoredEntry]:
    """Return what a student has played of some tournaments; nobody begins one that is over."""
    numbers = [one.number for one in tournaments]
    found = class_store().tournaments.entries_of(state.code, member.number, numbers)
    new = [one for one in tournaments if one.number not in found]
    before = played_before(state, member) if any(_is_on(state, one) for one in new) else {}
    for one in new:
        found[one.number] = StoredEntry(Entry(first=1 + before.get(one.number, 0)), 0)
    return found


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
    still_on = tuple(one for one in state.classroom.tournaments if _is_on(state, one))
    kept, is_changed = _deals_played(state), False
    for member in gone if still_on else ():
        for number, stored in _entries_of(state, member, still_on).items():
            if deals := stored.entry.begun:
                browsers = kept.get(number, {}) | dict.fromkeys(member.student.browsers, deals)
                kept[number] = dict([*browsers.items()][-MAX_BROWSERS:])
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
    still_on = {one.number for one in state.classroom.tournaments if _is_on(state, one)}
    return {number: deals for number, deals in kept.items() if number in still_on}


def _is_on(state: ClassState, tournament: Tournament) -> bool:
    return phase_of(state, tournament) != "over"


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
        if own.total is None:
            return Text("{when} · points are shown when it ends", when=seat.when)
        points = format_number(own.total, ".1f")
        return Text("{when} · {points} points given away", when=seat.when, points=points)

    @property
    def chart(self) -> None:
        """No course: one round has none."""
        return None


class TournamentTable(TableLocation, frozen=True):
    """A student's table at a deal of a tournament."""

    tournament: Tournament
    """With the salt that its cards follow from."""

    seat: Seat
    number: int
    """Which deal it is, from 1."""

    has_coach: ClassVar[bool] = False
    """Everybody decides alone."""

    @classmethod
    def at(cls, tournament: Tournament, seat: Seat, number: int) -> "TournamentTable":
        """Return a student's table at a deal, counted from 1."""
        path = f"/class/{seat.code}/tournament/{tournament.number}/deal/{number}"
        return cls(tournament.game, "", path, tournament, seat, number)

    @property
    def deal(self) -> Deal:
        """What is played."""
        return self.tournament.deal(self.number)

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
        seat, entry = self.seat, self._entry_with(slot.table)
        store, number = class_store().tournaments, seat.member.number
        if not store.save_entry(seat.code, self.tournament, number, entry, seat.revision):
            raise PlayedMeanwhile

    def _entry_with(self, table: Table) -> Entry:
        """Return what the student has played, with this deal as its table stands."""
        seat, winner = self.seat, table.result.winner if table.result else ""
        play = Play(moves_after_deal(table.record), winner)
        if not table.record.steps or seat.entry.play(self.number) == play:
            return seat.entry
        return seat.entry.with_play(self.number, play, seat.now)

    def page(
        self,
        session: Session,  # noqa: ARG002 - it lies with the class
        table: Table,
        page: TablePage,
    ) -> TournamentTablePage:
        """Return the page of the table with the tournament around it."""
        seat = replace(self.seat, entry=self._entry_with(table))  # with a move that was just made
        costs = class_store().tournaments.costs(seat.code, seat.tournament.number)
        rows = unplaced(seat.tournament, {seat.member.number: seat.entry}, costs)
        own, has_points = rows.get(seat.member.number), not seat.hides_points
        return TournamentTablePage(
            **msgspec.structs.asdict(page),
            seat=seat,
            number=self.number,
            own=own and own.shown(deals=has_points, points=has_points),
            digests=tuple(seal.digest for seal in (*table.seals.opened, *table.seals.closed)),
        )


@lru_cache(maxsize=512)
def table_after(deal: Deal, moves: str) -> Table:
    """Return a student's table after some moves: words of a record, with blanks between."""
    table = deal.shared.table
    for action in deal.record(moves).single_actions():
        table = deal.shared.play(table, action.name)
    return table
