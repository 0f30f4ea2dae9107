"""What can be guessed: codes that are said aloud, one-time links, the instructors' password.

A code is typed on a phone, and never a word or a card. What is kept of a link is a hash.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from typing import Final

from sqlalchemy import delete, func, select

from web import db
from web.classroom.models import InstructorLink, PasswordGuess

ALPHABET: Final = "23456789BFGJKMNPQRTVWXZ"
"""No vowel, so no rude word; no C, D, H and S, so no card's code; no 0 O 1 I L U, which look
alike."""

JOIN_LENGTH: Final = 5
REJOIN_LENGTH: Final = 4

MAX_WRONG_PASSWORDS: Final = 10
"""Maximum number of wrong passwords in :data:`PASSWORD_WINDOW` seconds, by all visitors."""

PASSWORD_WINDOW: Final = 60

_LINK_BYTES: Final = 16
_GUESSES: Final = 0x67756573
"""The number of the lock of PostgreSQL under which passwords are counted."""

_separators: Final = re.compile("[\\s_.\\-\u2013\u2014]+")
_is_code: Final = re.compile(f"[{ALPHABET}]{{{JOIN_LENGTH}}}").fullmatch


def new_code() -> str:
    """Return a join code by chance: one of 6.4 million."""
    return "".join(secrets.choice(ALPHABET) for _ in range(JOIN_LENGTH))


def tidy_code(text: str) -> str:
    """Return a code as it is written, from what somebody has typed.

    >>> tidy_code(" k7q-xb "), tidy_code("K7QXB")
    ('K7QXB', 'K7QXB')
    """
    return _separators.sub("", text[:40]).upper()


def is_code(text: str) -> bool:
    """Say whether a text can be a join code.

    >>> is_code("K7QXB"), is_code("K7QX"), is_code("HELLO")
    (True, False, False)
    """
    return bool(_is_code(text))


def rejoin_code(key: str, code: str, number: int, generation: int) -> str:
    """Return what brings a new browser to a student: it follows from the server's key."""
    text = f"cardgames rejoin {code} {number} {generation}".encode()
    number_drawn = int.from_bytes(hmac.digest(key.encode(), text, "sha256"))
    signs = []
    for _ in range(REJOIN_LENGTH):
        number_drawn, place = divmod(number_drawn, len(ALPHABET))
        signs.append(ALPHABET[place])
    return "".join(signs)


def is_among(sent: str, codes: Iterable[str]) -> bool:
    """Say whether a code that somebody has typed is one of some codes, in constant time."""
    typed = tidy_code(sent).encode()
    return any([hmac.compare_digest(typed, code.encode()) for code in codes])  # noqa: C419 - all


def browser_hash(code: str, sid: str) -> str:
    """Return what stands for a browser in a class; in another class it is something else."""
    return hashlib.sha256(f"{code} {sid}".encode()).hexdigest()[:32]


def login_hash(code: str, login: str) -> str:
    """Return what stands for all browsers in which somebody has signed on, in a class."""
    return browser_hash(code, f"login {login}")


def new_link() -> str:
    """Return the token of a one-time link."""
    return secrets.token_hex(_LINK_BYTES)


def link_hash(token: str) -> str:
    """Return what is kept of a one-time link: a reader of the store cannot use it."""
    return hashlib.sha256(f"cardgames link {token}".encode()).hexdigest()


def keep_link(token: str, class_code: str, lifetime: int, *, is_listed: bool = False) -> None:
    """Keep what a one-time link is good for, for a number of seconds; those that are over go."""
    session, now = db.session(), db.now()
    session.execute(delete(InstructorLink).where(InstructorLink.expires <= now))
    link = InstructorLink(hash=link_hash(token), class_code=class_code or None)
    link.is_listed, link.expires = is_listed, int(now) + lifetime
    session.add(link)
    session.flush()


def find_link(token: str) -> InstructorLink | None:
    """Return what a link is good for, if it is good still."""
    link = db.session().get(InstructorLink, link_hash(token))
    return link if link and link.expires > db.now() else None


def take_link(token: str) -> InstructorLink | None:
    """Return what a link is good for, and end it: of several requests at once, one gets it."""
    link = find_link(token)
    here = InstructorLink.hash == link_hash(token)
    taken = db.session().connection().execute(delete(InstructorLink).where(here)).rowcount
    return link if taken else None


def may_pass(*, is_right: bool) -> bool | None:
    """Say whether a password is let through; None while too many were wrong.

    A wrong one is counted: guesses at the same moment count one by one.
    """
    session, now = db.session(), db.now()
    if not db.database().is_sqlite:  # which has one writer
        session.execute(select(func.pg_advisory_xact_lock(_GUESSES)))
    session.execute(delete(PasswordGuess).where(PasswordGuess.at <= now - PASSWORD_WINDOW))
    recent = session.scalar(select(func.count()).select_from(PasswordGuess)) or 0
    if recent >= MAX_WRONG_PASSWORDS:
        return None
    if not is_right:
        session.add(PasswordGuess(at=now))
    return is_right
