"""Author: Dev.  References: none.  Collaborators: none."""
import bingo
import playingCards

deck = [playingCards.Card(rank, suit, True) for rank in 'A23456789TJQK' for suit in 'CDHS']

grid = bingo.Bingo()
assert grid.clear() == []
for mode in 'LCF':
    grid.populate(deck, mode)
    assert not grid.isBingo()
assert grid.search(playingCards.Card('A', 'C', True), False)
assert not grid.search(playingCards.Card('K', 'C', True), True)
assert grid.clear() == deck[:25]

table = bingo.Table()
for bad in (2, '0', None):
    try:
        table.populateDeck(bad, 'x')
        raise SystemExit('accepted')
    except AssertionError:
        pass
print('ok')
