"""What a player knows of one card that was never shown: in how many ways it can be each card.

All orders of cards that nobody has seen are alike, until something is known of one of them: a card
lay face down while others were shuffled in, so it is none of those. The orders that are still
possible are alike, and a card is as likely as it is found in many of them. What is seen later takes
cards away and leaves the proportions of the rest. Only proportions matter, so the numbers have no
common divisor::

    >>> from cardgames.cards import Card
    >>> one_of_three = of_another((), (Card("2C"), Card("9D"), Card("KH")))
    >>> one_of_three
    ((1, (<Card.TWO_OF_CLUBS: '2C'>, <Card.NINE_OF_DIAMONDS: '9D'>, <Card.KING_OF_HEARTS: 'KH'>)),)
"""

from collections.abc import Collection, Mapping
from itertools import groupby
from math import gcd
from typing import Final

from cardgames.cards import Card, Cards, Rank

Ways = tuple[tuple[int, Cards], ...]
"""A number of ways, and the cards that the one card is in so many; the smallest number first. None
where it may as well be any card that was not seen."""

MaskedWays = tuple[tuple[int, tuple[Card | Rank, ...]], ...]
"""The same where the suits of cards that lie face down are not told."""

MAX_WAYS: Final = 2**53
"""Maximum of the numbers. Beyond it they are scaled down, which differs less than a float can."""


def narrowed(ways: Ways, hidden: Collection[Card]) -> Ways:
    """Return what is known once only these cards are not seen.

    >>> narrowed(((2, (Card("2C"), Card("9D"))), (3, (Card("KH"),))), {Card("2C"), Card("5S")})
    ((1, (<Card.TWO_OF_CLUBS: '2C'>,)),)
    """
    left = {card: number for number, cards in ways for card in cards if card in hidden}
    return () if len(left) == len(hidden) and len(set(left.values())) == 1 else _grouped(left)


def of_another(ways: Ways, hidden: Collection[Card]) -> Ways:
    """Return in how many ways another card is each of the hidden ones, of which it is one.

    That is each card as often as the one of which something is known is not this card.
    """
    known = {card: number for number, cards in narrowed(ways, hidden) for card in cards}
    total = sum(known.values()) or 1
    return _grouped({card: total - known.get(card, 0) for card in hidden})


def _grouped(ways: Mapping[Card, int]) -> Ways:
    """Return the cards by their number of ways, without those that have none."""
    largest = max(ways.values(), default=0)
    if largest > MAX_WAYS:
        possible = ((card, number) for card, number in ways.items() if number)
        ways = {card: max(1, number * MAX_WAYS // largest) for card, number in possible}
    divisor = gcd(*ways.values())
    pairs = sorted((number // divisor, card) for card, number in ways.items() if number)
    groups = groupby(pairs, key=lambda pair: pair[0])
    return tuple((number, tuple(card for _, card in some)) for number, some in groups)
