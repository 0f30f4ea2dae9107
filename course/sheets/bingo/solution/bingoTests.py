# Author: the Cardgames project
# Collaborators and references: the assignment sheet and its pictures of a grid.
"""Tests of the classes Bingo and Table. Run them with ``python bingoTests.py``."""

import random

import bingo
from bingo import Bingo, Table
from playingCards import Card, Deck

DEALT = """
    KS AH 6C 5H KC
    TD 7H 9C 8S 4C
    2D AC 4H 4S 4D
    5D 3D TC 8C JC
    9H 5C 7C 5S JS
"""
FACE_UP = """\
[ KS ][ AH ][ 6C ][ 5H ][ KC ]
[ TD ][ 7H ][ 9C ][ 8S ][ 4C ]
[ 2D ][ AC ] [ ]  [ 4S ][ 4D ]
[ 5D ][ 3D ][ TC ][ 8C ][ JC ]
[ 9H ][ 5C ][ 7C ][ 5S ][ JS ]
"""
DIAGONAL = """\
 [ ]  [ AH ][ 6C ][ 5H ][ KC ]
[ TD ] [ ]  [ 9C ][ 8S ][ 4C ]
[ 2D ][ AC ] [ ]  [ 4S ][ 4D ]
[ 5D ][ 3D ][ TC ] [ ]  [ JC ]
[ 9H ][ 5C ][ 7C ][ 5S ] [ ]  
            BINGO!            """  # noqa: W291
IN_ORDER = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
SIDE = range(5)
LINES = [
    *([5 * row + column for column in SIDE] for row in SIDE),
    *([5 * row + column for row in SIDE] for column in SIDE),
    [0, 6, 12, 18, 24],
    [4, 8, 12, 16, 20],
]
CORNERS = [0, 4, 20, 24]
SAME_CARD = False  # the value of rankOnly that compares suits too


def cardsFor(codes: list[str], faceUp: bool = True) -> list[Card]:
    """Return the cards with these codes."""
    return [Card(code[0], code[1], faceUp) for code in codes]


def populated(playMode: str) -> Bingo:
    """Return a grid with the cards of the sheet's pictures."""
    grid = Bingo()
    grid.populate(cardsFor(DEALT.split()), playMode)
    return grid


def refused(message: str, act: object, *arguments: object) -> bool:
    """Return whether a call raises an exception with the message; "" means an AssertionError."""
    try:
        act(*arguments)  # type: ignore[operator]
    except AssertionError:
        return message == ""
    except Exception as error:  # noqa: BLE001 - the sheet's classes raise Exception
        return error.args == (message,)
    return False


def testEmptyGrid() -> None:
    """An empty grid has no cards and no BINGO!, and can be printed."""
    grid = Bingo()
    assert (grid.isBingo(), grid.clear(), str(grid)) == (False, [], "\n" * 5)
    assert grid.search(Card("K", "S", faceUp=True), rankOnly=True) is False


def testPopulate() -> None:
    """Face-up or face-down cards are placed row by row, all face up except the middle card."""
    for faceUp in (True, False):
        cards = cardsFor(DEALT.split(), faceUp)
        grid = Bingo()
        grid.populate([*cards, Card("2", "S", faceUp=True)], "L")
        assert str(grid) == FACE_UP
        assert grid.clear() == cards
        assert str(grid) == "\n" * 5


def testPopulateRefuses() -> None:
    """Everything except a list of at least 25 cards and a valid play mode is rejected."""
    cards = cardsFor(DEALT.split())
    grid = Bingo()
    assert refused("", grid.populate, cards[:24], "L")
    assert refused("", grid.populate, tuple(cards), "L")
    assert refused("", grid.populate, [*cards[:24], "KS"], "L")
    for playMode in ("", "l", "X", "LC", None, 1):
        assert refused("", grid.populate, cards, playMode)
    assert str(grid) == "\n" * 5


def testSearch() -> None:
    """A matching card is face down after one or more searches."""
    grid = populated("L")
    for _ in range(2):
        for code in ("KS", "7H", "8C", "JS"):
            assert grid.search(Card(code[0], code[1], faceUp=True), rankOnly=False) is True
        assert str(grid) == DIAGONAL
    assert grid.search(Card("4", "H", faceUp=True), rankOnly=False) is True
    assert grid.search(Card("2", "S", faceUp=True), rankOnly=False) is False
    assert str(grid) == DIAGONAL
    assert refused("", grid.search, "KS", SAME_CARD)
    assert refused("", grid.search, Card("K", "S", faceUp=True), 0)


def testSearchRanks() -> None:
    """A search by rank turns all cards of the rank face down."""
    grid = populated("L")
    assert grid.search(Card("4", "C", faceUp=False), rankOnly=True) is True
    assert [place for place, card in enumerate(grid.clear()) if not card.isFaceUp()] == [
        9, 12, 13, 14,
    ]  # fmt: skip
    grid = populated("L")
    assert grid.search(Card("Q", "C", faceUp=True), rankOnly=True) is False
    assert str(grid) == FACE_UP


def testIsBingo() -> None:
    """Each line, the corners and the full grid are a BINGO!, but not before they are complete."""
    patterns = {"L": LINES, "C": [CORNERS], "F": [list(range(25))]}
    for playMode, places in patterns.items():
        for pattern in places:
            calls = [place for place in pattern if place != 12]
            random.shuffle(calls)
            grid = populated(playMode)
            for place in calls:
                assert not grid.isBingo()
                assert "BINGO!" not in str(grid)
                code = DEALT.split()[place]
                grid.search(Card(code[0], code[1], faceUp=True), rankOnly=False)
            assert grid.isBingo()
            assert str(grid).endswith("\n" + "BINGO!".center(30))


