"""Loading a class, identifying the current student or instructor, and saving changes.

A browser is identified by the ID of its session, which cannot be guessed. Each class stores its own
hash of that ID, so browsers cannot be linked across classes. If students sign on with a login, the
login represents all browsers in which the student has signed on.

The statements for every phone's page are built once. Building a statement at each use takes 0.4 to
0.8 ms, and a phone's page takes 1.7 ms.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import flask
from sqlalchemy import and_, bindparam, case, select, update
from werkzeug.exceptions import Forbidden, NotFound

from cardgames.class_bingo.clock import Clock
from web import db
from web.classroom.core import codes
from web.classroom.core.models import (
    SIGN_ON,
    BingoRound,
    Browser,
    Classroom,
    Dashboard,
    Student,
    is_theirs,
)
from web.db.models import Base
from web.http.sessions import DAY, current_login, current_session, renew_session
from web.settings import Settings

SETTINGS: Final = "class-settings"
"""The name of the app extension with the classroom's settings."""

SHARE_LINK_SECONDS: Final = 600
"""Lifetime of the link to a dashboard, in seconds."""

log = logging.getLogger("cardgames.classroom")

_HOUR: Final = 3_600

_classes: Any = Classroom.__table__
_code: Any = bindparam("code")


class ClassNotFound(NotFound):
    """Raised if no class has the code, or the class was deleted."""


class _Outsider(Forbidden):
    """Raised if the browser may not see the requested page."""

    def __init__(self, class_code: str) -> None:
        super().__init__()
        self.class_code = class_code


class NotTheInstructor(_Outsider):
    """Raised if the current browser has no access to the class's dashboard."""


class NotAStudent(_Outsider):
    """Raised if the current browser has no student, or belongs to a banned student."""


def class_settings() -> Settings:
    """Return the current app's settings."""
    settings: Settings = flask.current_app.extensions[SETTINGS]
    return settings


# ---- The class -----------------------------------------------------------------------------------

_NUMBERS: Final = (
    *("step", "changes", "claims", "right", "round_number", "is_open", "members", "has_vote"),
    *("called", "since", "every", "stop"),
)
"""The columns of a class from which the ETags are derived."""

_is_alive: Final = (_classes.c.code == _code, _classes.c.expires > bindparam("now"))
_FIND_NUMBERS: Final = select(*(_classes.c[name] for name in _NUMBERS)).where(*_is_alive)
_FIND_CLASS: Final = (
    select(Classroom, BingoRound)
    .outerjoin(
        BingoRound,
        and_(BingoRound.class_code == Classroom.code, BingoRound.number == Classroom.round_number),
    )
    .where(*_is_alive)
    .execution_options(populate_existing=True)
)
_LOCK_CLASS: Final = select(_classes.c.code).where(_classes.c.code == _code).with_for_update()


def load_class(text: str) -> Classroom:
    """Return the current state of the class with a typed code, or raise ClassNotFound.

    A POST locks the class until the end of its transaction.
    """
    code = codes.normalize_code(text)
    classroom = find_class(code)
    if classroom and _settle_calls(classroom):
        classroom = find_class(code)
    if classroom is None:
        raise ClassNotFound
    return classroom


def load_numbers(text: str) -> Classroom:
    """Return a class with only its columns for ETags, or raise ClassNotFound.

    The ETags and the polling intervals of its pages are derived from these columns.
    """
    code = codes.normalize_code(text)
    classroom = find_numbers(code)
    if classroom is None:
        raise ClassNotFound
    _settle_calls(classroom)
    return classroom


def find_numbers(code: str) -> Classroom | None:
    """Return a class with only its columns for ETags, or None."""
    now = db.now()
    if not codes.is_code(code):
        return None
    row = db.execute(_FIND_NUMBERS, code=code, now=now).mappings().one_or_none()
    return Classroom(code=code, now=now, **row) if row else None


def find_class(code: str) -> Classroom | None:
    """Return a class from its row, or None if no class has the code. A POST locks the class."""
    if not codes.is_code(code):
        return None
    if db.transaction().writes:
        # If the query below waited for the lock, PostgreSQL would read the class as it is after the
        # wait, but its newest round as it was before.
        lock_class(code)
    now = db.now()
    row = db.session().execute(_FIND_CLASS, {"code": code, "now": now}).one_or_none()
    return _snapshot(now, *row) if row else None


def _snapshot(now: float, classroom: Classroom, newest_round: BingoRound | None) -> Classroom:
    """Return a class with the time and the newest round of its snapshot."""
    classroom.now, classroom.newest_round = now, newest_round
    return classroom


def _settle_calls(classroom: Classroom) -> bool:
    """Save the calls that the clock has made since its calls were last saved.

    Return whether the calls were saved. Saved calls remain even if the machine's time was ahead and
    is then corrected.
    """
    if not classroom.is_open or classroom.calls <= classroom.called:
        return False
    return try_write(lambda: save_clock_calls(classroom))


