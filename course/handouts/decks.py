"""A deck file for each student, the same for the same secret, and broken ones made of it."""

import hashlib
import hmac
import re
from collections.abc import Iterator
from typing import Final

CODES: Final = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]


def deck_of(secret: str, name: str, deck: str) -> list[str]:
    """Return a student's deck: the codes sorted by their HMAC under the secret.

    Args:
        secret: what only the instructor knows; another secret makes other decks.
        name: the student.
        deck: which of their decks.

    >>> deck_of("s", "ada", "deck") == deck_of("s", "ada", "deck") != deck_of("s", "ben", "deck")
    True
    """

    def place(code: str) -> bytes:
        return hmac.digest(secret.encode(), f"{deck}\n{name}\n{code}".encode(), hashlib.sha256)

    return sorted(CODES, key=place)


def text_of(codes: list[str]) -> str:
    """Return the text of a deck file: a code a line."""
    return "".join(f"{code}\n" for code in codes)


def broken(codes: list[str]) -> dict[str, str]:
    """Return deck files that are deliberately wrong, by what is wrong with them."""
    ten = codes.index("TH")
    return {
        "51-cards.txt": text_of(codes[:-1]),
        "double.txt": text_of([*codes[:-1], codes[0]]),
        "10H.txt": text_of([*codes[:ten], "10H", *codes[ten + 1 :]]),
        "byte-order-mark.txt": f"\ufeff{text_of(codes)}",
        "blank-end.txt": f"{text_of(codes)}\n",
    }


def names_in(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield the names of a list, one a line, each with a name for its folder.

    >>> list(names_in("Ada L.\n\nBen\n"))
    [('Ada L.', 'Ada-L'), ('Ben', 'Ben')]
    """
    for line in text.splitlines():
        name = line.strip().lstrip("\ufeff")
        if name:
            yield name, re.sub(r"[^\w.-]+", "-", name).strip(".-") or "student"
