# Author: Cleo
# Collaborators: none
# References: the course notes
import random
from playingCards import Card, Deck

SIZE = 5


class Bingo:
    """A bingo grid."""

    def __init__(self):
        """Create an empty grid."""
        self.__grid = []
        self.__mode = 'L'

    def populate(self, cards, playMode):
        """Fill the grid."""
        assert type(cards) == list
        assert len(cards) >= SIZE * SIZE
        for card in cards:
            assert isinstance(card, Card)
        assert playMode in ['L', 'C', 'F']
        self.__grid = []
        index = 0
        for row in range(SIZE):
            line = []
            for col in range(SIZE):
                card = cards[index]
                if row == SIZE // 2 and col == SIZE // 2:
                    if card.isFaceUp():
                        card.turnOver()
                elif not card.isFaceUp():
                    card.turnOver()
                line.append(card)
                index += 1
            self.__grid.append(line)
        self.__mode = playMode

    def search(self, card, rankOnly):
        """Look for a card."""
        assert isinstance(card, Card)
        assert type(rankOnly) == bool
        found = False
        for row in self.__grid:
            for other in row:
                match = other.getRank() == card.getRank()
                if not rankOnly:
                    match = match and other.getSuit() == card.getSuit()
                if match:
                    found = True
                    if other.isFaceUp():
                        other.turnOver()
        return found

    def __down(self, row, col):
        """Is this card face down?"""
        return not self.__grid[row][col].isFaceUp()

    def isBingo(self):
        """Is it a bingo?"""
        if self.__grid == []:
            return False
        if self.__mode == 'C':
            return self.__down(0, 0) and self.__down(0, 4) and self.__down(4, 0) and self.__down(4, 4)
        if self.__mode == 'F':
            for row in range(SIZE):
                for col in range(SIZE):
                    if not self.__down(row, col):
                        return False
            return True
        for i in range(SIZE):
            across = 0
            downwards = 0
            for j in range(SIZE):
                if self.__down(i, j):
                    across += 1
                if self.__down(j, i):
                    downwards += 1
            if across == SIZE or downwards == SIZE:
                return True
        first = 0
        second = 0
        for i in range(SIZE):
            if self.__down(i, i):
                first += 1
            if self.__down(i, SIZE - 1 - i):
                second += 1
        return first == SIZE or second == SIZE

    def clear(self):
        """Take all the cards away."""
        cards = []
        for row in self.__grid:
            cards = cards + row
        self.__grid = []
        return cards

    def __str__(self):
        """Return the grid as a string."""
        text = ''
        for row in self.__grid:
            for card in row:
                text += str(card).center(6) + ' '
            text += '\n'
        if self.isBingo():
            text += 'BINGO!'.center(35)
        return text


class Table:
    """A bingo table."""

    def __init__(self):
        """Create an empty table."""
        self.__decks = Deck()
        self.__caller = Deck()
        self.__usedBingo = Deck()
        self.__usedCalling = Deck()
        self.__playerA = Bingo()
        self.__playerB = Bingo()

    def populateDeck(self, deckNumber, filename):
        """Fill a deck from a file."""
        assert type(deckNumber) == int and deckNumber in [0, 1]
        assert type(filename) == str
        deck = self.__decks
        if deckNumber == 1:
            deck = self.__caller
        file = open(filename)
        for line in file:
            code = line.strip()
            try:
                card = Card(code[0], code[1:], True)
                deck.addCard(card)
            except AssertionError:
                print('Line', code, 'is not a valid card, it is ignored')
        file.close()
        if not deck.isComplete():
            while deck.deckSize() > 0:
                deck.dealCard()
            raise Exception('Deck created from ' + filename + ' is not valid')

    def dealBingo(self, mode):
        """Deal the cards."""
        assert mode in ['L', 'C', 'F']
        forA = []
        forB = []
        for i in range(SIZE * SIZE):
            forA.append(self.__decks.dealCard())
            forB.append(self.__decks.dealCard())
        self.__playerA.populate(forA, mode)
        self.__playerB.populate(forB, mode)
        while self.__decks.deckSize() > 0:
            self.__usedBingo.addCard(self.__decks.dealCard())

    def displayTable(self):
        """Show both grids."""
        print('Player A:')
        print(self.__playerA)
        print('Player B:')
        print(self.__playerB)

    def callCard(self):
        """Call the next card."""
        card = self.__caller.dealCard()
        self.__usedCalling.addCard(card)
        card.turnOver()
        return card

    def updateTable(self, card, rankOnly):
        """Search both grids."""
        assert isinstance(card, Card)
        assert type(rankOnly) == bool
        self.__playerA.search(card, rankOnly)
        self.__playerB.search(card, rankOnly)

    def clearTable(self):
        """Put everything on the discard piles."""
        for card in self.__playerA.clear() + self.__playerB.clear():
            self.__usedBingo.addCard(card)
        while self.__caller.deckSize() > 0:
            self.__usedCalling.addCard(self.__caller.dealCard())

    def resetDecks(self):
        """Shuffle the discard piles back into the decks."""
        for pile, deck in [(self.__usedBingo, self.__decks), (self.__usedCalling, self.__caller)]:
            cards = []
            while pile.deckSize() > 0:
                card = pile.dealCard()
                if not card.isFaceUp():
                    card.turnOver()
                cards.append(card)
            random.shuffle(cards)
            for card in cards:
                deck.addCard(card)

    def isWinner(self):
        """Has somebody won?"""
        return self.__playerA.isBingo() or self.__playerB.isBingo()

    def whoWon(self):
        """Who has won?"""
        a = self.__playerA.isBingo()
        b = self.__playerB.isBingo()
        if a and b:
            return 'Tie!'
        if a:
            return 'Player A won!'
        if b:
            return 'Player B won!'
        raise Exception('Neither player has won')


def readDeck(table, number, name):
    """Ask for a file until it can be read."""
    done = False
    while not done:
        filename = input('File for the ' + name + ' deck: ')
        try:
            table.populateDeck(number, filename)
            done = True
        except OSError:
            print('No such file')


def askLetter(question, letters):
    """Ask until the answer begins with one of the letters."""
    answer = input(question)
    while len(answer) == 0 or answer[0].upper() not in letters:
        answer = input(question)
    return answer[0].upper()


def playRound(table, number):
    """Play one round."""
    mode = askLetter('Mode? (L)ine, (C)orners, (F)ull: ', 'LCF')
    speed = askLetter('Speed round? (y/n): ', 'YN') == 'Y'
    print('ROUND', number)
    try:
        table.dealBingo(mode)
        table.displayTable()
        while not table.isWinner():
            card = table.callCard()
            print('The card is', card)
            table.updateTable(card, speed)
            table.displayTable()
        print(table.whoWon())
    except Exception as e:
        print(e.args[0], 'Cannot continue with this round.')
    table.clearTable()
    table.resetDecks()


def main():
    """Play bingo."""
    table = Table()
    readDeck(table, 0, 'bingo')
    readDeck(table, 1, 'calling')
    number = 1
    again = 'Y'
    while again == 'Y':
        playRound(table, number)
        number += 1
        again = askLetter('Again? ', 'YN')
    print('Goodbye!')


if __name__ == "__main__":
    main()
