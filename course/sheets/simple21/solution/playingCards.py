"""A card, a deck that is read from a file, and the exception for an empty deck.

Run as a program (``python playingCards.py``), it prompts for a deck file and tests both classes.
"""

import random
from collections.abc import Iterable
from typing import TextIO

from queues import CircularQueue

__all__ = ["Card", "Deck", "EmptyDeckException"]

RANKS = "A23456789TJQK"
SUITS = "CDHS"
VALUES = {rank: min(number, 10) for number, rank in enumerate(RANKS, start=1)}
DECK_SIZE = len(RANKS) * len(SUITS)


class Card:
    """One playing card, face up or face down."""

    def __init__(self, code: str, faceUp: bool) -> None:
        """Create a card.

        Args:
            code: Rank (A 2 3 4 5 6 7 8 9 T J Q K) and suit (C D H S), in either case.
            faceUp: Whether the card is face up.

        """
        assert isinstance(code, str), f"Not a text: {code!r}"
        assert len(code) == 2, f"Not two characters: {code!r}"
        assert code[0] in RANKS + RANKS.lower(), f"Not a rank: {code[0]!r}"
        assert code[1] in SUITS + SUITS.lower(), f"Not a suit: {code[1]!r}"
        assert isinstance(faceUp, bool), f"Neither True nor False: {faceUp!r}"
        self.__rank = code[0].upper()
        self.__suit = code[1].upper()
        self.__faceUp = faceUp

    def getRank(self) -> str:
        """Return the rank, one upper-case character."""
        return self.__rank

    def getSuit(self) -> str:
        """Return the suit, one upper-case character."""
        return self.__suit

    def getValue(self) -> int:
        """Return the card's number of points, with an ace as 1."""
        return VALUES[self.__rank]

    def isFaceUp(self) -> bool:
        """Return whether the card is face up."""
        return self.__faceUp

    def turnOver(self) -> None:
        """Turn the card over, from face up to face down or from face down to face up."""
        self.__faceUp = not self.__faceUp

    def __str__(self) -> str:
        """Return rank and suit, as in ``[ JD ]``, or ``[ xx ]`` if the card is face down."""
        return f"[ {self.__rank}{self.__suit} ]" if self.__faceUp else "[ xx ]"


class EmptyDeckException(Exception):
    """Exception for dealing a card from an empty deck."""

    def __init__(self) -> None:
        """Set the message."""
        super().__init__("Cannot deal card from an empty deck.")


class Deck:
    """Up to 52 cards, face down: cards are dealt from the front and added to the rear."""

    def __init__(self) -> None:
        """Prompt for a deck file until a file can be opened, and fill the deck from the file.

        The first line is the front card. If the file does not have 52 different cards, raises an
        Exception with the argument ``Cannot populate deck: invalid data in NAME``, and the deck
        stays empty.
        """
        self.__cards: CircularQueue[Card] = CircularQueue(DECK_SIZE)
        filename, file = self.__openFile()
        with file:
            try:
                self.__populate(file)
            except (AssertionError, ValueError):
                self.__cards.clear()
                message = f"Cannot populate deck: invalid data in {filename}"
                raise Exception(message) from None

    def deal(self) -> Card:
        """Remove the front card and return it, face up, in O(1).

        Raises:
            EmptyDeckException: If the deck is empty.

        """
        if self.__cards.isEmpty():
            raise EmptyDeckException
        card = self.__cards.dequeue()
        card.turnOver()
        return card

    def repopulate(self, cardList: list[Card]) -> None:
        """Print a message, and add the cards of a list in random order. The list stays the same."""
        print("Repopulating deck with cards...")
        cards = list(cardList)
        random.shuffle(cards)
        for card in cards:
            if card.isFaceUp():
                card.turnOver()
            self.__cards.enqueue(card)

    def __str__(self) -> str:
        """Return every card, face up, from front to rear, without changing the deck."""
        faces = ""
        for _ in range(self.__cards.size()):
            card = self.__cards.dequeue()
            card.turnOver()
            faces += str(card)
            card.turnOver()
            self.__cards.enqueue(card)
        return f"front -> {faces} <- rear"

    def __openFile(self) -> tuple[str, TextIO]:
        """Prompt for a file name until a file can be opened; return the name and the open file."""
        while True:
            filename = input("Name of file that should be used to populate the deck of cards: ")
            try:
                return filename, open(filename, encoding="utf-8")
            except (OSError, ValueError):  # a ValueError means an invalid file name
                print(f"Cannot read from {filename}.")

    def __populate(self, lines: Iterable[str]) -> None:
        """Add one card per line.

        An AssertionError means that a line is not a card. A ValueError means that a card occurs
        twice, that cards are missing, or that the file is not a text file.
        """
        codes: set[str] = set()
        for line in lines:
            card = Card(line.strip(" \t\n"), faceUp=False)
            codes.add(card.getRank() + card.getSuit())
            if len(codes) == self.__cards.size():
                raise ValueError("a card is there twice")
            self.__cards.enqueue(card)
        if not self.__cards.isFull():
            raise ValueError("the deck has too few cards")


def testCard() -> None:
    """Test the class Card."""
    card = Card("jd", faceUp=True)
    assert (card.getRank(), card.getSuit(), card.getValue()) == ("J", "D", 10)
    assert str(card) == "[ JD ]"
    card.turnOver()
    assert str(card) == "[ xx ]"
    assert not card.isFaceUp()
    card.turnOver()
    assert card.isFaceUp()
    assert [Card(f"{rank}S", faceUp=True).getValue() for rank in "A29TJQK"] == [
        1, 2, 9, 10, 10, 10, 10,
    ]  # fmt: skip
    wrong: list[tuple[object, object]] = [
        ("", True), ("J", True), ("JDD", True), ("1D", True), ("JX", True), (11, True), ("JD", 1),
    ]  # fmt: skip
    for code, faceUp in wrong:
        try:
            Card(code, faceUp)  # type: ignore[arg-type]
        except AssertionError:
            continue
        raise AssertionError(f"Card({code!r}, {faceUp!r}) was accepted")
    print("Card: all tests passed")


def testDeck() -> None:
    """Test the class Deck with a file that the user chooses."""
    try:
        deck = Deck()
    except EOFError:
        print("\nDeck: no file was named, so it was not tested")
        return
    except Exception as error:  # noqa: BLE001 - the sheet's Deck raises Exception
        print(error)
        return
    print(deck)
    cards = [deck.deal() for _ in range(DECK_SIZE)]
    assert all(card.isFaceUp() for card in cards)
    assert len({str(card) for card in cards}) == DECK_SIZE
    try:
        deck.deal()
    except EmptyDeckException as error:
        print(error)
    else:
        raise AssertionError("an empty deck dealt a card")
    deck.repopulate(cards[:3])
    again = [deck.deal() for _ in range(3)]
    assert all(card.isFaceUp() for card in again)
    assert sorted(map(str, again)) == sorted(map(str, cards[:3]))
    print("Deck: all tests passed")


if __name__ == "__main__":
    testCard()
    testDeck()
