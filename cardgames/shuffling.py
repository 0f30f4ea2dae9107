"""Reproducible shuffles, each derived from a secret salt.

The record of a round contains the salt, so the same cards can be dealt again after the round. A
shuffle sorts the cards by the SHA-256 hash of "salt number card", so it can be reproduced in any
language::

    >>> deck = ["AC", "2C", "3C"]
    >>> SaltedRandom(lambda: "00ff").shuffle(deck)
    >>> deck == sorted(deck, key=lambda card: sha256(f"00ff 1 {card}".encode()).digest())
    True

A salt has 128 bits, so it cannot be guessed. To anyone without the salt, the order is
indistinguishable from a random order.
"""

import random
import secrets
from collections.abc import Callable
from hashlib import sha256, shake_256
from typing import Any, Final

from cardgames.cards import Cards

SALT_BYTES: Final = 16
"""Length of a salt in bytes."""

_FLOAT_BITS: Final = 53


def random_salt() -> str:
    """Return a new hexadecimal salt from the system's random number generator."""
    return secrets.token_hex(SALT_BYTES)


class SaltedRandom(random.Random):
    """A game's random number generator, whose numbers are all derived from a salt."""

    def __init__(self, new_salt: Callable[[], str], salt: str = "", draw_count: int = 0) -> None:
        """Use an existing salt, or a function that returns a new salt, in hexadecimal."""
        super().__init__()
        self._new_salt = new_salt
        self.salt = salt
        self.draw_count = draw_count
        self.shuffles: list[Cards] = []
        """The orders that the shuffles have produced."""

    def seed(self, *_: Any, **__: Any) -> None:
        """Do nothing, because the salt replaces the state of Python's own generator."""

    def shuffle(self, x: Any) -> None:
        """Reorder a list by the salt and the draw number.

        The previous order of the list has no influence.
        """
        start = self._draw()
        x.sort(key=lambda card: sha256(f"{start}{card}".encode()).digest())
        self.shuffles.append(tuple(x))

    def getrandbits(self, k: int) -> int:
        """Return a number of ``k`` random bits, for games that need more than shuffles."""
        digest = shake_256(self._draw().encode()).digest(-(-k // 8))
        return int.from_bytes(digest, "big") >> (-k % 8)

    def random(self) -> float:
        """Return a number of at least 0 and below 1."""
        return self.getrandbits(_FLOAT_BITS) / (1 << _FLOAT_BITS)

    def _draw(self) -> str:
        """Return the prefix that the next draw hashes: the salt and the draw number."""
        self.salt = self.salt or self._new_salt()
        self.draw_count += 1
        return f"{self.salt} {self.draw_count} "
