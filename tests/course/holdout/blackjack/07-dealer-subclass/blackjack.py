# Blackjack - my dealer is a special kind of hand
import simplegui
import random

# load card sprite - 936x384 - source: jfitz.com
CARD_SIZE = (72, 96)
CARD_CENTER = (36, 48)
card_images = simplegui.load_image("http://storage.googleapis.com/codeskulptor-assets/cards_jfitz.png")

CARD_BACK_SIZE = (72, 96)
CARD_BACK_CENTER = (36, 48)
card_back = simplegui.load_image("http://storage.googleapis.com/codeskulptor-assets/card_jfitz_back.png")

# define globals for cards
SUITS = ('C', 'S', 'H', 'D')
RANKS = ('A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K')
VALUES = {'A':1, '2':2, '3':3, '4':4, '5':5, '6':6, '7':7, '8':8, '9':9, 'T':10, 'J':10, 'Q':10, 'K':10}


# define card class
class Card:
    def __init__(self, suit, rank):
        if (suit in SUITS) and (rank in RANKS):
            self.suit = suit
            self.rank = rank
        else:
            self.suit = None
            self.rank = None
            print("Invalid card: ", suit, rank)

    def __str__(self):
        return self.suit + self.rank

    def get_suit(self):
        return self.suit

    def get_rank(self):
        return self.rank

    def draw(self, canvas, pos):
        card_loc = (CARD_CENTER[0] + CARD_SIZE[0] * RANKS.index(self.rank),
                    CARD_CENTER[1] + CARD_SIZE[1] * SUITS.index(self.suit))
        canvas.draw_image(card_images, card_loc, CARD_SIZE, [pos[0] + CARD_CENTER[0], pos[1] + CARD_CENTER[1]], CARD_SIZE)


score = 0
in_play = False
outcome = ''


class Hand:
    def __init__(self):
        self.hand = []

    def __str__(self):
        s = ''
        for c in self.hand:
            s = s + ' ' + str(c)
        return 'Hand contains' + s

    def add_card(self, card):
        self.hand.append(card)

    def get_value(self):
        value, aces = 0, 0
        for c in self.hand:
            if c.get_rank() == 'A':
                aces += 1
                value += 11
            else:
                value += VALUES[c.get_rank()]
        while value > 21 and aces > 0:
            value -= 10
            aces -= 1
        return value

    def busted(self):
        return self.get_value() > 21

    def draw(self, canvas, pos):
        for c in self.hand:
            c.draw(canvas, pos)
            pos = [pos[0] + 85, pos[1]]


class Dealer(Hand):
    """Knows how to play, and how to hide his hole card."""

    def __init__(self):
        Hand.__init__(self)
        self.hidden = True

    def play(self, deck):
        while self.get_value() < 17:
            self.add_card(deck.deal_card())

    def show(self):
        self.hidden = False

    def draw(self, canvas, pos):
        Hand.draw(self, canvas, pos)
        if self.hidden and self.hand:
            canvas.draw_image(card_back, CARD_BACK_CENTER, CARD_BACK_SIZE,
                              (pos[0] + CARD_BACK_CENTER[0], pos[1] + CARD_BACK_CENTER[1]), CARD_BACK_SIZE)


class Deck:
    def __init__(self):
        self.restock()

    def restock(self):
        self.deck = []
        for s in SUITS:
            for r in RANKS:
                self.deck.append(Card(s, r))

    def shuffle(self):
        random.shuffle(self.deck)

    def deal_card(self):
        card = self.deck[-1]
        self.deck.remove(card)
        return card

    def __str__(self):
        s = ''
        for c in self.deck:
            s = s + ' ' + str(c)
        return 'Deck contains' + s


the_deck = Deck()
me = Hand()
bank = Dealer()


def end_round(points, text):
    global score, in_play, outcome
    score += points
    in_play = False
    bank.show()
    outcome = text + ' New deal?'


def deal():
    global me, bank, in_play, outcome, score
    message = ''
    if in_play:
        score -= 1
        message = 'Round given up: you lose 1 point. '
    the_deck.restock()
    the_deck.shuffle()
    me = Hand()
    bank = Dealer()
    for i in range(2):
        me.add_card(the_deck.deal_card())
        bank.add_card(the_deck.deal_card())
    in_play = True
    outcome = message + 'Hit or stand?'


def hit():
    global outcome
    if in_play:
        me.add_card(the_deck.deal_card())
        outcome = 'Hit or stand?'
        if me.busted():
            end_round(-1, 'You have busted.')


def stand():
    global outcome
    if me.busted():
        outcome = 'But you have busted! New deal?'
    elif in_play:
        bank.play(the_deck)
        if bank.busted():
            end_round(1, 'Dealer is busted, you win!')
        elif me.get_value() > bank.get_value():
            end_round(1, 'You win!')
        else:
            end_round(-1, 'Dealer wins.')


def draw(canvas):
    canvas.draw_text('Blackjack', [20, 50], 45, 'White')
    canvas.draw_text('Score: %d' % score, [450, 50], 25, 'White')
    canvas.draw_text(outcome, [20, 110], 25, 'Lime')
    canvas.draw_text('Bank', [20, 135], 18, 'White')
    bank.draw(canvas, [20, 140])
    canvas.draw_text('You', [20, 325], 18, 'White')
    me.draw(canvas, [20, 330])


frame = simplegui.create_frame('Blackjack', 700, 500)
frame.set_canvas_background('Teal')
frame.add_button('Deal', deal, 120)
frame.add_button('Hit', hit, 120)
frame.add_button('Stand', stand, 120)
frame.set_draw_handler(draw)
deal()
frame.start()
