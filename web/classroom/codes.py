"""The codes of a class: said aloud, typed on a phone, and never a word or a card."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from typing import Final

ALPHABET: Final = "23456789BFGJKMNPQRTVWXZ"
"""No vowel, so no rude word; no C D H S, so no card's code; no 0 O 1 I L U, which look alike."""

JOIN_LENGTH: Final = 5
REJOIN_LENGTH: Final = 4

_LINK_BYTES: Final = 16
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
    """Return what brings a new browser to a student.

    It follows from the server's key, so that nothing need be kept of it.

    Args:
        key: the server's signing key.
        code: the class's.
        number: the student's.
        generation: how many new ones there have been.
    """
    text = f"cardgames rejoin {code} {number} {generation}".encode()
    number_drawn = int.from_bytes(hmac.digest(key.encode(), text, "sha256"))
    signs = []
    for _ in range(REJOIN_LENGTH):
        number_drawn, place = divmod(number_drawn, len(ALPHABET))
        signs.append(ALPHABET[place])
    return "".join(signs)


def is_rejoin_code(sent: str, keys: Iterable[str], code: str, number: int, generation: int) -> bool:
    """Say whether a code is a student's, in constant time.

    Args:
        sent: the code as it was typed.
        keys: the server's keys; under any of them it may have been made.
        code: the class's.
        number: the student's.
        generation: how often the student's code was renewed.
    """
    right = [
        hmac.compare_digest(
            tidy_code(sent).encode(), rejoin_code(key, code, number, generation).encode()
        )
        for key in keys
    ]
    return any(right)


def browser_hash(code: str, sid: str) -> str:
    """Return what stands for a browser in a class; in another class it is something else.

    Args:
        code: the class's.
        sid: the id of the browser's session, which nobody can guess.
    """
    return hashlib.sha256(f"{code} {sid}".encode()).hexdigest()[:32]


def new_link() -> str:
    """Return the token of a one-time link."""
    return secrets.token_hex(_LINK_BYTES)


def link_hash(token: str) -> str:
    """Return what is kept of a one-time link: who reads the store cannot use it."""
    return hashlib.sha256(f"cardgames link {token}".encode()).hexdigest()
