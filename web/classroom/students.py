"""The students of a class: what is asked of them, and written."""

from collections.abc import Mapping
from typing import Any, Final

import flask
from sqlalchemy import and_, bindparam, insert, select, update

from web import db
from web.classroom.access import FIND_STUDENTS
from web.classroom.codes import rejoin_code
from web.classroom.models import Browser, Classroom, Student
from web.classroom.nicknames import offers

MAX_STUDENTS: Final = 1_000
"""Maximum number of students in a class."""

_students: Any = Student.__table__
_browsers: Any = Browser.__table__
_code: Any = bindparam("code")
_number: Any = bindparam("number")


# ---- What is asked of them, and written ----------------------------------------------------------

_FIND_STUDENT: Final = FIND_STUDENTS.where(_students.c.number == _number)
_FIND_BROWSERS: Final = (
    select(_browsers.c.key)
    .where(_browsers.c.class_code == _code, _browsers.c.student == _number)
    .order_by(_browsers.c.number)
)
_FIND_NAMED: Final = select(_students.c.number).where(
    _students.c.class_code == _code, _students.c.name_key == bindparam("key")
)
_SAVE_STUDENT: Final = update(_students).where(
    _students.c.class_code == bindparam("of_class"), _students.c.number == bindparam("of_student")
)
_ADD_BROWSER: Final = insert(_browsers)


def students_of(classroom: Classroom) -> dict[int, Student]:
    """Return all students of a class by their numbers; those who are banned as well."""
    of = {"code": classroom.code, "round": classroom.round_number}
    found = db.execute(FIND_STUDENTS, **of).mappings()
    return {row["number"]: Student(**row) for row in found}


def not_banned(students: Mapping[int, Student]) -> list[Student]:
    """Return those of some students who are not banned."""
    return [student for student in students.values() if student.state != "banned"]


def playing(students: Mapping[int, Student]) -> list[Student]:
    """Return those of some students who have not stepped out either."""
    return [student for student in students.values() if student.state == "in"]


def names_of(classroom: Classroom) -> dict[int, str]:
    """Return the nicknames of a class's students, by their numbers."""
    query = select(_students.c.number, _students.c.name)
    return dict(db.execute(query.where(_students.c.class_code == classroom.code)).all())


def find_student(classroom: Classroom, number: int) -> Student | None:
    """Return a student of a class."""
    of = {"code": classroom.code, "round": classroom.round_number}
    row = db.execute(_FIND_STUDENT, **of, number=number).mappings().one_or_none()
    return Student(**row) if row else None


def browsers_of(student: Student) -> tuple[str, ...]:
    """Return what stands for a student's browsers, in the order in which they came."""
    of = {"code": student.class_code, "number": student.number}
    return tuple(db.execute(_FIND_BROWSERS, **of).scalars())


def number_named(code: str, key: str) -> int:
    """Return the number of the student with a nickname; 0 where nobody has it."""
    return db.execute(_FIND_NAMED, code=code, key=key).scalar() or 0


def taken_keys(classroom: Classroom) -> set[str]:
    """Return the keys of all nicknames of a class."""
    of_class = _students.c.class_code == classroom.code
    return {*db.execute(select(_students.c.name_key).where(of_class)).scalars()}


def new_nickname(classroom: Classroom, language: str) -> str:
    """Return a nickname by chance that nobody has."""
    return offers(language, taken_keys(classroom))[0]


def wrong_codes(student: Student) -> list[float]:
    """Return when wrong rejoin codes were sent for a student: the times that count."""
    theirs = _is_student(student)
    return list(db.execute(select(_students.c.wrong_codes).where(theirs)).scalar() or ())


def _is_student(student: Student) -> Any:
    return and_(_students.c.class_code == student.class_code, _students.c.number == student.number)


def save_student(student: Student, **values: Any) -> None:
    """Write some columns of a student."""
    of = {"of_class": student.class_code, "of_student": student.number}
    db.execute(_SAVE_STUDENT, **of, **values)
    for name, value in values.items():
        setattr(student, name, value)


def real_names(code: str) -> dict[int, str]:
    """Return the real names that students of a class have given, by their numbers."""
    given = _students.c.class_code == code, _students.c.real_name != ""
    return dict(db.execute(select(_students.c.number, _students.c.real_name).where(*given)).all())


def forget_real_names(code: str) -> None:
    """Forget all real names that students of a class have given."""
    db.execute(update(_students).where(_students.c.class_code == code).values(real_name=""))


def rejoin_codes(student: Student) -> list[str]:
    """Return what brings another browser to a student: under each of the server's keys a code.

    The first one is shown; those under older keys are believed.
    """
    config, of = flask.current_app.config, (student.class_code, student.number, student.generation)
    keys = [config["SECRET_KEY"], *reversed(config["SECRET_KEY_FALLBACKS"])]
    return [rejoin_code(key, *of) for key in keys]
