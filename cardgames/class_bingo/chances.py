"""When the first of some cards has BINGO!, exactly.

Every card is from a bingo deck of its own. So once it is known how many cards of each deck a number
of calls covers, all have BINGO! with the same chance, whatever the others have: in a speed round
four for each rank that was called, else as many as there were calls.
"""

from collections import Counter
from functools import lru_cache
from itertools import pairwise
from math import comb

from cardgames.cards import DECK_SIZE, Rank, Suit
from cardgames.class_bingo.card import Kind
from cardgames.games.bingo.rules import CENTRE, PATTERNS, Mode


def first_bingo_chances(kind: Kind, cards: int) -> tuple[float, ...]:
    """Return the chance of each call to be that of the first BINGO!, from call 1 to the last.

    Args:
        kind: what the round is.
        cards: how many cards are in play.

    >>> chances = first_bingo_chances(Kind(Mode.FULL), 1)
    >>> round(sum(chances), 9), sum(chances[:23]), round(chances[51] * 52, 9)
    (1.0, 0.0, 24.0)
    """
    none_yet = [_none_yet(kind, cards, calls) for calls in range(DECK_SIZE + 1)]
    return tuple(max(0.0, before - after) for before, after in pairwise(none_yet))


def _none_yet(kind: Kind, cards: int, calls: int) -> float:
    """Return the chance that nobody has BINGO! after a number of calls."""
    if not kind.speed:
        return _chance_of_none(kind.mode, calls) ** cards
    alike = len(Suit)
    return sum(
        chance * _chance_of_none(kind.mode, alike * ranks) ** cards
        for ranks, chance in _ranks_called(calls).items()
    )


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


def _ranks_called(calls: int) -> dict[int, float]:
    """Return the chance of each number of different ranks among the first calls."""
    alike, chances = len(Suit), {0: 1.0}
    for before in range(calls):
        after: dict[int, float] = dict.fromkeys(range(len(Rank) + 1), 0.0)
        for ranks, chance in chances.items():
            known = (alike * ranks - before) / (DECK_SIZE - before)  # cards left of those ranks
            after[ranks] += chance * known
            if ranks < len(Rank):
                after[ranks + 1] += chance * (1 - known)
        chances = {ranks: chance for ranks, chance in after.items() if chance}
    return chances
