# Testing template: the class Hand. It runs in CodeSkulptor, in Python 2 and in Python 3.

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


# ==> Paste your class Hand in the place of this line.


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


def hand_of(codes):
    """Make a hand of cards like "SA C2"."""
    hand = Hand()
    for code in codes.split():
        hand.add_card(Card(code[0], code[1]))
    return hand


def shows(hand, codes):
    """Say whether a hand as text has these cards, in this order."""
    places = [str(hand).find(code) for code in codes.split()]
    return -1 not in places and places == sorted(places)


check("an empty hand has a text", lambda: "SA" in str(Hand()), False)
check("SA is in the hand", lambda: shows(hand_of("SA"), "SA"), True)
check("SA C2 are in the hand", lambda: shows(hand_of("SA C2"), "SA C2"), True)
check("SA C2 DT are in the hand", lambda: shows(hand_of("SA C2 DT"), "SA C2 DT"), True)
check("SA C2 DT SK are in the hand", lambda: shows(hand_of("SA C2 DT SK"), "SA C2 DT SK"), True)
check("two hands share no cards", lambda: "SA" in str([hand_of("SA"), str(Hand())][1]), False)
