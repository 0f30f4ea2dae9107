"""A tournament in its class, a student at it, and their table at one of its deals.

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
from web.classroom import tournaments
from web.classroom.answers import class_address, iso_time, remembered, time_text
from web.classroom.model import Member
from web.classroom.state import ClassState, class_store
from web.classroom.term import deals_played
from web.deals.deal import Deal, moves_after_deal
from web.sessions import PlayerSession
from web.storage.store import Put, pack
from web.tables.location import TableLocation, TableSlot
from web.tables.page import TablePage

MAX_BROWSERS: Final = 2_000
"""Of forgotten students that are kept for a tournament: the newest."""


class PlayedMeanwhile(Exception):
    """Another request of the same student came first, and nothing was written."""


@dataclass(frozen=True, slots=True)
class TournamentState:
    """A tournament as it stands now in its class."""

    state: ClassState
    tournament: tournaments.Tournament

    @property
    def phase(self) -> tournaments.Phase:
        """Whether it is to come, open or over; it ends with its class too."""
        now = self.state.counters.now
        return "over" if self.state.classroom.closed else self.tournament.phase(now)

    @property
    def is_over(self) -> bool:
        """Whether nobody plays any more."""
        return self.phase == "over"

    @property
    def hides_points(self) -> bool:
        """Whether students are not shown yet what their decisions gave away."""
        one = self.tournament
        return one.points == "end" and one.by_play and one.due > 0 and not self.is_over

    @property
    def standings(self) -> tournaments.Standings:
        """Who stands where: worked out once for each round that is over (14 ms of 1,000)."""
        store, key = class_store().tournaments, (self.state.code, self.tournament.number)
        version = store.version(*key)

        def rows() -> dict[int, tournaments.Row]:
            return tournaments.unplaced(self.tournament, store.entries(*key), store.costs(*key))

        def place() -> tournaments.Standings:
            names = {member.number: member.student.name for member in self.state.students}
            return tournaments.placed(
                self.tournament, remembered(("rows", *key), version, rows), names
            )

        return remembered(("standings", *key), (version, self.state.counters.students), place)

    @property
    def when(self) -> Text:
        """When it can be played."""
        one, now = self.tournament, self.state.counters.now
        if self.phase != "open":
            is_over, opens = self.is_over, time_text(one.opens, now)
            return Text("over") if is_over else Text("opens {time}", time=opens)
        return Text("till {time}", time=time_text(one.due, now)) if one.due else Text("open")

    @property
    def progress(self) -> Text:
        """How many students have finished."""
        return plural("one has finished", "{number} have finished", self.standings.finished)

    @property
    def address(self) -> str:
        """The address of its page."""
        return f"{class_address(self.state.code)}/tournament/{self.tournament.number}"

    @property
    def on_screen(self) -> tuple[tournaments.Row, ...]:
        """Those whom the big screen names: the best, or nobody."""
        return () if self.tournament.screen == "nobody" else self.standings.best

    @property
    def more_on_screen(self) -> int:
        """How many have the same place as the last of them."""
        best = self.on_screen
        others = self.standings.ranked[len(best) :] if best else ()
        return sum(row.place == best[-1].place for row in others)

    @property
    def unfinished(self) -> int:
        """How many of the class have not finished."""
        return max(0, len(self.state.playing) - self.standings.finished)

    def document(self) -> dict[str, Any]:
        """Return the tournament itself as JSON: nothing that its cards follow from."""
        one = self.tournament
        same = {name: getattr(one, name) for name in ("table", "deals", "ranking", "screen")}
        return {
            "tournament": one.number,
            "title": one.heading,
            **same,
            "points": one.points,
            "from": iso_time(one.opens),
            "until": iso_time(one.due) if one.due else None,
            "open": self.phase == "open",
        }

    def list_document(self) -> dict[str, Any]:
        """Return it as JSON for a list of tournaments."""
        return self.document() | {"when": self.when}

    def page_document(self, version: str) -> dict[str, Any]:
        """Return what everybody in its class may know of it, as JSON with the page's version."""
        found = self.standings
        document = {"class": self.state.code, "version": version, **self.document()}
        counts = {"finished": found.finished, "playing": found.begun, "to_come": found.to_come}
        return document | {"over": self.is_over, **counts}


