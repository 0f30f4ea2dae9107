# Author: the Cardgames project
# Collaborators and references: the assignment sheet and its sample output.
"""Playing-card Bingo: a grid, a table with two of them, and the program that plays on it.

Run by itself (``python bingo.py``) it plays; the tests are in ``bingoTests.py``.
"""

import random

from playingCards import Card, Deck

__all__ = ["Bingo", "Table"]

DECK_SIZE = 52
SIDE = 5
GRID_SIZE = SIDE * SIDE
CENTRE = GRID_SIZE // 2

LINE = "L"
CORNERS = "C"
FULL = "F"
ROWS = [set(range(start, start + SIDE)) for start in range(0, GRID_SIZE, SIDE)]
COLUMNS = [set(range(start, GRID_SIZE, SIDE)) for start in range(SIDE)]
DIAGONALS = [set(range(0, GRID_SIZE, SIDE + 1)), set(range(SIDE - 1, GRID_SIZE - 1, SIDE - 1))]
PATTERNS = {
    LINE: ROWS + COLUMNS + DIAGONALS,
    CORNERS: [{0, SIDE - 1, GRID_SIZE - SIDE, GRID_SIZE - 1}],
    FULL: [set(range(GRID_SIZE))],
}
"""The sets of places, row by row, one of which must be face down to win, by mode."""

FIELD_WIDTH = 6
GRID_WIDTH = SIDE * FIELD_WIDTH
SHOUT = "BINGO!"
PLAYERS = ("A", "B")

BINGO_DECK = 0
CALLING_DECK = 1
DECK_NAMES = {BINGO_DECK: "bingo", CALLING_DECK: "calling"}

A_WON = "Player A won!"
B_WON = "Player B won!"
TIE = "Tie!"

STARS = "*" * 30
DASHES = "-" * 24
ASK_FILE = "Please enter filename to initialize deck: "
ASK_MODE = "Please select playing mode for this round: (L)ine, (C)orners, (F)ull > "
ASK_SPEED = "Play speed round (i.e. compare card ranks only) (Y/N)? "
ASK_AGAIN = "Play another round (Y/N)? "
MODES = tuple(PATTERNS)
YES = "Y"
NO = "N"


class Bingo:
    """A grid of five by five cards, and the pattern that makes a BINGO! on it."""

    def __init__(self) -> None:
        """Create an empty grid for lines."""
        self.__grid: list[list[Card]] = [[] for _ in range(SIDE)]
        self.__playMode = LINE

    def populate(self, cards: list[Card], playMode: str) -> None:
        """Place the first 25 cards row by row, all face up except the one in the middle.

        Args:
            cards: At least 25 cards, face up or face down.
            playMode: ``L`` for a line, ``C`` for the corners, ``F`` for the full grid.

        """
        assert isinstance(cards, list), f"Not a list of cards: {cards!r}"
        assert all(isinstance(card, Card) for card in cards), "Not only cards in the list"
        assert len(cards) >= GRID_SIZE, f"Not enough cards for a grid: {len(cards)}"
        assert isMode(playMode), f"Not a play mode: {playMode!r}"
        for place, card in enumerate(cards[:GRID_SIZE]):
            if card.isFaceUp() == (place == CENTRE):
                card.turnOver()
        self.__grid = [cards[start : start + SIDE] for start in range(0, GRID_SIZE, SIDE)]
        self.__playMode = playMode

    def search(self, card: Card, rankOnly: bool) -> bool:
        """Turn every match face down, and return whether there was one.

        A card that is already face down is a match too, and stays down.

        Args:
            card: The card that was called.
            rankOnly: Whether the suits may differ.

        """
        assert isinstance(card, Card), f"Not a card: {card!r}"
        assert isinstance(rankOnly, bool), f"Neither True nor False: {rankOnly!r}"
        found = False
        for mine in self.__cards():
            if mine.getRank() == card.getRank() if rankOnly else mine == card:
                found = True
                if mine.isFaceUp():
                    mine.turnOver()
        return found

    def isBingo(self) -> bool:
        """Return whether the face-down cards match the pattern."""
        cards = enumerate(self.__cards())
        faceDown = {place for place, card in cards if not card.isFaceUp()}
        return any(pattern <= faceDown for pattern in PATTERNS[self.__playMode])

    def clear(self) -> list[Card]:
        """Take all cards off the grid and return them."""
        cards = self.__cards()
        self.__grid = [[] for _ in range(SIDE)]
        return cards

    def __str__(self) -> str:
        """Return a line for each row, and a last one, with BINGO! or empty."""
        rows = ["".join(str(card).center(FIELD_WIDTH) for card in row) for row in self.__grid]
        return "\n".join([*rows, SHOUT.center(GRID_WIDTH) if self.isBingo() else ""])

    def __cards(self) -> list[Card]:
        """Return the cards row by row."""
        return [card for row in self.__grid for card in row]