class Lines:
    """A stand-in for an open file with lines."""

    def __init__(self, lines: list[str]) -> None:
        """Create a file with these lines."""
        self.__lines = lines

    def __enter__(self) -> list[str]:
        """Return the lines."""
        return [line + "\n" for line in self.__lines]

    def __exit__(self, *problem: object) -> None:
        """Close the file."""


def withFiles(**files: list[str]) -> list[str]:
    """Make ``bingo`` open these files instead of files on disk; return the list of its output."""
    printed: list[str] = []

    def openFile(filename: str, **_: str) -> Lines:
        """Open one of the files."""
        if filename not in files:
            raise FileNotFoundError(filename)
        return Lines(files[filename])

    def keep(thing: object) -> None:
        """Record a line of output."""
        printed.append(str(thing))

    vars(bingo).update(open=openFile, print=keep)
    return printed


def testPopulateDeck() -> None:
    """A deck is filled from 52 different cards; invalid lines are skipped."""
    bad = ["XX", "", "10S", "K"]
    printed = withFiles(
        good=IN_ORDER,
        small=[code.lower() for code in IN_ORDER],
        noisy=[*bad, *IN_ORDER],
        short=IN_ORDER[1:],
        long=[*IN_ORDER, "KS"],
        twice=["KS", *IN_ORDER[1:]],
    )
    for deckNumber in (0, 1):
        for name in ("short", "long", "twice"):
            message = f"Deck created from {name} is not valid"
            assert refused(message, Table().populateDeck, deckNumber, name)
        assert printed == []
        for name in ("good", "small", "noisy"):
            Table().populateDeck(deckNumber, name)
        assert len(printed) == len(bad)
        assert all(code in line for code, line in zip(bad, printed, strict=True))
        printed.clear()
    for noNumber in (2, -1, "0", 0.0, None):
        assert refused("", Table().populateDeck, noNumber, "none")
    assert refused("", Table().populateDeck, 0, None)
    try:
        Table().populateDeck(0, "none")
    except OSError:
        return
    raise AssertionError("a file that does not exist was read")


def testRound() -> None:
    """In a round with known cards, player A completes a line, and then both players tie."""
    printed = withFiles(good=IN_ORDER)
    table = Table()
    assert refused("Cannot deal card from empty deck", table.callCard)
    assert refused("Cannot deal card from empty deck", table.dealBingo, "L")
    table.populateDeck(0, "good")
    table.populateDeck(1, "good")
    assert refused("", table.dealBingo, "X")
    table.dealBingo("L")
    table.displayTable()
    assert [line for line in printed if "Player" in line] == ["Player A:", "Player B:"]
    assert printed[1].startswith("[ AC ][ 3C ][ 5C ][ 7C ][ 9C ]\n")
    assert printed[3].startswith("[ 2C ][ 4C ][ 6C ][ 8C ][ TC ]\n")
    for count in range(1, 10):
        assert not table.isWinner()
        assert refused("Neither player has won", table.whoWon)
        card = table.callCard()
        assert card.isFaceUp()
        assert card == Card(IN_ORDER[count - 1][0], "C", faceUp=False)
        table.updateTable(card, rankOnly=False)
    assert table.isWinner()
    assert table.whoWon() == "Player A won!"
    table.updateTable(table.callCard(), rankOnly=False)
    assert table.whoWon() == "Tie!"
    assert refused("", table.updateTable, "KS", SAME_CARD)
    assert refused("", table.updateTable, Card("K", "S", faceUp=True), None)


def testPlayerBWins() -> None:
    """Player B can win too."""
    withFiles(good=IN_ORDER)
    table = Table()
    table.populateDeck(0, "good")
    table.dealBingo("C")
    for rank, suit in (("2", "C"), ("T", "C"), ("Q", "C"), ("K", "S")):
        table.updateTable(Card(rank, suit, faceUp=True), rankOnly=False)
        assert not table.isWinner()
    for code in (IN_ORDER[41], IN_ORDER[49]):
        table.updateTable(Card(code[0], code[1], faceUp=True), rankOnly=False)
    assert table.whoWon() == "Player B won!"


def testResetDecks() -> None:
    """After a round, both decks are complete again, in a different order."""
    withFiles(good=IN_ORDER)
    table = Table()
    table.populateDeck(0, "good")
    table.populateDeck(1, "good")
    orders = []
    for _ in range(3):
        table.dealBingo("F")
        deck = Deck()
        while deck.deckSize() < len(IN_ORDER):
            card = table.callCard()
            deck.addCard(Card(card.getRank(), card.getSuit(), faceUp=True))
        assert refused("Cannot deal card from empty deck", table.callCard)
        assert deck.isComplete()
        orders.append(str(deck))
        table.clearTable()
        table.resetDecks()
    assert orders[0] != orders[1] != orders[2]


def main() -> None:
    """Run all tests."""
    testEmptyGrid()
    testPopulate()
    testPopulateRefuses()
    testSearch()
    testSearchRanks()
    testIsBingo()
    print("Bingo: all tests passed")
    testPopulateDeck()
    testRound()
    testPlayerBWins()
    testResetDecks()
    print("Table: all tests passed")


if __name__ == "__main__":
    main()
