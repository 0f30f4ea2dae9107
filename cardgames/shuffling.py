"""Shuffles that can be done again: every one follows from a secret salt.

The record of a round has the salt, so that the same cards can be dealt again once the round is
over. A shuffle sorts the cards by the SHA-256 of "salt number card", which any language can do::

    >>> deck = ["AC", "2C", "3C"]
    >>> SaltedRandom(lambda: "00ff").shuffle(deck)
    >>> deck == sorted(deck, key=lambda card: sha256(f"00ff 1 {card}".encode()).digest())
    True

A salt has 128 bits, so nobody finds it by trying, and the order that it gives is as good as random
without it.
"""

import random
import secrets
from collections.abc import Callable
from hashlib import sha256, shake_256
from typing import Any, Final

from cardgames.cards import Cards

SALT_BYTES: Final = 16
"""How many random bytes are in a salt."""

_FLOAT_BITS: Final = 53


def random_salt() -> str:
    """Return a new salt in hexadecimal, from the operating system's randomness."""
    return secrets.token_hex(SALT_BYTES)


class SaltedRandom(random.Random):
    """Random numbers for a game that all follow from a salt."""

    def __init__(self, new_salt: Callable[[], str], salt: str = "", draw_count: int = 0) -> None:
        """Prepare to draw: from a salt that was drawn from before, or a new one in hexadecimal."""
        super().__init__()
        self._new_salt = new_salt
        self.salt = salt
        self.draw_count = draw_count
        self.shuffles: list[Cards] = []
        """The order that each shuffle has given."""

    def seed(self, *_: Any, **__: Any) -> None:
        """Do nothing: all follows from the salt, and Python's own state is never drawn from."""

    def shuffle(self, x: Any) -> None:
        """Put a list into the order that the salt gives for this draw, however it lay before."""
        start = self._draw()
        x.sort(key=lambda card: sha256(f"{start}{card}".encode()).digest())
        self.shuffles.append(tuple(x))

    def getrandbits(self, k: int) -> int:
        """Return a number of ``k`` bits, for a game that needs more than shuffles."""
        digest = shake_256(self._draw().encode()).digest(-(-k // 8))
        return int.from_bytes(digest, "big") >> (-k % 8)

    def random(self) -> float:
        """Return a number from 0 up to but not including 1."""
        return self.getrandbits(_FLOAT_BITS) / (1 << _FLOAT_BITS)

    def _draw(self) -> str:
        """Return what the next draw hashes first: the salt, and the number of the draw."""
        self.salt = self.salt or self._new_salt()
        self.draw_count += 1
        return f"{self.salt} {self.draw_count} "
