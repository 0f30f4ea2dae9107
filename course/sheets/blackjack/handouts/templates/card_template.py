# Testing template: the class Card. It runs in CodeSkulptor, in Python 2 and in Python 3.

SUITS = ("C", "S", "H", "D")
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")
VALUES = {"A": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7, "8": 8, "9": 9,
          "T": 10, "J": 10, "Q": 10, "K": 10}


# ==> Paste your class Card in the place of this line.


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


check('str(Card("S", "A")) is SA', lambda: str(Card("S", "A")), "SA")
check('its suit is S', lambda: Card("S", "A").get_suit(), "S")
check('its rank is A', lambda: Card("S", "A").get_rank(), "A")
check('str(Card("C", "2")) is C2', lambda: str(Card("C", "2")), "C2")
check('its suit is C', lambda: Card("C", "2").get_suit(), "C")
check('its rank is 2', lambda: Card("C", "2").get_rank(), "2")
check('str(Card("D", "T")) is DT', lambda: str(Card("D", "T")), "DT")
check('its suit is D', lambda: Card("D", "T").get_suit(), "D")
check('its rank is T', lambda: Card("D", "T").get_rank(), "T")
