"""A card, a deck of 52, and a deck file.

A card is a rank and a suit and nothing else: what it is worth, and whether it lies face up, are
rules of a game. It is written as two characters, rank then suit (S0-3), and *is* that text::

    >>> Card("TH") is Card.TEN_OF_HEARTS
    True
    >>> Card.TEN_OF_HEARTS.name_in_words
    'ten of hearts'
"""

import random
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final, NamedTuple, Self

from cardgames.words import Text, counted


class CardGameError(ValueError):
    """Something a player asked for that the game refuses, in one sentence."""

    @property
    def text(self) -> str:
        """The sentence, as a ``Text`` where it was raised with one."""
        sentence: str = self.args[0]
        return sentence


class Rank(StrEnum):
    """The thirteen ranks, by the character that stands for each."""

    ACE = "A"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"


class Suit(StrEnum):
    """The four suits, by the character that stands for each."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"


RANK_WORDS: Final = {
    Rank.ACE: Text("ace"),
    Rank.TWO: Text("two"),
    Rank.THREE: Text("three"),
    Rank.FOUR: Text("four"),
    Rank.FIVE: Text("five"),
    Rank.SIX: Text("six"),
    Rank.SEVEN: Text("seven"),
    Rank.EIGHT: Text("eight"),
    Rank.NINE: Text("nine"),
    Rank.TEN: Text("ten"),
    Rank.JACK: Text("jack"),
    Rank.QUEEN: Text("queen"),
    Rank.KING: Text("king"),
}

SUIT_WORDS: Final = {
    Suit.CLUBS: Text("clubs"),
    Suit.DIAMONDS: Text("diamonds"),
    Suit.HEARTS: Text("hearts"),
    Suit.SPADES: Text("spades"),
}


class Card(StrEnum):
    """One of the 52 cards. Its value is its two-character code, so a card is also a ``str``."""

    rank: Rank
    suit: Suit
    name_in_words: Text

    def __new__(cls, code: str) -> Self:
        """Make the member for a code; ``Card("TH")`` afterwards only looks it up."""
        card = str.__new__(cls, code)
        card._value_ = code
        card.rank = Rank(code[0])
        card.suit = Suit(code[1])
        words = {"rank": RANK_WORDS[card.rank], "suit": SUIT_WORDS[card.suit]}
        card.name_in_words = Text("{rank} of {suit}", **words)
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
"""The 52 cards, clubs first, aces first: the order of a deck nobody has shuffled."""

Cards = tuple[Card, ...]
"""Cards in order; the first of a deck is its top, the next one dealt."""

DECK_SIZE: Final = len(FULL_DECK)


def shuffled(cards: Iterable[Card], rng: random.Random) -> Cards:
    """Return the same cards in random order: the one place where a game meets luck.

    >>> sorted(shuffled(FULL_DECK, random.Random(1))) == sorted(FULL_DECK)
    True
    """
    order = list(cards)
    rng.shuffle(order)
    return tuple(order)


def compact(cards: Iterable[Card]) -> bytes:
    """Return different cards in their order in as few bytes as there can be: 30 for a whole deck.

    The order is a number: each card is a digit, its place among the cards not named before it.

    >>> compact([Card.ACE_OF_CLUBS, Card.KING_OF_SPADES]).hex(), len(compact(FULL_DECK[::-1]))
    ('0232', 30)
    """
    number, left = 0, list(FULL_DECK)
    for card in cards:
        place = left.index(card)
        number = number * len(left) + place
        del left[place]
    size = -(-number.bit_length() // 8)
    return bytes((DECK_SIZE - len(left),)) + number.to_bytes(size, "big")


def expanded(data: bytes) -> Cards:
    """Return the cards that :func:`compact` has written.

    >>> [str(card) for card in expanded(compact([Card.KING_OF_SPADES, Card.ACE_OF_CLUBS]))]
    ['KS', 'AC']
    """
    count, number = data[0], int.from_bytes(data[1:], "big")
    places = []
    for sizes in range(DECK_SIZE - count + 1, DECK_SIZE + 1):
        number, place = divmod(number, sizes)
        places.append(place)
    left = list(FULL_DECK)
    return tuple(left.pop(place) for place in reversed(places))


class File(NamedTuple):
    """A file that a player sent: its name, and its bytes as they came."""

    name: str
    content: bytes


class InvalidDeck(CardGameError):
    """A deck file that is not 52 different cards (S0-33, S0-34).

    ``name`` is the file's name and ``faults`` has one sentence for each bad line, in order. No
    sentence names a card, so that the refusal may stand on a page with a card face down.
    """

    def __init__(self, name: str, faults: tuple[str, ...]) -> None:
        """Say which file, and what is wrong with it."""
        super().__init__(Text("Cannot populate deck: invalid data in {name}", name=name))
        self.name = name
        self.faults = faults


_BYTE_ORDER_MARK: Final = "\ufeff"
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_RANKS: Final = "".join(Rank)
_SUITS: Final = "".join(Suit)


def parse_deck(deck: str | File) -> Cards:
    r"""Read a deck file (S0-30 to S0-34): one code a line, the first line on top.

    Either case, blanks and tabs around a code and any line end are accepted; an empty line is
    not, though the last line may end (A0-22, A0-23).

    Args:
        deck: the text itself (called ``the text`` in errors), or a file with its name.

    Returns:
        The 52 cards, top first.

    Raises:
        InvalidDeck: with every bad line, its number and why.

    >>> parse_deck("ks\nJH")
    Traceback (most recent call last):
    cardgames.cards.InvalidDeck: Cannot populate deck: invalid data in the text

    """
    name, text = (Text("the text"), deck) if isinstance(deck, str) else _decoded(deck)
    lines = _LINE_END.split(text)
    if lines[-1] == "":
        lines.pop()
    codes = [line.strip(" \t") for line in lines]
    codes = [code.upper() if code.isascii() else code for code in codes]
    faults = tuple(_faults(codes))
    if faults:
        raise InvalidDeck(name, faults)
    return tuple(map(Card, codes))


def _decoded(file: File) -> tuple[str, str]:
    name = "".join(char if char.isprintable() else "?" for char in file.name)
    try:
        return name, file.content.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidDeck(name, (Text("it is not a text file"),)) from None


def _faults(codes: list[str]) -> Iterator[Text]:
    first_seen: dict[str, int] = {}
    for number, code in enumerate(codes, start=1):
        fault = _fault(code, number)
        if not fault and code in first_seen:
            first = first_seen[code]
            fault = Text(
                "line {number} is the card of line {first} again", number=number, first=first
            )
        elif not fault and len(first_seen) == DECK_SIZE:
            fault = Text(
                "line {number} is one more than {size} cards", number=number, size=DECK_SIZE
            )
        if fault:
            yield fault
        else:
            first_seen[code] = number
    if len(codes) < DECK_SIZE:
        missing = Text("line {number} is missing: a deck has {size} cards, a line each")
        yield missing.filled(number=len(codes) + 1, size=DECK_SIZE)


def _fault(code: str, number: int) -> Text | None:
    """Say what keeps a line from being a card, or nothing."""
    if not code:
        return Text("line {number} is empty", number=number)
    if code.startswith(_BYTE_ORDER_MARK):
        return Text(
            "line {number} begins with an invisible byte-order mark: save the file as UTF-8 "
            "without it",
            number=number,
        )
    if len(code) != len(Card.ACE_OF_SPADES):
        return counted(
            "line {line} has {number} character: a card is a rank and a suit",
            "line {line} has {number} characters: a card is a rank and a suit",
            len(code),
            line=number,
        )
    if code[0] not in _RANKS:
        return Text(
            "line {number} has the rank {rank!a}: a rank is one of {ranks}",
            number=number,
            rank=code[0],
            ranks=" ".join(_RANKS),
        )
    if code[1] not in _SUITS:
        return Text(
            "line {number} has the suit {suit!a}: a suit is one of {suits}",
            number=number,
            suit=code[1],
            suits=" ".join(_SUITS),
        )
    return None
