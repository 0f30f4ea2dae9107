"""Blackjack for CodeSkulptor 3, with the value of the hand and a help button."""
try:
    import simplegui
except ImportError:
    import SimpleGUICS2Pygame.simpleguics2pygame as simplegui
import random
import codeskulptor

codeskulptor.set_timeout(20)

WIDTH, HEIGHT = 72, 96
SHEET = simplegui.load_image('http://storage.googleapis.com/codeskulptor-assets/cards_jfitz.png')
BACK = simplegui.load_image('http://storage.googleapis.com/codeskulptor-assets/card_jfitz_back.png')
SUITS = 'CSHD'
RANKS = 'A23456789TJQK'
VALUES = {r: min(RANKS.index(r) + 1, 10) for r in RANKS}


class Card:
    def __init__(self, suit, rank):
        assert suit in SUITS and rank in RANKS
        self._code = suit + rank

    def __str__(self):
        return self._code

    def get_suit(self):
        return self._code[0]

    def get_rank(self):
        return self._code[1]

    def draw(self, canvas, pos):
        x = RANKS.index(self._code[1]) * WIDTH + WIDTH // 2
        y = SUITS.index(self._code[0]) * HEIGHT + HEIGHT // 2
        canvas.draw_image(SHEET, (x, y), (WIDTH, HEIGHT), (pos[0] + WIDTH / 2, pos[1] + HEIGHT / 2), (WIDTH, HEIGHT))


class Hand:
    def __init__(self):
        self._list = []

    def __str__(self):
        return ', '.join(str(c) for c in self._list) or 'no cards'

    def add_card(self, card):
        self._list = self._list + [card]

    def get_value(self):
        value = sum(VALUES[c.get_rank()] for c in self._list)
        if any(c.get_rank() == 'A' for c in self._list) and value < 12:
            value += 10
        return value

    def draw(self, canvas, pos):
        x, y = pos
        for c in self._list:
            c.draw(canvas, (x, y))
            x += 30 if len(self._list) > 6 else 80


class Deck:
    def __init__(self):
        self._cards = [Card(s, r) for r in RANKS for s in SUITS]

    def shuffle(self):
        random.shuffle(self._cards)

    def deal_card(self):
        return self._cards.pop()

    def __str__(self):
        return 'deck of ' + '/'.join(map(str, self._cards))


class State:
    """Everything that changes."""

    def __init__(self):
        self.player, self.dealer = Hand(), Hand()
        self.playing = False
        self.text = ''
        self.score = 0


state = State()
deck = Deck()


def finish(won, text):
    state.playing = False
    state.score += 1 if won else -1
    state.text = text


def deal():
    global deck
    note = ''
    if state.playing:
        finish(False, '')
        note = 'You lost that one. '
    deck = Deck()
    deck.shuffle()
    state.player, state.dealer = Hand(), Hand()
    for hand in [state.dealer, state.player] * 2:
        hand.add_card(deck.deal_card())
    state.playing = True
    state.text = note + 'Hit or stand?'


def hit():
    if state.playing:
        state.player.add_card(deck.deal_card())
        if state.player.get_value() > 21:
            finish(False, 'You have busted! New deal?')


def stand():
    if state.playing:
        while state.dealer.get_value() < 17:
            state.dealer.add_card(deck.deal_card())
        mine, theirs = state.player.get_value(), state.dealer.get_value()
        if theirs > 21:
            finish(True, 'Dealer busted - you win. New deal?')
        elif mine > theirs:
            finish(True, 'You win with ' + str(mine) + '. New deal?')
            state.text = 'You win. New deal?'
        else:
            finish(False, 'Dealer wins. New deal?')
    elif state.player.get_value() > 21:
        state.text = 'You busted already. New deal?'


def show_help():
    print('Get closer to 21 than the dealer.')


def draw(canvas):
    canvas.draw_polygon([(0, 0), (600, 0), (600, 90), (0, 90)], 1, 'Black', 'DarkGreen')
    canvas.draw_text('BLACKJACK', (20, 60), 50, 'White', 'sans-serif')
    canvas.draw_text('Score: %d' % state.score, (430, 60), 30, 'White', 'monospace')
    state.player.draw(canvas, (50, 150))
    canvas.draw_text('Player: %d' % state.player.get_value(), (50, 140), 24, 'White')
    state.dealer.draw(canvas, (50, 350))
    canvas.draw_text('Dealer', (50, 340), 24, 'White')
    if state.playing:
        canvas.draw_image(BACK, (36, 48), (72, 96), (50 + 36, 350 + 48), (72, 96))
    width = frame.get_canvas_textwidth(state.text, 28)
    canvas.draw_text(state.text, ((600 - width) / 2, 560), 28, 'Orange')


frame = simplegui.create_frame('Blackjack', 600, 600, 150)
frame.set_canvas_background('Green')
frame.set_draw_handler(draw)
frame.add_label('Blackjack')
for label, handler in (('Stand', stand), ('Hit', hit), ('Help', show_help), ('Deal', deal)):
    frame.add_button(label, handler, 120)

if __name__ == '__main__':
    deal()
    frame.start()
