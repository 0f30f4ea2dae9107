"""A card, and a deck of 52.

A card is only a rank and a suit. The value of a card, and whether it is face up, depend on the
game's rules. A card's code has two characters, the rank and then the suit (S0-3). The card *is*
that string::

    >>> Card("TH") is Card.TEN_OF_HEARTS
    True
    >>> Card.TEN_OF_HEARTS.full_name
    'ten of hearts'
"""

import random
from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Self

from cardgames.text import NamedEnum, Text, format_number


class CardGameError(ValueError):
    """An error raised when a game rejects a player's request.

    The message contains the reason.
    """

    field: str = ""
    """The name of the form field that caused the error, or an empty string."""

    def __init__(self, sentence: str, field: str = "") -> None:
        """Create the error with a message for the player."""
        super().__init__(sentence)
        self.field = field

    @property
    def text(self) -> str:
        """The message, which is a ``Text`` if the error was raised with a ``Text``."""
        sentence: str = self.args[0]
        return sentence


def check_range(field: str, label: Text, number: int, lowest: int, highest: int) -> None:
    """Raise if a number is out of range.

    Args:
        field: Name of the form field that contains the number.
        label: Name of the field in error messages.
        number: Number to check.
        lowest: Smallest valid number.
        highest: Largest valid number.

    Raises:
        CardGameError: If the number is out of range.
    """
    if not lowest <= number <= highest:
        refusal = Text("{what} must be a whole number from {lowest} to {highest}.")
        ends = {"lowest": format_number(lowest, ","), "highest": format_number(highest, ",")}
        raise CardGameError(refusal.fill(what=label, **ends), field)


class Rank(NamedEnum):
    """The thirteen ranks, keyed by character."""

    ACE = "A", Text("ace")
    TWO = "2", Text("two")
    THREE = "3", Text("three")
    FOUR = "4", Text("four")
    FIVE = "5", Text("five")
    SIX = "6", Text("six")
    SEVEN = "7", Text("seven")
    EIGHT = "8", Text("eight")
    NINE = "9", Text("nine")
    TEN = "T", Text("ten")
    JACK = "J", Text("jack")
    QUEEN = "Q", Text("queen")
    KING = "K", Text("king")


class Suit(NamedEnum):
    """The four suits, keyed by character."""

    CLUBS = "C", Text("clubs")
    DIAMONDS = "D", Text("diamonds")
    HEARTS = "H", Text("hearts")
    SPADES = "S", Text("spades")


class Card(StrEnum):
    """One of the 52 cards.

    A card's value is its two-character code, so a card is also a ``str``.
    """

    rank: Rank
    suit: Suit
    full_name: Text
    number: int
    """The position in the unshuffled deck, counted from 0."""

    def __new__(cls, code: str) -> Self:
        """Create the member for a code, so that ``Card("TH")`` returns the member."""
        card = str.__new__(cls, code)
        card._value_ = code
        card.number = len(cls.__members__)
        card.rank = Rank(code[0])
        card.suit = Suit(code[1])
        card.full_name = Text("{rank} of {suit}", rank=card.rank.text, suit=card.suit.text)
        return card

    ACE_OF_CLUBS = "AC"
    TWO_OF_CLUBS = "2C"
    THREE_OF_CLUBS = "3C"
    FOUR_OF_CLUBS = "4C"
    FIVE_OF_CLUBS = "5C"
    SIX_OF_CLUBS = "6C"
    SEVEN_OF_CLUBS = "7C"
    EIGHT_OF_CLUBS = "8C"
    NINE_OF_CLUBS = "9C"
    TEN_OF_CLUBS = "TC"
    JACK_OF_CLUBS = "JC"
    QUEEN_OF_CLUBS = "QC"
    KING_OF_CLUBS = "KC"
    ACE_OF_DIAMONDS = "AD"
    TWO_OF_DIAMONDS = "2D"
    THREE_OF_DIAMONDS = "3D"
    FOUR_OF_DIAMONDS = "4D"
    FIVE_OF_DIAMONDS = "5D"
    SIX_OF_DIAMONDS = "6D"
    SEVEN_OF_DIAMONDS = "7D"
    EIGHT_OF_DIAMONDS = "8D"
    NINE_OF_DIAMONDS = "9D"
    TEN_OF_DIAMONDS = "TD"
    JACK_OF_DIAMONDS = "JD"
    QUEEN_OF_DIAMONDS = "QD"
    KING_OF_DIAMONDS = "KD"
    ACE_OF_HEARTS = "AH"
    TWO_OF_HEARTS = "2H"
    THREE_OF_HEARTS = "3H"
    FOUR_OF_HEARTS = "4H"
    FIVE_OF_HEARTS = "5H"
    SIX_OF_HEARTS = "6H"
    SEVEN_OF_HEARTS = "7H"
    EIGHT_OF_HEARTS = "8H"
    NINE_OF_HEARTS = "9H"
    TEN_OF_HEARTS = "TH"
    JACK_OF_HEARTS = "JH"
    QUEEN_OF_HEARTS = "QH"
    KING_OF_HEARTS = "KH"
    ACE_OF_SPADES = "AS"
    TWO_OF_SPADES = "2S"
    THREE_OF_SPADES = "3S"
    FOUR_OF_SPADES = "4S"
    FIVE_OF_SPADES = "5S"
    SIX_OF_SPADES = "6S"
    SEVEN_OF_SPADES = "7S"
    EIGHT_OF_SPADES = "8S"
    NINE_OF_SPADES = "9S"
    TEN_OF_SPADES = "TS"
    JACK_OF_SPADES = "JS"
    QUEEN_OF_SPADES = "QS"
    KING_OF_SPADES = "KS"


FULL_DECK: Final = tuple(Card)
"""The 52 cards in the order of an unshuffled deck: clubs first, aces first."""

Cards = tuple[Card, ...]
"""Cards in order. The first card of a deck is its top card, and this card is dealt next."""

DECK_SIZE: Final = len(FULL_DECK)

MaskedCards = tuple[Card | None, ...]
"""Cards in order. ``None`` is a face-down card."""


def face_up(cards: MaskedCards) -> Cards:
    """Return the face-up cards, in order."""
    return tuple(card for card in cards if card)


def shuffled(cards: Iterable[Card], rng: random.Random) -> Cards:
    """Return the cards in random order.

    Games use random numbers only to shuffle.

    >>> sorted(shuffled(FULL_DECK, random.Random(1))) == sorted(FULL_DECK)
    True
    """
    order = list(cards)
    rng.shuffle(order)
    return tuple(order)


def split_codes(codes: str) -> Cards:
    """Return the cards whose codes are concatenated in a string.

    Raises:
        ValueError: If the string is not a sequence of card codes.

    >>> split_codes("THAC")
    (<Card.TEN_OF_HEARTS: 'TH'>, <Card.ACE_OF_CLUBS: 'AC'>)
    """
    return tuple(Card(codes[start : start + 2]) for start in range(0, len(codes), 2))