class Table:
    """Two decks, two discard piles, and the grids of players A and B."""

    def __init__(self) -> None:
        """Make a table without cards."""
        self.__bingoDeck = Deck()
        self.__callingDeck = Deck()
        self.__bingoDiscards: list[Card] = []
        self.__callingDiscards: list[Card] = []
        self.__gridA = Bingo()
        self.__gridB = Bingo()

    def populateDeck(self, deckNumber: int, filename: str) -> None:
        """Fill a deck from a file with one card per line, the first line on top.

        Lines that are not a card are printed and skipped. An OSError of the file is not caught.

        Args:
            deckNumber: 0 for the bingo deck, 1 for the calling deck.
            filename: The name of the file.

        Raises:
            Exception: If the cards are not a complete deck. The deck is then unchanged.

        """
        assert type(deckNumber) is int, f"Not the number of a deck: {deckNumber!r}"
        assert deckNumber in DECK_NAMES, f"Not the number of a deck: {deckNumber!r}"
        assert isinstance(filename, str), f"Not a filename: {filename!r}"
        cards = cardsIn(filename)
        deck = Deck()
        for card in cards[:DECK_SIZE]:
            deck.addCard(card)
        if len(cards) > DECK_SIZE or not deck.isComplete():
            raise Exception(f"Deck created from {filename} is not valid")
        if deckNumber == BINGO_DECK:
            self.__bingoDeck = deck
        else:
            self.__callingDeck = deck

    def dealBingo(self, mode: str) -> None:
        """Deal from the bingo deck to A and B in turn until both grids are full.

        The other cards are discarded. Exceptions of Deck or Bingo are not caught, but no card is
        lost then.

        Args:
            mode: The play mode of both grids.

        """
        assert isMode(mode), f"Not a play mode: {mode!r}"
        cards: list[Card] = []
        try:
            while len(cards) < len(PLAYERS) * GRID_SIZE:
                cards.append(self.__bingoDeck.dealCard())
            self.__gridA.populate(cards[0::2], mode)
            self.__gridB.populate(cards[1::2], mode)
        except Exception:
            self.__bingoDiscards += cards
            raise
        self.__discardAll(self.__bingoDeck, self.__bingoDiscards)

    def displayTable(self) -> None:
        """Show both grids."""
        for player, grid in zip(PLAYERS, (self.__gridA, self.__gridB), strict=True):
            print(f"Player {player}:")
            print(grid)

    def callCard(self) -> Card:
        """Move the top card of the calling deck to its discard pile, and return it, face up."""
        card = self.__callingDeck.dealCard()
        self.__callingDiscards.append(card)
        return card

    def updateTable(self, card: Card, rankOnly: bool) -> None:
        """Turn the matches of a card face down on both grids.

        Args:
            card: the card that was called.
            rankOnly: whether the suits may differ.

        """
        assert isinstance(card, Card), f"Not a card: {card!r}"
        assert isinstance(rankOnly, bool), f"Neither True nor False: {rankOnly!r}"
        self.__gridA.search(card, rankOnly)
        self.__gridB.search(card, rankOnly)

    def clearTable(self) -> None:
        """Discard the cards of both grids, and the rest of the calling deck."""
        self.__bingoDiscards += self.__gridA.clear() + self.__gridB.clear()
        self.__discardAll(self.__callingDeck, self.__callingDiscards)

    def resetDecks(self) -> None:
        """Shuffle each discard pile and put it back under its deck."""
        self.__putBack(self.__bingoDiscards, self.__bingoDeck)
        self.__putBack(self.__callingDiscards, self.__callingDeck)

    def isWinner(self) -> bool:
        """Return whether at least one player has a BINGO!"""
        return self.__gridA.isBingo() or self.__gridB.isBingo()

    def whoWon(self) -> str:
        """Return the winner, in words.

        Raises:
            Exception: If no player has a BINGO!

        """
        if not self.isWinner():
            raise Exception("Neither player has won")
        if self.__gridA.isBingo() and self.__gridB.isBingo():
            return TIE
        return A_WON if self.__gridA.isBingo() else B_WON

    def __discardAll(self, deck: Deck, pile: list[Card]) -> None:
        """Move every card of a deck to a pile."""
        while deck.deckSize():
            pile.append(deck.dealCard())

    def __putBack(self, pile: list[Card], deck: Deck) -> None:
        """Shuffle a pile, and move it under a deck."""
        random.shuffle(pile)
        while pile:
            deck.addCard(pile.pop(0))


