"""Invalid arguments to the odds functions, and odds for a second unseen card."""

from collections import Counter
from typing import Any

import pytest

from cardgames.cards import Card
from cardgames.games.twentyone.rules import ONE_DECK, SIMPLE_21
from cardgames.moves import IllegalMove
from cardgames.odds import odds
from cardgames.ways import ways_of_other
from tests.support.play import cards

ONE_PLACE = "A card can lie in one place only"
UNSEEN = "A card that was never shown is one of the unseen cards"
REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("QC 2D", "", {}, ONE_PLACE),
    ("TS 2D", "", {}, ONE_PLACE),
    ("2D 2D", "", {}, ONE_PLACE),
    ("2D 3D", "3D", {}, ONE_PLACE),
    ("", "4D", {}, "One of the unseen cards is the hole card"),
    ("2D 3D", "", {"buried": 2}, "One of the unseen cards is the hole card"),
    ("2D 3D", "", {"buried": -1}, "One of the unseen cards is the hole card"),
    ("2D 3D 5D", "", {"ways": ((1, cards("4D 2D")),)}, UNSEEN),
    ("2D 3D 5D", "", {"ways": ((1, cards("2D")), (2, cards("2D")))}, UNSEEN),
    (
        *("2D 3D 5D", "", {"ways": ((0, cards("2D")), (1, cards("3D")))}),
        "A card is in no way what is said to be possible",
    ),
    (
        *("2D 3D 5D", "", {"ways": ((1, cards("2D")),), "of_buried": True}),
        "No card is buried, so nothing is known of one",
    ),
    (
        *("2D 3D 4D", "", {"buried": 1, "rules": ONE_DECK}),
        "Cards are buried only at a table that shuffles its discards back in",
    ),
    ("2D 3D", "", {"player": "TS TD 2C"}, "There are no odds to give over 21: no decision is open"),
]


@pytest.mark.parametrize(("unseen", "discards", "known", "said"), REFUSED)
def test_positions_without_odds_are_rejected_in_a_sentence(
    unseen: str, discards: str, known: dict[str, Any], said: str
) -> None:
    known = dict(known)
    rules, player = known.pop("rules", SIMPLE_21), cards(known.pop("player", "TS 6D"))
    with pytest.raises((ValueError, IllegalMove), match=rf"^{said}\.$"):
        odds(rules, player, Card("QC"), cards(unseen), cards(discards), **known)


def test_other_cards_are_as_likely_as_by_enumeration() -> None:
    """The probabilities are for the second of three cards.

    The first card is a four in one way, or a five in two ways.
    """
    a, b, c = cards("4D 5D 9C")
    worlds = Counter(
        other
        for known, number in ((a, 1), (b, 2))
        for other in (a, b, c) * number
        if other != known
    )
    found = ways_of_other(((1, (a,)), (2, (b,))), (a, b, c))
    assert {card: number for number, group in found for card in group} == dict(worlds)
