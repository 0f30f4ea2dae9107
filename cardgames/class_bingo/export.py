"""A round that is over, as it is exported: everything that was hidden, and what it led to."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from cardgames.class_bingo.card import Kind
from cardgames.class_bingo.decks import bingo_deck, calling_deck, grid
from cardgames.class_bingo.results import Claim, Place

_CLAIM: Final = ("card", "call", "heat", "since")
"""What the fields of a claim are called in an export."""


@dataclass(frozen=True, slots=True)
class PlayedCard:
    """A card that was in play."""

    number: int
    from_call: int
    """How many cards had been called when it came into play; 0 if it was dealt."""


@dataclass(frozen=True, slots=True)
class FinishedRound:
    """A round of class Bingo that is over."""

    number: int
    kind: Kind
    by_hand: bool
    salt: str
    calls: int
    """How many cards were called."""

    cards: tuple[PlayedCard, ...]
    """Those that were in play at the end."""

    claims: tuple[Claim, ...]
    """By hand: who said BINGO!, in the order they came."""

    places: tuple[Place, ...]


def exported(round_: FinishedRound) -> dict[str, Any]:
    """Return a round as an object of JSON: by its salt anybody can deal it again."""
    return {
        "form": "class-bingo 2",
        "round": round_.number,
        "mode": round_.kind.mode,
        "speed": round_.kind.speed,
        "by_hand": round_.by_hand,
        "salt": round_.salt,
        "orders": disclosed_orders(round_.salt, [card.number for card in round_.cards]),
        "calls": round_.calls,
        "cards": [
            {
                "number": card.number,
                "from_call": card.from_call,
                "cards": " ".join(grid(round_.salt, card.number)),
            }
            for card in round_.cards
        ],
        "claims": [dict(zip(_CLAIM, claim, strict=True)) for claim in round_.claims],
        "places": [
            {"place": place.place, "call": place.call, "cards": [*place.cards]}
            for place in round_.places
        ],
    }


def disclosed_orders(salt: str, cards: Iterable[int]) -> dict[str, Any]:
    """Return the order of the calling deck, and of each bingo deck up to that of the last card.

    Args:
        salt: the round's.
        cards: the numbers of the cards.
    """
    return {
        "calling": " ".join(calling_deck(salt)),
        "bingo": [" ".join(bingo_deck(salt, card)) for card in range(1, 1 + max(cards, default=0))],
    }
