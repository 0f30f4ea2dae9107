"""Codes and single-use links, limits on guessing, and the session's data about classes.

Codes are read aloud and typed on phones, so no code is a word or contains a card. Only a hash of
each link is stored.
"""

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Iterable
from typing import Any, Final

import msgspec
from sqlalchemy import ForeignKey, delete
from sqlalchemy.orm import Mapped, mapped_column

from web import db
from web.classroom.core.models import HASH
from web.db.models import Base
from web.http.sessions import TERM, changing_session, current_session

ALPHABET: Final = "23456789BFGJKMNPQRTVWXZ"
"""The characters of codes.

Vowels are excluded, so that no rude word can occur. C, D, H and S are excluded, so that no card's
code can occur. 0, O, 1, I, L and U are excluded, because they look alike.
"""

JOIN_LENGTH: Final = 5
REJOIN_LENGTH: Final = 4

MAX_CODES: Final = 20
"""Maximum number of codes of nonexistent classes that a session may try per minute."""

MAX_LISTED: Final = 20
"""Maximum number of classes that are stored in a session."""

MAX_PAST: Final = 20
"""Maximum number of a class's students that are stored in a session."""

SESSION_ROW: Final = "classes"

_LINK_BYTES: Final = 16

_separators: Final = re.compile("[\\s_.\\-\u2013\u2014]+")
_is_code: Final = re.compile(f"[{ALPHABET}]{{{JOIN_LENGTH}}}").fullmatch


def new_code() -> str:
    """Return a random join code, one of 6.4 million."""
    return "".join(secrets.choice(ALPHABET) for _ in range(JOIN_LENGTH))


def normalize_code(text: str) -> str:
    """Return the normalized form of a typed code.

    >>> normalize_code(" k7q-xb "), normalize_code("K7QXB")
    ('K7QXB', 'K7QXB')
    """
    return _separators.sub("", text[:40]).upper()


def is_code(text: str) -> bool:
    """Return whether a string can be a join code.

    >>> is_code("K7QXB"), is_code("K7QX"), is_code("HELLO")
    (True, False, False)
    """
    return bool(_is_code(text))


def rejoin_code(key: str, code: str, number: int, generation: int) -> str:
    """Return a student's rejoin code, which is derived from the server's key."""
    text = f"cardgames rejoin {code} {number} {generation}".encode()
    number_drawn = int.from_bytes(hmac.digest(key.encode(), text, "sha256"))
    signs = []
    for _ in range(REJOIN_LENGTH):
        number_drawn, drawn = divmod(number_drawn, len(ALPHABET))
        signs.append(ALPHABET[drawn])
    return "".join(signs)


def matches_any(sent: str, codes: Iterable[str]) -> bool:
    """Return whether a typed code is one of the given codes.

    The comparison takes constant time.
    """
    typed = normalize_code(sent).encode()
    return any([hmac.compare_digest(typed, code.encode()) for code in codes])  # noqa: C419 - all codes must be compared


def browser_hash(code: str, sid: str) -> str:
    """Return the key of a browser in a class, which is different in each class."""
    return hashlib.sha256(f"{code} {sid}".encode()).hexdigest()[:32]


def new_link() -> str:
    """Return the token of a single-use link."""
    return secrets.token_hex(_LINK_BYTES)


def link_hash(token: str) -> str:
    """Return the hash that is stored for a single-use link.

    The link cannot be derived from the hash.
    """
    return hashlib.sha256(f"cardgames link {token}".encode()).hexdigest()


class InstructorLink(Base):
    """A single-use link."""

    __tablename__ = "instructor_links"

    hash: Mapped[str] = mapped_column(HASH, primary_key=True)
    class_code: Mapped[str | None] = mapped_column(ForeignKey("classes.code", ondelete="CASCADE"))
    """The class whose dashboard the link opens, or None if the link gives the instructor's role.
    """

    expires: Mapped[int]


def save_link(token: str, class_code: str, lifetime: int) -> None:
    """Save a single-use link with a lifetime in seconds, and delete expired links."""
    session, now = db.session(), db.now()
    session.execute(delete(InstructorLink).where(InstructorLink.expires <= now))
    link = InstructorLink(hash=link_hash(token), class_code=class_code or None)
    link.expires = int(now) + lifetime
    session.add(link)
    session.flush()


