"""Homework as it is now in its class, for everyone and for one of its students."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from flask import url_for
from sqlalchemy import func, select, update

from cardgames.text import Text, plural
from web import db
from web.classroom.core import access
from web.classroom.core.access import playing, students_of
from web.classroom.core.codes import deals_seen
from web.classroom.core.models import Classroom, Student, is_theirs
from web.classroom.core.words import day_text, iso_time
from web.classroom.homework.models import Tournament, TournamentPlay
from web.classroom.homework.rules import MAX_BEST, Standing, ranked, scores_of

IS_OVER: Final = Text("This homework has ended.")
TOO_LATE: Final = Text("This homework has ended. What you had played before is saved.")
NEXT_DEAL: Final = Text("The deals are played in their order: deal {number} is next.")
PLAYED_BEFORE: Final = Text("This browser has played deal {number} already, as another student.")
ALL_PLAYED: Final = Text("You have played all deals of this homework.")


def tournaments_in(code: str) -> list[Tournament]:
    """Return the tournaments of a class, the oldest first."""
    query = select(Tournament).where(Tournament.class_code == code).order_by(Tournament.number)
    return [*db.session().scalars(query.execution_options(populate_existing=True))]


def keep_ends(code: str, now: float) -> None:
    """Keep that the tournaments of a class are over whose end has come."""
    here = Tournament.class_code == code, Tournament.ended.is_(False)
    has_come = Tournament.due > 0, Tournament.due <= now
    db.execute(update(Tournament).where(*here, *has_come).values(ended=True))


def count_tournaments(code: str) -> int:
    """Return how many tournaments a class has; they have the numbers up to there."""
    here = Tournament.class_code == code
    return db.session().scalar(select(func.count()).select_from(Tournament).where(here)) or 0


def plays_in(code: str, *which: Any) -> dict[tuple[int, int], list[TournamentPlay]]:
    """Return what was played in a class that meets conditions, by tournament and student."""
    played = TournamentPlay
    query = select(played).where(played.class_code == code, *which)
    plays: defaultdict[tuple[int, int], list[TournamentPlay]] = defaultdict(list)
    for play in db.session().scalars(
        query.order_by(played.tournament, played.student, played.deal)
    ):
        plays[play.tournament, play.student].append(play)
    return plays


def plays_of(tournament: Tournament, students: Collection[int]) -> dict[int, list[TournamentPlay]]:
    """Return what some students have played of a tournament, by their numbers."""
    here = TournamentPlay.tournament == tournament.number, TournamentPlay.student.in_(students)
    plays = plays_in(tournament.class_code, *here)
    return {student: own for (_, student), own in plays.items()}


def results_in(code: str) -> dict[tuple[int, int], dict[str, int]]:
    """Return how many deals ended how, for each tournament and student who is not banned.

    They are by who won; by nobody for one that is open.
    """
    found: defaultdict[tuple[int, int], dict[str, int]] = defaultdict(dict)
    keys = TournamentPlay.tournament, TournamentPlay.student, TournamentPlay.winner
    query = select(*keys, func.count()).join(Student, is_theirs(TournamentPlay)).group_by(*keys)
    query = query.where(TournamentPlay.class_code == code, Student.state != "banned")
    for tournament, student, winner, count in db.execute(query):
        found[tournament, student][winner] = count
    return found


def deals_begun(student: Student) -> dict[int, int]:
    """Return how many deals of each tournament a student has begun."""
    played = TournamentPlay
    theirs = played.class_code == student.class_code, played.student == student.number
    query = select(played.tournament, func.max(played.deal)).where(*theirs)
    return dict(db.execute(query.group_by(played.tournament)).all())


@dataclass(frozen=True)
class Homework:
    """A tournament as it is now in its class."""

    classroom: Classroom
    tournament: Tournament

    @property
    def is_over(self) -> bool:
        """Whether it has ended: it ends with its class too. Points and places are shown then."""
        return self.classroom.closed or self.tournament.is_over(self.classroom.now)

    @cached_property
    def rows(self) -> tuple[Standing, ...]:
        """The students who have begun, those with a place first; without the score at each deal."""
        played, who = TournamentPlay, (TournamentPlay.student, Student.name)
        one = self.tournament
        query = (
            select(*who, func.count(played.score), func.coalesce(func.sum(played.score), 0.0))
            .join(Student, is_theirs(played))
            .where(played.class_code == one.class_code, played.tournament == one.number)
            .where(Student.state != "banned")
            .group_by(*who)
            .order_by(played.student)
        )
        return ranked(one.deals, (Standing(*row) for row in db.execute(query)))

    @property
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
        return sum(row.played == self.tournament.deals for row in self.rows)

    @property
    def begun(self) -> int:
        """How many have begun and not finished."""
        return len(self.rows) - self.finished

    def with_scores(self, rows: Iterable[Standing]) -> tuple[Standing, ...]:
        """Return students with their score at each deal."""
        rows, deals = [*rows], self.tournament.deals
        plays = plays_of(self.tournament, [row.student for row in rows])
        return tuple(replace(row, scores=scores_of(plays[row.student], deals)) for row in rows)

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
        return plural("one has finished", "{number} have finished", self.finished)

    @property
    def address(self) -> str:
        """The address of its page."""
        return url_for("tournaments.show", code=self.classroom.code, number=self.tournament.number)

    @property
    def best(self) -> tuple[Standing, ...]:
        """Those who are named to everyone: nobody before the end."""
        return self.ranked[:MAX_BEST] if self.is_over else ()

    @property
    def others_at_last(self) -> int:
        """How many others share the last place of the best."""
        best = self.best
        others = self.ranked[len(best) :] if best else ()
        return sum(row.rank == best[-1].rank for row in others)

    @property
    def unfinished(self) -> int:
        """How many of the class have not finished."""
        return max(0, len(playing(students_of(self.classroom))) - self.finished)

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
        etag = self.classroom.etag(page)
        document = {"class": self.classroom.code, "version": etag, **self.document()}
        counts = {"finished": self.finished, "playing": self.begun}
        return document | {"over": self.is_over, **counts}


def tournaments_of(classroom: Classroom) -> list[Homework]:
    """Return the tournaments of a class, the oldest first.

    One that is shown as over for the first time is kept as that.
    """
    now, found = classroom.now, tournaments_in(classroom.code)
    is_new = any(one.is_over(now) and not one.ended for one in found)
    if is_new and access.settle(lambda: keep_ends(classroom.code, now)):
        found = tournaments_in(classroom.code)
    return [Homework(classroom, tournament) for tournament in found]


def tournament_on_screen(classroom: Classroom) -> Homework | None:
    """Return the tournament that the big screen shows: the chosen one, or the newest."""
    newest = tournaments_of(classroom)[::-1]
    chosen = [at for at in newest if at.tournament.number == classroom.standings]
    return next(iter((*chosen, *newest)), None)


@dataclass(frozen=True)
class Participant(Homework):
    """A student at a tournament."""

    student: Student
    plays: tuple[TournamentPlay, ...]
    """What the student has played: the deals in their order, without a gap."""

    seen: int
    """How many deals the browser of the request has seen as another student."""

    @property
    def first(self) -> int:
        """The first deal that is this student's.

        A browser of theirs has played those before for a student who was forgotten, so they are
        missing.
        """
        return self.plays[0].deal if self.plays else 1 + self.seen

    @property
    def played(self) -> int:
        """How many deals the student has played to their end."""
        return sum(bool(play.winner) for play in self.plays)

    @property
    def total(self) -> float:
        """The points given away at these."""
        return sum(play.score or 0.0 for play in self.plays)

    @property
    def next_deal(self) -> int:
        """The deal that is open, or that comes next; one more than there are when all are over."""
        return self.first + self.played

    def play(self, deal: int) -> TournamentPlay | None:
        """Return what was done at a deal, counted from 1; None before it was dealt."""
        return next((play for play in self.plays if play.deal == deal), None)

    def has_played(self, deal: int) -> bool:
        """Return whether the student has played a deal to its end, counted from 1."""
        return self.first <= deal < self.next_deal

    @cached_property
    def best(self) -> tuple[Standing, ...]:
        """Those who are named to the student, with their points at each deal."""
        return self.with_scores(super().best)

    @cached_property
    def own_standing(self) -> Standing | None:
        """Where the student stands; None without a move."""
        own = self.by_student.get(self.student.number)
        return own and replace(own, scores=scores_of(self.plays, self.tournament.deals))

    @property
    def is_done(self) -> bool:
        """Whether there is no deal left for this student."""
        return self.next_deal > self.tournament.deals

    def was_seen(self, deal: int) -> bool:
        """Return whether the browser has seen a deal, which the student has not begun yet."""
        return 1 <= deal <= self.seen and self.play(deal) is None

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
        if missing := deals - self.played:
            if self.is_over or self.is_done:
                return plural("one deal missing", "{number} deals missing", missing)
            return Text("deal {number} of {deals}", number=self.next_deal, deals=deals)
        own = self.by_student.get(self.student.number)
        if own is None or not (own.rank and self.is_over):
            return Text("all deals played")
        return Text("place {place} of {number}", place=own.rank, number=len(self.ranked))

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
    classroom: Classroom, student: Student, at: Sequence[Homework] | None = None
) -> list[Participant]:
    """Return where a student is in tournaments of a class: by default in all, the oldest first.

    Nobody begins a tournament that is over.
    """
    at = tournaments_of(classroom) if at is None else at
    if not at:
        return []
    plays = plays_in(classroom.code, TournamentPlay.student == student.number)
    before: Mapping[int, int] = {}
    if not all(each.is_over for each in at):
        before = deals_seen(classroom.code, student.number)
    seats = []
    for one in (each.tournament for each in at):
        own = tuple(plays.get((one.number, student.number), ()))
        seats.append(Participant(classroom, one, student, own, before.get(one.number, 0)))
    return seats


def refusal_at(seat: Participant, deal: int) -> Text | None:
    """Say why a student cannot be at a deal now; None where they can."""
    if seat.has_played(deal):
        return None
    if 1 <= deal < seat.first:
        return PLAYED_BEFORE.fill(number=deal)
    if seat.is_over:
        return TOO_LATE if seat.plays else IS_OVER
    if seat.student.state != "in":
        return Text("You have stepped out: step in again to play.")
    if deal > seat.tournament.deals:
        return ALL_PLAYED if seat.is_done else Text("This homework has no such deal.")
    if seat.was_seen(deal):
        return PLAYED_BEFORE.fill(number=deal)
    return NEXT_DEAL.fill(number=seat.next_deal) if deal > seat.next_deal else None
