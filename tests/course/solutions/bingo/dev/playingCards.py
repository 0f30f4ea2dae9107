"""Author: Dev.  References: none.  Collaborators: none."""
import queues

_RANKS = tuple('23456789TJQKA')
_SUITS = tuple('CDHS')


class Card(object):
    """One card of a deck."""

    def __init__(self, rank, suit, faceUp):
        """Check everything, then keep it."""
        assert rank in _RANKS + tuple('tjqka'), 'rank?'
        assert suit in _SUITS + tuple('cdhs'), 'suit?'
        assert isinstance(faceUp, bool), 'face?'
        self.__rank, self.__suit, self.__faceUp = rank.upper(), suit.upper(), faceUp

    def getRank(self):
        """Rank."""
        return self.__rank

    def getSuit(self):
        """Suit."""
        return self.__suit

    def isFaceUp(self):
        """Face."""
        return self.__faceUp

    def turnOver(self):
        """Flip."""
        self.__faceUp ^= True

    def __eq__(self, anotherCard):
        """Same card."""
        if not isinstance(anotherCard, Card):
            return NotImplemented
        return (self.__rank, self.__suit) == (anotherCard.__rank, anotherCard.__suit)

    def __str__(self):
        """Text, with blanks around it as the sheet prints it."""
        return f'[ {self.__rank}{self.__suit} ]' if self.__faceUp else '[ ]'

    __repr__ = __str__


class Deck(object):
    """Fifty-two places for cards."""

    def __init__(self):
        """No cards yet."""
        self.__cards = queues.CircularQueue(len(_RANKS) * len(_SUITS))

    def addCard(self, card):
        """Put a card under the deck."""
        assert isinstance(card, Card), 'Can only add cards to deck'
        wasUp = card.isFaceUp()
        if self.__cards.isFull():
            if not wasUp:
                card.turnOver()
            message = f'Cannot add {card}: Deck is full'
            if not wasUp:
                card.turnOver()
            raise Exception(message)
        if wasUp:
            card.turnOver()
        self.__cards.enqueue(card)

    def dealCard(self):
        """Take a card off the deck."""
        try:
            card = self.__cards.dequeue()
        except Exception:
            raise Exception('Cannot deal card from empty deck')
        if not card.isFaceUp():
            card.turnOver()
        return card

    def deckSize(self):
        """Count."""
        return self.__cards.size()

    def __look(self):
        """Return all cards, and leave the deck as it is."""
        looked = []
        while len(looked) < self.__cards.size():
            looked.append(self.__cards.dequeue())
            self.__cards.enqueue(looked[-1])
        return looked

    def isComplete(self):
        """Compare with the whole deck."""
        mine = sorted(card.getRank() + card.getSuit() for card in self.__look())
        return mine == sorted(rank + suit for rank in _RANKS for suit in _SUITS)

    def __str__(self):
        """Bottom first."""
        codes = [card.getRank() + card.getSuit() for card in self.__look()]
        return '(bottom) ' + ', '.join(reversed(codes)) + ' (top)'


def _main():
    """Try both classes."""
    assert Card('a', 's', True) == Card('A', 'S', False)
    deck = Deck()
    for rank in _RANKS:
        for suit in _SUITS:
            assert deck.isComplete() is False
            deck.addCard(Card(rank, suit, False))
    assert deck.isComplete() is True


if __name__ == '__main__':
    _main()
