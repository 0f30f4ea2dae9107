"""War, for any number of players."""
import random
from collections import deque
from functools import total_ordering


@total_ordering
class Card:
    """A card; only its rank counts."""

    suit_str = dict(zip('SHCD', '\u2660\u2661\u2663\u2662'))
    rank_str = {}
    for _number in range(2, 15):
        rank_str[_number] = 'JQKA'[_number - 11] if _number > 10 else str(_number)

    def __init__(self, rank, suit):
        assert suit in list(self.suit_str), 'suit'
        assert rank in list(self.rank_str), 'rank'
        self.rank, self.suit = rank, suit

    def __str__(self):
        return self.rank_str[self.rank] + self.suit_str[self.suit]

    def __repr__(self):
        return "Card(%d,'%s')" % (self.rank, self.suit)

    def __eq__(self, other):
        return self.rank == other.rank

    def __lt__(self, other):
        return self.rank < other.rank


class Hand:
    """Cards in a queue: no attribute is called cards here."""

    def __init__(self, cards=()):
        self._queue = deque(cards)

    def receive_cards(self, cards):
        self._queue.extend(cards)

    def receive_card(self, card):
        self._queue.append(card)

    def shuffle(self):
        order = list(self._queue)
        random.shuffle(order)
        self._queue = deque(order)

    def give_card(self):
        assert self._queue, 'no cards'
        return self._queue.popleft()

    def give_cards(self):
        while self._queue:
            yield self._queue.popleft()

    @property
    def num_cards(self):
        return len(self._queue)

    def __iter__(self):
        return iter(tuple(self._queue))

    def __repr__(self):
        return 'Hand(%r)' % list(self)

    def __str__(self):
        return repr([str(card) for card in self])


class Deck(Hand):
    """Fifty-two of them."""

    def __init__(self):
        super().__init__(self.build_deck())
        self.size = 52
        self.shuffle()

    @staticmethod
    def build_deck():
        return [Card(number, letter) for number in Card.rank_str for letter in Card.suit_str]


class Player(Hand):
    """A hand that has a name."""

    def __init__(self, name, cards=()):
        super().__init__(cards)
        self.name = name
        self.wins = 0

    def __repr__(self):
        return 'Player(%r, %r)' % (self.name, list(self))

    def __str__(self):
        return '<%r has %s>' % (self.name, super().__str__())


class Game:
    """The game."""

    def __init__(self, players):
        self.players = players
        self.deck = Deck()

    def deal(self):
        seat = 0
        while self.deck.num_cards:
            self.players[seat % len(self.players)].receive_card(self.deck.give_card())
            seat += 1

    def turn(self, do_print=False):
        fighters = [player for player in self.players if player.num_cards]
        assert len(fighters) > 1, 'somebody has no cards'
        pile = []
        while True:
            row = [player.give_card() for player in fighters]
            pile[:0] = row
            best = max(row)
            leaders = [player for player, card in zip(fighters, row) if card == best]
            if len(leaders) == 1:
                break
            fighters = [player for player in leaders if player.num_cards]
            if len(fighters) < 2:
                leaders = fighters or leaders[-1:]
                break
            if do_print:
                print('war:', [str(card) for card in pile], 'TIE!')
        winner = leaders[0]
        winner.receive_cards(pile)
        winner.shuffle()
        if do_print:
            print('war:', [str(card) for card in pile], '=>', winner.name)
        return winner

    def play(self, do_print=False):
        self.deal()
        if do_print:
            for player in self.players:
                print('at start', player)
        winner = self.turn(do_print)
        while winner.num_cards < self.deck.size:
            winner = self.turn(do_print)
        if do_print:
            print('%s wins!' % winner.name)
        return winner

    def play_n_times(self, n):
        for player in self.players:
            player.wins = 0
        for _ in range(n):
            self.play().wins += 1
            for player in self.players:
                self.deck.receive_cards(player.give_cards())
            self.deck.shuffle()
            self.deal()
        print()
        print('Played', n, 'hands')
        for player in self.players:
            print('  ', player.name, 'wins:', player.wins)


# What the notebook tries:
print(Card(2, 'H'), Card(2, 'H') == Card(2, 'S'))
game = Game([Player('Amy'), Player('Brad')])
game.play_n_times(100)
