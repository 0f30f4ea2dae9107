"""Hands and rounds as the values of their cards; an ace is 1."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from cardgames.cards import DECK_SIZE
from cardgames.games.twentyone.rules import TARGET, Rules, best_total
from cardgames.odds.card_sets import VALUES
from cardgames.strategies.strategy import CARDS_OF_VALUE, Decision

Values = tuple[int, ...]
"""A hand by what its cards count, in order of size."""


def total_of(hand: Sequence[int], rules: Rules) -> tuple[int, bool]:
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


def dealt(upcard: int) -> dict[Values, float]:
    """Return the player's first two cards and their chances, that of the upcard with them."""
    return _a_card_later(_a_card_later({(): chance_of(upcard)}, upcard), upcard)


def followed(upcard: int, hits: Callable[[Values], float]) -> Iterator[tuple[Values, float]]:
    """Yield the hands to which a play leads, those over 21 too, and their chances.

    ``hits`` is asked after a hand was yielded, with which share of it the play goes on.
    """
    hands = dealt(upcard)
    while hands:
        yield from hands.items()
        shares = (
            (hand, chance, hits(hand)) for hand, chance in hands.items() if sum(hand) <= TARGET
        )
        hands = _a_card_later(
            {hand: chance * share for hand, chance, share in shares if share}, upcard
        )


def larger(hand: Values, value: int) -> Values:
    """Return a hand with one card more."""
    return tuple(sorted((*hand, value)))


def _a_card_later(hands: Mapping[Values, float], upcard: int) -> dict[Values, float]:
    later: defaultdict[Values, float] = defaultdict(float)
    for hand, chance in hands.items():
        for value, share in next_cards(hand, upcard):
            later[larger(hand, value)] += chance * share
    return later


def round_points(
    rules: Rules,
    decide: Decision,
    hand: list[int],
    dealer: list[int],
    upcard: int,
    cards: Iterator[int],
) -> int:
    """Play a round that is dealt: 1 where the player wins, -1 where they lose, 0 for a tie.

    Args:
        rules: the table's.
        decide: says whether the player hits.
        hand: the player's cards; those that they draw are added.
        dealer: the dealer's, likewise.
        upcard: the value of the dealer's card that lies face up.
        cards: those that come next.

    Raises:
        StopIteration: there are no more.
    """
    total, soft = total_of(hand, rules)
    while total <= TARGET and decide(total, soft, upcard, hand):
        hand.append(next(cards))
        total, soft = total_of(hand, rules)
    if total > TARGET:
        return -1
    if total == TARGET and rules.stay_on_21_wins:
        return 1
    theirs, _ = total_of(dealer, rules)
    while theirs < rules.dealer_stands:
        dealer.append(next(cards))
        theirs, _ = total_of(dealer, rules)
    if theirs > TARGET or total > theirs:
        return 1
    return -1 if theirs > total or rules.dealer_wins_ties else 0
