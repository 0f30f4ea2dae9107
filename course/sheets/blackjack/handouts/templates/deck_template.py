# Testing template: the class Deck. It runs in CodeSkulptor, in Python 2 and in Python 3.

import random

SUITS = ("C", "S", "H", "D")
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")
VALUES = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9,
          "T": 10, "J": 10, "Q": 10, "K": 10}


class Card:
    """A card that needs no picture."""

    def __init__(self, suit, rank):
        self.suit = suit
        self.rank = rank

    def __str__(self):
        return self.suit + self.rank

    def get_suit(self):
        return self.suit

    def get_rank(self):
        return self.rank


# ==> Paste your class Deck in the place of this line.


# Below here nothing is to be changed. Each line that is printed begins with pass or FAIL.

def check(what, act, expected):
    """Do something, and print whether it gives what is expected."""
    try:
        got = act()
    except Exception as error:
        got = error
    if got == expected:
        print("pass  " + what)
    else:
        print("FAIL  " + what + ": expected " + repr(expected) + ", got " + repr(got))


def dealt(number, shuffled=False):
    """Deal cards from a new deck, and return their texts."""
    deck = Deck()
    if shuffled:
        deck.shuffle()
    return [str(deck.deal_card()) for _ in range(number)]


def left(number):
    """Return how many of the 52 cards a deck shows when some were dealt."""
    deck = Deck()
    for _ in range(number):
        deck.deal_card()
    return len([suit + rank for suit in SUITS for rank in RANKS if suit + rank in str(deck)])


ALL = sorted([suit + rank for suit in SUITS for rank in RANKS])
check("a deck shows 52 cards", lambda: left(0), 52)
check("and 50 when two are dealt", lambda: left(2), 50)
check("dealing gives a Card", lambda: isinstance(Deck().deal_card(), Card), True)
check("52 different cards are dealt", lambda: sorted(dealt(52)), ALL)
check("also from a shuffled deck", lambda: sorted(dealt(52, True)), ALL)
check("shuffling changes the order", lambda: dealt(52, True) == dealt(52), False)
check("and not always alike", lambda: dealt(52, True) == dealt(52, True), False)
