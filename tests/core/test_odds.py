"""The odds against the reference numbers, and what they refuse."""

from collections import Counter

import pytest

from cardgames.cards import Card
from cardgames.games.twentyone.rules import BLACKJACK, ONE_DECK, SIMPLE_21
from cardgames.moves import IllegalMove
from cardgames.odds import odds
from cardgames.ways import Ways, of_another
from tests.support.odds import fresh
from tests.support.play import cards


def test_a_hand_over_21_has_no_odds() -> None:
    said = "^There are no odds to give over 21: no decision is open.$"
    with pytest.raises(IllegalMove, match=said):
        fresh(BLACKJACK, cards("TS TD 2C"), Card("QC"))


@pytest.mark.parametrize(
    ("unseen", "discards", "buried"),
    [("QC 2D", "", 0), ("TS 2D", "", 0), ("2D 2D", "", 0), ("2D 3D", "3D", 0), ("", "4D", 0),
     ("2D 3D", "", 2), ("2D 3D", "", -1)],
)  # fmt: skip
def test_cards_that_do_not_add_up(unseen: str, discards: str, buried: int) -> None:
    said = "^(A card can lie in one place only|One of the unseen cards is the hole card).$"
    with pytest.raises(ValueError, match=said):
        odds(SIMPLE_21, cards("TS 6D"), Card("QC"), cards(unseen), cards(discards), buried=buried)


def test_cards_are_buried_only_where_they_come_back() -> None:
    said = "^Cards are buried only at a table that shuffles its discards back in.$"
    with pytest.raises(ValueError, match=said):
        odds(ONE_DECK, cards("TS 6D"), Card("QC"), cards("2D 3D 4D"), buried=1)


@pytest.mark.parametrize(
    ("ways", "buried", "said"),
    [
        (((1, cards("4D 2D")),), "", "A card that was never shown is one of the unseen cards."),
        (
            ((1, cards("2D")), (2, cards("2D"))),
            "",
            "A card that was never shown is one of the unseen cards.",
        ),
        (
            ((0, cards("2D")), (1, cards("3D"))),
            "",
            "A card is in no way what is said to be possible.",
        ),
        (((1, cards("2D")),), "buried", "No card is buried, so nothing is known of one."),
    ],
)
def test_what_is_known_of_a_card_fits_the_cards(ways: Ways, buried: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}$"):
        odds(
            SIMPLE_21,
            cards("TS 6D"),
            Card("QC"),
            cards("2D 3D 5D"),
            ways=ways,
            of_buried=bool(buried),
        )


def test_another_card_is_as_likely_as_in_all_worlds_where_the_known_one_is_not_it() -> None:
    """Of three cards one is a four once, or a five twice: what is a second one of the three?"""
    a, b, c = cards("4D 5D 9C")
    worlds = Counter(
        other
        for known, number in ((a, 1), (b, 2))
        for other in (a, b, c) * number
        if other != known
    )
    found = of_another(((1, (a,)), (2, (b,))), (a, b, c))
    assert {card: number for number, group in found for card in group} == dict(worlds)
