"""Whose browser a request comes from: a student's, an instructor's; and how often it may guess.

All of it follows from the browser's session, whose id nobody can guess. A class knows a browser by
a hash of that, so what is kept of one class says nothing of another.
"""

import time
from typing import Any, Final

import flask
import msgspec
from werkzeug.exceptions import Forbidden

from web.classroom.codes import browser_hash, rejoin_code
from web.classroom.model import Member
from web.classroom.state import ClassState, class_store, load_class
from web.storage.session_rows import keep_row, read_row
from web.storage.sessions import current_session

SESSION_ROW: Final = "classes"

MAX_CODES: Final = 20
"""Maximum number of codes without a class that a session may try in a minute."""

MAX_LISTED: Final = 20
"""Maximum number of classes that a browser is reminded of."""


class SessionNotes(msgspec.Struct, frozen=True, array_like=True):
    """What a session keeps of classes."""

    joined: tuple[str, ...] = ()
    """The codes of the classes that the browser has joined, the newest last."""

    opened: tuple[str, ...] = ()
    """The codes of the classes that were opened, the newest last."""

    day: int = 0
    today: int = 0
    """How many classes were opened on that day."""

    allowed: bool = False
    """Whether a link or the password has made the browser an instructor's."""

    minute: int = 0
    tries: int = 0
    """How many codes that no class has were tried in that minute."""


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


def rejoin_codes(state: ClassState, member: Member) -> list[str]:
    """Return what brings another browser to a student: under each of the server's keys a code.

    The first one is shown; those under older keys are believed.
    """
    config, student = flask.current_app.config, member.student
    keys = [config["SECRET_KEY"], *reversed(config["SECRET_KEY_FALLBACKS"])]
    return [rejoin_code(key, state.code, member.number, student.generation) for key in keys]


# ---- What a session keeps ------------------------------------------------------------------


def session_notes() -> SessionNotes:
    """Return what the session keeps of classes."""
    return read_row(current_session(), SESSION_ROW, SessionNotes) or SessionNotes()


def note_in_session(*, lasts: bool = True, **changes: Any) -> None:
    """Keep something else of classes in the session.

    Args:
        lasts: whether that is a reason for the session, and with it the cookie, to last.
        **changes: new values of some fields of :class:`SessionNotes`.
    """
    session = current_session()
    keep_row(session, SESSION_ROW, msgspec.structs.replace(session_notes(), **changes))
    if lasts:
        session.establish()


def remember_class(code: str) -> None:
    """Put a class into the session, as the newest."""
    others = (other for other in session_notes().joined if other != code)
    note_in_session(joined=(*others, code)[-MAX_LISTED:])


def forget_class(code: str) -> None:
    """Take a class out of the session."""
    kept = tuple(other for other in session_notes().joined if other != code)
    note_in_session(lasts=False, joined=kept)


def codes_tried() -> int:
    """Return how many codes that no class has the session has tried in this minute."""
    notes = session_notes()
    return notes.tries if notes.minute == int(time.time()) // 60 else 0


def count_wrong() -> None:
    """Count a code that no class has."""
    note_in_session(lasts=False, minute=int(time.time()) // 60, tries=codes_tried() + 1)
