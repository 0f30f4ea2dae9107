"""The current state of homework, both for the class and for a student."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from flask import url_for
from sqlalchemy import func, select, update

from cardgames.text import Text, format_points, plural
from web import db
from web.classroom.core import access
from web.classroom.core.access import load_students, playing
from web.classroom.core.codes import deals_seen
from web.classroom.core.models import Classroom, Student, is_theirs
from web.classroom.core.words import day_text, iso_time
from web.classroom.homework.models import Tournament, TournamentPlay
from web.classroom.homework.rules import MAX_BEST, Standing, deal_scores, ranked

IS_OVER: Final = Text("This homework has ended.")
TOO_LATE: Final = Text("This homework has ended. Your earlier decisions are saved.")
NEXT_DEAL: Final = Text("The deals are played in their order: deal {number} is next.")
PLAYED_BEFORE: Final = Text("This browser has played deal {number} already, as another student.")
ALL_PLAYED: Final = Text("You have played all deals of this homework.")
NEXT_PUZZLE: Final = Text("The puzzles come in their order: puzzle {number} is next.")
ANSWERED_BEFORE: Final = Text(
    "This browser has answered puzzle {number} already, as another student."
)
ALL_ANSWERED: Final = Text("You have answered all puzzles of this homework.")


def tournaments_in(code: str) -> list[Tournament]:
    """Return the tournaments of a class, the oldest first."""
    query = select(Tournament).where(Tournament.class_code == code).order_by(Tournament.number)
    return [*db.session().scalars(query.execution_options(populate_existing=True))]


def mark_ended(code: str, now: float) -> None:
    """Mark a class's tournaments as ended if their due time has passed."""
    here = Tournament.class_code == code, Tournament.ended.is_(False)
    has_come = Tournament.due > 0, Tournament.due <= now
    db.execute(update(Tournament).where(*here, *has_come).values(ended=True))


def count_tournaments(code: str) -> int:
    """Return the number of a class's tournaments.

    This is also the highest tournament number.
    """
    here = Tournament.class_code == code
    return db.session().scalar(select(func.count()).select_from(Tournament).where(here)) or 0


def plays_in(code: str, *conditions: Any) -> dict[tuple[int, int], list[TournamentPlay]]:
    """Return a class's rounds that meet conditions, keyed by tournament and student."""
    played = TournamentPlay
    query = select(played).where(played.class_code == code, *conditions)
    plays: defaultdict[tuple[int, int], list[TournamentPlay]] = defaultdict(list)
    for play in db.session().scalars(
        query.order_by(played.tournament, played.student, played.deal)
    ):
        plays[play.tournament, play.student].append(play)
    return plays


def load_plays(
    tournament: Tournament, students: Collection[int]
) -> dict[int, list[TournamentPlay]]:
    """Return the given students' rounds of a tournament, keyed by student number."""
    here = TournamentPlay.tournament == tournament.number, TournamentPlay.student.in_(students)
    plays = plays_in(tournament.class_code, *here)
    return {student: student_plays for (_, student), student_plays in plays.items()}


def results_in(code: str) -> dict[tuple[int, int], dict[str, int]]:
    """Return the number of deals per winner, keyed by tournament and student.

    Banned students are not included. An open deal has an empty string as its winner.
    """
    numbers: defaultdict[tuple[int, int], dict[str, int]] = defaultdict(dict)
    keys = TournamentPlay.tournament, TournamentPlay.student, TournamentPlay.winner
    query = select(*keys, func.count()).join(Student, is_theirs(TournamentPlay)).group_by(*keys)
    query = query.where(TournamentPlay.class_code == code, Student.state != "banned")
    for tournament, student, winner, count in db.execute(query):
        numbers[tournament, student][winner] = count
    return numbers


def answers_in(tournament: Tournament) -> dict[int, dict[str, int]]:
    """Return the number of students per answer, keyed by puzzle and answer.

    Puzzles without an answer are not included.
    """
    played, chosen = TournamentPlay, defaultdict[int, dict[str, int]](dict)
    here = played.class_code == tournament.class_code, played.tournament == tournament.number
    query = select(played.deal, played.moves, func.count()).join(Student, is_theirs(played))
    query = query.where(*here, Student.state != "banned").group_by(played.deal, played.moves)
    for number, answer, count in db.execute(query):
        chosen[number][answer] = count
    return chosen