def tournaments_of(state: ClassState) -> list[TournamentState]:
    """Return the tournaments of a class, the oldest first."""
    return [TournamentState(state, tournament) for tournament in state.classroom.tournaments]


def tournament_on_screen(state: ClassState) -> TournamentState | None:
    """Return the tournament that the big screen shows: the chosen one, or the newest that began."""
    newest = tournaments_of(state)[::-1]
    chosen = [at for at in newest if at.tournament.number == state.classroom.standings]
    begun = [at for at in newest if at.tournament.opens <= state.counters.now]
    return next(iter((*chosen, *begun)), None)


@dataclass(frozen=True, slots=True)
class Seat(TournamentState):
    """A student at a tournament."""

    member: Member
    entry: tournaments.Entry
    revision: int
    """Of the entry's row in the store."""

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
        following, found = self.next_document(), TournamentState.list_document(self)
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
        kept = found.get(number) or tournaments.StoredEntry(
            tournaments.Entry(first=1 + before.get(number, 0)), 0
        )
        seats.append(Seat(state, each.tournament, member, kept.entry, kept.revision))
    return seats


def played_before(state: ClassState, member: Member) -> dict[int, int]:
    """Return how many deals of each tournament a student's browsers played for somebody else."""
    browsers = member.student.browsers
    return {
        number: most
        for number, deals in deals_played(state).items()
        if (most := max(deals.get(browser, 0) for browser in browsers))
    }


def deals_played_with(state: ClassState, *gone: Member) -> Put:
    """Return the row of what is kept of browsers once students are forgotten, if that changes."""
    still_on = [at for at in tournaments_of(state) if not at.is_over]
    kept, is_changed = deals_played(state), False
    for member in gone:
        for seat in seats_of(state, member, still_on):
            if deals := seat.entry.begun:
                number, browsers = seat.tournament.number, member.student.browsers
                known = kept.get(number, {}) | dict.fromkeys(browsers, deals)
                kept[number] = dict([*known.items()][-MAX_BROWSERS:])
                is_changed = True
    return {tournaments.DEALS_PLAYED: pack(kept)} if is_changed else {}


class TournamentTablePage(TablePage, frozen=True, kw_only=True):
    """The page of a table at a deal of a tournament."""

    layout: ClassVar[str] = "class/tournament_table.html"
    seat: Seat
    number: int
    """Of the deal, from 1."""

    own: tournaments.Row | None
    """What the student has made of the deals so far."""

    chart: ClassVar[None] = None
    """None is drawn: one round has no course."""

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
            PlayedMeanwhile: the student has made another move since.
        """
        seat, entry, store = self.seat, self._entry_with(slot.table), class_store().tournaments
        code, student = seat.state.code, seat.member.number
        if not store.save_entry(code, seat.tournament, student, entry, seat.revision):
            raise PlayedMeanwhile

    def _entry_with(self, table: Table) -> tournaments.Entry:
        """Return what the student has played, with this deal as its table stands."""
        seat, winner = self.seat, table.result.winner if table.result else ""
        play = tournaments.Play(moves_after_deal(table.record), winner)
        if not table.record.steps or seat.entry.play(self.number) == play:
            return seat.entry
        return seat.entry.with_play(self.number, play, seat.state.counters.now)

    def page(
        self,
        session: PlayerSession,  # noqa: ARG002 - it lies with the class
        table: Table,
        page: TablePage,
    ) -> TournamentTablePage:
        """Return the page of the table with the tournament around it."""
        seat = replace(self.seat, entry=self._entry_with(table))  # with a move that was just made
        student = seat.member.number
        costs = class_store().tournaments.costs(seat.state.code, seat.tournament.number)
        return TournamentTablePage(
            **msgspec.structs.asdict(page),
            seat=seat,
            number=self.number,
            own=tournaments.unplaced(seat.tournament, {student: seat.entry}, costs).get(student),
        )


@lru_cache(maxsize=512)
def table_after(deal: Deal, moves: str) -> Table:
    """Return a student's table after some moves: words of a record, with blanks between."""
    table = deal.shared.table
    for action in deal.record(moves).single_actions():
        table = deal.shared.play(table, action.name)
    return table