def save_clock_calls(classroom: Classroom) -> None:
    """Save the current number of the clock's calls, unless it is already saved."""
    clock, here = classroom.clock.settled(classroom.now), Classroom.code == classroom.code
    is_same = Classroom.round_number == classroom.round_number, Classroom.is_open
    query = update(_classes).where(here, *is_same, Classroom.called < clock.calls)
    db.execute(query.values(called=clock.calls, since=clock.since))


def try_write(write: Callable[[], object], what: str = "what is shown") -> bool:
    """Write a value that the response does not need; return whether it worked.

    If the write fails, the request still succeeds.
    """
    try:
        with db.write_transaction():
            write()
    except db.DATABASE_ERRORS as error:
        log.error("%s was not kept: %s", what, error)  # noqa: TRY400 - an expected error, such as a full disk
        return False
    return True


def lock_class(code: str) -> bool:
    """Lock a class's row, and return whether the class exists."""
    return db.execute(_LOCK_CLASS, code=code).one_or_none() is not None


# ---- The current student or instructor -----------------------------------------------------------

_HELD: Final = select(Dashboard.key).where(
    Dashboard.class_code == _code,
    Dashboard.key.in_(bindparam("keys", expanding=True)),
)
FIND_STUDENTS: Final = (
    select(Student)
    .where(Student.class_code == _code)
    .order_by(Student.number)
    .execution_options(populate_existing=True)
)
"""The query for the students of a class."""

_FIND_BY_BROWSER: Final = FIND_STUDENTS.join(Browser, is_theirs(Browser)).where(
    Browser.key == bindparam("key")
)

IS_PARTICIPANT: Final = Browser.key == case(
    (Classroom.real == SIGN_ON, bindparam("login")), else_=bindparam("browser")
)
"""The condition that a key is the current participant's, as in :func:`participant_key`."""

_FIND_CLASS_AND_STUDENT: Final = (
    _FIND_CLASS.add_columns(Student)
    .join(Browser, Browser.class_code == Classroom.code)
    .join(Student, is_theirs(Browser))
    .where(IS_PARTICIPANT, Student.state != "banned")
)


def find_by_key(classroom: Classroom, key: str) -> Student | None:
    """Return the student of the browser with a given key in the class."""
    return db.session().scalar(_FIND_BY_BROWSER, {"code": classroom.code, "key": key})


def current_student_or_banned(classroom: Classroom) -> Student | None:
    """Return the student of the current browser, even if the student is banned."""
    key = participant_key(classroom)
    is_known = current_session().is_kept or classroom.asks_sign_on
    return find_by_key(classroom, key) if key and is_known else None


def current_student(classroom: Classroom) -> Student | None:
    """Return the current browser's student, or None if the student is banned."""
    student = current_student_or_banned(classroom)
    return student if student and student.state != "banned" else None


def require_student(classroom: Classroom) -> Student:
    """Return the current browser's student, or raise NotAStudent."""
    student = current_student(classroom)
    if student is None:
        raise NotAStudent(classroom.code)
    return student


def load_class_as_student(text: str) -> tuple[Classroom, Student]:
    """Return the class and the current student, or raise ClassNotFound or NotAStudent.

    A POST locks the class before it reads the student.
    """
    code = codes.normalize_code(text)
    pair = None if db.transaction().writes else _find_class_and_student(code)
    if pair and not _settle_calls(pair[0]):
        return pair
    classroom = load_class(code)
    return classroom, require_student(classroom)


def _find_class_and_student(code: str) -> tuple[Classroom, Student] | None:
    """Return a class and the current student, or None if the browser has no student.

    All phones request their pages after each call. With two statements, a page takes 9% longer.
    """
    if not codes.is_code(code):
        return None
    now, keys = db.now(), {"browser": browser_key(code), "login": login_key(code)}
    query = _FIND_CLASS_AND_STUDENT
    row = db.session().execute(query, {"code": code, "now": now, **keys}).one_or_none()
    if row is None:
        return None
    *class_row, student = row
    return _snapshot(now, *class_row), student


def participant_key(classroom: Classroom) -> str:
    """Return the current browser's key, or the login's key if students sign on.

    The key is empty if the request has no session or login.
    """
    return login_key(classroom.code) if classroom.asks_sign_on else browser_key(classroom.code)


def browser_key(code: str) -> str:
    """Return the key of the current browser in a class."""
    return codes.browser_hash(code, current_session().sid)


def login_key(code: str) -> str:
    """Return the key of the request's login in a class, or an empty string."""
    login = current_login()
    return login and codes.browser_hash(code, f"login {login}")


def signed_on_instructor() -> bool:
    """Return whether the request has an instructor's login."""
    return current_login() in class_settings().instructors


