"""Whose browser a request comes from: a student's, an instructor's; and how often it may guess.

All of it follows from the browser's session, whose id nobody can guess. A class knows a browser by
a hash of that, so what is kept of one class says nothing of another.
"""

import time
from typing import Final

import flask
import msgspec
from werkzeug.exceptions import Forbidden

from web.classroom.codes import browser_hash, rejoin_code
from web.classroom.model import Member
from web.classroom.state import ClassState, class_store, load_class
from web.storage.session_rows import keep_row, read_row
from web.storage.sessions import current_session

CLASSES_ROW: Final = "classes"
INSTRUCTOR_ROW: Final = "class-instructor"
TRIES_ROW: Final = "class-tries"

MAX_CODES: Final = 20
"""Maximum number of codes without a class that a session may try in a minute."""

MAX_LISTED: Final = 20
"""Maximum number of classes that a browser is reminded of."""


class Instructor(msgspec.Struct, frozen=True, array_like=True):
    """What a session has of an instructor."""

    opened: tuple[str, ...] = ()
    """The codes of the classes that were opened, the newest last."""

    day: int = 0
    today: int = 0
    """How many classes were opened on that day."""

    allowed: bool = False
    """Whether a link or the password has made the browser an instructor's."""


class Tries(msgspec.Struct, frozen=True, array_like=True):
    """How many codes that do not exist a session has tried in a minute."""

    minute: int = 0
    codes: int = 0


class _Outsider(Forbidden):
    """A request for what a class shows to others."""

    def __init__(self, class_code: str) -> None:
        """Say of which class."""
        super().__init__()
        self.class_code = class_code


class NotTheInstructor(_Outsider):
    """The browser of the request does not hold the dashboard of the class."""


class NotAStudent(_Outsider):
    """The browser of the request is nobody's in the class, or that of somebody who was banned."""


def browser_of(code: str) -> str:
    """Return what stands for the browser of the request, in a class."""
    return browser_hash(code, current_session().sid)


def member_of(state: ClassState, *, is_new: bool = False) -> Member | None:
    """Return the student of the browser of the request; also one who is banned.

    Args:
        state: the class.
        is_new: whether the browser may have joined with this very request.
    """
    if not (current_session().version or is_new):
        return None
    return class_store().student_of(state.code, browser_of(state.code))


def student_of(state: ClassState) -> Member | None:
    """Return the student of the browser of the request, unless they are banned."""
    member = member_of(state)
    return member if member and member.student.state != "banned" else None


def require_student(state: ClassState) -> Member:
    """Return the student of the browser of the request.

    Raises:
        NotAStudent: there is none, or they are banned.
    """
    member = student_of(state)
    if member is None:
        raise NotAStudent(state.code)
    return member


def is_instructor(state: ClassState) -> bool:
    """Say whether the browser of the request holds a class's dashboard."""
    return bool(current_session().version) and browser_of(state.code) in state.classroom.instructors


def led_class(code: str) -> ClassState:
    """Return a class as it stands now, if the browser of the request holds its dashboard.

    Args and further errors are those of :func:`~web.classroom.state.load_class`.

    Raises:
        NotTheInstructor: it does not.
    """
    state = load_class(code)
    require_instructor(state)
    return state


def require_instructor(state: ClassState) -> None:
    """Return if the browser of the request holds a class's dashboard.

    Raises:
        NotTheInstructor: it does not.
    """
    if not is_instructor(state):
        raise NotTheInstructor(state.code)


def rejoin_code_of(state: ClassState, member: Member) -> str:
    """Return what brings another browser to a student."""
    key: str = flask.current_app.config["SECRET_KEY"]
    return rejoin_code(key, state.code, member.number, member.student.generation)


def signing_keys() -> list[str]:
    """Return the server's keys, the newest first."""
    config = flask.current_app.config
    return [config["SECRET_KEY"], *reversed(config["SECRET_KEY_FALLBACKS"])]


# ---- What a session keeps ------------------------------------------------------------------


def instructor() -> Instructor:
    """Return what the session has of an instructor."""
    return read_row(current_session(), INSTRUCTOR_ROW, Instructor) or Instructor()


def keep_instructor(kept: Instructor) -> None:
    """Put into the session what it has of an instructor."""
    keep_row(current_session(), INSTRUCTOR_ROW, kept)
    current_session().establish()


def known_classes() -> tuple[str, ...]:
    """Return the codes of the classes that the browser has joined, the newest last."""
    return read_row(current_session(), CLASSES_ROW, tuple[str, ...]) or ()


def remember_class(code: str) -> None:
    """Put a class into the session, as the newest."""
    others = (other for other in known_classes() if other != code)
    keep_row(current_session(), CLASSES_ROW, (*others, code)[-MAX_LISTED:])
    current_session().establish()


def forget_class(code: str) -> None:
    """Take a class out of the session."""
    kept = tuple(other for other in known_classes() if other != code)
    keep_row(current_session(), CLASSES_ROW, kept)


def may_guess() -> bool:
    """Say whether the session may try codes still, in this minute."""
    return _tries().codes < MAX_CODES


def count_wrong() -> None:
    """Count a code that does not exist."""
    tries = _tries()
    keep_row(current_session(), TRIES_ROW, Tries(tries.minute, tries.codes + 1))


def _tries() -> Tries:
    """Return what was counted in this minute."""
    minute = int(time.time()) // 60
    tries = read_row(current_session(), TRIES_ROW, Tries)
    return tries if tries and tries.minute == minute else Tries(minute)
