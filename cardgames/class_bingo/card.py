"""A card of class Bingo: a grid with a number, and the calls that cover it."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.class_bingo.decks import calling_deck, grid
from cardgames.games.bingo.rules import (
    PATTERNS,
    Mode,
    Pattern,
    face_down_positions,
    winning_positions,
)

_CARDS_KEPT: Final = 4_096


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of a round."""

    mode: Mode = Mode.LINE
    """The mode, which decides when a card has BINGO!"""

    speed: bool = False
    """Whether a call covers every card of its rank."""


@dataclass(frozen=True, slots=True)
class BingoCard:
    """A card in play, with all that the order of the calling deck decides for it."""

    number: int
    grid: Cards
    """Row by row, the centre included."""

    kind: Kind
    covered_by: tuple[int, ...]
    """For each position the call that covers it: 0 for the centre (S4-25)."""

    bingo_call: int
    """The first call at which it has BINGO!"""

    @classmethod
    def of(cls, number: int, grid: Cards, calling: Cards, kind: Kind) -> "BingoCard":
        """Return a card of a round.

        Args:
            number: The card's number, from 1.
            grid: Its 25 cards, row by row.
            calling: The complete calling deck, the first call on top.
            kind: The kind of the round.
        """
        turned = face_down_positions(grid, calling, speed=kind.speed)
        covered_by = tuple(turned[place] for place in range(len(grid)))
        bingo_call = min(
            max(covered_by[place] for place in pattern) for pattern in PATTERNS[kind.mode]
        )
        return cls(number, grid, kind, covered_by, bingo_call)

    def covered(self, calls: int) -> tuple[int, ...]:
        """Return the positions that are covered after a number of calls, ascending."""
        return tuple(place for place, call in enumerate(self.covered_by) if call <= calls)

    def winning(self, calls: int) -> tuple[int, ...]:
        """Return the positions of all complete patterns, ascending; none without a BINGO!"""
        covered = frozenset(self.covered(calls))
        return tuple(sorted(winning_positions(covered, self.kind.mode)))

    def nearest(self, calls: int) -> tuple[Pattern, tuple[int, ...]]:
        """Return the pattern that the fewest calls would complete, and its missing positions.

        Returns:
            The pattern's positions, and its uncovered positions, ascending. If several patterns
            are equally near, the first one, in the order rows, columns, diagonals.
        """
        pattern = min(PATTERNS[self.kind.mode], key=lambda one: len(self._calls_left(one, calls)))
        return pattern, tuple(sorted(at for at in pattern if self.covered_by[at] > calls))

    def needed(self, calls: int) -> Cards:
        """Return every card whose call, as the next one, would give this card its BINGO!

        Empty if it already has BINGO!, or needs more than one call.
        """
        if self.bingo_call <= calls:
            return ()
        last = {
            next(iter(left))
            for pattern in PATTERNS[self.kind.mode]
            if len(left := self._calls_left(pattern, calls)) == 1
        }
        covering = (self.grid[self.covered_by.index(call)] for call in sorted(last))
        return tuple(card for cover in covering for card in covered_alike(cover, self.kind))

    def _calls_left(self, pattern: Pattern, calls: int) -> set[int]:
        """Return the calls that a pattern waits for: one call may cover several of its cards."""
        covered_by = self.covered_by
        return {call for place in pattern if (call := covered_by[place]) > calls}


def covered_alike(card: Card, kind: Kind) -> Cards:
    """Return the cards of the calling deck that cover a card, if none has been called yet.

    >>> [str(card) for card in covered_alike(Card("9C"), Kind(speed=True))]
    ['9C', '9D', '9H', '9S']
    """
    return tuple(other for other in FULL_DECK if other.rank is card.rank) if kind.speed else (card,)


@lru_cache(_CARDS_KEPT)
def salted_card(salt: str, number: int, kind: Kind) -> BingoCard:
    """Return the card of a number in the round of a salt."""
    return BingoCard.of(number, grid(salt, number), calling_deck(salt), kind)


def late_card(salt: str, numbers: Iterable[int], kind: Kind, calls: int) -> int:
    """Return the number of the card for a late player: the first without BINGO!

    Cards with BINGO! are skipped, so the newcomer has exactly the same chance as everyone who has
    not won.

    Args:
        salt: The round's salt.
        numbers: The cards that the player may get, in order.
        kind: The kind of round.
        calls: The number of called cards.

    Returns:
        The number of a card, or 0 if all of them have BINGO!
    """
    return next((one for one in numbers if salted_card(salt, one, kind).bingo_call > calls), 0)
