# Author: Cleo
# Collaborators: none
# References: the course notes
from queues import CircularQueue

RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K']
SUITS = ['S', 'H', 'D', 'C']


class Card:
    """A playing card."""

    def __init__(self, rank, suit, faceUp):
        """Create a card."""
        assert type(rank) == str and rank.upper() in RANKS, 'Invalid rank'
        assert type(suit) == str and suit.upper() in SUITS, 'Invalid suit'
        assert type(faceUp) == bool, 'Invalid faceUp'
        self.__rank = rank.upper()
        self.__suit = suit.upper()
        self.__faceUp = faceUp

    def getRank(self):
        """Get the rank."""
        return self.__rank

    def getSuit(self):
        """Get the suit."""
        return self.__suit

    def isFaceUp(self):
        """Is it face up?"""
        return self.__faceUp

    def turnOver(self):
        """Turn it."""
        self.__faceUp = not self.__faceUp

    def __eq__(self, anotherCard):
        """Compare rank and suit."""
        return self.__rank == anotherCard.getRank() and self.__suit == anotherCard.getSuit()

    def __str__(self):
        """Return it as a string."""
        if self.__faceUp:
            return '[ {}{} ]'.format(self.__rank, self.__suit)
        else:
            return '[ ]'


class Deck:
    """A deck of cards."""

    def __init__(self):
        """Create an empty deck."""
        self.__queue = CircularQueue(52)

    def addCard(self, card):
        """Add a card to the bottom."""
        assert isinstance(card, Card), 'Can only add cards to deck'
        if self.__queue.isFull():
            copy = Card(card.getRank(), card.getSuit(), True)
            raise Exception('Cannot add ' + str(copy) + ': Deck is full')
        if card.isFaceUp():
            card.turnOver()
        self.__queue.enqueue(card)

    def dealCard(self):
        """Deal the top card."""
        if self.__queue.isEmpty():
            raise Exception('Cannot deal card from empty deck')
        card = self.__queue.dequeue()
        card.turnOver()
        return card

    def deckSize(self):
        """Get the size."""
        return self.__queue.size()

    def isComplete(self):
        """Are all the 52 cards there?"""
        codes = []
        for i in range(self.__queue.size()):
            card = self.__queue.dequeue()
            code = card.getRank() + card.getSuit()
            if code not in codes:
                codes.append(code)
            self.__queue.enqueue(card)
        return len(codes) == 52

    def __str__(self):
        """Show the cards, the top one first."""
        result = 'TOP '
        for i in range(self.__queue.size()):
            card = self.__queue.dequeue()
            result = result + card.getRank() + card.getSuit() + ' '
            self.__queue.enqueue(card)
        return result + 'BOTTOM'


if __name__ == "__main__":
    # tests for Card
    c = Card('t', 'h', True)
    assert str(c) == '[ TH ]'
    c.turnOver()
    assert str(c) == '[ ]'
    assert c == Card('T', 'H', True)
    # tests for Deck
    d = Deck()
    for s in SUITS:
        for r in RANKS:
            d.addCard(Card(r, s, True))
    assert d.isComplete()
    assert str(d.dealCard()) == '[ AS ]'
    assert d.deckSize() == 51
    print('all tests passed')
