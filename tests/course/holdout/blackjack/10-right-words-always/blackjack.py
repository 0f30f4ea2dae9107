# Blackjack
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


class Hand:
    def __init__(self):
        self.cards = []

    def __str__(self):
        return "Hand contains "

    def add_card(self, card):
        pass

    def get_value(self):
        return 21

    def draw(self, canvas, pos):
        pass


class Deck:
    def __init__(self):
        pass

    def __str__(self):
        return "Deck contains "

    def shuffle(self):
        pass

    def deal_card(self):
        return Card("S", "A")


MESSAGES = ["Player: Hand contains ", "Dealer: Hand contains ", "Hit or stand?", "New deal?",
            "You have busted", "Dealer busted", "You win", "Dealer wins", "You lost the round", "Score: 0"]


def talk():
    for message in MESSAGES:
        print(message)


def draw(canvas):
    canvas.draw_text("Blackjack", (50, 50), 40, "White")
    for i, message in enumerate(MESSAGES):
        canvas.draw_text(message, (50, 100 + 30 * i), 20, "White")


frame = simplegui.create_frame("Blackjack", 600, 600)
frame.set_canvas_background("Green")
frame.add_button("Deal", talk, 200)
frame.add_button("Hit", talk, 200)
frame.add_button("Stand", talk, 200)
frame.set_draw_handler(draw)
deal = hit = stand = talk
deal()
frame.start()
