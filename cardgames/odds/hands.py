"""All possible hands of the dealer, listed once for each start.

The dealer draws below 17 and stands otherwise (S0-13, S1-6, S2-9), and an ace counts 11 if that
gives 17 to 21 (S1-7, S2-10; not at Simple 21, S0-6). So the set of drawn cards determines whether
another card is drawn, regardless of their order. Therefore a hand is a set, and is listed once for
all possible orders of its cards. Some orders are impossible, because an ace may end a hand early.
The steps between the listed hands are the possible orders.

    >>> from cardgames.odds.card_sets import of_values
    >>> sixteen = hands(of_values([10, 6]), ace_may_be_eleven=True, stands=17)
    >>> len(sixteen.draws), sixteen.final.drawn
    (1, ((1,), (2,), (3,), (4,), (5,)))
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain, compress, groupby
from typing import Self

from cardgames.games.twentyone.rules import BLACKJACK, SIMPLE_21, TARGET
from cardgames.odds.card_sets import (
    DECK,
    NO_CARDS,
    ONE,
    VALUES,
    CardSet,
    Hand,
    count_cards,
    count_hand,
)

Step = tuple[int, int, int]
"""A draw: the number of cards drawn before, the value of the card, and the number of earlier cards
with this value.
"""

Values = tuple[int, ...]
"""The values of the cards drawn to a hand, in one possible order."""


@dataclass(frozen=True, slots=True, eq=False)
class FinalHands:
    """The hands on which the dealer stands, grouped by total.

    A hand is identified by its index.
    """

    drawn: tuple[Values, ...]
    """The cards that were drawn to each hand."""

    totals: tuple[slice, ...]
    """The indices of the hands with each total."""

    sizes: tuple[tuple[int, int], ...]
    """The number of cards drawn to each hand, run-length encoded as pairs of number and length."""

    holding: tuple[tuple[int, ...], ...]
    """For each value, the hands that contain drawn cards of that value, listed once per such card.
    """

    begins: tuple[tuple[int, ...], ...]
    """For each value, the index in ``holding`` at which each total starts, and the end of the last
    total.
    """

    @classmethod
    def of(cls, by_total: Sequence[Sequence[Values]]) -> Self:
        """Group the hands by total."""
        drawn = tuple(values for hands in by_total for values in hands)
        ends = (0, *accumulate(map(len, by_total)))
        holding: list[list[int]] = [[] for _ in (0, *VALUES)]
        for place, values in enumerate(drawn):
            for value in values:
                holding[value].append(place)
        return cls(
            drawn=drawn,
            totals=tuple(map(slice, ends, ends[1:])),
            sizes=tuple((size, len(list(run))) for size, run in groupby(map(len, drawn))),
            holding=tuple(map(tuple, holding)),
            begins=tuple(tuple(bisect_left(places, end) for end in ends) for places in holding),
        )

    def only(self, wanted: Sequence[object]) -> Self:
        """Return only the hands whose corresponding item in this sequence is true."""
        return self.of([list(compress(self.drawn[total], wanted[total])) for total in self.totals])


@dataclass(frozen=True, slots=True, eq=False)
class Hands:
    """All possible hands of the dealer from one start, except busted hands.

    The hands to which the dealer must draw are first, in ascending order of size, followed by the
    final hands. A hand is identified by its index in this order.
    """

    steps: tuple[Step, ...]
    """The draws that do not take the dealer over 21."""

    draws: tuple[tuple[tuple[int, int], ...], ...]
    """For each hand to which the dealer must draw, and for each possible card: the index of the
    draw in the list above, and the index of the resulting hand.
    """

    drawn: tuple[int, ...]
    """The number of cards drawn to each hand to which the dealer must draw."""

    final: FinalHands

    longest: int
    """The maximum number of cards that the dealer draws."""


@cache
def hands(start: CardSet, *, ace_may_be_eleven: bool, stands: int) -> Hands:
    """List the dealer's possible hands that start with these cards.

    All other cards are drawn from one deck.

    The lists are cached. The lists for all starts of one or two cards that can occur in a round
    take 6 MB.
    """
    in_deck = count_cards(DECK - start)
    steps: dict[Step, int] = {}
    draws: list[list[tuple[int, CardSet]]] = []
    to_draw: list[tuple[CardSet, Values, Hand]] = []
    standing: tuple[dict[CardSet, Values], ...] = tuple({} for _ in range(stands, TARGET + 1))
    reached = set()

    def find(drawn: CardSet, values: Values, hand: Hand) -> None:
        reached.add(drawn)
        total = hand.total(ace_may_be_eleven=ace_may_be_eleven)
        if total < stands:
            to_draw.append((drawn, values, hand))
        else:
            standing[total - stands][drawn] = values

    find(NO_CARDS, (), count_hand(start))
    for drawn, values, hand in to_draw:  # The loop appends larger hands to the list.
        had, leads_to = count_cards(drawn), []
        for value in VALUES[: TARGET - hand.hard]:
            if had[value] < in_deck[value]:
                step, larger = (len(values), value, had[value]), drawn + ONE[value]
                leads_to.append((steps.setdefault(step, len(steps)), larger))
                if larger not in reached:
                    find(larger, (*values, value), hand.plus(value))
        draws.append(leads_to)

    in_order = chain((drawn for drawn, _, _ in to_draw), *standing)
    places = {drawn: place for place, drawn in enumerate(in_order)}
    final = FinalHands.of([tuple(hands.values()) for hands in standing])
    return Hands(
        steps=tuple(steps),
        draws=tuple(tuple([(step, places[to]) for step, to in leads_to]) for leads_to in draws),
        drawn=tuple(len(values) for _, values, _ in to_draw),
        final=final,
        longest=max(map(len, final.drawn)),
    )


def _list_for_each_upcard() -> None:
    """List the hands in advance. This takes 30 ms and 3 MB.

    Otherwise a request would have to wait.
    """
    for upcard in VALUES:
        for rules in (SIMPLE_21, BLACKJACK):
            hands(
                ONE[upcard], ace_may_be_eleven=rules.ace_may_be_eleven, stands=rules.dealer_stands
            )


_list_for_each_upcard()
