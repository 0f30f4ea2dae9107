# Author: the Cardgames project
# Collaborators and references: the assignment sheet and its sample output.
"""Playing-card Bingo: a grid, a table with two grids, and the program that plays the game.

Run as a program (``python bingo.py``), it plays the game. The tests are in ``bingoTests.py``.
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
"""For each play mode, the sets of positions that win if face down, numbered row by row."""

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
    """A grid of five by five cards, and the play mode that decides when the grid has a BINGO!"""

    def __init__(self) -> None:
        """Create an empty grid with the play mode ``L``."""
        self.__grid: list[list[Card]] = [[] for _ in range(SIDE)]
        self.__playMode = LINE

    def populate(self, cards: list[Card], playMode: str) -> None:
        """Place the first 25 cards row by row, all face up except the middle card.

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
        """Turn every matching card face down, and return whether any card matches.

        A card that is already face down matches too, and stays face down.

        Args:
            card: The called card.
            rankOnly: Whether to ignore the suit.

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
        """Return whether the face-down cards complete a pattern of the play mode."""
        cards = enumerate(self.__cards())
        faceDown = {place for place, card in cards if not card.isFaceUp()}
        return any(pattern <= faceDown for pattern in PATTERNS[self.__playMode])

    def clear(self) -> list[Card]:
        """Remove and return all cards of the grid."""
        cards = self.__cards()
        self.__grid = [[] for _ in range(SIDE)]
        return cards

    def __str__(self) -> str:
        """Return one line per row, and a last line that shows BINGO! or is empty."""
        rows = ["".join(str(card).center(FIELD_WIDTH) for card in row) for row in self.__grid]
        return "\n".join([*rows, SHOUT.center(GRID_WIDTH) if self.isBingo() else ""])

    def __cards(self) -> list[Card]:
        """Return the cards of the grid, row by row."""
        return [card for row in self.__grid for card in row]


class Table:
    """Two decks, two discard piles, and the grids of players A and B."""

    def __init__(self) -> None:
        """Create a table without cards."""
        self.__bingoDeck = Deck()
        self.__callingDeck = Deck()
        self.__bingoDiscards: list[Card] = []
        self.__callingDiscards: list[Card] = []
        self.__gridA = Bingo()
        self.__gridB = Bingo()

    def populateDeck(self, deckNumber: int, filename: str) -> None:
        """Fill a deck from a file with one card per line; the first card is the top card.

        Prints and skips lines that are not cards. Does not catch an OSError.

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

        Discards the remaining cards. If Deck or Bingo raises an exception, the dealt cards are
        discarded too, and the exception is raised again.

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
        """Print both grids."""
        for player, grid in zip(PLAYERS, (self.__gridA, self.__gridB), strict=True):
            print(f"Player {player}:")
            print(grid)

    def callCard(self) -> Card:
        """Discard the top card of the calling deck, and return the card, face up."""
        card = self.__callingDeck.dealCard()
        self.__callingDiscards.append(card)
        return card

    def updateTable(self, card: Card, rankOnly: bool) -> None:
        """Turn the cards that match a called card face down on both grids.

        Args:
            card: The called card.
            rankOnly: Whether to ignore the suit.

        """
        assert isinstance(card, Card), f"Not a card: {card!r}"
        assert isinstance(rankOnly, bool), f"Neither True nor False: {rankOnly!r}"
        self.__gridA.search(card, rankOnly)
        self.__gridB.search(card, rankOnly)

    def clearTable(self) -> None:
        """Discard the cards of both grids, and the remaining cards of the calling deck."""
        self.__bingoDiscards += self.__gridA.clear() + self.__gridB.clear()
        self.__discardAll(self.__callingDeck, self.__callingDiscards)

    def resetDecks(self) -> None:
        """Shuffle each discard pile, and add its cards to the bottom of its deck."""
        self.__putBack(self.__bingoDiscards, self.__bingoDeck)
        self.__putBack(self.__callingDiscards, self.__callingDeck)

    def isWinner(self) -> bool:
        """Return whether at least one player has a BINGO!"""
        return self.__gridA.isBingo() or self.__gridB.isBingo()

    def whoWon(self) -> str:
        """Return a message that names the winner or announces a tie.

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
        """Shuffle a pile, and move its cards to the bottom of a deck."""
        random.shuffle(pile)
        while pile:
            deck.addCard(pile.pop(0))


def isMode(text: object) -> bool:
    """Return whether a value is the letter of a play mode, in upper case."""
    return text in tuple(PATTERNS)


def cardsIn(filename: str) -> list[Card]:
    """Return the cards in a file, one card per line, and print lines that are not cards."""
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
    """Greet the players, play, and say goodbye, also after Ctrl-C or the end of the input."""
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
    """Prompt for a file name until a file fills the deck."""
    creating = f"Creating {DECK_NAMES[deckNumber]} deck..."
    print(creating)
    filled = False
    while not filled:
        filename = input(ASK_FILE)
        try:
            table.populateDeck(deckNumber, filename)
            filled = True
        except (OSError, ValueError):  # a ValueError means an invalid file name
            print(f"Problem with filename provided. {creating}")
        except Exception as error:  # noqa: BLE001 - the sheet's classes raise Exception
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
    except Exception as error:  # noqa: BLE001 - the sheet ends the round on any exception
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
    """Prompt until the answer's first letter is valid, and return the letter in upper case."""
    letter = input(question)[:1].upper()
    while letter not in letters:
        letter = input(question)[:1].upper()
    return letter


def dropOutput() -> None:
    """Discard the buffered output.

    After standard output is closed, the next opened file gets its file descriptor.
    """
    open(1, "w").close()
    with open("/dev/null", "w"):
        print(end="", flush=True)


if __name__ == "__main__":
    try:
        main()
        print(end="", flush=True)
    except BrokenPipeError:  # the pipe was closed, as in `python bingo.py | head`
        dropOutput()
