"""Who stands where in a tournament, and how it stands now in its class."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from flask import url_for
from sqlalchemy import func, select

from cardgames.advice import POINTS
from cardgames.text import Text, plural
from web import db
from web.classroom.core import access
from web.classroom.core.access import playing, students_of
from web.classroom.core.codes import deals_seen
from web.classroom.core.models import Classroom, Student, is_theirs
from web.classroom.core.words import day_text, iso_time
from web.classroom.homework import models
from web.classroom.homework.models import PlayedDeals, Tournament, TournamentPlay

IS_OVER: Final = Text("This homework has ended.")
TOO_LATE: Final = Text("This homework has ended. What you had played before is saved.")
NEXT_DEAL: Final = Text("The deals are played in their order: deal {number} is next.")
PLAYED_BEFORE: Final = Text("This browser has played deal {number} already, as another student.")
ALL_PLAYED: Final = Text("You have played all deals of this homework.")


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one student of a tournament stands."""

    student: int
    name: str
    played: int
    """Number of deals played to their end."""

    total: float
    """Points given away at those."""

    rank: int = 0
    """From 1; 0 without one."""

    scores: tuple[float | None, ...] = ()
    """The score at each deal, where they were asked for; None for one that is not played."""

    def document(self, *, deals: bool = True) -> dict[str, Any]:
        """Return it as JSON, with the score at each deal if requested."""
        found = {"place": self.rank or None, "name": self.name, "played": self.played}
        shown = {"points": self.total, "deals": self.scores} if deals else {"points": self.total}
        return found | shown


@dataclass(frozen=True)
class Standings:
    """All students of a tournament, in their order."""

    rows: tuple[Standing, ...]
    """Those with a place first, then those who have played most."""

    deals: int

    @cached_property
    def ranked(self) -> tuple[Standing, ...]:
        """Those who have a place."""
        return tuple(row for row in self.rows if row.rank)

    @cached_property
    def by_student(self) -> Mapping[int, Standing]:
        """The rows by their students' numbers."""
        return {row.student: row for row in self.rows}

    @cached_property
    def finished(self) -> int:
        """How many have played all deals."""
        return sum(row.played == self.deals for row in self.rows)

    @property
    def begun(self) -> int:
        """How many have begun and not finished."""
        return len(self.rows) - self.finished

    @property
    def best(self) -> tuple[Standing, ...]:
        """Those who are named to everybody."""
        return self.ranked[: models.MAX_BEST]


def placed(tournament: Tournament, students: Iterable[Standing]) -> Standings:
    """Return who stands where, of the students who have begun, in the order of their numbers.

    A place needs all deals played: one that is missing is missing, and not lost. Equal students
    have the place of the first of them.
    """
    begun = [*students]
    complete = (row for row in begun if row.played == tournament.deals)
    found, rank, first = [], 0, float("nan")
    for number, row in enumerate(sorted(complete, key=lambda row: row.total), 1):
        if not abs(row.total - first) <= models.SAME * POINTS:
            rank, first = number, row.total
        found.append(replace(row, rank=rank))
    found.sort(key=lambda row: (row.rank, row.student))
    others = [row for row in begun if row.played < tournament.deals]
    others.sort(key=lambda row: (-row.played, row.student))
    return Standings((*found, *others), tournament.deals)


def standings_of(tournament: Tournament) -> Standings:
    """Return who stands where in a tournament, without the score at each deal."""
    played, who = TournamentPlay, (TournamentPlay.student, Student.name)
    query = (
        select(*who, func.count(played.score), func.coalesce(func.sum(played.score), 0.0))
        .join(Student, is_theirs(played))
        .where(played.class_code == tournament.class_code, played.tournament == tournament.number)
        .where(Student.state != "banned")
        .group_by(*who)
        .order_by(played.student)
    )
    return placed(tournament, (Standing(*row) for row in db.execute(query)))


def with_scores(tournament: Tournament, rows: Iterable[Standing]) -> tuple[Standing, ...]:
    """Return students of a tournament with their score at each deal."""
    kept = [*rows]
    entries = models.entries_of(tournament, [row.student for row in kept])
    deals = tournament.deals
    return tuple(replace(row, scores=entries[row.student].scores(deals)) for row in kept)


