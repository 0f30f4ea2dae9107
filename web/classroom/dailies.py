"""How the deals of the day went in a class: who has finished them, and where a student stands.

A student's score is noted with the move that finishes their last deal of the day, and goes with
them; in two browsers the first one counts. So the class knows of days since they have joined.
"""

from typing import Any, Final

from sqlalchemy import Index, and_, bindparam, delete, func, select
from sqlalchemy.dialects.postgresql import insert  # SQLite has the same clause
from sqlalchemy.orm import Mapped, mapped_column

from web import db
from web.classroom.access import find_class, own_student
from web.classroom.codes import session_notes
from web.classroom.decisions import own_students
from web.classroom.models import CODE, Student, of_student
from web.db.models import Base
from web.deals.daily import ClassRank
from web.deals.days import date_of
from web.deals.location import DealLocation
from web.deals.models import score_of
from web.deals.scores import MIN_PLAYERS, points_of, rank_among
from web.http.sessions import current_session
from web.tables.location import TableLocation

MAX_DAYS: Final = 7
"""Maximum number of days whose scores a class has."""


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


_dailies: Any = StudentDaily.__table__
_student: Final = _dailies.c.student
_here: Final = (_dailies.c.class_code == bindparam("code"), _dailies.c.day == bindparam("on"))
_KEEP: Final = insert(_dailies).on_conflict_do_nothing()
_DROP: Final = delete(_dailies).where(_here[0], _dailies.c.day <= bindparam("last"))
_SCORES: Final = (
    select(_student, _dailies.c.cost)
    .join(Student, and_(Student.class_code == _dailies.c.class_code, Student.number == _student))
    .where(*_here, Student.state != "banned")
)
_STUDENTS: Final = select(func.count()).where(
    Student.class_code == bindparam("code"), Student.state != "banned"
)


def note_daily(location: TableLocation) -> None:
    """Note a day whose last deal a move has ended, in each class that the player is in."""
    if not isinstance(location, DealLocation) or not location.deal.day:
        return
    day = location.deal.day
    cost = score_of(current_session().sid, day)
    for code, student in own_students() if cost is not None else ():
        db.execute(_DROP, code=code, last=day - MAX_DAYS)
        db.execute(_KEEP, class_code=code, student=student, day=day, cost=cost)


def kept_dailies(student: Student) -> dict[str, float]:
    """Return what is kept of a student's days: the points given away, by the date."""
    own = _here[0], _student == bindparam("student")
    found = db.execute(
        select(_dailies.c.day, _dailies.c.cost).where(*own),
        code=student.class_code,
        student=student.number,
    )
    return {str(date_of(day)): points_of(cost) for day, cost in found}


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
    students = db.execute(_STUDENTS, code=code).scalar_one()
    if students < MIN_PLAYERS:
        return None
    costs: dict[int, int] = dict(db.execute(_SCORES, code=code, on=day).all())
    own, rank = costs.get(student.number), None
    if own is not None:
        rank = rank_among(1 + sum(cost < own for cost in costs.values()), len(costs))
    return ClassRank(code, classroom.title or code, students, len(costs), rank)
