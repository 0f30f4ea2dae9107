# Author: the Cardgames project
# Collaborators and references: the assignment sheet, and the queues of its Lab 6.
"""A playing card, face up or face down, and a deck of cards.

Run as a program (``python playingCards.py``), it tests both classes.
"""

import random

from queues import CircularQueue

__all__ = ["Card", "Deck"]

RANKS = tuple("A23456789TJQK")
SUITS = tuple("SHDC")
DECK_SIZE = len(RANKS) * len(SUITS)
FACE_DOWN = "[ ]"


class Card:
    """One playing card, face up or face down."""

    def __init__(self, rank: str, suit: str, faceUp: bool) -> None:
        """Create a card.

        Args:
            rank: One of A 2 3 4 5 6 7 8 9 T J Q K, in either case.
            suit: One of S H D C, in either case.
            faceUp: Whether the card is face up.

        """
        assert isOneOf(rank, RANKS), f"Not the rank of a card: {rank!r}"
        assert isOneOf(suit, SUITS), f"Not the suit of a card: {suit!r}"
        assert isinstance(faceUp, bool), f"Neither True nor False: {faceUp!r}"
        self.__rank = rank.upper()
        self.__suit = suit.upper()
        self.__faceUp = faceUp

    def getRank(self) -> str:
        """Return the rank, one upper-case character."""
        return self.__rank

    def getSuit(self) -> str:
        """Return the suit, one upper-case character."""
        return self.__suit

    def isFaceUp(self) -> bool:
        """Return whether the card is face up."""
        return self.__faceUp

    def turnOver(self) -> None:
        """Turn the card over, from face up to face down or from face down to face up."""
        self.__faceUp = not self.__faceUp

    def __eq__(self, anotherCard: object) -> bool:
        """Return whether the other value is a card of the same rank and suit, face up or down."""
        return (
            isinstance(anotherCard, Card)
            and self.__rank == anotherCard.__rank
            and self.__suit == anotherCard.__suit
        )

    __hash__ = None  # type: ignore[assignment]  # mutable cards cannot be dictionary keys

    def __str__(self) -> str:
        """Return rank and suit, as in ``[ TH ]``, or ``[ ]`` if the card is face down."""
        return f"[ {self.__rank}{self.__suit} ]" if self.__faceUp else FACE_DOWN


class Deck:
    """Up to 52 cards, face down: cards are dealt from the top and added to the bottom."""

    def __init__(self) -> None:
        """Create an empty deck."""
        self.__cards: CircularQueue[Card] = CircularQueue(DECK_SIZE)

    def addCard(self, card: Card) -> None:
        """Add a card to the bottom, face down, in O(1).

        Raises:
            Exception: If the deck is full. The card is then not turned over.

        """
        assert isinstance(card, Card), "Can only add cards to deck"
        if self.__cards.isFull():
            raise Exception(f"Cannot add {self.__face(card)}: Deck is full")
        if card.isFaceUp():
            card.turnOver()
        self.__cards.enqueue(card)

    def dealCard(self) -> Card:
        """Remove the top card and return it, face up, in O(1).

        Raises:
            Exception: If the deck is empty.

        """
        if self.__cards.isEmpty():
            raise Exception("Cannot deal card from empty deck")
        card = self.__cards.dequeue()
        card.turnOver()
        return card

    def deckSize(self) -> int:
        """Return the number of cards in the deck."""
        return self.__cards.size()

    def isComplete(self) -> bool:
        """Return whether all 52 cards are in the deck, without changing it."""
        different = {(card.getRank(), card.getSuit()) for card in self.__all()}
        return len(different) == DECK_SIZE

    def __str__(self) -> str:
        """Return every card, face up, from top to bottom, without changing the deck."""
        return f"top -> {''.join(map(self.__face, self.__all()))} <- bottom"

    def __all(self) -> list[Card]:
        """Return the cards, top first. Moves each card from the queue's front to its rear."""
        cards = []
        for _ in range(self.__cards.size()):
            cards.append(self.__cards.dequeue())
            self.__cards.enqueue(cards[-1])
        return cards

    def __face(self, card: Card) -> str:
        """Return the text of a card as if it were face up, without turning the card over."""
        return str(Card(card.getRank(), card.getSuit(), faceUp=True))


def isOneOf(text: object, letters: tuple[str, ...]) -> bool:
    """Return whether a value is one of the letters, in upper or lower case."""
    return text in letters or text in tuple(letter.lower() for letter in letters)


def testCard() -> None:
    """Test the class Card."""
    card = Card("t", "h", faceUp=True)
    assert (card.getRank(), card.getSuit(), str(card)) == ("T", "H", "[ TH ]")
    card.turnOver()
    assert (card.isFaceUp(), str(card)) == (False, "[ ]")
    assert card == Card("T", "h", faceUp=True)
    assert card != Card("T", "D", faceUp=False)
    assert card != Card("9", "H", faceUp=False)
    assert card != "TH"
    card.turnOver()
    assert (card.isFaceUp(), str(card)) == (True, "[ TH ]")
    wrong: list[tuple[object, object, object]] = [
        ("", "S", True), ("10", "S", True), ("1", "S", True), ("23", "S", True), (2, "S", True),
        ("2", "", True), ("2", "X", True), ("2", "SH", True), ("2", None, True), ("2", "S", 1),
    ]  # fmt: skip
    for rank, suit, faceUp in wrong:
        assert isRefused(rank, suit, faceUp), (rank, suit, faceUp)
    print("Card: all tests passed")


def isRefused(rank: object, suit: object, faceUp: object) -> bool:
    """Return whether Card rejects these arguments."""
    try:
        Card(rank, suit, faceUp)  # type: ignore[arg-type]
    except AssertionError:
        return True
    return False


def testDeck() -> None:
    """Test the class Deck."""
    deck = Deck()
    assert (deck.deckSize(), deck.isComplete(), str(deck)) == (0, False, "top ->  <- bottom")
    assert messageOf(deck.dealCard) == "Cannot deal card from empty deck"
    assert messageOf(deck.addCard, "KS") == "Can only add cards to deck"
    cards = [Card(rank, suit, faceUp=True) for suit in "CDHS" for rank in "A23456789TJQK"]
    random.shuffle(cards)
    faces = [str(card) for card in cards]
    for card in cards:
        assert not deck.isComplete()
        deck.addCard(card)
    assert (deck.deckSize(), deck.isComplete()) == (52, True)
    assert str(deck) == f"top -> {''.join(faces)} <- bottom"
    extra = Card("K", "S", faceUp=False)
    assert messageOf(deck.addCard, extra) == "Cannot add [ KS ]: Deck is full"
    top = deck.dealCard()
    assert (str(top), deck.deckSize(), deck.isComplete()) == (faces[0], 51, False)
    second = deck.dealCard()
    deck.addCard(top)
    deck.addCard(Card(top.getRank(), top.getSuit(), faceUp=True))
    assert (deck.deckSize(), deck.isComplete()) == (52, False)
    assert [str(deck.dealCard()) for _ in range(52)] == [*faces[2:], faces[0], faces[0]]
    assert str(second) == faces[1]
    print("Deck: all tests passed")


def messageOf(act: object, *arguments: object) -> str:
    """Call a function that must fail, and return the message of its exception."""
    try:
        act(*arguments)  # type: ignore[operator]
    except Exception as error:  # noqa: BLE001 - the sheet's classes raise Exception
        return str(error)
    return "nothing was raised"


if __name__ == "__main__":
    testCard()
    testDeck()
