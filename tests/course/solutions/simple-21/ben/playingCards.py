import queues
import random
import sys
from cardValues import *


class Card(object):

    __slots__ = ('_rank', '_suit', '_up')

    def __init__(self, code, faceUp):
        assert isinstance(code, str) and len(code) == 2
        self._rank, self._suit = code.upper()
        assert self._rank in RANKS and self._suit in SUITS
        assert faceUp is True or faceUp is False
        self._up = faceUp

    def getRank(self): return self._rank
    def getSuit(self): return self._suit
    def getValue(self): return POINTS[self._rank]
    def isFaceUp(self): return self._up

    def turnOver(self):
        self._up = not self._up

    def __str__(self):
        return '[ %s ]' % (self._rank + self._suit if self._up else 'xx')

    def __eq__(self, other):
        return isinstance(other, Card) and (self._rank, self._suit) == (other._rank, other._suit)

    def __hash__(self):
        return hash((self._rank, self._suit))


class EmptyDeckException(Exception):
    def __init__(self):
        self.args = ("Cannot deal card from an empty deck.",)


class Deck(object):

    def __init__(self):
        self._queue = queues.CircularQueue(52)
        handle = None
        while handle is None:
            sys.stdout.write('File with the cards: ')
            sys.stdout.flush()
            name = sys.stdin.readline()
            if not name:
                raise EOFError
            name = name.rstrip('\n')
            try:
                handle = open(name)
            except OSError as problem:
                print('*** cannot open', name, '-', problem.strerror)
        try:
            cards = [Card(line.strip(), False) for line in handle]
        except (AssertionError, UnicodeDecodeError):
            cards = []
        finally:
            handle.close()
        if len(cards) != 52 or len(set(cards)) != 52:
            raise Exception('Cannot populate deck: invalid data in %s' % name)
        for card in cards:
            self._queue.enqueue(card)

    def deal(self):
        try:
            card = self._queue.dequeue()
        except Exception:
            raise EmptyDeckException() from None
        card.turnOver()
        return card

    def repopulate(self, cardList):
        print('~ shuffling the old cards into the deck ~')
        order = list(range(len(cardList)))
        random.shuffle(order)
        for index in order:
            old = cardList[index]
            self._queue.enqueue(Card(old.getRank() + old.getSuit(), False))

    def __str__(self):
        codes = []
        for _ in range(self._queue.size()):
            card = self._queue.dequeue()
            codes.insert(0, card.getRank() + card.getSuit())
            self._queue.enqueue(card)
        return ' '.join(codes) + ' <- this one is the front'


def _tests():
    """Run by itself."""
    assert [Card(r + 'S', True).getValue() for r in 'A2TK'] == [1, 2, 10, 10]
    for bad in ('', 'AAA', '1S', 'AX'):
        try:
            Card(bad, True)
        except AssertionError:
            continue
        raise SystemExit('accepted ' + bad)
    try:
        print(Deck())
    except EOFError:
        print('no file given')


if __name__ == '__main__':
    _tests()
