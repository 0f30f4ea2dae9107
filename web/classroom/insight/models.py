"""How students' days went, at the tables and with the deals of the day: noted by their moves.

What a round's decisions have cost is worked out when it is over, and kept in the transaction of the
move: of a student's day at a table how many rounds and decisions there were and what they have cost
(:class:`StudentDay`), and of each mistake how often it was made that day, with the round in which
it cost most (:class:`StudentMistake`). So what is kept of a student is bounded by the days, however
much a program plays, and pages read sums and no round.

A score of the deals of a day (:class:`StudentDaily`) is noted with the move that finishes the last
of them; in two browsers the first one counts. So a class knows of days since students have joined.

Costs are in rounds, as in :mod:`cardgames.ledger`; pages show points, which are hundredths.
"""

import logging
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any, Final

from sqlalchemy import Index, String, and_, bindparam, case, delete, func, or_, select
from sqlalchemy.dialects.postgresql import insert  # SQLite has the same clause
from sqlalchemy.orm import Mapped, mapped_column

from cardgames import GAMES
from cardgames.advice import Advisor, Decision
from cardgames.game import AnyGame
from cardgames.records.line import line
from cardgames.records.record import Record
from cardgames.records.replay import Replay, redacted, replay, with_shuffle_orders
from cardgames.table import Phase
from web import db
from web.classroom.core.access import browser_of, find_class, login_of, own_student
from web.classroom.core.codes import session_notes
from web.classroom.core.models import (
    CODE,
    SIGN_ON,
    Browser,
    Classroom,
    Student,
    is_theirs,
    of_student,
)
from web.classroom.core.words import local_time
from web.db.models import SLUG, Base
from web.deals.daily import ClassRank
from web.deals.scores import MIN_PLAYERS, rank_among, score_of
from web.http.sessions import current_session
from web.tables.rounds import decisions_in
from web.tables.rows import UNREADABLE
from web.tables.seat import Seat

MAX_DAYS: Final = 7
"""Maximum number of days by which it is kept how a student has played: the newest ones."""

EARLIER: Final = date.min
"""The day that stands for all days before those."""

log = logging.getLogger("cardgames.classroom")


