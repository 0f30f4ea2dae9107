"""The rules of the twenty-one tables compared with their sheets: totals, the dealer and winners.

Expected values are copied from the sheets, or computed in a different way in this module.
"""

import pytest

from cardgames.games.twentyone.rules import BLACKJACK, ONE_DECK, SIMPLE_21, is_soft, total
from tests.support.play import cards, deck_file, play
from tests.support.twentyone import SLUGS

slugs = pytest.mark.parametrize("slug", SLUGS)


# ---- Values of cards -----------------------------------------------------------------------

# S2-30: the sheet's examples of a total closest to 21 without exceeding it. A1-13: the values in
# the templates of Blackjack. At Simple 21, the same hands with every ace counted as 1 (S0-6).
HANDS = [
    ("AS", 11, 1),
    ("AS AD", 12, 2),
    ("AS AD 9C", 21, 11),
    ("AS KD", 21, 11),
    ("AS 6D TC", 17, 17),
    ("AS AD AH AC", 14, 4),
    ("AS 5D 5H", 21, 11),
    ("AS 9D AH", 21, 11),
    ("KS QD 2H", 22, 22),
    ("AS AD KH QC", 22, 22),
    ("2C 7C TD KS", 29, 29),
    ("AS AD KS", 12, 12),
    ("AS AD KS 7C", 19, 19),
    ("AS 6D", 17, 7),
    ("AS 5D", 16, 6),
    ("AS 8D 2H", 21, 11),
    ("AS 8D 3H", 12, 12),
    ("3H KS", 13, 13),
    ("9S AD", 20, 10),
    ("JS QD", 20, 20),
    ("", 0, 0),
]


@pytest.mark.parametrize(("hand", "with_eleven", "always_one"), HANDS)
def test_hand_values_follow_the_sheets(hand: str, with_eleven: int, always_one: int) -> None:
    assert total(cards(hand), BLACKJACK) == total(cards(hand), ONE_DECK) == with_eleven
    assert total(cards(hand), SIMPLE_21) == always_one
    assert is_soft(cards(hand), ONE_DECK) == (with_eleven != always_one)
    assert not is_soft(cards(hand), SIMPLE_21)


# ---- The dealer ----------------------------------------------------------------------------

# The dealer's cards, the next cards of the deck, and the results at Simple 21 and at the other two
# tables. A result is the number of drawn cards and the total, both computed by hand.
DEALER = [
    ("TH 7H", (0, 17), (0, 17)),
    ("TH TD", (0, 20), (0, 20)),
    ("9H 8H", (0, 17), (0, 17)),
    ("TH 6H 5H", (1, 21), (1, 21)),
    ("TH 6H 6D", (1, 22), (1, 22)),
    ("TH 6H AH", (1, 17), (1, 17)),
    ("6H TH AH", (1, 17), (1, 17)),  # S2-10: with a ten, the ace counts 1
    ("TH 2H 4H TD", (2, 26), (2, 26)),
    ("AH 6H TD", (1, 17), (0, 17)),  # A1-14, A2-14: the dealer stands on a soft 17
    ("AH 7H 9D", (1, 17), (0, 18)),
    ("AH TH 9D", (1, 20), (0, 21)),
    ("AH 5H TD KD", (2, 26), (2, 26)),  # the dealer draws on a soft 16 and gets a hard 16
    ("AH 5H AD TD", (2, 17), (1, 17)),  # a soft 16 and an ace make a soft 17
    ("AH AD 9H TD", (2, 21), (1, 21)),
    ("AH AD 5H TD", (2, 17), (1, 17)),
    ("AH AD AC AS 3H TD", (4, 17), (3, 17)),
    ("8H 2H AH 6D", (2, 17), (1, 21)),
    ("5H 6H AH 9D", (2, 21), (2, 21)),  # 11 and an ace make 12, not 22
    ("2H 3H 4H 5H 2D AD", (4, 17), (4, 17)),
]


@slugs
@pytest.mark.parametrize(("drawn", "simple", "blackjack"), DEALER)
def test_the_dealer_takes_cards_up_to_16_and_stands_on_every_17(
    slug: str, drawn: str, simple: tuple[int, int], blackjack: tuple[int, int]
) -> None:
    """Covers S0-13, S1-6, S2-9 and S2-10."""
    first, second, *more = drawn.split()
    deck = deck_file(f"KS {first} 8S {second} {' '.join(more)}")
    view = play(slug, "deal", "stay", deck=deck).view()
    taken, theirs = simple if slug == "simple-21" else blackjack
    assert view["dealer"].cards == cards(drawn)[: 2 + taken]
    assert (view["dealer"].total, view["deck"]) == (theirs, 48 - taken)
    beaten = theirs > 21 or theirs < 18
    won = "player" if beaten else "dealer" if theirs > 18 or slug == "blackjack" else "tie"
    assert view["winner"] == won
