# Author: Cleo
# Collaborators: none
from playingCards import Card
from bingo import Bingo, Table


def makeCards():
    """Make 25 cards."""
    cards = []
    for suit in 'SH':
        for rank in 'A23456789TJQK':
            cards.append(Card(rank, suit, True))
    return cards


def testBingo():
    """Test the class Bingo."""
    b = Bingo()
    assert b.isBingo() == False
    b.populate(makeCards(), 'L')
    for rank in 'A2345':
        b.search(Card(rank, 'S', True), False)
    assert b.isBingo() == True
    assert len(b.clear()) == 25


def testTable():
    """Test the class Table."""
    t = Table()
    assert t.isWinner() == False
    try:
        t.whoWon()
        assert False
    except Exception as e:
        assert str(e) == 'Neither player has won'


if __name__ == "__main__":
    testBingo()
    testTable()
    print('done')
