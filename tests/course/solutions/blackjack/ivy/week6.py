# Mini-project #6 - my Blackjack (runs in CodeSkulptor)

import simplegui
import random

# the cards, 73 x 98 each
CARD_SIZE = (73, 98)
CARD_CENTER = (36.5, 49)
card_images = simplegui.load_image("http://commondatastorage.googleapis.com/codeskulptor-assets/cards.jfitz.png")

CARD_BACK_SIZE = (71, 96)
CARD_BACK_CENTER = (35.5, 48)
card_back = simplegui.load_image("http://commondatastorage.googleapis.com/codeskulptor-assets/card_back.png")

in_play = False
message = ""
question = ""
wins = 0
losses = 0

SUITS = ('C', 'S', 'H', 'D')
RANKS = ('A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K')
VALUES = {'A':1, '2':2, '3':3, '4':4, '5':5, '6':6, '7':7, '8':8, '9':9, 'T':10, 'J':10, 'Q':10, 'K':10}


class Card:
    def __init__(self, suit, rank):
        if (suit in SUITS) and (rank in RANKS):
            self.suit = suit
            self.rank = rank
        else:
            self.suit = None
            self.rank = None
            print "Invalid card: ", suit, rank

    def __str__(self):
        return self.suit + self.rank

    def get_suit(self):
        return self.suit

    def get_rank(self):
        return self.rank

    def draw(self, canvas, pos):
        where = (CARD_CENTER[0] + CARD_SIZE[0] * RANKS.index(self.rank),
                 CARD_CENTER[1] + CARD_SIZE[1] * SUITS.index(self.suit))
        canvas.draw_image(card_images, where, CARD_SIZE, [pos[0] + CARD_CENTER[0], pos[1] + CARD_CENTER[1]], CARD_SIZE)


class Hand:
    def __init__(self):
        self.held = []

    def __str__(self):
        s = "Hand contains"
        for c in self.held:
            s += " " + str(c)
        return s

    def add_card(self, card):
        self.held.append(card)

    def get_value(self):
        total = 0
        ace = False
        for c in self.held:
            total += VALUES[c.get_rank()]
            if c.get_rank() == 'A':
                ace = True
        if ace and total + 10 <= 21:
            return total + 10
        return total

    def draw(self, canvas, pos):
        for i in range(len(self.held)):
            self.held[i].draw(canvas, [pos[0] + i * 85, pos[1]])


class Deck:
    def __init__(self):
        self.left = []
        for s in SUITS:
            for r in RANKS:
                self.left.append(Card(s, r))

    def shuffle(self):
        random.shuffle(self.left)

    def deal_card(self):
        return self.left.pop(0)

    def __str__(self):
        s = "Deck contains"
        for c in self.left:
            s += " " + str(c)
        return s


def deal():
    global message, question, in_play, deck, player, dealer, losses
    message = ""
    if in_play:
        losses += 1
        message = "You gave up, so you lose the round."
    deck = Deck()
    deck.shuffle()
    player = Hand()
    dealer = Hand()
    for i in range(2):
        player.add_card(deck.deal_card())
    for i in range(2):
        dealer.add_card(deck.deal_card())
    print "Player:", player
    print "Dealer:", dealer
    question = "Hit or stand?"
    in_play = True

def hit():
    global message, question, in_play, losses
    if in_play:
        message = ""
        if player.get_value() <= 21:
            player.add_card(deck.deal_card())
        if player.get_value() > 21:
            message = "You have busted."
            print message
            question = "New deal?"
            losses += 1
            in_play = False

def stand():
    global message, question, in_play, wins, losses
    if not in_play:
        if player.get_value() > 21:
            message = "Remember, you have busted."
        return
    while dealer.get_value() < 17:
        dealer.add_card(deck.deal_card())
    if dealer.get_value() > 21:
        message = "The dealer has busted, you win!"
        wins += 1
    elif player.get_value() <= dealer.get_value():
        message = "The dealer wins."
        losses += 1
    else:
        message = "You win!"
        wins += 1
    question = "New deal?"
    in_play = False

def draw(canvas):
    canvas.draw_text("Blackjack", (60, 60), 40, "Yellow")
    canvas.draw_text("Wins " + str(wins) + "  Losses " + str(losses), (350, 60), 24, "White")
    canvas.draw_text("Dealer", (60, 130), 24, "Black")
    dealer.draw(canvas, [60, 150])
    if in_play:
        canvas.draw_image(card_back, CARD_BACK_CENTER, CARD_BACK_SIZE, [60 + CARD_CENTER[0], 150 + CARD_CENTER[1]], CARD_SIZE)
    canvas.draw_text("You", (60, 330), 24, "Black")
    player.draw(canvas, [60, 350])
    canvas.draw_text(message, (60, 500), 24, "White")
    canvas.draw_text(question, (60, 540), 24, "White")


frame = simplegui.create_frame("Blackjack", 600, 600)
frame.set_canvas_background("Green")
frame.add_button("Deal", deal, 200)
frame.add_button("Hit",  hit, 200)
frame.add_button("Stand", stand, 200)
frame.set_draw_handler(draw)

deal()
frame.start()