def isMode(text: object) -> bool:
    """Return whether something is the one character of a play mode, in upper case."""
    return text in tuple(PATTERNS)


def cardsIn(filename: str) -> list[Card]:
    """Return the cards in a file, one per line, and print the lines that are not a card."""
    cards = []
    with open(filename, encoding="utf-8", errors="replace") as file:
        for line in file:
            code = line.strip()
            try:
                cards.append(Card(code[:1], code[1:], faceUp=False))
            except AssertionError:
                print(f"Not a card, and not added to the deck: {code!r}")
    return cards


def main() -> None:
    """Greet, play, and say goodbye, also at the end of the input (or after Ctrl-C)."""
    print(STARS)
    print("Welcome to Playing Card Bingo!")
    print(STARS)
    try:
        playGame()
    except (EOFError, KeyboardInterrupt):
        print()
    print("Thank you for playing. Goodbye.")


def playGame() -> None:
    """Set up the table, and play rounds until the player quits."""
    table = Table()
    fillDeck(table, BINGO_DECK)
    fillDeck(table, CALLING_DECK)
    number = 1
    playRound(table, number)
    while ask(ASK_AGAIN, (YES, NO)) == YES:
        number += 1
        playRound(table, number)


def fillDeck(table: Table, deckNumber: int) -> None:
    """Prompt for a file until a deck is filled from it."""
    creating = f"Creating {DECK_NAMES[deckNumber]} deck..."
    print(creating)
    filled = False
    while not filled:
        filename = input(ASK_FILE)
        try:
            table.populateDeck(deckNumber, filename)
            filled = True
        except (OSError, ValueError):  # a ValueError is a name that no file can have
            print(f"Problem with filename provided. {creating}")
        except Exception as error:  # noqa: BLE001 - the sheet asks for no narrower class
            print(error)


def playRound(table: Table, number: int) -> None:
    """Prompt for the mode, play one round, and prepare the table for the next round."""
    mode = ask(ASK_MODE, MODES)
    rankOnly = ask(ASK_SPEED, (YES, NO)) == YES
    print()
    print(f"Round {number} beginning...")
    try:
        callUntilBingo(table, mode, rankOnly)
        print(f"Round {number}: {table.whoWon()}")
    except Exception as error:  # noqa: BLE001 - any exception ends the round, says the sheet
        print(error)
        print("Cannot continue with this round.")
    table.clearTable()
    table.resetDecks()


def callUntilBingo(table: Table, mode: str, rankOnly: bool) -> None:
    """Deal the grids, and call cards until a player has a BINGO!"""
    table.dealBingo(mode)
    table.displayTable()
    while not table.isWinner():
        card = table.callCard()
        print(DASHES)
        print(f"Now calling {card}")
        table.updateTable(card, rankOnly)
        table.displayTable()


def ask(question: str, letters: tuple[str, ...]) -> str:
    """Prompt until the answer begins with one of the letters, in either case; return it."""
    letter = input(question)[:1].upper()
    while letter not in letters:
        letter = input(question)[:1].upper()
    return letter


def dropOutput() -> None:
    """Discard the output that was not printed yet.

    The next file that is opened replaces the closed standard output.
    """
    open(1, "w").close()
    with open("/dev/null", "w"):
        print(end="", flush=True)


if __name__ == "__main__":
    try:
        main()
        print(end="", flush=True)
    except BrokenPipeError:  # the reader stopped, as in `python bingo.py | head`
        dropOutput()
