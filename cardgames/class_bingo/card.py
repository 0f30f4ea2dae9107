"""A numbered card of class Bingo, and the calls that cover it."""

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
    """The options of a round. The options decide when a card has BINGO!"""

    mode: Mode = Mode.LINE
    """The mode, which decides when a card has BINGO!"""

    speed: bool = False
    """Whether a call covers every card of its rank."""


@dataclass(frozen=True, slots=True)
class BingoCard:
    """A card in play, and the calls that cover its positions."""

    number: int
    grid: Cards
    """The 25 cards row by row, including the centre."""

    kind: Kind
    covered_by: tuple[int, ...]
    """The number of the call that covers each position: 0 for the centre (S4-25)."""

    endings: tuple[tuple[int, int], ...]
    """The last two different calls that cover positions of each pattern, in ascending order. The
    first of the two is 0 if a single call covers all positions except the free centre.
    """

    bingo_call: int
    """The first call at which the card has BINGO!"""

    @classmethod
    def of(cls, number: int, grid: Cards, calling: Cards, kind: Kind) -> "BingoCard":
        """Return a card of a round, given its grid and the round's calling deck.

        Args:
            number: The card's number, starting at 1.
            grid: The 25 cards of the grid, row by row.
            calling: The complete calling deck, with the first call on top.
            kind: The options of the round.
        """
        turned = face_down_positions(grid, calling, speed=kind.speed)
        covered_by = tuple(turned[place] for place in range(len(grid)))
        endings = tuple(
            _last_two({covered_by[place] for place in pattern}) for pattern in PATTERNS[kind.mode]
        )
        bingo_call = min(last for _, last in endings)
        return cls(number, grid, kind, covered_by, endings, bingo_call)

    def covered(self, calls: int) -> tuple[int, ...]:
        """Return the positions that the given number of calls covers, in ascending order."""
        return tuple(place for place, call in enumerate(self.covered_by) if call <= calls)

    def winning(self, calls: int) -> tuple[int, ...]:
        """Return the positions of all complete patterns, in ascending order."""
        covered = frozenset(self.covered(calls))
        return tuple(sorted(winning_positions(covered, self.kind.mode)))

    def nearest(self, calls: int) -> tuple[Pattern, tuple[int, ...]]:
        """Return the pattern nearest to completion, and the pattern's missing positions.

        Returns:
            The positions of the pattern, and its uncovered positions, in ascending order. If
            several patterns are equally near, the result is the first of them in the order rows,
            columns, diagonals.
        """
        pattern = min(
            PATTERNS[self.kind.mode], key=lambda candidate: len(self._calls_left(candidate, calls))
        )
        return pattern, tuple(
            sorted(position for position in pattern if self.covered_by[position] > calls)
        )

    def needed(self, calls: int) -> Cards:
        """Return every card that would complete this card's BINGO! if called next.

        The result is empty if the card already has BINGO!, or needs more than one call.
        """
        if self.bingo_call <= calls:
            return ()
        last = {last for before, last in self.endings if before <= calls}
        covering = (self.grid[self.covered_by.index(call)] for call in sorted(last))
        return tuple(card for cover in covering for card in covered_alike(cover, self.kind))

    def _calls_left(self, pattern: Pattern, calls: int) -> set[int]:
        """Return the calls that would cover a pattern's missing positions.

        One call may cover several positions.
        """
        covered_by = self.covered_by
        return {call for place in pattern if (call := covered_by[place]) > calls}


def _last_two(calls: set[int]) -> tuple[int, int]:
    """Return the last two different calls that cover positions of a pattern."""
    last = max(calls)
    return max(calls - {last}, default=0), last


def covered_alike(card: Card, kind: Kind) -> Cards:
    """Return the cards of the calling deck that would cover a card.

    >>> [str(card) for card in covered_alike(Card("9C"), Kind(speed=True))]
    ['9C', '9D', '9H', '9S']
    """
    return tuple(other for other in FULL_DECK if other.rank is card.rank) if kind.speed else (card,)


@lru_cache(_CARDS_KEPT)  # without this cache, a call and its page take 11% longer in a class of 20
def salted_card(salt: str, number: int, kind: Kind) -> BingoCard:
    """Return the card with the given number, in the round with the given salt."""
    return BingoCard.of(number, grid(salt, number), calling_deck(salt), kind)


def late_card(salt: str, numbers: Iterable[int], kind: Kind, calls: int) -> int:
    """Return the number of the first card without BINGO!, for a late player.

    Cards with BINGO! are skipped, so the late player has the same chance as every other player who
    has not won.

    Args:
        salt: The round's salt.
        numbers: The numbers of the available cards, in order of preference.
        kind: The options of a round that decide which calls cover a card and when it has BINGO!
        calls: The number of called cards.

    Returns:
        The number of a card, or 0 if all of the given cards have BINGO!
    """
    return next(
        (number for number in numbers if salted_card(salt, number, kind).bingo_call > calls), 0
    )
