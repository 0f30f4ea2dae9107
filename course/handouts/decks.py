"""Sample deck files: valid files, and files that are deliberately invalid."""

import hashlib
import hmac
from typing import Final

CODES: Final = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]


def read_deck(name: str) -> list[str]:
    """Return a sample deck: the codes, sorted by HMAC with the deck's name as key."""

    def place(code: str) -> bytes:
        return hmac.digest(b"sample", f"{name}\n\n{code}".encode(), hashlib.sha256)

    return sorted(CODES, key=place)


def deck_text(codes: list[str]) -> str:
    """Return the text of a deck file with one code per line."""
    return "".join(f"{code}\n" for code in codes)


def broken(codes: list[str]) -> dict[str, str]:
    """Return deliberately invalid deck files, keyed by kind of error."""
    ten = codes.index("TH")
    return {
        "51-cards.txt": deck_text(codes[:-1]),
        "double.txt": deck_text([*codes[:-1], codes[0]]),
        "10H.txt": deck_text([*codes[:ten], "10H", *codes[ten + 1 :]]),
        "byte-order-mark.txt": f"\ufeff{deck_text(codes)}",
        "blank-end.txt": f"{deck_text(codes)}\n",
    }