def find_link(token: str) -> InstructorLink | None:
    """Return the link, or None if it does not exist or has expired."""
    link = db.session().get(InstructorLink, link_hash(token))
    return link if link and link.expires > db.now() else None


def consume_link(token: str) -> InstructorLink | None:
    """Return the link and delete it, so that only one concurrent request can use it."""
    link = find_link(token)
    here = InstructorLink.hash == link_hash(token)
    deleted = db.execute(delete(InstructorLink).where(here)).rowcount
    return link if deleted else None


class ClassSession(msgspec.Struct, frozen=True, array_like=True):
    """The session's stored data about classes."""

    joined: tuple[str, ...] = ()
    """The codes of the classes that the browser has joined, in the order of joining."""

    opened: tuple[str, ...] = ()
    """The codes of the classes whose dashboards the browser may open, in chronological order."""

    day: int = 0
    today: int = 0
    allowed: bool = False
    """Whether a single-use link has given the browser the instructor's role."""

    minute: int = 0
    tries: int = 0
    past: dict[str, dict[int, dict[int, int]]] = {}
    """The students to whom the browser has belonged, keyed by class. The value for each student is
    the number of deals that the browser has seen as that student, keyed by homework.
    """


def class_session() -> ClassSession:
    """Return the session's stored data about classes."""
    return current_session().value(SESSION_ROW, ClassSession)


def update_class_session(*, lasts: bool = True, **changes: Any) -> None:
    """Save values in the session's data about classes.

    By default, the session's lifetime is extended.
    """
    session = current_session()
    session.keep(SESSION_ROW, msgspec.structs.replace(class_session(), **changes))
    if lasts:
        session.live(TERM)


def remember_class(code: str, student: int) -> None:
    """Save a class and the browser's student in the session, as the newest class."""
    others = (other for other in class_session().joined if other != code)
    update_class_session(joined=(*others, code)[-MAX_LISTED:], past=_past_with(code, student, {}))


def _past_with(code: str, student: int, deals: dict[int, int]) -> dict[str, Any]:
    """Return the browser's past and present students.

    For each student, the result contains the number of deals seen.
    """
    past = dict(class_session().past)
    students = past.pop(code, {})
    begun = students.pop(student, {}) | deals
    while len(students) >= MAX_PAST:  # Deals that the browser has seen are never removed.
        oldest, *_ = students
        dropped = students.pop(oldest)
        begun_next = students[next(iter(students))]
        for homework, number in dropped.items():
            begun_next[homework] = max(number, begun_next.get(homework, 0))
    past[code] = students | {student: begun}
    return dict([*past.items()][-MAX_LISTED:])


def note_deals(code: str, student: int, deals: dict[int, int]) -> None:
    """Save in the session the number of deals seen of each homework."""
    seen = class_session().past.get(code, {}).get(student, {})
    if more := {number: deal for number, deal in deals.items() if deal > seen.get(number, 0)}:
        update_class_session(lasts=False, past=_past_with(code, student, more))


def past_students(code: str) -> tuple[int, ...]:
    """Return the numbers of the students to whom the browser has belonged in a class."""
    return tuple(class_session().past.get(code, ()))


def deals_seen(code: str, student: int) -> dict[int, int]:
    """Return the number of deals seen as other students, keyed by homework."""
    seen: dict[int, int] = {}
    for other, begun in class_session().past.get(code, {}).items():
        for homework, number in begun.items() if other != student else ():
            seen[homework] = max(number, seen.get(homework, 0))
    return seen


def remember_dashboard(code: str) -> None:
    """Record in the session that the browser has access to a class's dashboard."""
    others = (other for other in class_session().opened if other != code)
    update_class_session(opened=(*others, code)[-MAX_LISTED:])


def forget_class(code: str) -> None:
    """Remove a class from the session."""
    joined = tuple(other for other in class_session().joined if other != code)
    update_class_session(lasts=False, joined=joined)


def failed_codes() -> int:
    """Return the number of wrong codes that the session tried in the current minute."""
    notes = class_session()
    return notes.tries if notes.minute == int(time.time()) // 60 else 0


def count_failed_code() -> None:
    """Record that the session tried a code that belongs to no class."""
    with changing_session():
        update_class_session(lasts=False, minute=int(time.time()) // 60, tries=failed_codes() + 1)
