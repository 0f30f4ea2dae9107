"""Sets of cards as counts by value, because ranks and suits do not affect the odds.

A hand is represented by its total and by whether it has an ace. A set of cards is represented by
ten counts in one integer: the lowest byte is the number of cards, the next byte is the number of
aces, and so on up to the tens. Therefore sets can be added, subtracted and compared like numbers. A
deck has 16 cards that count 10, so no byte overflows.

    >>> cards = of_values([1, 10, 10])
    >>> list(count_cards(cards))
    [3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    >>> cards - ONE[10] == of_values([10, 1])
    True
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from cardgames.games.twentyone.rules import best_total

VALUES: Final = range(1, 11)
"""The possible values of a card, with an ace as 1 (S0-4 to S0-6, S1-1, S2-1)."""

ACE: Final = VALUES[0]
HIGHEST: Final = VALUES[-1]


class Hand(NamedTuple):
    """The properties of a hand that determine its total."""

    hard: int
    """The total with every ace as 1."""

    ace: bool
    """Whether there is an ace."""

    def plus(self, value: int) -> "Hand":
        """Return the hand with another card."""
        return Hand(self.hard + value, self.ace or value == ACE)

    def total(self, *, ace_may_be_eleven: bool) -> int:
        """Return the value of the hand."""
        return best_total(self.hard, ace=self.ace, ace_may_be_eleven=ace_may_be_eleven)


CardSet = int
"""A set of cards, as one integer."""

NO_CARDS: Final[CardSet] = 0
ONE: Final[tuple[CardSet, ...]] = (NO_CARDS, *(1 << 8 * value | 1 for value in VALUES))
"""The set that contains a single card, keyed by the card's value."""

DECK: Final[CardSet] = sum(4 * ONE[value] for value in VALUES) + 12 * ONE[HIGHEST]


def of_values(values: Iterable[int]) -> CardSet:
    """Return the set of cards with these values."""
    return sum(ONE[value] for value in values)


def count_cards(cards: CardSet) -> bytes:
    """Return the number of cards, and then the number of cards of each value."""
    return cards.to_bytes(1 + HIGHEST, "little")


def size(cards: CardSet) -> int:
    """Return the number of cards in a set."""
    return cards & 0xFF


def count_hand(cards: CardSet) -> Hand:
    """Return the hand that consists of these cards."""
    counts = count_cards(cards)
    return Hand(sum(value * counts[value] for value in VALUES), counts[ACE] > 0)


class Special(NamedTuple):
    """A card that was face down while the other cards were shuffled.

    The special card is the hole card or a buried card. In both cases every other hidden card is
    equally likely to be at any position.
    """

    ways: tuple[tuple[int, CardSet], ...]
    """The possible identities of the card, grouped by the number of ways for each identity."""

    buried: bool
    """Whether the card is a buried card instead of the hole card."""

    def without(self, place: int, value: int) -> "Special":
        """Return the special card without a seen card of the group at this index."""
        number, cards = self.ways[place]
        less = ((number, cards - ONE[value]),) if size(cards) > 1 else ()
        return Special(self.ways[:place] + less + self.ways[place + 1 :], self.buried)


class Hidden(NamedTuple):
    """A player's knowledge of the hole card, the deck and the buried cards.

    Nothing is known about the order of these cards, except about at most one ``special`` card.
    """

    unseen: CardSet
    """All unseen cards."""

    deck: int
    """The current number of cards in the deck."""

    discards: CardSet
    """The seen discards. They and the buried cards return to the deck when the deck runs out."""

    special: Special | None = None

    def ready(self) -> "Hidden":
        """Return the knowledge just before the next card is drawn.

        If the deck is empty, the discards and the buried cards are shuffled first. The hole card
        stays on the table, because it is not a discard. If there are no cards to shuffle, the deck
        stays empty.
        """
        if self.deck:
            return self
        unseen = self.unseen + self.discards
        return Hidden(unseen, size(unseen) - 1, NO_CARDS, self._hole_before_a_refill())

    def _hole_before_a_refill(self) -> Special | None:
        """Return the knowledge of the hole card if all other unseen cards are buried."""
        special = self.special
        if special is None:
            return Special(((1, self.unseen),), buried=False) if self.discards else None
        if not special.buried:
            return special
        total = special_weights(special)[0]
        ways = [(total - number, cards) for number, cards in self._by_ways() if total > number]
        return Special(tuple(ways), buried=False)

    def _by_ways(self) -> list[tuple[int, CardSet]]:
        """Return the groups of unseen cards, each with its number of ways.

        The number counts the ways in which a single card of the group is the special card.
        """
        if self.special is None:
            return [(1, self.unseen)]
        ways = self.special.ways
        rest = self.unseen - sum(cards for _, cards in ways)
        return [*ways, (0, rest)] if rest else [*ways]

    def weights(self) -> Sequence[int]:
        """Return the total number of ways, and the number per value of the special card.

        If there is no special card, any card can be regarded as special.
        """
        return special_weights(self.special) if self.special else count_cards(self.unseen)

    def chance_above(self, room: int) -> float:
        """Return the probability that the next card has a value above the given value."""
        if self.special is None:
            counts = count_cards(self.unseen)
            return sum(counts[room + 1 :]) / counts[0]
        total = special_weights(self.special)[0]
        above = sum(
            sum(count_cards(cards)[room + 1 :]) * (total - number)
            for number, cards in self._by_ways()
        )
        return above / total / (size(self.unseen) - 1)

    def draws(self, room: int) -> Iterator[tuple[float, int, "Hidden"]]:
        """Yield each possible next card up to a value.

        Each card is yielded as a tuple of its probability, its value, and the remaining hidden
        cards. The special card is not drawn. If a card is the special card with probability p, and
        n cards are not special, then it is the next card with probability (1 - p) / n. The player
        sees which card was drawn.
        """
        unseen, deck, discards, special = self
        if special is None:
            counts = count_cards(unseen)
            for value, count in enumerate(counts[1 : room + 1], start=1):
                if count and counts[0] > 1:
                    left = Hidden(unseen - ONE[value], deck - 1, discards)
                    yield count / counts[0], value, left
            return
        total = special_weights(special)[0]
        among = total * (size(unseen) - 1)
        for place, (number, cards) in enumerate(self._by_ways()):
            if number < total:
                for value, count in enumerate(count_cards(cards)[1 : room + 1], start=1):
                    if count:
                        known = special.without(place, value) if number else special
                        left = Hidden(unseen - ONE[value], deck - 1, discards, known)
                        yield count * (total - number) / among, value, left


def special_weights(special: Special) -> Sequence[int]:
    """Return the total number of ways, and the number of ways for each card value."""
    number, cards = special.ways[0]
    if len(special.ways) == 1 and number == 1:
        return count_cards(cards)
    weights = [0] * (1 + HIGHEST)
    for number, cards in special.ways:
        for value, count in enumerate(count_cards(cards)):
            weights[value] += number * count
    return weights
