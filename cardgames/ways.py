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

from cardgames.cards import FULL_DECK, Card, Cards, Rank

Ways = tuple[tuple[int, Cards], ...]
"""Numbers of equally likely ways, smallest first, each with the cards that the one card is in that
many of them. Empty where it may as well be any card that was not seen."""

MaskedWays = tuple[tuple[int, tuple[Card | Rank, ...]], ...]
"""The same where the suits of cards that lie face down are not known."""

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

    Each card counts as often as the card of which something is known is not this one.
    """
    known = {card: number for number, cards in narrowed(ways, hidden) for card in cards}
    total = sum(known.values()) or 1
    return _grouped({card: total - known.get(card, 0) for card in hidden})


def may_be_of(ways: Ways, pile: Cards, others: Cards) -> bool:
    """Say whether this can be known of the first card of a pile, while some others are hidden too.

    A card that can be one only is known, and lies in no such pile.
    """
    can_be = cards_of(ways)
    return (
        len(can_be) > 1
        and not can_be.isdisjoint(pile[:1])
        and ways == narrowed(ways, {*pile, *others})
    )


def cards_of(ways: Ways) -> set[Card]:
    """Return every card that the one can be."""
    return {card for _, cards in ways for card in cards}


def unmasked(ways: MaskedWays, known: Collection[Card]) -> Ways:
    """Put in cards for those of which only the rank is known.

    Args:
        ways: what is known.
        known: the cards whose places are known otherwise.

    Raises:
        ValueError: there are more of a rank than a deck has left.
    """
    named = {card for _, cards in ways for card in cards if isinstance(card, Card)}
    left = [card for card in FULL_DECK if card not in known and card not in named]

    def filled_in(card: Card | Rank) -> Card:
        if isinstance(card, Card):
            return card
        found = next((other for other in left if other.rank is card), None)
        if found is None:
            raise ValueError(f"No card of this rank is left: {card}")
        left.remove(found)
        return found

    return tuple((number, tuple(sorted(map(filled_in, cards)))) for number, cards in ways)


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
