"""Class Bingo: the Bingo of the assignment sheet, for any number of players.

The sheet deals one bingo deck to A and B, and calls cards from a second deck. A class has one
calling deck, and a separate bingo deck for each card (:mod:`.decks`). All cards are checked after
every call, and the first call that gives a card BINGO! decides the round. The rules of covering and
of BINGO! are those of the sheet (:mod:`cardgames.games.bingo.rules`).

All objects in this package are values, or functions of values and the time. The package never waits
for a call, and stores nothing.
"""