def deals_begun(student: Student) -> dict[int, int]:
    """Return the number of deals that a student has begun, keyed by tournament."""
    played = TournamentPlay
    by_student = played.class_code == student.class_code, played.student == student.number
    query = select(played.tournament, func.max(played.deal)).where(*by_student)
    return dict(db.execute(query.group_by(played.tournament)).all())


@dataclass(frozen=True)
class Homework:
    """The current state of a tournament."""

    classroom: Classroom
    tournament: Tournament

    @property
    def is_over(self) -> bool:
        """Whether the tournament has ended, by itself or with its class.

        Points and ranks are then shown.
        """
        return self.classroom.closed or self.tournament.is_over(self.classroom.now)

    @cached_property
    def rows(self) -> tuple[Standing, ...]:
        """The students who have begun; students with a rank are first.

        The scores per deal are not loaded.
        """
        played, columns = TournamentPlay, (TournamentPlay.student, Student.name)
        tournament = self.tournament
        query = (
            select(*columns, func.count(played.score), func.coalesce(func.sum(played.score), 0.0))
            .join(Student, is_theirs(played))
            .where(
                played.class_code == tournament.class_code, played.tournament == tournament.number
            )
            .where(Student.state != "banned")
            .group_by(*columns)
            .order_by(played.student)
        )
        return ranked(tournament.deals, (Standing(*row) for row in db.execute(query)))

    @property
    def ranked(self) -> tuple[Standing, ...]:
        """The students with a rank."""
        return tuple(row for row in self.rows if row.rank)

    @cached_property
    def by_student(self) -> Mapping[int, Standing]:
        """The standings, keyed by student number."""
        return {row.student: row for row in self.rows}

    @cached_property
    def finished(self) -> int:
        """The number of students who have played all deals."""
        return sum(row.played == self.tournament.deals for row in self.rows)

    @property
    def begun(self) -> int:
        """The number of students who have begun but have not finished."""
        return len(self.rows) - self.finished

    def with_scores(self, rows: Iterable[Standing]) -> tuple[Standing, ...]:
        """Return the students with their scores for each deal."""
        rows, deals = [*rows], self.tournament.deals
        plays = load_plays(self.tournament, [row.student for row in rows])
        return tuple(replace(row, scores=deal_scores(plays[row.student], deals)) for row in rows)

    @property
    def name(self) -> str:
        """The tournament's name for students: the word homework and the title."""
        tournament = self.tournament
        if not (tournament.title or tournament.about):
            return tournament.heading
        return Text("Homework: {title}", title=tournament.heading)

    @property
    def when(self) -> Text:
        """The time until which the tournament can be played."""
        due, now = self.tournament.due, self.classroom.now
        if self.is_over:
            return Text("ended")
        return Text("due {day}", day=day_text(due, now)) if due else Text("no due date")

    @property
    def progress(self) -> Text:
        """The number of students who have finished."""
        if not self.finished:
            return Text("no student has finished")
        return plural("one student has finished", "{number} students have finished", self.finished)

    @property
    def address(self) -> str:
        """The URL of the tournament's page."""
        return url_for("tournaments.show", code=self.classroom.code, number=self.tournament.number)

    @property
    def best(self) -> tuple[Standing, ...]:
        """The students whose nicknames everyone can see.

        The list is empty until the tournament ends.
        """
        return self.ranked[:MAX_BEST] if self.is_over else ()

    @property
    def others_at_last(self) -> int:
        """The number of other students who share the last named rank."""
        best = self.best
        others = self.ranked[len(best) :] if best else ()
        return sum(row.rank == best[-1].rank for row in others)

    @property
    def unfinished(self) -> int:
        """The number of the class's students who have not finished."""
        return max(0, len(playing(load_students(self.classroom))) - self.finished)

    def document(self) -> dict[str, Any]:
        """Return the tournament as JSON, without values that determine its cards."""
        tournament = self.tournament
        return {
            "tournament": tournament.number,
            "title": tournament.heading,
            "table": tournament.table,
            "deals": tournament.deals,
            "kind": "puzzles" if tournament.has_puzzles else "deals",
            "until": iso_time(tournament.due) if tournament.due else None,
            "open": not self.is_over,
        }

    def list_document(self) -> dict[str, Any]:
        """Return the state as JSON for a list of tournaments."""
        return self.document() | {"when": self.when}

    def page_document(self, page: str) -> dict[str, Any]:
        """Return the values that the class may see and the page's ETag, as JSON."""
        etag = self.classroom.etag(page)
        document = {"class": self.classroom.code, "version": etag, **self.document()}
        counts = {"finished": self.finished, "playing": self.begun}
        return document | {"over": self.is_over, **counts}


