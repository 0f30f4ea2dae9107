"""A player's knowledge of one unseen card: the number of ways for each possible identity.

At first, all orders of the unseen cards are equally likely. Later, a card may be face down while
other cards are shuffled, so it cannot be one of the shuffled cards. The remaining orders are still
equally likely, so the probability of each identity is the proportion of these orders in which the
card has that identity. Cards that are seen later are removed, and the proportions of the remaining
identities stay the same. Only the proportions matter, so the numbers have no common divisor::

    >>> from cardgames.cards import Card
    >>> one_of_three = ways_of_other((), (Card("2C"), Card("9D"), Card("KH")))
    >>> one_of_three
    ((1, (<Card.TWO_OF_CLUBS: '2C'>, <Card.NINE_OF_DIAMONDS: '9D'>, <Card.KING_OF_HEARTS: 'KH'>)),)
"""

from collections.abc import Collection, Mapping
from itertools import groupby
from math import gcd
from typing import Final

from cardgames.cards import FULL_DECK, Card, Cards, Rank

Ways = tuple[tuple[int, Cards], ...]
"""Numbers of equally likely ways in ascending order, each with the possible identities that have
this number of ways. An empty tuple means that the card is equally likely to be any of the unseen
cards.
"""

MaskedWays = tuple[tuple[int, tuple[Card | Rank, ...]], ...]
"""The same data, but with a rank in place of each card whose suit is hidden."""

MAX_WAYS: Final = 2**53
"""Maximum number of ways. Larger numbers are scaled down. The error is smaller than that of a
float.
"""


def restrict(ways: Ways, hidden: Collection[Card]) -> Ways:
    """Return the ways that remain when only these cards are unseen.

    >>> restrict(((2, (Card("2C"), Card("9D"))), (3, (Card("KH"),))), {Card("2C"), Card("5S")})
    ((1, (<Card.TWO_OF_CLUBS: '2C'>,)),)
    """
    left = {card: number for number, cards in ways for card in cards if card in hidden}
    return () if len(left) == len(hidden) and len(set(left.values())) == 1 else _grouped(left)


def ways_of_other(ways: Ways, hidden: Collection[Card]) -> Ways:
    """Return the ways for another hidden card.

    The number of ways for each card is the number of ways in which the card with known ways has a
    different identity.
    """
    known = {card: number for number, cards in restrict(ways, hidden) for card in cards}
    total = sum(known.values()) or 1
    return _grouped({card: total - known.get(card, 0) for card in hidden})


def fits_pile(ways: Ways, pile: Cards, others: Cards) -> bool:
    """Return whether these ways are possible for the first card of a pile.

    A card with a single possible identity is known, so it cannot be in a pile of unknown cards.
    """
    can_be = possible_cards(ways)
    return (
        len(can_be) > 1
        and not can_be.isdisjoint(pile[:1])
        and ways == restrict(ways, {*pile, *others})
    )


def possible_cards(ways: Ways) -> set[Card]:
    """Return the possible identities of the unseen card."""
    return {card for _, cards in ways for card in cards}


def unmasked(ways: MaskedWays, known: Collection[Card]) -> Ways:
    """Return the ways after replacing each rank by cards.

    Args:
        ways: Ways, keyed by rank.
        known: Cards whose positions are known.

    Raises:
        ValueError: If a rank occurs in the ways more often than it has unknown cards.
    """
    named = {card for _, cards in ways for card in cards if isinstance(card, Card)}
    left = [card for card in FULL_DECK if card not in known and card not in named]

    def filled_in(card: Card | Rank) -> Card:
        if isinstance(card, Card):
            return card
        match = next((other for other in left if other.rank is card), None)
        if match is None:
            raise ValueError(f"No card of this rank is left: {card}")
        left.remove(match)
        return match

    return tuple((number, tuple(sorted(map(filled_in, cards)))) for number, cards in ways)


def _grouped(ways: Mapping[Card, int]) -> Ways:
    """Return the cards grouped by their number of ways.

    Cards without any way are omitted.
    """
    largest = max(ways.values(), default=0)
    if largest > MAX_WAYS:
        possible = ((card, number) for card, number in ways.items() if number)
        ways = {card: max(1, number * MAX_WAYS // largest) for card, number in possible}
    divisor = gcd(*ways.values())
    pairs = sorted((number // divisor, card) for card, number in ways.items() if number)
    groups = groupby(pairs, key=lambda pair: pair[0])
    return tuple((number, tuple(card for _, card in some)) for number, some in groups)