@dataclass(frozen=True)
class TournamentState:
    """A tournament as it stands now in its class."""

    classroom: Classroom
    tournament: Tournament

    @property
    def is_over(self) -> bool:
        """Whether it has ended: it ends with its class too. Points and places are shown then."""
        return self.classroom.closed or self.tournament.is_over(self.classroom.now)

    @cached_property
    def standings(self) -> Standings:
        """Who stands where, without the score at each deal."""
        return standings_of(self.tournament)

    @property
    def name(self) -> str:
        """What students read it is called: that it is homework, and its title."""
        one = self.tournament
        if not (one.title or one.about):
            return one.heading
        return Text("Homework: {title}", title=one.heading)

    @property
    def when(self) -> Text:
        """Until when it can be played."""
        due, now = self.tournament.due, self.classroom.now
        if self.is_over:
            return Text("ended")
        return Text("due {day}", day=day_text(due, now)) if due else Text("no due date")

    @property
    def progress(self) -> Text:
        """How many students have finished."""
        return plural("one has finished", "{number} have finished", self.standings.finished)

    @property
    def address(self) -> str:
        """The address of its page."""
        return url_for("tournaments.show", code=self.classroom.code, number=self.tournament.number)

    @property
    def best(self) -> tuple[Standing, ...]:
        """Those who are named to everyone: nobody before the end."""
        return self.standings.best if self.is_over else ()

    @property
    def others_at_last(self) -> int:
        """How many others share the last place of the best."""
        best = self.best
        others = self.standings.ranked[len(best) :] if best else ()
        return sum(row.rank == best[-1].rank for row in others)

    @property
    def unfinished(self) -> int:
        """How many of the class have not finished."""
        return max(0, len(playing(students_of(self.classroom))) - self.standings.finished)

    def document(self) -> dict[str, Any]:
        """Return the tournament itself as JSON: nothing that its cards follow from."""
        one = self.tournament
        return {
            "tournament": one.number,
            "title": one.heading,
            "table": one.table,
            "deals": one.deals,
            "until": iso_time(one.due) if one.due else None,
            "open": not self.is_over,
        }

    def list_document(self) -> dict[str, Any]:
        """Return it as JSON for a list of tournaments."""
        return self.document() | {"when": self.when}

    def page_document(self, page: str) -> dict[str, Any]:
        """Return what everybody in its class may know of it, as JSON with the page's etag."""
        found, etag = self.standings, self.classroom.etag(page)
        document = {"class": self.classroom.code, "version": etag, **self.document()}
        counts = {"finished": found.finished, "playing": found.begun}
        return document | {"over": self.is_over, **counts}


def tournaments_of(classroom: Classroom) -> list[TournamentState]:
    """Return the tournaments of a class, the oldest first.

    One that is shown as over for the first time is kept as that.
    """
    now, found = classroom.now, models.tournaments_in(classroom.code)
    is_new = any(one.is_over(now) and not one.ended for one in found)
    if is_new and access.settle(lambda: models.keep_ends(classroom.code, now)):
        found = models.tournaments_in(classroom.code)
    return [TournamentState(classroom, tournament) for tournament in found]


def tournament_on_screen(classroom: Classroom) -> TournamentState | None:
    """Return the tournament that the big screen shows: the chosen one, or the newest."""
    newest = tournaments_of(classroom)[::-1]
    chosen = [at for at in newest if at.tournament.number == classroom.standings]
    return next(iter((*chosen, *newest)), None)


@dataclass(frozen=True)
class Participant(TournamentState):
    """A student at a tournament."""

    student: Student
    entry: PlayedDeals
    seen: int
    """How many deals the browser of the request has seen as another student."""

    @property
    def next_deal(self) -> int:
        """The deal that is open, or that comes next; one more than there are when all are over."""
        return self.entry.next_deal

    def has_played(self, deal: int) -> bool:
        """Return whether the student has played a deal to its end, counted from 1."""
        return self.entry.first <= deal < self.next_deal

    @cached_property
    def best(self) -> tuple[Standing, ...]:
        """Those who are named to the student, with their points at each deal."""
        return with_scores(self.tournament, super().best)

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
        return not (self.is_over or self.is_done) and self.student.state == "in"

    @property
    def joined_later(self) -> bool:
        """Whether it had ended when the student joined, who is missing nothing."""
        return 0 < self.tournament.due <= self.student.joined

    @property
    def may_play(self) -> bool:
        """Whether this student can make a move now, in this browser."""
        return self.is_due and not self.was_seen(self.next_deal)

    @property
    def progress(self) -> Text:
        """How far the student is, or which place they have."""
        deals = self.tournament.deals
        if self.joined_later:
            return Text("before you joined")
        if missing := deals - self.entry.played:
            if self.is_over or self.is_done:
                return plural("one deal missing", "{number} deals missing", missing)
            return Text("deal {number} of {deals}", number=self.next_deal, deals=deals)
        found = self.standings
        own = found.by_student.get(self.student.number)
        if own is None or not (own.rank and self.is_over):
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
        following, found = self.next_document(), super().list_document()
        return found | {"next": following} if following else found


def seats_of(
    classroom: Classroom, student: Student, at: Sequence[TournamentState] | None = None
) -> list[Participant]:
    """Return where a student is in tournaments of a class: by default in all, the oldest first.

    Nobody begins a tournament that is over.
    """
    at = tournaments_of(classroom) if at is None else at
    if not at:
        return []
    found = models.entries_in(classroom.code, TournamentPlay.student == student.number)
    before: Mapping[int, int] = {}
    if not all(each.is_over for each in at):
        before = deals_seen(classroom.code, student.number)
    seats = []
    for one in (each.tournament for each in at):
        seen = before.get(one.number, 0)
        entry = found.get((one.number, student.number)) or PlayedDeals(first=1 + seen)
        seats.append(Participant(classroom, one, student, entry, seen))
    return seats


def refusal_at(seat: Participant, deal: int) -> Text | None:
    """Say why a student cannot be at a deal now; None where they can."""
    if seat.has_played(deal):
        return None
    if 1 <= deal < seat.entry.first:
        return PLAYED_BEFORE.fill(number=deal)
    if seat.is_over:
        return TOO_LATE if seat.entry.plays else IS_OVER
    if seat.student.state != "in":
        return Text("You have stepped out: step in again to play.")
    if deal > seat.tournament.deals:
        return ALL_PLAYED if seat.is_done else Text("This homework has no such deal.")
    if seat.was_seen(deal):
        return PLAYED_BEFORE.fill(number=deal)
    return NEXT_DEAL.fill(number=seat.next_deal) if deal > seat.next_deal else None
