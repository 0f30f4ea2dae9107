"""The students of a class: what is asked of them, and written."""

from collections.abc import Mapping
from typing import Final

import flask
from sqlalchemy import select, update

from web import db
from web.classroom.access import FIND_STUDENTS
from web.classroom.codes import rejoin_code
from web.classroom.models import Browser, Classroom, Student
from web.classroom.nicknames import offers

MAX_STUDENTS: Final = 1_000
"""Maximum number of students in a class."""


def students_of(classroom: Classroom) -> dict[int, Student]:
    """Return all students of a class by their numbers; those who are banned as well."""
    found = db.session().scalars(FIND_STUDENTS, {"code": classroom.code})
    return {student.number: student for student in found}


def not_banned(students: Mapping[int, Student]) -> list[Student]:
    """Return those of some students who are not banned."""
    return [student for student in students.values() if student.state != "banned"]


def playing(students: Mapping[int, Student]) -> list[Student]:
    """Return those of some students who have not stepped out either."""
    return [student for student in students.values() if student.state == "in"]


def names_of(classroom: Classroom) -> dict[int, str]:
    """Return the nicknames of a class's students, by their numbers."""
    here = Student.class_code == classroom.code
    return dict(db.execute(select(Student.number, Student.name).where(here)).all())


def find_student(classroom: Classroom, number: int) -> Student | None:
    """Return a student of a class."""
    query = FIND_STUDENTS.where(Student.number == number)
    return db.session().scalar(query, {"code": classroom.code})


def browsers_of(student: Student) -> tuple[str, ...]:
    """Return what stands for a student's browsers, in the order in which they came."""
    theirs = Browser.class_code == student.class_code, Browser.student == student.number
    return tuple(db.session().scalars(select(Browser.key).where(*theirs).order_by(Browser.number)))


def number_named(code: str, key: str) -> int:
    """Return the number of the student with a nickname; 0 where nobody has it."""
    theirs = Student.class_code == code, Student.name_key == key
    return db.session().scalar(select(Student.number).where(*theirs)) or 0


def taken_keys(classroom: Classroom) -> set[str]:
    """Return the keys of all nicknames of a class."""
    here = Student.class_code == classroom.code
    return {*db.session().scalars(select(Student.name_key).where(here))}


def new_nickname(classroom: Classroom, language: str) -> str:
    """Return a nickname by chance that nobody has."""
    return offers(language, taken_keys(classroom))[0]


def real_names(code: str) -> dict[int, str]:
    """Return the real names that students of a class have given, by their numbers."""
    given = Student.class_code == code, Student.real_name != ""
    return dict(db.execute(select(Student.number, Student.real_name).where(*given)).all())


def forget_real_names(code: str) -> None:
    """Forget all real names that students of a class have given."""
    db.execute(update(Student).where(Student.class_code == code).values(real_name=""))


def rejoin_codes(student: Student) -> list[str]:
    """Return what brings another browser to a student: under each of the server's keys a code.

    The first one is shown; those under older keys are believed.
    """
    config, of = flask.current_app.config, (student.class_code, student.number, student.generation)
    keys = [config["SECRET_KEY"], *reversed(config["SECRET_KEY_FALLBACKS"])]
    return [rejoin_code(key, *of) for key in keys]
