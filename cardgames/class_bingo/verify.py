"""Check an exported round of class Bingo: was anything changed after the seal was shown?

All that it needs follows from the file: the salt fits the seal, every order is the one that the
salt gives, every card is the grid of its number, nobody who came late had BINGO! already, and the
places are those that the rules give.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from cardgames.class_bingo.card import Kind, salted_card
from cardgames.class_bingo.decks import seal
from cardgames.class_bingo.export import CARD, CLAIM, FORM, FinishedRound, PlayedCard, exported
from cardgames.class_bingo.results import Claim, Place, claimed_places, places
from cardgames.games.bingo.rules import Mode

_MAX_NUMBER: Final = 10_000


def is_round(data: Any) -> bool:
    """Say whether a file's content is a round of class Bingo."""
    return isinstance(data, dict) and data.get("form") == FORM


def check(data: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a round, a sentence each.

    Raises:
        ValueError: it has not the shape of an exported round.
    """
    round_ = read(data)
    if data.get("seal") != seal(round_.salt):
        yield "The seal is not the SHA-256 of the salt."
    expected = exported(round_)
    if data.get("orders") != expected["orders"]:
        yield "An order is not the one that the salt gives."
    if data["cards"] != expected["cards"]:
        yield "A card is not the grid of its number."
    if any(before.number >= after.number for before, after in pairwise(round_.cards)):
        yield "The cards are not in the order of their numbers."
    yield from _wrong_newcomers(round_)
    yield from _wrong_claims(round_)
    if round_.places != _expected_places(round_):
        yield "The places are not those that the rules give."


def _wrong_newcomers(round_: FinishedRound) -> Iterator[str]:
    for card in round_.cards:
        bingo_call = salted_card(round_.salt, card.number, round_.kind).bingo_call
        if not 0 <= card.from_call <= round_.calls:
            yield f"Card {card.number} came into play when the round was over."
        elif card.from_call and bingo_call <= card.from_call:
            yield f"Card {card.number} had BINGO! when it came into play."


def _wrong_claims(round_: FinishedRound) -> Iterator[str]:
    if round_.claims and not round_.by_hand:
        yield "Nobody claims in an automatic round."
    for claim in round_.claims:
        bingo_call = salted_card(round_.salt, claim.card, round_.kind).bingo_call
        if claim.call > round_.calls:
            yield f"The claim of card {claim.card} names a call that was not made."
        if claim.since != (bingo_call if bingo_call <= claim.call else 0):
            yield f"The claim of card {claim.card} at call {claim.call} was judged wrongly."


def _expected_places(round_: FinishedRound) -> tuple[Place, ...]:
    in_play = {card.number for card in round_.cards}
    if round_.by_hand:
        return claimed_places([claim for claim in round_.claims if claim.card in in_play])
    cards = [salted_card(round_.salt, number, round_.kind) for number in sorted(in_play)]
    return places(cards, round_.calls)


def read(data: dict[str, Any]) -> FinishedRound:
    """Read an exported round.

    Raises:
        ValueError: a field is missing or of another kind.
    """
    try:
        claims = (Claim(*(_number(claim, name) for name in CLAIM)) for claim in data["claims"])
        cards = (PlayedCard(*(_number(card, name) for name in CARD)) for card in data["cards"])
        ended = (
            Place(place["place"], place["call"], tuple(map(int, place["cards"])))
            for place in data["places"]
        )
        return FinishedRound(
            number=data["round"],
            kind=Kind(Mode(data["mode"]), bool(data["speed"])),
            by_hand=bool(data["by_hand"]),
            salt=str(data["salt"]),
            calls=_number(data, "calls"),
            cards=tuple(cards),
            claims=tuple(claims),
            places=tuple(ended),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"it is no round of class Bingo: {error}") from None


def _number(data: dict[str, Any], name: str) -> int:
    """Return a number that is none too large: its decks would take too long."""
    value = data[name]
    if type(value) is not int or not 0 <= value <= _MAX_NUMBER:
        raise ValueError(f"it is no round of class Bingo: {name} is {value!r}")
    return value


def summary(data: dict[str, Any], found: int) -> str:
    """Return what was checked, in a line."""
    round_ = read(data)
    orders = 1 + len(exported(round_)["orders"]["bingo"])
    return (
        f"Class Bingo, round {round_.number}: the seal, {orders} orders, {len(round_.cards)} cards,"
        f" {len(round_.claims)} claims and the places checked, {found} problems."
    )
