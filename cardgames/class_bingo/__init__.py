"""Class Bingo: the sheet's Bingo for as many players as there are.

The sheet deals one bingo deck to A and B and calls from a second deck. A class of *n* is the same
with as many bingo decks as it takes and one calling deck: cards 2k-1 and 2k are the grids A and B
of the k-th bingo deck. Everybody looks after every call, and the first that gives anybody BINGO!
decides. With two players it is the sheet's round, card for card: :mod:`cardgames.games.bingo.rules`
says what covers a card and what makes a BINGO!

Everything here is a value or a function of values and time. Nothing waits, nothing is stored.
"""
