"""The pieces of a card table: cards, hands and the deck."""
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


def listed(what, cards):
    return what + " contains " + "".join("%s " % card for card in cards)


class Hand:
    def __init__(self):
        self._cards = []

    def __len__(self):
        return len(self._cards)

    def __str__(self):
        return listed("Hand", self._cards)

    def add_card(self, card):
        self._cards.append(card)

    def get_value(self):
        totals = {0}
        for card in self._cards:
            points = (1, 11) if card.get_rank() == "A" else (VALUES[card.get_rank()],)
            totals = {total + point for total in totals for point in points}
        good = [total for total in totals if total <= 21]
        return max(good) if good else min(totals)

    def draw(self, canvas, pos):
        for place, card in enumerate(self._cards):
            card.draw(canvas, [pos[0] + place * CARD_SIZE[0] * 1.1, pos[1]])


class Deck:
    def __init__(self):
        self._cards = [Card(suit, rank) for suit in SUITS for rank in RANKS]

    def __str__(self):
        return listed("Deck", self._cards)

    def shuffle(self):
        random.shuffle(self._cards)

    def deal_card(self):
        return self._cards.pop()


def draw_back(canvas, pos):
    centre = [pos[0] + CARD_BACK_CENTER[0], pos[1] + CARD_BACK_CENTER[1]]
    canvas.draw_image(card_back, CARD_BACK_CENTER, CARD_BACK_SIZE, centre, CARD_BACK_SIZE)
