"""The player's hands in a round from a fresh deck, as the values of their cards."""

from collections import Counter
from collections.abc import Iterator, Sequence

from cardgames.cards import DECK_SIZE
from cardgames.games.twentyone.rules import Rules, best_total
from cardgames.simulation.strategy import CARDS_OF_VALUE, VALUES


def worth(hand: Sequence[int], rules: Rules) -> tuple[int, bool]:
    """Return what a hand is worth, and whether an ace counts 11 in it."""
    hard = sum(hand)
    total = best_total(hard, ace=1 in hand, ace_may_be_eleven=rules.ace_may_be_eleven)
    return total, total > hard


def chance_of(upcard: int) -> float:
    """Return the chance that the dealer's card that lies face up has this value."""
    return len(CARDS_OF_VALUE[upcard]) / DECK_SIZE


def next_cards(hand: Sequence[int], upcard: int) -> Iterator[tuple[int, float]]:
    """Yield the values that may come next from the deck, and their chances."""
    seen = Counter((*hand, upcard))
    for value in VALUES:
        left = len(CARDS_OF_VALUE[value]) - seen[value]
        if left:
            yield value, left / (DECK_SIZE - seen.total())