def load_tournaments(classroom: Classroom) -> list[Homework]:
    """Return the tournaments of a class, the oldest first.

    The end of a tournament is saved when the tournament is first shown as ended.
    """
    now, tournaments = classroom.now, tournaments_in(classroom.code)
    is_new = any(tournament.is_over(now) and not tournament.ended for tournament in tournaments)
    if is_new and access.try_write(lambda: mark_ended(classroom.code, now)):
        tournaments = tournaments_in(classroom.code)
    return [Homework(classroom, tournament) for tournament in tournaments]


def tournament_on_screen(classroom: Classroom) -> Homework | None:
    """Return the tournament for the big screen, by default the newest tournament."""
    newest = load_tournaments(classroom)[::-1]
    chosen = [homework for homework in newest if homework.tournament.number == classroom.standings]
    return next(iter((*chosen, *newest)), None)


@dataclass(frozen=True)
class Participant(Homework):
    """A student's state in a tournament."""

    student: Student
    plays: tuple[TournamentPlay, ...]
    """The student's rounds, in the order of the deals, without gaps."""

    seen: int
    """The number of deals that the current browser has seen while it belonged to another student.
    """

    @property
    def first(self) -> int:
        """The number of the student's first deal.

        The earlier deals are missing if the student's browser played them for another student, who
        was then deleted.
        """
        return self.plays[0].deal if self.plays else 1 + self.seen

    @property
    def played(self) -> int:
        """The number of deals that the student has finished."""
        return sum(bool(play.winner) for play in self.plays)

    @property
    def total(self) -> float:
        """The points given away at the student's finished deals."""
        return sum(play.score or 0.0 for play in self.plays)

    @property
    def next_deal(self) -> int:
        """The number of the open or next deal.

        After the last deal, it is the number of deals plus one.
        """
        return self.first + self.played

    def play(self, deal: int) -> TournamentPlay | None:
        """Return the round at a deal, counted from 1, or None if it was not dealt yet."""
        return next((play for play in self.plays if play.deal == deal), None)

    def has_played(self, deal: int) -> bool:
        """Return whether the student has finished a deal, counted from 1."""
        return self.first <= deal < self.next_deal

    def is_solved(self, deal: int) -> bool:
        """Return whether a puzzle is shown with its solution, even without an answer."""
        return self.tournament.has_puzzles and self.is_over and 1 <= deal <= self.tournament.deals

    @cached_property
    def best(self) -> tuple[Standing, ...]:
        """The students whose nicknames the student can see, with their points per deal."""
        return self.with_scores(super().best)

    @cached_property
    def own_standing(self) -> Standing | None:
        """The student's rank, or None before the student's first move."""
        standing = self.by_student.get(self.student.number)
        return standing and replace(standing, scores=deal_scores(self.plays, self.tournament.deals))

    @property
    def is_done(self) -> bool:
        """Whether the student has no deals left."""
        return self.next_deal > self.tournament.deals

    def was_seen(self, deal: int) -> bool:
        """Return whether the browser has seen a deal that the student has not begun yet."""
        return 1 <= deal <= self.seen and self.play(deal) is None

    @property
    def is_due(self) -> bool:
        """Whether the student has a deal to play now, in any browser."""
        return not (self.is_over or self.is_done) and self.student.state == "in"

    @property
    def joined_later(self) -> bool:
        """Whether the tournament had already ended when the student joined."""
        return 0 < self.tournament.due <= self.student.joined

    @property
    def may_play(self) -> bool:
        """Whether the student can now make a move in the current browser."""
        return self.is_due and not self.was_seen(self.next_deal)

    @property
    def progress(self) -> Text:
        """The text for the student's progress or rank."""
        deals, has_puzzles = self.tournament.deals, self.tournament.has_puzzles
        if self.joined_later:
            return Text("before you joined")
        if missing := deals - self.played:
            if not (self.is_over or self.is_done):
                of_all = {"number": self.next_deal, "deals": deals}
                if has_puzzles:
                    return Text("puzzle {number} of {deals}", **of_all)
                return Text("deal {number} of {deals}", **of_all)
            if has_puzzles:
                return plural("one puzzle missing", "{number} puzzles missing", missing)
            return plural("one deal missing", "{number} deals missing", missing)
        standing = self.by_student.get(self.student.number)
        if standing is None or not (standing.rank and self.is_over):
            return Text("all puzzles answered") if has_puzzles else Text("all deals played")
        return Text("place {place} of {number}", place=standing.rank, number=len(self.ranked))

    @property
    def status(self) -> Text:
        """The due time of the homework, and the student's points if it has ended."""
        if not self.played:
            return self.when
        if not self.is_over:
            return Text("{when} · points are shown when the homework ends", when=self.when)
        points = format_points(self.total)
        return Text("{when} · {points} points given away", when=self.when, points=points)

    def deal_address(self, deal: int) -> str:
        """Return the URL of the student's table at a deal."""
        return f"{self.address}/deal/{deal}"

    def next_document(self) -> dict[str, Any] | None:
        """Return the deal that the student can play now and its URL as JSON, or None."""
        if not self.may_play:
            return None
        return {"deal": self.next_deal, "address": self.deal_address(self.next_deal)}

    def list_document(self) -> dict[str, Any]:
        """Return the tournament as JSON for the student's list."""
        following, document = self.next_document(), super().list_document()
        return document | {"next": following} if following else document


