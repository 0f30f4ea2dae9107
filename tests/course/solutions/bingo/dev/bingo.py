"""Author: Dev.  References: none.  Collaborators: none.

The grid is kept as rows; the table knows two of everything.
"""
import random
import playingCards

MODES = {'L': 'line', 'C': 'corners', 'F': 'full'}


class Bingo(object):
    """Grid."""

    def __init__(self):
        """Five empty rows."""
        self.__rows = [[], [], [], [], []]
        self.__playMode = 'L'

    def populate(self, cards, playMode):
        """Lay the cards."""
        assert isinstance(cards, list) and len(cards) > 24, 'not enough cards'
        assert all(isinstance(card, playingCards.Card) for card in cards), 'not cards'
        assert playMode in tuple(MODES), 'no such mode'
        self.__playMode = playMode
        self.__rows = [cards[5 * n:5 * n + 5] for n in range(5)]
        for n, card in enumerate(cards[:25]):
            if card.isFaceUp() is (n == 12):
                card.turnOver()

    def __all(self):
        """All cards in a row."""
        return sum(self.__rows, [])

    def search(self, card, rankOnly):
        """Turn what matches."""
        assert isinstance(card, playingCards.Card) and isinstance(rankOnly, bool)
        matches = [mine for mine in self.__all() if mine.getRank() == card.getRank()
                   and (rankOnly or mine.getSuit() == card.getSuit())]
        for mine in matches:
            if mine.isFaceUp():
                mine.turnOver()
        return bool(matches)

    def isBingo(self):
        """Look at the face-down cards."""
        down = [[not card.isFaceUp() for card in row] for row in self.__rows]
        if not down[0]:
            return False
        corners = [down[y][x] for x in (0, 4) for y in (0, 4)]
        lines = down + [list(column) for column in zip(*down)]
        lines += [[down[n][n] for n in range(5)], [down[n][4 - n] for n in range(5)]]
        return {'L': any(map(all, lines)), 'C': all(corners), 'F': all(map(all, down))}[self.__playMode]

    def clear(self):
        """Give all cards back."""
        cards, self.__rows = self.__all(), [[], [], [], [], []]
        return cards

    def __str__(self):
        """Grid, and the shout."""
        rows = ['{:^6}{:^6}{:^6}{:^6}{:^6}'.format(*map(str, row)) for row in self.__rows if row]
        return '\n'.join(rows + [f'{"BINGO!":^30}' if self.isBingo() else ''])


class Table(object):
    """Two decks, two piles, two grids."""

    def __init__(self):
        """Nothing on it."""
        self.__gridDeck, self.__callDeck = playingCards.Deck(), playingCards.Deck()
        self.__gridPile, self.__callPile = [], []
        self.__a, self.__b = Bingo(), Bingo()

    def populateDeck(self, deckNumber, filename):
        """Read the cards of a deck."""
        assert deckNumber in (0, 1) and isinstance(deckNumber, int), 'no such deck'
        assert isinstance(filename, str), 'no name'
        fresh = playingCards.Deck()
        with open(filename) as lines:
            codes = [line.strip() for line in lines]
        for code in codes:
            try:
                assert len(code) == 2
                fresh.addCard(playingCards.Card(*code, True))
            except AssertionError:
                print(f'{code!r} is no card')
        if not fresh.isComplete():
            raise Exception(f'Deck created from {filename} is not valid')
        if deckNumber:
            self.__callDeck = fresh
        else:
            self.__gridDeck = fresh

    def dealBingo(self, mode):
        """Two grids."""
        assert mode in tuple(MODES), 'no such mode'
        hands = [], []
        for n in range(50):
            hands[n % 2].append(self.__gridDeck.dealCard())
        self.__a.populate(hands[0], mode)
        self.__b.populate(hands[1], mode)
        self.__empty(self.__gridDeck, self.__gridPile)

    def __empty(self, deck, pile):
        """Deal a deck onto a pile."""
        while deck.deckSize():
            pile.append(deck.dealCard())

    def displayTable(self):
        """Print both."""
        print('Player A:', self.__a, 'Player B:', self.__b, sep='\n')

    def callCard(self):
        """Next."""
        self.__callPile.append(self.__callDeck.dealCard())
        return self.__callPile[-1]

    def updateTable(self, card, rankOnly):
        """Both search."""
        for grid in (self.__a, self.__b):
            grid.search(card, rankOnly)

    def clearTable(self):
        """Everything to the piles."""
        self.__gridPile.extend(self.__a.clear())
        self.__gridPile.extend(self.__b.clear())
        self.__empty(self.__callDeck, self.__callPile)

    def resetDecks(self):
        """Everything to the decks."""
        for pile, deck in ((self.__gridPile, self.__gridDeck), (self.__callPile, self.__callDeck)):
            random.shuffle(pile)
            for card in pile:
                deck.addCard(card)
            pile.clear()

    def isWinner(self):
        """Anybody?"""
        return any(grid.isBingo() for grid in (self.__a, self.__b))

    def whoWon(self):
        """In words."""
        results = {(True, True): 'Tie!', (True, False): 'Player A won!', (False, True): 'Player B won!'}
        key = (self.__a.isBingo(), self.__b.isBingo())
        if key not in results:
            raise Exception('Neither player has won')
        return results[key]


def choose(text, options):
    """Ask for one of the options."""
    while True:
        print(text)
        choice = input('> ').upper()[:1]
        if choice and choice in options:
            return choice


def load(table, number):
    """Ask for a deck."""
    loaded = False
    while not loaded:
        name = input(['Bingo deck? ', 'Calling deck? '][number])
        try:
            table.populateDeck(number, name)
            loaded = True
        except OSError as problem:
            print('Try again:', problem)


def main():
    """Bingo."""
    table = Table()
    load(table, 0)
    load(table, 1)
    rounds, more = 0, 'Y'
    while more == 'Y':
        rounds += 1
        mode = choose('line, corners or full?', 'LCF')
        quick = choose('speed round?', 'YN') == 'Y'
        print(f'--- Round {rounds} ---')
        try:
            table.dealBingo(mode)
            table.displayTable()
            while not table.isWinner():
                called = table.callCard()
                print(f'{called} {called} {called}!')
                table.updateTable(called, quick)
                table.displayTable()
            print(f'Result of round {rounds}: {table.whoWon()}')
        except Exception as problem:
            print(problem)
            print('Cannot continue with this round.')
        table.clearTable()
        table.resetDecks()
        more = choose('one more?', 'YN')
    print('Thank you, see you next time')


if __name__ == '__main__':
    main()
