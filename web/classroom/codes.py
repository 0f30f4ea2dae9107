"""What can be guessed: codes that are said aloud, one-time links, the instructors' password.

A code is typed on a phone, and never a word or a card. What is kept of a link is a hash.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from typing import Final

from web.storage.store import Store, decide, pack

ALPHABET: Final = "23456789BFGJKMNPQRTVWXZ"
"""No vowel, so no rude word; no C, D, H and S, so no card's code; no 0 O 1 I L U, which look
alike."""

JOIN_LENGTH: Final = 5
REJOIN_LENGTH: Final = 4

MAX_WRONG_PASSWORDS: Final = 10
"""Maximum number of wrong passwords in :data:`PASSWORD_WINDOW` seconds, by all visitors."""

PASSWORD_WINDOW: Final = 60

_LINK_BYTES: Final = 16
_LINK: Final = "link"
_GUESSES: Final = "guesses/password"
_TIMES: Final = "times"
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


class OneTimeLinks:
    """What one-time links are good for: each is a place of its own, which ends with the link."""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        self._store = store

    def keep(self, key: str, data: bytes, lifetime: int) -> None:
        """Keep what a link is good for, for a number of seconds. Raises StoreFull."""
        place = f"link/{key}"
        expires = int(self._store.read(place, _LINK).now) + lifetime
        self._store.write(place, {_LINK: data}, {_LINK: 0}, expires=expires)

    def find(self, key: str) -> bytes | None:
        """Return what a link is good for, if it is good still."""
        row = self._store.read(f"link/{key}", _LINK)[_LINK]
        return row.data if row.revision else None

    def take(self, key: str) -> bytes | None:
        """Return what a link is good for, and end it: of several requests at once, one gets it."""
        row = self._store.read(f"link/{key}", _LINK)[_LINK]
        seen = {_LINK: row.revision}
        taken = row.revision and self._store.write(f"link/{key}", {_LINK: None}, seen)
        return row.data if taken else None


class PasswordGuesses:
    """When wrong passwords were sent: all workers share the limit, and it outlives them."""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        self._store = store

    def may_pass(self, *, is_right: bool) -> bool | None:
        """Say whether a password is let through; None while too many were wrong.

        A wrong one is counted before it is answered: guesses at the same moment count one by one.
        """

        def attempt() -> tuple[bool | None] | None:
            read = self._store.read(_GUESSES, _TIMES)
            times, now = read.value(_TIMES, list[float]) or [], read.now
            recent = [at for at in times if now - at < PASSWORD_WINDOW]
            if len(recent) >= MAX_WRONG_PASSWORDS:
                return (None,)
            if is_right:
                return (True,)
            put, expires = {_TIMES: pack([*recent, now])}, int(now) + PASSWORD_WINDOW + 1
            written = self._store.write(_GUESSES, put, read.seen([_TIMES]), expires=expires)
            return (False,) if written else None

        return decide(attempt)[0]
