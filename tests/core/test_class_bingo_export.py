"""An exported round of class Bingo: all of it follows from its salt."""

import json
from typing import Any

import pytest

from cardgames.class_bingo.card import Kind, next_card, salted_card
from cardgames.class_bingo.export import FinishedRound, PlayedCard, exported
from cardgames.class_bingo.results import (
    Claim,
    claimed_places,
    judge,
    places,
    stop_call,
)
from tests.support.play import by_salt

SALT = "5ca1ab1e" * 4


def finished(*, by_hand: bool) -> FinishedRound:
    kind = Kind()
    cards = [salted_card(SALT, number, kind) for number in range(1, 11)]
    late = next_card(SALT, 11, kind, 5)
    assert late
    everyone = [*cards, late]
    calls = stop_call(everyone)
    assert calls > 5
    first = min(everyone, key=lambda card: (card.bingo_call, card.number))
    claims = (Claim(2, 1, 0, 0), judge(first, calls, calls, 0)) if by_hand else ()
    return FinishedRound(
        number=3,
        kind=kind,
        by_hand=by_hand,
        salt=SALT,
        calls=calls,
        cards=(*(PlayedCard(card.number, 0) for card in cards), PlayedCard(late.number, 5)),
        claims=claims,
        places=claimed_places(claims) if by_hand else places(everyone, calls),
    )


@pytest.mark.parametrize("by_hand", [False, True])
def test_an_exported_round_can_be_dealt_again_from_its_salt(by_hand: bool) -> None:
    """Checked without what made it: each deck is sorted by the salt, its number and the card."""
    data = json.loads(json.dumps(exported(finished(by_hand=by_hand))))
    calling, *bingo = (tuple(order.split()) for order in decks_of(data))
    assert calling == by_salt(data["salt"])
    assert len(bingo) == 11
    for number, order in enumerate(bingo, 1):
        assert order == by_salt(data["salt"], number + 1)
    assert [card["number"] for card in data["cards"]] == [*range(1, 12)]
    for card in data["cards"]:
        assert card["cards"].split() == [*bingo[card["number"] - 1][0:50:2]]  # as the sheet deals
    assert data["cards"][-1]["from_call"] == 5
    assert len(data["claims"]) == 2 * by_hand
    (place,) = data["places"]
    assert (place["place"], place["call"]) == (1, data["calls"])


def decks_of(data: dict[str, Any]) -> tuple[str, ...]:
    return data["orders"]["calling"], *data["orders"]["bingo"]
