"""Luck that can be checked afterwards: every shuffle follows from a secret salt.

Whoever deals draws a salt in secret and says a :func:`seal` of it and the deck at once. When the
deck is done with, salt and order are shown, and anybody can see that they were settled before the
first card: the seal fits, and the order is the one that the salt gives. A shuffle sorts the cards
by the SHA-256 of "salt number card", which any language and any shell can do again::

    >>> deck = ["AC", "2C", "3C"]
    >>> Luck(lambda: "00ff").shuffle(deck)
    >>> deck == sorted(deck, key=lambda card: sha256(f"00ff 1 {card}".encode()).digest())
    True

A salt has 128 bits, so nobody finds it by trying, and the order that it gives is as good as random
to whoever does not know it.
"""

import random
from collections.abc import Callable, Iterable
from hashlib import sha256, shake_256
from typing import Any, Final

SALT_BYTES: Final = 16
"""How much chance is in a salt."""

_FLOAT_BITS: Final = 53


class Luck(random.Random):
    """A source of luck for :meth:`cardgames.game.Game.play` in which all follows from a salt."""

    def __init__(self, new_salt: Callable[[], str], salt: str = "", drawn: int = 0) -> None:
        """Prepare to draw.

        Args:
            new_salt: gives a salt when the first draw needs one.
            salt: an earlier one to go on with instead, if any.
            drawn: how often that was drawn from.
        """
        super().__init__(0)
        self._new_salt = new_salt
        self.salt = salt
        self.drawn = drawn
        self.orders: list[tuple[Any, ...]] = []
        """What each shuffle has given."""

    def shuffle(self, x: Any) -> None:
        """Put a list into the order that the salt gives for this draw, however it lay before."""
        begin = self._draw()
        x.sort(key=lambda card: sha256(f"{begin}{card}".encode()).digest())
        self.orders.append(tuple(x))

    def getrandbits(self, k: int) -> int:
        """Return a number of ``k`` bits, for a game that needs other luck than a shuffle."""
        digest = shake_256(self._draw().encode()).digest(-(-k // 8))
        return int.from_bytes(digest, "big") >> (-k % 8)

    def random(self) -> float:
        """Return a number from 0 up to but not including 1."""
        return self.getrandbits(_FLOAT_BITS) / (1 << _FLOAT_BITS)

    def _draw(self) -> str:
        """Return what the next draw begins with: the salt, and the number of the draw."""
        self.salt = self.salt or self._new_salt()
        self.drawn += 1
        return f"{self.salt} {self.drawn} "


def sealed_text(salt: str, order: Iterable[str]) -> str:
    """Return the text that is sealed: the salt, and the cards from the top with blanks between.

    >>> sealed_text("00ff", ["TH", "AC"])
    '00ff TH AC'
    """
    return " ".join((salt, *order))


def seal(salt: str, order: Iterable[str]) -> str:
    """Return the SHA-256 of a salt and a deck's order, in hexadecimal.

    >>> seal("00ff", ["TH", "AC"]) == sha256(b"00ff TH AC").hexdigest()
    True
    """
    return sha256(sealed_text(salt, order).encode()).hexdigest()
