"""Shuffles that can be checked afterwards: every one follows from a secret salt.

The dealer draws a salt in secret and shows a commitment to it and to the deck's order at once:
the *seal*. When the deck is done with, salt and order are shown, and anybody can see that they were
fixed before the first card: the seal fits, and the order is the one that the salt gives. A
shuffle sorts the cards by the SHA-256 of "salt number card", which any language can do again::

    >>> deck = ["AC", "2C", "3C"]
    >>> SaltedRandom(lambda: "00ff").shuffle(deck)
    >>> deck == sorted(deck, key=lambda card: sha256(f"00ff 1 {card}".encode()).digest())
    True

A salt has 128 bits, so nobody finds it by trying, and the order that it gives is as good as random
without it.
"""

import random
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256, shake_256
from typing import Any, Final

from cardgames.cards import Cards, pack_cards
from cardgames.frozen import replace

SALT_BYTES: Final = 16
"""How many random bytes are in a salt."""

MAX_OPENED: Final = 2
"""Maximum number of opened seals that a table shows: at Bingo a round has two."""

MAX_CLOSED: Final = 16
"""Maximum number of closed seals of a table: the oldest of a deck that never runs out go."""

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


def committed_text(salt: str, order: Iterable[str]) -> str:
    """Return the text that a seal is the hash of: the salt, and the cards from the top.

    >>> committed_text("00ff", ["TH", "AC"])
    '00ff TH AC'
    """
    return " ".join((salt, *order))


def commitment(salt: str, order: Iterable[str]) -> str:
    """Return the SHA-256 of a salt and a deck's order, in hexadecimal.

    >>> commitment("00ff", ["TH", "AC"]) == sha256(b"00ff TH AC").hexdigest()
    True
    """
    return sha256(committed_text(salt, order).encode()).hexdigest()


@dataclass(frozen=True)
class Seal:
    """A shuffle that is sealed: its salt, and the order that it gave."""

    salt: str
    order: Cards
    """The top first; no cards where the salt alone is sealed, and all shuffles follow from it."""

    round: int
    """In which of the table's rounds it was made, counted since there is the table."""

    @cached_property
    def digest(self) -> str:
        """What is shown while the seal is closed."""
        return commitment(self.salt, self.order)

    @cached_property
    def packed_order(self) -> bytes:
        """The order in bytes; a table keeps the same seals for many moves."""
        return pack_cards(self.order)


@dataclass(frozen=True)
class Seals:
    """The seals of a table: those that nobody may look into yet, and the last ones opened."""

    closed: tuple[Seal, ...] = ()
    """The newest last."""

    opened: tuple[Seal, ...] = ()
    opened_to: int = 0
    """Up to which of the table's finished rounds every card may be seen."""

    def with_closed(self, *new: Seal) -> "Seals":
        """Return the seals with new ones."""
        return replace(self, closed=(*self.closed, *new)[-MAX_CLOSED:])

    def open_all(self, rounds: int) -> "Seals":
        """Return the seals all opened, after a number of finished rounds."""
        return Seals((), (*self.opened, *self.closed)[-MAX_OPENED:], rounds)

    def open_older(self) -> "Seals":
        """Return the seals with all but the newest shuffle's opened."""
        # One deal may have sealed several orders: what is newest is a salt, not a seal.
        newest = self.closed[-1]
        older = tuple(seal for seal in self.closed if seal.salt != newest.salt)
        kept = self.closed[len(older) :]
        return Seals(kept, (*self.opened, *older)[-MAX_OPENED:], newest.round - 1)
