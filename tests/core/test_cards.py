"""Cards: their notation, their shuffling, and the compact form of a stored order.

The codes are written out by hand (S0-2, S0-3), because the enumeration is under test.
"""

import random
from itertools import product
from types import SimpleNamespace
from typing import cast

import pytest

from cardgames.cards import FULL_DECK, Card, Rank, Suit, shuffled

WORDS = "ace two three four five six seven eight nine ten jack queen king"
RANKS = dict(zip("A23456789TJQK", WORDS.split(), strict=True))
SUITS = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
CODES = [rank + suit for suit, rank in product(SUITS, RANKS)]


def test_a_deck_has_52_cards_four_suits_of_thirteen_ranks() -> None:
    assert [card.value for card in FULL_DECK] == CODES
    assert [rank.value for rank in Rank] == list(RANKS)
    assert [suit.value for suit in Suit] == list(SUITS)


def test_a_card_is_its_code_and_knows_its_rank_and_suit() -> None:
    for code in CODES:
        card = Card(code)
        assert card == code
        assert card is Card(code)
        assert isinstance(card, str)
        assert (card.rank, card.suit) == (Rank(code[0]), Suit(code[1]))
        assert card.full_name == f"{RANKS[code[0]]} of {SUITS[code[1]]}"


@pytest.mark.parametrize("code", ["", "T", "HT", "10H", "1H", "0H", "XH", "TX", "th", "TH ", "xx"])
def test_no_other_text_is_a_card(code: str) -> None:
    with pytest.raises(ValueError, match="not a valid Card"):
        Card(code)


def test_shuffling_depends_only_on_the_generators_order() -> None:
    """The generator in this test can only shuffle.

    The generator shuffles by reversing the order.
    """
    given_to: list[list[Card]] = []

    def turn_round(cards: list[Card]) -> None:
        given_to.append(list(cards))
        cards.reverse()

    rng = cast("random.Random", SimpleNamespace(shuffle=turn_round))
    assert shuffled(iter(FULL_DECK), rng) == FULL_DECK[::-1]
    assert given_to == [list(FULL_DECK)]
    assert shuffled((), rng) == ()
