"""Every hand that the dealer may come to hold, listed once for each start.

The dealer draws below 17 and stands from there on (S0-13, S1-6, S2-9), and an ace counts 11 where
that gives 17 to 21 (S1-7, S2-10; not at Simple 21, S0-6). So the cards that were drawn say whether
another one is, whatever came first: a hand is a set, and is listed once however many orders lead to
it. With an ace the orders matter all the same, for an ace that comes early may end the hand: these
are told apart by the ways that lead from hand to hand.

    >>> from cardgames.counts import of_values
    >>> sixteen = hands(of_values([10, 6]), ace_may_be_eleven=True)
    >>> len(sixteen.draws), sixteen.sizes  # only an ace to a five does not bust
    (1, ((1, 5),))
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, groupby
from typing import Final

from cardgames.counts import DECK, NO_CARDS, ONE, VALUES, Counts, Hand, hand_of, listed
from cardgames.twentyone import DEALER_STANDS, TARGET

STANDS: Final = range(DEALER_STANDS, TARGET + 1)
"""The totals on which the dealer stands."""

Step = tuple[int, int, int]
"""A draw: how many cards came before it, its value, and how many of those had this value."""


@dataclass(frozen=True, slots=True, eq=False)
class Hands:
    """All hands that the dealer may come to hold from one start, but for bust ones.

    First those to which they must draw, the smaller ones before the larger; then the *final* ones,
    on which they stand, by their totals. A hand is told by its place in this order, and a final
    hand by its place among the final ones.
    """

    steps: tuple[Step, ...]
    """The draws that do not take the dealer over 21."""

    draws: tuple[tuple[tuple[int, int], ...], ...]
    """For each hand to which they must draw, and each card that may come: the place of the step
    above, and that of the hand it leads to."""

    drawn: tuple[int, ...]
    """How many cards were drawn to each of these hands."""

    longest: int
    """The most cards that the dealer draws."""

    sizes: tuple[tuple[int, int], ...]
    """How many cards were drawn to the final hands: a number, and for how many of them on end."""

    totals: tuple[slice, ...]
    """Where the final hands with each total are."""

    holding: tuple[tuple[int, ...], ...]
    """By a value, the final hands with drawn cards of it, each as many times as it has them."""

    begins: tuple[tuple[int, ...], ...]
    """By a value, where each total begins in ``holding``, and where the last one ends."""


@cache
def hands(start: Counts, *, ace_may_be_eleven: bool) -> Hands:
    """List what the dealer may come to hold, drawing from the rest of one deck to these cards."""
    in_deck = listed(DECK - start)
    steps: dict[Step, int] = {}
    draws: list[list[tuple[int, Counts]]] = []
    must_draw: list[tuple[Counts, tuple[int, ...], Hand]] = []
    standing: list[list[tuple[Counts, tuple[int, ...]]]] = [[] for _ in STANDS]
    found = set()

    def find(drawn: Counts, values: tuple[int, ...], hand: Hand) -> None:
        found.add(drawn)
        total = hand.total(ace_may_be_eleven=ace_may_be_eleven)
        if total < DEALER_STANDS:
            must_draw.append((drawn, values, hand))
        else:
            standing[total - DEALER_STANDS].append((drawn, values))

    find(NO_CARDS, (), hand_of(start))
    for drawn, values, hand in must_draw:
        had, leads_to = listed(drawn), []
        for value in VALUES[: TARGET - hand.hard]:
            if had[value] < in_deck[value]:
                step, larger = (len(values), value, had[value]), drawn + ONE[value]
                leads_to.append((steps.setdefault(step, len(steps)), larger))
                if larger not in found:
                    find(larger, (*values, value), hand.plus(value))
        draws.append(leads_to)

    final = [one for with_total in standing for one in with_total]
    places = {one[0]: place for place, one in enumerate((*must_draw, *final))}
    ends = (0, *accumulate(map(len, standing)))
    numbers = [len(values) for _, values in final]
    holding: list[list[int]] = [[] for _ in (0, *VALUES)]
    for place, (_, values) in enumerate(final):
        for value in values:
            holding[value].append(place)
    return Hands(
        steps=tuple(steps),
        draws=tuple(tuple([(step, places[to]) for step, to in leads_to]) for leads_to in draws),
        drawn=tuple(len(values) for _, values, _ in must_draw),
        longest=max(numbers),
        sizes=tuple((number, len(list(run))) for number, run in groupby(numbers)),
        totals=tuple(map(slice, ends, ends[1:])),
        holding=tuple(map(tuple, holding)),
        begins=tuple(tuple(bisect_left(places, end) for end in ends) for places in holding),
    )


def _list_for_each_upcard() -> None:
    """List them in advance: once 30 ms and 3 MB, so that the first question need not wait."""
    for upcard in VALUES:
        hands(ONE[upcard], ace_may_be_eleven=False)
        hands(ONE[upcard], ace_may_be_eleven=True)


_list_for_each_upcard()