class StudentDay(Base):
    """How a student has played at a table on a day."""

    __tablename__ = "student_days"
    __table_args__ = (of_student(), {"sqlite_with_rowid": False})

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(SLUG, primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    """When the rounds ended, by the server's clock; or :data:`EARLIER`."""

    rounds: Mapped[int]
    won: Mapped[int]
    decisions: Mapped[int]
    cost: Mapped[float]
    squares: Mapped[float]
    """The sum of the squares of what each decision has cost."""


class StudentMistake(Base):
    """A decision that was not the best one, as often as a student has made it on a day."""

    __tablename__ = "student_mistakes"
    __table_args__ = (of_student(), {"sqlite_with_rowid": False})

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(SLUG, primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    chosen: Mapped[str] = mapped_column(String(4), primary_key=True)
    """The move: ``hit``, ``stay``, or ``deal`` for giving the round up."""

    total: Mapped[int] = mapped_column(primary_key=True)
    soft: Mapped[bool] = mapped_column(primary_key=True)
    upcard: Mapped[str] = mapped_column(String(1), primary_key=True)
    """Its rank; court cards are tens."""

    times: Mapped[int]
    cost: Mapped[float]
    """Of all these times together."""

    worst: Mapped[float]
    """Of the time that has cost most."""

    step: Mapped[int]
    """The step of that round at which it was to be decided."""

    record: Mapped[str]
    """That round, as its player knows it."""


class StudentDaily(Base):
    """What a student has given away at all deals of a day."""

    __tablename__ = "student_dailies"
    __table_args__ = (
        of_student(),
        Index("dailies_of_days", "class_code", "day"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    day: Mapped[int] = mapped_column(primary_key=True)
    """The number of the day."""

    cost: Mapped[int]
    """In billionths of a round."""


_days: Any = StudentDay.__table__
_mistakes: Any = StudentMistake.__table__


def _adding_up(table: Any, *sums: str, **others: Any) -> Any:
    """Return the statement that inserts a row, or adds it to the one that is there."""
    new = insert(table)
    added = {name: table.c[name] + new.excluded[name] for name in sums}
    kept = {name: value(new.excluded) for name, value in others.items()}
    return new.on_conflict_do_update(index_elements=[*table.primary_key], set_=added | kept)


def _of_the_worst(name: str) -> Any:
    """Return which value of a column stays: that of the time that has cost most."""
    return lambda new: case((new.worst > _mistakes.c.worst, new[name]), else_=_mistakes.c[name])


def _of_student(table: Any) -> tuple[Any, ...]:
    """Return the condition that a row is a student's."""
    return table.c.class_code == bindparam("code"), table.c.student == bindparam("student")


_ADD_TO_DAY: Final = _adding_up(_days, "rounds", "won", "decisions", "cost", "squares")
_ADD_DAY: Final = _ADD_TO_DAY.returning(_days.c.rounds)
_OWN_DAYS: Final = (
    select(_days.c.day)
    .where(*_of_student(_days), _days.c.day > EARLIER)
    .distinct()
    .order_by(_days.c.day.desc())
)
_ADD_MISTAKE: Final = _adding_up(
    *(_mistakes, "times", "cost"),
    **{name: _of_the_worst(name) for name in ("worst", "step", "record")},
)

# Locked where the database is shared: a student who is removed now is gone before this, or goes
# after the move that counts for them.
_PLAYING: Final = (
    select(Student.number)
    .join(Classroom, Classroom.code == Student.class_code)
    .join(Browser, is_theirs(Browser))
    .where(
        Student.class_code == bindparam("code"),
        Student.state == "in",
        Classroom.closed.is_(False),
        Classroom.expires > bindparam("now"),
        or_(
            and_(Classroom.real == SIGN_ON, Browser.key == bindparam("login")),
            and_(Classroom.real != SIGN_ON, Browser.key == bindparam("browser")),
        ),
    )
    .with_for_update(read=True, key_share=True, of=Student)
)


def note_rounds(seat: Seat, ended: tuple[Record, ...]) -> None:
    """Note the rounds that a move has ended, in each class that the player is a student of.

    Those at deal links are not the class's, nor are those from a deck of the player's own.
    """
    game = seat.table.game
    if seat.kind != "own" or not game.advisor:
        return
    records = [record for record in ended if not _is_own_deck(game, record)]
    students = [*own_students()] if records else []
    for record in records if students else ():
        note_round(students, record, db.now())


def _is_own_deck(game: AnyGame, record: Record) -> bool:
    """Return whether a round was played from a deck that the player has sent."""
    return record.stacked or any(record.actions[0][name] for name in game.deals.decks)


def own_students() -> Iterator[tuple[str, int]]:
    """Yield the students that the browser of the request plays for, by class and number."""
    connection = db.session().connection()
    for code in sorted(session_notes().joined):  # two browsers of a student lock in one order
        who = {"browser": browser_of(code), "login": login_of(code), "now": db.now()}
        for number in connection.execute(_PLAYING, {"code": code, **who}).scalars():
            yield code, number


def note_round(students: Iterable[tuple[str, int]], record: Record, at: float) -> None:
    """Add a round to what is kept of those who have played it.

    Args:
        students: who they are, each by the class's code and the number.
        record: the round, of a game with an advisor.
        at: when it ended.
    """
    advisor = GAMES[record.game].advisor
    assert advisor  # noqa: S101 - of other games nothing is kept
    try:
        sums, mistakes = _judged(advisor, record)
    except UNREADABLE as error:  # and InvalidRecord: the move must not be lost by that
        log.warning("a student's round could not be judged: %s", type(error).__name__)
        return
    connection, day = db.session().connection(), local_time(at).date()
    for code, student in students:
        key = {"class_code": code, "student": student, "game": record.game, "day": day}
        is_new = connection.execute(_ADD_DAY, key | sums).scalar_one() == 1
        if mistakes:
            connection.execute(_ADD_MISTAKE, [key | mistake for mistake in mistakes])
        if is_new:
            _put_together(code, student)


def _put_together(code: str, student: int) -> None:
    """Put days of a student before the newest together."""
    connection, own = db.session().connection(), {"code": code, "student": student}
    for day in connection.execute(_OWN_DAYS, own).scalars().all()[MAX_DAYS:]:
        for table, add in ((_days, _ADD_TO_DAY), (_mistakes, _ADD_MISTAKE)):
            here = (*_of_student(table), table.c.day == day)
            rows = connection.execute(select(table).where(*here), own).mappings().all()
            if rows:
                connection.execute(add, [{**row, "day": EARLIER} for row in rows])
            connection.execute(delete(table).where(*here), own)


def _judged(advisor: Advisor, record: Record) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what came of a round, and its mistakes, as values of columns."""
    decisions = decisions_in(record)
    costs = [decision.cost for decision in decisions]
    sums = {
        "rounds": 1,
        "won": int(advisor.points[record.result] > 0),
        "decisions": len(costs),
        "cost": sum(costs),
        "squares": sum(cost * cost for cost in costs),
    }
    if not any(costs):
        return sums, []
    return sums, [*_mistakes_in(advisor, decisions, record)]


def _mistakes_in(
    advisor: Advisor, decisions: tuple[Decision, ...], record: Record
) -> Iterator[dict[str, Any]]:
    """Yield the decisions of a round that were not the best ones."""
    replayed = replay(record)
    steps = [step for step, one in enumerate(replayed.tables[:-1]) if one.phase is Phase.PLAYING]
    public = _public(record, replayed)
    for step, one in zip(steps, decisions, strict=True):
        if one.cost:
            situation = advisor.situation(replayed.tables[step].state)
            yield {
                "chosen": one.chosen,
                "total": situation.total,
                "soft": situation.soft,
                "upcard": advisor.upcard_rank(situation.upcard).value,
                "times": 1,
                "cost": one.cost,
                "worst": one.cost,
                "step": step,
                "record": public,
            }


def _public(record: Record, replayed: Replay) -> str:
    """Return a round as it may be looked at.

    Of a deck that is played on with, it has what its player has seen; the next round's cards are
    nobody's yet.
    """
    game = GAMES[record.game]
    if game.carry_type is None:
        return line(record)
    seen = game.seen(replayed.last.state)
    return line(redacted(with_shuffle_orders(record, replayed), seen))


# ---- The deals of the day ------------------------------------------------------------------------


def note_daily(seat: Seat, _ended: tuple[Record, ...]) -> None:
    """Note a day whose last deal a move has ended, in each class that the player is in."""
    if seat.kind != "deal" or not seat.place.deal.day:
        return
    day, kept = seat.place.deal.day, StudentDaily
    cost = score_of(current_session().sid, day)
    for code, student in own_students() if cost is not None else ():
        db.execute(delete(kept).where(kept.class_code == code, kept.day <= day - MAX_DAYS))
        row = {"class_code": code, "student": student, "day": day, "cost": cost}
        db.execute(insert(kept).values(**row).on_conflict_do_nothing())


def class_ranks(day: int) -> list[ClassRank]:
    """Return how a day went in the classes of the browser of the request, the newest first."""
    codes = session_notes().joined[::-1] if current_session().is_kept else ()
    return [rank for code in codes if (rank := _rank_in(code, day))]


def _rank_in(code: str, day: int) -> ClassRank | None:
    """Return how a day went in a class; None where its browser has no student, or too few are."""
    classroom = find_class(code)
    student = classroom and own_student(classroom)
    if not classroom or classroom.closed or not student:
        return None
    known, kept = (Student.class_code == code, Student.state != "banned"), StudentDaily
    students = db.session().scalar(select(func.count()).where(*known)) or 0
    if students < MIN_PLAYERS:
        return None
    scores = select(kept.student, kept.cost).join(Student, is_theirs(kept))
    costs: dict[int, int] = dict(db.execute(scores.where(*known, kept.day == day)).all())
    own, rank = costs.get(student.number), None
    if own is not None:
        rank = rank_among(1 + sum(cost < own for cost in costs.values()), len(costs))
    return ClassRank(code, classroom.title or code, students, len(costs), rank)
