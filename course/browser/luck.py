"""Deterministic shuffles that put the cards in the same order in every program.

The sheets do not define the order of a pile before a shuffle, nor the number of shuffles. To make
two programs comparable after a shuffle, ``random.shuffle`` sorts the cards by a number that is
assigned to each card for each move. A program's other random choices cannot be predicted, so their
use is recorded.
"""

import hashlib
import random
from collections.abc import Callable, MutableSequence, Sequence
from typing import Any, Final

OTHER: Final = ("choice", "choices", "randint", "randrange", "random", "uniform", "getrandbits")
"""Functions of ``random`` with which a program may shuffle in its own way."""

_READERS: Final[tuple[Callable[[Any], tuple[Any, Any]], ...]] = (
    lambda card: (card.getRank(), card.getSuit()),
    lambda card: (card.get_rank(), card.get_suit()),
    lambda card: (card.rank, card.suit),
)


class SeededShuffles:
    """Replaces the shuffles of one program."""

    def __init__(self, seed: int) -> None:
        """Start with a seed."""
        self._seed = seed
        self._move = 0
        self.shuffles = 0
        """The number of times that the program shuffled cards in the current move."""
        self.is_foreseen = True
        """Whether all shuffles of the program were predictable."""

    def begin_move(self, number: int = 0) -> None:
        """Assign new numbers to the cards, or the same numbers as in an earlier move."""
        self._move = number or self._move + 1
        self.shuffles = 0
        random.seed(self._seed + self._move)

    def connect(self) -> None:
        """Replace the functions of ``random``, which the caller must restore."""
        random.shuffle = self._shuffle  # type: ignore[assignment]
        random.sample = self._sample  # type: ignore[assignment]
        for name in OTHER:
            setattr(random, name, self._noting(getattr(random, name)))

    def _shuffle(self, cards: MutableSequence[Any], *_: object) -> None:
        for place, card in enumerate(self._ordered(cards)):  # a deque cannot be sliced
            cards[place] = card

    def _sample(self, cards: Sequence[Any], k: int, **_: object) -> list[Any]:
        return self._ordered(cards)[:k]

    def _ordered(self, cards: Sequence[Any]) -> list[Any]:
        self.shuffles += 1
        try:
            return sorted(cards, key=self._number)
        except Exception:  # noqa: BLE001 - the items are not cards, or their methods fail
            self.is_foreseen = False
            return random.Random(self._seed).sample([*cards], len(cards))

    def _number(self, card: Any) -> str:
        """Return the sort key of a card in the current move."""
        # Sort by card, not by position, so that programs with differently ordered piles get the
        # same order.
        code = card if isinstance(card, str) else _code(card)
        return hashlib.sha256(f"{self._seed}/{self._move}/{code}".encode()).hexdigest()

    def _noting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **named: Any) -> Any:
            self.is_foreseen = False
            return function(*arguments, **named)

        return noted


def _code(card: Any) -> str:
    """Return the rank and suit of a card of any sheet, or raise AttributeError."""
    for read in _READERS[:-1]:
        try:
            return "{}{}".format(*read(card))
        except AttributeError:
            continue
    return "{}{}".format(*_READERS[-1](card))
