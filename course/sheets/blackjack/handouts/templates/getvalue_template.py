# Testing template: the method get_value of the class Hand. It runs in CodeSkulptor, in Python 2 and in Python 3.

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


check("no card is 0", lambda: hand_of("").get_value(), 0)
check("C2 is 2", lambda: hand_of("C2").get_value(), 2)
check("C2 C7 is 9", lambda: hand_of("C2 C7").get_value(), 9)
check("C2 C7 DT is 19", lambda: hand_of("C2 C7 DT").get_value(), 19)
check("C2 C7 DT SK is 29", lambda: hand_of("C2 C7 DT SK").get_value(), 29)
check("SA is 11", lambda: hand_of("SA").get_value(), 11)
check("SA DA is 12", lambda: hand_of("SA DA").get_value(), 12)
check("SA DA SK is 12", lambda: hand_of("SA DA SK").get_value(), 12)
check("SA DA SK C7 is 19", lambda: hand_of("SA DA SK C7").get_value(), 19)
