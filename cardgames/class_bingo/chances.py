"""When the first of some cards has BINGO!, exactly.

Every card is from a bingo deck of its own. So once it is known how many cards of each deck a number
of calls covers, all have BINGO! with the same chance, whatever the others have: in a speed round
four for each rank that was called, else as many as there were calls.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import comb

from cardgames.cards import DECK_SIZE, Rank, Suit
from cardgames.class_bingo.card import Kind
from cardgames.games.bingo.rules import CENTRE, PATTERNS, Mode


@dataclass(frozen=True, slots=True)
class Expectation:
    """What to expect of a round by its number of cards in play."""

    calls: float
    """The mean number of calls to the first BINGO!"""

    tied: float
    """The share of rounds in which two or more have it at the same call."""

    low: int
    """One round in twenty is over by this call."""

    high: int
    """And all but one in twenty by this one."""


@lru_cache(64)  # a dashboard asks for seven at a time, and each takes up to 1 ms
def expected(kind: Kind, cards: int) -> Expectation:
    """Return what to expect of a round with at least one card.

    >>> expected(Kind(), 30).calls < expected(Kind(), 10).calls < expected(Kind(), 2).calls
    True
    """
    chances = first_bingo_chances(kind, cards)
    alone = sum(
        chance * cards * (before - after) * after ** (cards - 1)
        for changes in _changes(kind)
        for chance, (before, after) in changes
    )
    sums = [*accumulate(chances)]
    low, high = (next(n for n, chance in enumerate(sums, 1) if chance >= x) for x in (0.05, 0.95))
    mean = sum(call * chance for call, chance in enumerate(chances, 1))
    return Expectation(mean, max(0.0, 1 - alone), low, high)


def first_bingo_chances(kind: Kind, cards: int) -> tuple[float, ...]:
    """Return the chance of each call to be that of the first BINGO!, from call 1 to the last.

    Args:
        kind: what the round is.
        cards: how many cards are in play.

    >>> chances = first_bingo_chances(Kind(Mode.FULL), 1)
    >>> round(sum(chances), 9), sum(chances[:23]), round(chances[51] * 52, 9)
    (1.0, 0.0, 24.0)
    """
    return tuple(
        sum(chance * (before**cards - after**cards) for chance, (before, after) in changes)
        for changes in _changes(kind)
    )


def _changes(kind: Kind) -> Iterator[list[tuple[float, tuple[float, float]]]]:
    """Yield for each call what it may change, and how likely that is.

    What changes is the chance that a card has no BINGO!: before the call, and after it. In a speed
    round that depends on how many ranks were called, and a rank that comes again changes nothing.
    """
    none = [_chance_of_none(kind.mode, covering) for covering in range(DECK_SIZE + 1)]
    if not kind.speed:
        yield from ([(1.0, pair)] for pair in pairwise(none))
        return
    pairs = [*pairwise(none[:: len(Suit)])]
    called = [1.0] + [0.0] * len(Rank)
    """The chance of each number of different ranks among the calls so far."""
    for calls in range(DECK_SIZE):
        left = DECK_SIZE - calls
        new = [
            chance * max(0, DECK_SIZE - len(Suit) * ranks) / left
            for ranks, chance in enumerate(called)
        ]
        yield [*zip(new, pairs, strict=False)]
        called = [
            chance - gone + come for chance, gone, come in zip(called, new, [0, *new], strict=False)
        ]


@lru_cache(3 * (DECK_SIZE + 1))  # 53 numbers for each mode: worked out anew a histogram takes 0.1 s
def _chance_of_none(mode: Mode, covering: int) -> float:
    """Return the chance that a card has no BINGO! where a number of its deck's cards cover.

    By inclusion and exclusion over the patterns: a set of them is complete if all its positions
    are among those cards.
    """
    ways = sum(
        sign * comb(DECK_SIZE - size, covering - size)
        for size, sign in _unions(mode).items()
        if size <= covering
    )
    return ways / comb(DECK_SIZE, covering)


@lru_cache(3)  # of the twelve lines there are 4,096 sets
def _unions(mode: Mode) -> dict[int, int]:
    """Return how many positions sets of patterns have together, even sets less odd ones."""
    found = Counter({frozenset[int](): 1})
    for pattern in PATTERNS[mode]:
        for positions, sign in list(found.items()):
            found[positions | (pattern - {CENTRE})] -= sign
    sizes: Counter[int] = Counter()
    for positions, sign in found.items():
        sizes[len(positions)] += sign
    return dict(sizes)
