"""The value of a decision, computed by following the rules for each single card.

The evaluator shares no code with the odds and takes no shortcut. The evaluator uses only the rules
and the probability of the next card, so it works for positions from a complete deck down to the
last card.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from cardgames.cards import Card
from cardgames.puzzles import Position

SHEETS = {
    # Whether an ace may count 11, the player's result with equal totals, and whether 21 wins
    # immediately.
    "simple-21": (False, "tie", True),
    "blackjack": (True, "lose", False),
    "one-deck": (True, "tie", False),
}

ROUNDING = 1e-12
"""Difference below which two values are considered equal. Staying is then the best decision."""

Values = tuple[int, ...]
"""The cards, keyed by value, in ascending order."""

Known = tuple[Values, Values, int, Values]
"""The possible hole cards, the other cards, the size of the deck, and the number of cards put back.
"""


def worth(position: Position) -> dict[str, Counter[str]]:
    """Return the probabilities of a win, a tie and a loss after either decision."""
    slowly = Slowly(position.table, values([position.upcard])[0])
    back = values(position.discards) if position.table == "simple-21" else ()
    known = (values(position.unseen), (), len(position.unseen) - 1, back)
    hand = values(position.player)
    return {"hit": slowly.hit(hand, known), "stay": slowly.stay(hand, known)}


def values(cards: Iterable[Card]) -> Values:
    return tuple(sorted("A23456789T".find(card[0]) + 1 or 10 for card in cards))


def without(cards: Values, value: int) -> Values:
    place = cards.index(value)
    return cards[:place] + cards[place + 1 :]


def joined(some: Values, more: Values) -> Values:
    return tuple(sorted(some + more))


class Sheet:
    """A sheet's rules for points and for the winner."""

    def __init__(self, name: str) -> None:
        self.ace_11, self.equal, self.wins_on_21 = SHEETS[name]

    def points(self, hand: Values) -> int:
        return sum(hand) + 10 * (self.ace_11 and 1 in hand and sum(hand) <= 11)

    def wins_at_once(self, hand: Values) -> bool:
        return self.wins_on_21 and self.points(hand) == 21

    def result(self, hand: Values, end: str) -> str:
        """Return the result (win, tie or loss) for the given final points of the dealer."""
        points = self.points(hand)
        if end == "out":
            return "tie"
        if end == "bust" or int(end) < points:
            return "win"
        return "lose" if int(end) > points else self.equal


class Slowly(Sheet):
    """The values of staying and hitting, as probabilities of a win, a tie and a loss."""

    def __init__(self, name: str, upcard: int) -> None:
        super().__init__(name)
        self.upcard = upcard
        self.draw = cache(self.draw)
        self.best = cache(self.best)

    def draw(self, hand: Values, deck: Values, top: int, back: Values) -> Counter[str]:
        """The probabilities of the dealer's results for a hand.

        ``top`` is the number of the hand's cards that are still in the deck.
        """
        points = self.points(hand)
        if points >= 17:
            return Counter({str(points) if points <= 21 else "bust": 1.0})
        if not top:
            deck, top, back = joined(deck, back), len(deck) + len(back), ()
        if not top:
            return Counter(out=1.0)
        ends: Counter[str] = Counter()
        for value, count in Counter(deck).items():
            then = self.draw(joined(hand, (value,)), without(deck, value), top - 1, back)
            for end, chance in then.items():
                ends[end] += count / len(deck) * chance
        return ends

    def ends(self, known: Known) -> Counter[str]:
        """The probabilities of the dealer's results, summed over all hole cards."""
        suspects, others, top, back = known
        ends: Counter[str] = Counter()
        for hole, count in Counter(suspects).items():
            deck = joined(without(suspects, hole), others)
            for end, chance in self.draw((self.upcard, hole), deck, top, back).items():
                ends[end] += count / len(suspects) * chance
        return ends

    def stay(self, hand: Values, known: Known) -> Counter[str]:
        if self.wins_at_once(hand):
            return Counter(win=1.0)
        result: Counter[str] = Counter()
        for end, chance in self.ends(known).items():
            result[self.result(hand, end)] += chance
        return result

    def after(self, hand: Values, known: Known) -> Iterator[tuple[float, Counter[str]]]:
        """Yield each next card's probability, with the values of the best play after it."""
        suspects, others, top, back = known
        if not top:
            others, back = joined(others, back), ()
            top = len(suspects) - 1 + len(others)
        if not top:
            return
        cards = len(suspects) - 1 + len(others)
        one_of_them_is_the_hole_card = (len(suspects) - 1) / len(suspects)
        for value, count in Counter(suspects).items():
            if len(suspects) > 1:
                left = (without(suspects, value), others, top - 1, back)
                chance = count * one_of_them_is_the_hole_card / cards
                yield chance, self.best(joined(hand, (value,)), left)
        for value, count in Counter(others).items():
            left = (suspects, without(others, value), top - 1, back)
            yield count / cards, self.best(joined(hand, (value,)), left)

    def hit(self, hand: Values, known: Known) -> Counter[str]:
        result: Counter[str] = Counter()
        for chance, then in self.after(hand, known):
            for end, share in then.items():
                result[end] += chance * share
        return result or Counter(tie=1.0)

    def best(self, hand: Values, known: Known) -> Counter[str]:
        if self.points(hand) > 21:
            return Counter(lose=1.0)
        stay, hit = self.stay(hand, known), self.hit(hand, known)
        return hit if ev(hit) > ev(stay) + ROUNDING else stay


def ev(result: Counter[str]) -> float:
    return result["win"] - result["lose"]
