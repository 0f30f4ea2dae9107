# Mini-project #6 - Blackjack

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


# initialize some useful global variables
in_play = False
outcome = ""
action = ""
score = 0


# define hand class
class Hand:
    def __init__(self):
        self.cards = []

    def __str__(self):
        ans = "Hand contains "
        for card in self.cards:
            ans += str(card) + " "
        return ans

    def add_card(self, card):
        self.cards.append(card)

    def get_value(self):
        # count aces as 1, if the hand has an ace, then add 10 to hand value if it doesn't bust
        value = 0
        has_ace = False
        for card in self.cards:
            value += VALUES[card.get_rank()]
            if card.get_rank() == 'A':
                has_ace = True
        if has_ace and value + 10 <= 21:
            value += 10
        return value

    def draw(self, canvas, pos):
        for i in range(len(self.cards)):
            self.cards[i].draw(canvas, [pos[0] + 80 * i, pos[1]])


# define deck class
class Deck:
    def __init__(self):
        self.cards = []
        for suit in SUITS:
            for rank in RANKS:
                self.cards.append(Card(suit, rank))

    def shuffle(self):
        random.shuffle(self.cards)

    def deal_card(self):
        return self.cards.pop()

    def __str__(self):
        ans = "Deck contains "
        for card in self.cards:
            ans += str(card) + " "
        return ans


# define event handlers for buttons
def deal():
    global outcome, action, in_play, score, deck, player, dealer
    if in_play:
        outcome = "That round is forfeit, and lost."
        score -= 1
    else:
        outcome = ""
    deck = Deck()
    deck.shuffle()
    player = Hand()
    dealer = Hand()
    player.add_card(deck.deal_card())
    dealer.add_card(deck.deal_card())
    player.add_card(deck.deal_card())
    dealer.add_card(deck.deal_card())
    action = "Your move: take a card, or stay?"
    in_play = True


def hit():
    global outcome, action, in_play, score
    if in_play:
        outcome = ""
        player.add_card(deck.deal_card())
        if player.get_value() > 21:
            outcome = "Too much, you have busted."
            action = "Shall we deal again?"
            in_play = False
            score -= 1


def stand():
    global outcome, action, in_play, score
    if not in_play:
        if player.get_value() > 21:
            outcome = "You have already busted!"
        return
    while dealer.get_value() < 17:
        dealer.add_card(deck.deal_card())
    if dealer.get_value() > 21:
        outcome = "The dealer is busted, the point is yours!"
        score += 1
    elif player.get_value() <= dealer.get_value():
        outcome = "The dealer beats you."
        score -= 1
    else:
        outcome = "You beat the dealer!"
        score += 1
    action = "Shall we deal again?"
    in_play = False


# draw handler
def draw(canvas):
    canvas.draw_text("Blackjack", (60, 80), 48, "Aqua")
    canvas.draw_text("Score: " + str(score), (400, 80), 32, "Black")
    canvas.draw_text("Dealer", (50, 170), 28, "Black")
    canvas.draw_text(outcome, (200, 170), 24, "White")
    dealer.draw(canvas, [50, 200])
    canvas.draw_text("Player", (50, 370), 28, "Black")
    canvas.draw_text(action, (200, 370), 24, "White")
    player.draw(canvas, [50, 400])
    if in_play:
        canvas.draw_image(card_back, CARD_BACK_CENTER, CARD_BACK_SIZE,
                          [50 + CARD_BACK_CENTER[0], 200 + CARD_BACK_CENTER[1]], CARD_BACK_SIZE)


# initialization frame
frame = simplegui.create_frame("Blackjack", 600, 600)
frame.set_canvas_background("Green")

# create buttons and canvas callback
frame.add_button("Deal", deal, 200)
frame.add_button("Hit", hit, 200)
frame.add_button("Stand", stand, 200)
frame.set_draw_handler(draw)

# get things rolling
deck = Deck()
player = Hand()
dealer = Hand()
deal()
frame.start()
