"""The possible identities of a card that was never shown, and ranks with hidden suits."""

import pytest

from cardgames.cards import Card, Rank
from cardgames.ways import Ways, fits_pile, possible_cards, restrict, unmasked
from tests.support.play import cards

ONE_OR_TWICE: Ways = ((1, cards("2C")), (2, cards("9D")))
"""A card that can be a two in one way, or a nine in two ways."""


@pytest.mark.parametrize(
    ("ways", "pile", "others", "can_be"),
    [
        (ONE_OR_TWICE, "2C", "9D KH", True),
        (ONE_OR_TWICE, "9D 5S", "2C", True),
        (ONE_OR_TWICE, "2C KH", "9D", True),
        (ONE_OR_TWICE, "KH 2C", "9D", False),  # the first card of the pile is neither card
        (ONE_OR_TWICE, "", "2C 9D", False),  # there is no such card
        (ONE_OR_TWICE, "2C", "KH", False),  # the nine has been seen since
        (
            ((2, cards("2C")), (4, cards("9D"))),
            "2C",
            "9D KH",
            False,
        ),  # the numbers have a common divisor
        (
            ((1, cards("2C")),),
            "2C",
            "9D KH",
            False,
        ),  # a known card cannot be in such a pile
        (((1, cards("2C 9D")),), "2C", "9D", False),  # no card is known, so any ways are possible
        (((1, cards("2C 9D")),), "2C", "9D KH", True),
    ],
)
def test_knowledge_of_the_first_card_of_a_pile(
    ways: Ways, pile: str, others: str, *, can_be: bool
) -> None:
    assert fits_pile(ways, cards(pile), cards(others)) is can_be


def test_possible_cards_are_those_of_every_number() -> None:
    assert possible_cards(ONE_OR_TWICE) == {Card("2C"), Card("9D")}


def test_rank_stands_for_its_first_free_card() -> None:
    known = cards("KC 3S")
    masked = ((1, (Card("TH"), Rank.KING)), (3, (Rank.KING, Card("KD"), Rank.ACE)))
    # The king of clubs is known and the king of diamonds is named, so the first king is the king of
    # hearts, and the second is the king of spades.
    assert unmasked(masked, known) == ((1, cards("KH TH")), (3, cards("AC KD KS")))


def test_there_is_no_fifth_card_of_a_rank() -> None:
    with pytest.raises(ValueError, match=r"^No card of this rank is left: K$"):
        unmasked(((1, (Rank.KING, Rank.KING)),), cards("KC KD KH"))


def test_large_numbers_are_scaled_down_but_never_to_zero() -> None:
    hidden = cards("2C 9D KH")
    ways: Ways = ((2**53, cards("9D")), (2**54, cards("2C")))
    assert restrict(ways, hidden) == ((1, cards("9D")), (2, cards("2C")))
    ways = ((1, cards("2C")), (3 * 2**60, cards("9D")))
    assert restrict(ways, hidden) == ((1, cards("2C")), (2**53, cards("9D")))
    ways = ((2**53 - 1, cards("2C")), (2**53, cards("9D")))
    assert restrict(ways, hidden) == ways