def load_participants(
    classroom: Classroom, student: Student, homework: Sequence[Homework] | None = None
) -> list[Participant]:
    """Return a student's state in the given tournaments, by default in all of them.

    A student cannot begin a tournament that has ended.
    """
    homework = load_tournaments(classroom) if homework is None else homework
    if not homework:
        return []
    plays = plays_in(classroom.code, TournamentPlay.student == student.number)
    before: Mapping[int, int] = {}
    if not all(entry.is_over for entry in homework):
        before = deals_seen(classroom.code, student.number)
    seats = []
    for tournament in (entry.tournament for entry in homework):
        student_plays = tuple(plays.get((tournament.number, student.number), ()))
        seats.append(
            Participant(
                classroom, tournament, student, student_plays, before.get(tournament.number, 0)
            )
        )
    return seats


def deal_refusal(seat: Participant, deal: int) -> Text | None:
    """Return the reason why a student cannot view a deal now, or None."""
    if seat.has_played(deal):
        return None
    has_puzzles = seat.tournament.has_puzzles
    played_before = (ANSWERED_BEFORE if has_puzzles else PLAYED_BEFORE).fill(number=deal)
    if 1 <= deal < seat.first:
        return played_before
    if seat.is_over:
        return TOO_LATE if seat.plays else IS_OVER
    if seat.student.state != "in":
        return Text("You have stepped out: step in again to play.")
    if deal > seat.tournament.deals:
        all_played = ALL_ANSWERED if has_puzzles else ALL_PLAYED
        return all_played if seat.is_done else Text("This homework has no such deal.")
    if seat.was_seen(deal):
        return played_before
    following = NEXT_PUZZLE if has_puzzles else NEXT_DEAL
    return following.fill(number=seat.next_deal) if deal > seat.next_deal else None