def instructor_key(code: str) -> str:
    """Return the key of the instructor's login, or the browser's key without a login."""
    return login_key(code) if signed_on_instructor() else browser_key(code)


def instructor_keys(code: str) -> set[str]:
    """Return the keys of the current instructor's login and browser."""
    logins = {login_key(code)} if signed_on_instructor() else set()
    return logins | ({browser_key(code)} if current_session().is_kept else set())


def is_opener(classroom: Classroom) -> bool:
    """Return whether the current browser opened a class."""
    return classroom.opener in instructor_keys(classroom.code)


def is_instructor(classroom: Classroom) -> bool:
    """Return whether the current browser has access to the dashboard of a class."""
    keys = instructor_keys(classroom.code)
    if classroom.opener in keys:
        return True
    row = db.execute(_HELD, code=classroom.code, keys=[*keys]) if keys else None
    return row is not None and row.first() is not None


def load_class_as_instructor(code: str) -> Classroom:
    """Return a class for its instructor, or raise NotTheInstructor."""
    classroom = load_class(code)
    if not is_instructor(classroom):
        raise NotTheInstructor(classroom.code)
    return classroom


def load_and_extend_class(code: str) -> Classroom:
    """Return a class for its instructor, and postpone the expiry of class and session.

    Raises:
        ClassNotFound: If there is no such class.
        NotTheInstructor: If the current browser has no access to the class's dashboard.
    """
    classroom = load_class_as_instructor(code)
    extend_class(classroom)
    return classroom


def extend_class(classroom: Classroom) -> None:
    """Extend the lifetimes of the class and of the instructor's session."""
    renew_session()
    until = int(classroom.now) + classroom.days * DAY
    if until - classroom.expires <= _HOUR:  # The new time is written at most once per hour.
        return
    here = (_classes.c.code == classroom.code, _classes.c.expires < until)
    with db.write_transaction():
        # A class that has ended since it was loaded remains ended.
        is_alive = _classes.c.expires > db.now()
        db.execute(update(_classes).where(*here, is_alive).values(expires=until))


# ---- Its students --------------------------------------------------------------------------------


def load_students(classroom: Classroom) -> dict[int, Student]:
    """Return all students of a class, even banned students, keyed by number."""
    students = db.session().scalars(FIND_STUDENTS, {"code": classroom.code})
    return {student.number: student for student in students}


def not_banned(students: Mapping[int, Student]) -> list[Student]:
    """Return the given students who are not banned."""
    return [student for student in students.values() if student.state != "banned"]


def playing(students: Mapping[int, Student]) -> list[Student]:
    """Return the given students who are not banned and have not stepped out."""
    return [student for student in students.values() if student.state == "in"]


def load_names(classroom: Classroom) -> dict[int, str]:
    """Return the nicknames of a class's students, keyed by student number."""
    here = Student.class_code == classroom.code
    return dict(db.execute(select(Student.number, Student.name).where(here)).all())


def shows_real_names() -> bool:
    """Return whether the URL requests real names, which are hidden by default."""
    return flask.request.args.get("names") == "yes"


def real_names(classroom: Classroom) -> dict[int, str]:
    """Return the real names that a class's students entered, keyed by student number."""
    has_name = Student.class_code == classroom.code, Student.real_name != ""
    return dict(db.execute(select(Student.number, Student.real_name).where(*has_name)).all())


# ---- Changes of a class --------------------------------------------------------------------------


def save_class(classroom: Classroom, clock: Clock | None = None, **values: Any) -> None:
    """Save changed columns of a class, and its clock.

    The time is read again, so that even after a slow request the clock has at least as many calls
    as any student has seen.
    """
    if classroom.is_open:
        before, now = classroom.clock, db.now()
        clock, called = (clock or before).settled(now), before.called(now)
        if clock.calls < called:
            clock = replace(clock, calls=called, stop=max(clock.stop, called))
    if clock:
        values |= {"called": clock.calls, "since": clock.since}
        values |= {"every": clock.every, "stop": clock.stop}
    write(classroom, **values)


def save_move(classroom: Classroom, clock: Clock | None = None, **values: Any) -> None:
    """Save the changes that an instructor's move made to the class itself."""
    for name, value in values.items():
        setattr(classroom, name, value)
    has_vote = classroom.leads_to_vote and classroom.vote_phase != "solved"
    save_class(classroom, clock, step=classroom.step + 1, has_vote=has_vote)


def save_students(classroom: Classroom, clock: Clock | None = None, **values: Any) -> None:
    """Save changed columns of a class, and increment its number of changes.

    The number of changes is a version of the class's students.
    """
    save_class(classroom, clock, changes=classroom.changes + 1, **values)


def write(row: Base, **values: Any) -> None:
    """Write the given columns of a row."""
    for name, value in values.items():
        setattr(row, name, value)
    db.session().flush()
