"""Who asks: the student of a browser, its instructor, and how often it may guess.

All of it is told by the browser's session, whose id nobody can guess. A class knows a browser by a
hash of that, so what is kept of one class says nothing of another.
"""

import time
from typing import Final, TypeVar

import flask
import msgspec

from web.classroom.codes import browser_hash, rejoin_code
from web.classroom.state import ClassState, Member, class_store
from web.storage.sessions import Session, current_session

CLASSES_ROW: Final = "classes"
INSTRUCTOR_ROW: Final = "class-instructor"
TRIES_ROW: Final = "class-tries"

MAX_CODES: Final = 20
"""So many codes that do not exist a session may try in a minute."""

MAX_PASSWORDS: Final = 10
"""The same of wrong passwords."""

MAX_LISTED: Final = 20
"""So many classes a browser is reminded of."""

T = TypeVar("T")


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
    """How often a session has guessed wrongly in a minute."""

    minute: int = 0
    codes: int = 0
    passwords: int = 0


def browser_of(code: str) -> str:
    """Return what stands for the browser that asks, in a class."""
    return browser_hash(code, current_session().sid)


def member_of(state: ClassState, *, is_new: bool = False) -> Member | None:
    """Return the student of the browser that asks; also one who is banned.

    Args:
        state: the class.
        is_new: whether the browser may have joined with this very request.

    Raises:
        StoreUnavailable: the store does not answer.
    """
    if not (current_session().version or is_new):
        return None
    stored = class_store().student_of(state.code, browser_of(state.code))
    return Member.of(stored) if stored else None


def is_instructor(state: ClassState) -> bool:
    """Say whether the browser that asks holds a class's dashboard."""
    return bool(current_session().version) and browser_of(state.code) in state.room.instructors


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
    return _row(INSTRUCTOR_ROW, Instructor) or Instructor()


def keep_instructor(kept: Instructor) -> None:
    """Put into the session what it has of an instructor."""
    current_session()[INSTRUCTOR_ROW] = msgspec.Raw(msgspec.msgpack.encode(kept))


def known_classes() -> tuple[str, ...]:
    """Return the codes of the classes that the browser has joined, the newest last."""
    return _row(CLASSES_ROW, tuple[str, ...]) or ()


def remember_class(code: str) -> None:
    """Put a class into the session, as the newest."""
    others = (other for other in known_classes() if other != code)
    kept = (*others, code)[-MAX_LISTED:]
    current_session()[CLASSES_ROW] = msgspec.Raw(msgspec.msgpack.encode(kept))


def forget_class(code: str) -> None:
    """Take a class out of the session."""
    kept = tuple(other for other in known_classes() if other != code)
    current_session()[CLASSES_ROW] = msgspec.Raw(msgspec.msgpack.encode(kept))


def may_guess() -> bool:
    """Say whether the session may try codes and passwords still, in this minute."""
    tries = _tries()
    return tries.codes < MAX_CODES and tries.passwords < MAX_PASSWORDS


def count_wrong(*, password: bool = False) -> None:
    """Count a code that does not exist, or a wrong password."""
    tries = _tries()
    counted = Tries(tries.minute, tries.codes + (not password), tries.passwords + password)
    current_session()[TRIES_ROW] = msgspec.Raw(msgspec.msgpack.encode(counted))


def _tries() -> Tries:
    """Return what was counted in this minute."""
    minute = int(time.time()) // 60
    tries = _row(TRIES_ROW, Tries)
    return tries if tries and tries.minute == minute else Tries(minute)


def _row(name: str, kind: type[T]) -> T | None:
    """Return what the session keeps under a name, if it can be read."""
    session: Session = current_session()
    row = session.get(name)
    try:
        return msgspec.msgpack.decode(row, type=kind) if row else None
    except msgspec.MsgspecError:
        return None
