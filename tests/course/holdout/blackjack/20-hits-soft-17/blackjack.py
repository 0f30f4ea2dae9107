"""Blackjack as a little state machine: nothing is stored but cards, a phase and a tally."""
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


PLAYING, BUST, DEALER_BUST, WON, LOST, QUIT = "playing", "bust", "dealer bust", "won", "lost", "quit"
TEXT = {
    PLAYING: "Hit or stand?",
    QUIT: "You lost the round you left. Now: hit or stand?",
    BUST: "You have busted. New deal?",
    DEALER_BUST: "The dealer has busted, you won. New deal?",
    WON: "You won. New deal?",
    LOST: "The dealer won. New deal?",
}
POINTS = {PLAYING: 0, QUIT: -1, BUST: -1, DEALER_BUST: 1, WON: 1, LOST: -1}


class Hand:
    def __init__(self):
        self.cards = []

    def __iter__(self):
        return iter(self.cards)

    def __str__(self):
        return "Hand contains %s" % " ".join(str(card) for card in self)

    def add_card(self, card):
        self.cards.append(card)

    def get_value(self):
        points = [VALUES[card.get_rank()] for card in self]
        return sum(points) + (10 if 1 in points and sum(points) <= 11 else 0)

    def draw(self, canvas, pos):
        left, top = pos
        for offset, card in zip(range(0, 1000, 80), self):
            card.draw(canvas, (left + offset, top))


class Deck:
    def __init__(self):
        self.cards = [Card(suit, rank) for suit in SUITS for rank in RANKS]

    def __str__(self):
        return "Deck contains %s" % " ".join(str(card) for card in self.cards)

    def shuffle(self):
        random.shuffle(self.cards)

    def deal_card(self):
        return self.cards.pop()


class Machine:
    """The whole game."""

    def __init__(self):
        self.phase = LOST
        self.score = 0
        self.deck, self.hands = Deck(), {"Dealer": Hand(), "You": Hand()}

    def value(self, who):
        return self.hands[who].get_value()

    def soft_17(self):
        points = [VALUES[card.get_rank()] for card in self.hands["Dealer"]]
        return 1 in points and sum(points) == 7

    def draw_for(self, who):
        self.hands[who].add_card(self.deck.deal_card())

    def playing(self):
        return self.phase in (PLAYING, QUIT)

    def enter(self, phase):
        self.phase = phase
        self.score += POINTS[phase]

    def deal(self):
        left = self.playing()
        self.deck = Deck()
        self.deck.shuffle()
        self.hands = {who: Hand() for who in self.hands}
        for who in list(self.hands) * 2:
            self.draw_for(who)
        self.enter(QUIT if left else PLAYING)

    def hit(self):
        if self.playing():
            self.draw_for("You")
            self.enter(BUST if self.value("You") > 21 else PLAYING)

    def stand(self):
        if self.playing():
            while self.value("Dealer") < 17 or self.soft_17():
                self.draw_for("Dealer")
            if self.value("Dealer") > 21:
                self.enter(DEALER_BUST)
            elif self.value("You") > self.value("Dealer"):
                self.enter(WON)
            else:
                self.enter(LOST)

    def draw(self, canvas):
        canvas.draw_text("Blackjack", (40, 50), 40, "White")
        canvas.draw_text("Score = %d" % self.score, (420, 50), 24, "White")
        for row, (who, hand) in enumerate(self.hands.items()):
            top = 100 + 180 * row
            canvas.draw_text(who, (40, top), 24, "White")
            hand.draw(canvas, (40, top + 20))
        if self.playing():
            canvas.draw_image(card_back, CARD_BACK_CENTER, CARD_BACK_SIZE, (76, 168), CARD_BACK_SIZE)
        canvas.draw_text(TEXT[self.phase], (40, 470), 24, "White")


machine = Machine()


def deal():
    machine.deal()


def hit():
    machine.hit()


def stand():
    machine.stand()


def draw(canvas):
    machine.draw(canvas)


frame = simplegui.create_frame("Blackjack", 600, 500)
frame.set_canvas_background("Green")
frame.add_button("Deal", deal, 200)
frame.add_button("Hit", hit, 200)
frame.add_button("Stand", stand, 200)
frame.set_draw_handler(draw)
deal()
frame.start()
