# Author:
# Blackjack, the mini-project. It runs in CodeSkulptor, and in a terminal with
# python simplegui.py blackjack.py

import random
import simplegui

CARD_SIZE = (72, 96)
CARD_CENTER = (36, 48)
card_images = simplegui.load_image(
    "http://storage.googleapis.com/codeskulptor-assets/cards_jfitz.png")

CARD_BACK_SIZE = (72, 96)
CARD_BACK_CENTER = (36, 48)
card_back = simplegui.load_image(
    "http://storage.googleapis.com/codeskulptor-assets/card_jfitz_back.png")

in_play = False
outcome = ""
score = 0

SUITS = ("C", "S", "H", "D")
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")
VALUES = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9,
          "T": 10, "J": 10, "Q": 10, "K": 10}


class Card:
    """One card; it is finished."""

    def __init__(self, suit, rank):
        known = suit in SUITS and rank in RANKS
        self.suit = suit if known else None
        self.rank = rank if known else None

    def __str__(self):
        return str(self.suit) + str(self.rank)

    def get_suit(self):
        return self.suit

    def get_rank(self):
        return self.rank

    def draw(self, canvas, pos):
        column = RANKS.index(self.rank)
        row = SUITS.index(self.suit)
        source = (CARD_CENTER[0] + CARD_SIZE[0] * column, CARD_CENTER[1] + CARD_SIZE[1] * row)
        center = (pos[0] + CARD_CENTER[0], pos[1] + CARD_CENTER[1])
        canvas.draw_image(card_images, source, CARD_SIZE, center, CARD_SIZE)


class Hand:
    """The cards of the player or of the dealer."""

    def __init__(self):
        pass  # begin with an empty list of cards

    def __str__(self):
        return ""  # the texts of the cards

    def add_card(self, card):
        pass  # add the Card object, not its text

    def get_value(self):
        return 0  # one ace counts 11 if that does not bust the hand

    def draw(self, canvas, pos):
        pass  # side by side; pos is the upper left corner of the leftmost card


class Deck:
    """52 cards."""

    def __init__(self):
        pass  # make a Card for each suit and rank

    def shuffle(self):
        pass  # with random.shuffle

    def deal_card(self):
        return None  # take a card out of the deck, and return it

    def __str__(self):
        return ""  # the texts of the cards


def deal():
    """Deal two cards each from a new shuffled deck; in mid-round that loses the round."""
    global outcome, in_play
    in_play = True


def hit():
    """Give the player a card if the round is in play; see whether they are busted."""


def stand():
    """Hit the dealer up to 17 or more, and say who has won."""


def draw(canvas):
    """Draw both hands, the title, the messages and the score."""
    canvas.draw_text("Blackjack", (50, 80), 40, "White")


frame = simplegui.create_frame("Blackjack", 600, 600)
frame.set_canvas_background("Green")
frame.add_button("Deal", deal, 200)
frame.add_button("Hit", hit, 200)
frame.add_button("Stand", stand, 200)
frame.set_draw_handler(draw)

deal()
frame.start()
