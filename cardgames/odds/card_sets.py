"""Cards as counts: of a card only what it counts matters to the odds, not its rank or suit.

A hand is its total, and whether there is an ace in it. A set of cards is ten counts, kept in one
number: its lowest byte says how many cards there are, the next one how many aces, and so on to the
tens. So sets are added, taken away and compared like numbers. A deck has 16 cards that count 10, so
no byte overflows.

    >>> cards = of_values([1, 10, 10])
    >>> list(counts_of(cards))
    [3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    >>> cards - ONE[10] == of_values([10, 1])
    True
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from cardgames.games.twentyone.rules import best_total

VALUES: Final = range(1, 11)
"""What a card may count, the ace as 1 (S0-4 to S0-6, S1-1, S2-1)."""

ACE: Final = VALUES[0]
HIGHEST: Final = VALUES[-1]


class Hand(NamedTuple):
    """A hand as far as its total goes."""

    hard: int
    """The total with every ace as 1."""

    ace: bool
    """Whether there is an ace."""

    def plus(self, value: int) -> "Hand":
        """Return the hand with one card more."""
        return Hand(self.hard + value, self.ace or value == ACE)

    def total(self, *, ace_may_be_eleven: bool) -> int:
        """Return what it is worth."""
        return best_total(self.hard, ace=self.ace, ace_may_be_eleven=ace_may_be_eleven)


CardSet = int
"""A set of cards, as this module keeps it."""

NO_CARDS: Final[CardSet] = 0
ONE: Final[tuple[CardSet, ...]] = (NO_CARDS, *(1 << 8 * value | 1 for value in VALUES))
"""One card, by its value."""

DECK: Final[CardSet] = sum(4 * ONE[value] for value in VALUES) + 12 * ONE[HIGHEST]


def of_values(values: Iterable[int]) -> CardSet:
    """Return the set of cards with these values."""
    return sum(ONE[value] for value in values)


def counts_of(cards: CardSet) -> bytes:
    """Return the counts: how many cards there are, then how many of each value."""
    return cards.to_bytes(1 + HIGHEST, "little")


def size(cards: CardSet) -> int:
    """Return how many cards there are."""
    return cards & 0xFF


def hand_of(cards: CardSet) -> Hand:
    """Return the hand that these cards are."""
    counts = counts_of(cards)
    return Hand(sum(value * counts[value] for value in VALUES), counts[ACE] > 0)


class Hidden(NamedTuple):
    """What a player knows of the cards that lie face down.

    Any of the ``suspects`` may be the hole card, each as likely; the rest of them and the
    ``others`` are the deck and the cards buried under the discards, in an order of which nothing is
    known. Until a refill within the round there are suspects alone.
    """

    suspects: CardSet
    others: CardSet
    deck: int
    """How many cards are in the deck now."""

    discards: CardSet
    """Cards seen that come back, with the buried ones, when the deck runs out."""

    def ready(self) -> "Hidden":
        """Return what is known when a card is about to come.

        Where the deck is empty, the discards and the buried cards are shuffled first. The hole card
        stays on the table: it is one of the suspects still, and none of the discards. Where nothing
        comes back the deck stays empty.
        """
        if self.deck:
            return self
        others = self.others + self.discards
        return Hidden(self.suspects, others, size(self.suspects) - 1 + size(others), NO_CARDS)

    def chance_above(self, room: int) -> float:
        """Return the probability that the card that comes next has a value above this."""
        suspects = counts_of(self.suspects)
        s, too_high = suspects[0], sum(suspects[room + 1 :])
        if not self.others:
            return too_high / s
        others = counts_of(self.others)
        return (too_high * (s - 1) / s + sum(others[room + 1 :])) / (s - 1 + others[0])

    def draws(self, room: int) -> Iterator[tuple[float, int, "Hidden"]]:
        """Yield each card up to this value that may come next: its chance, its value, what is left.

        One suspect among s is the hole card and does not come, so with n cards besides the hole
        card a given suspect comes next with probability (s - 1) / s / n, one of the others with
        1 / n. Which of the two a card was, the player can see.
        """
        suspects, others, deck, discards = self
        s = size(suspects)
        n = s - 1 + size(others)
        if s > 1:
            for value, count in enumerate(counts_of(suspects)[1 : room + 1], start=1):
                if count:
                    left = Hidden(suspects - ONE[value], others, deck - 1, discards)
                    yield count * (s - 1) / (s * n), value, left
        if others:
            for value, count in enumerate(counts_of(others)[1 : room + 1], start=1):
                if count:
                    left = Hidden(suspects, others - ONE[value], deck - 1, discards)
                    yield count / n, value, left
