"""An exported round of class Bingo: found right, and every change of it found out."""

import json
from io import StringIO
from pathlib import Path
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
from cardgames.verify import ExitCode, main

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


def checked(data: Any, tmp_path: Path) -> tuple[int, str]:
    path, out = tmp_path / "round.json", StringIO()
    path.write_text(json.dumps(data))
    return main([str(path)], out), out.getvalue()


def test_an_exported_round_is_found_right(tmp_path: Path) -> None:
    for by_hand in (False, True):
        code, said = checked(exported(finished(by_hand=by_hand)), tmp_path)
        assert code == ExitCode.OK, said
        assert said == (
            f"Class Bingo, round 3: the seal, 12 orders, 11 cards, {2 * by_hand} claims and the "
            "places checked, 0 problems.\n"
        )


SEAL = "The seal is not the SHA-256 of the salt."
ORDER = "An order is not the one that the salt gives."
GRID = "A card is not the grid of its number."
PLACES = "The places are not those that the rules give."


TAMPERED = {
    "seal": (lambda data: data.update(seal="0" * 64), [SEAL]),
    "salt": (lambda data: data.update(salt="00"), [SEAL, ORDER, GRID, PLACES]),
    "calling": (
        lambda data: data["orders"].update(calling=data["orders"]["calling"][::-1]),
        [ORDER],
    ),
    "bingo deck": (lambda data: data["orders"]["bingo"].reverse(), [ORDER]),
    "grid": (lambda data: data["cards"][4].update(cards=data["cards"][5]["cards"]), [GRID]),
    "number": (
        lambda data: data["cards"][4].update(number=40),
        [ORDER, GRID, "The cards are not in the order of their numbers."],
    ),
    "twice": (
        lambda data: data["cards"].insert(4, data["cards"][4]),
        ["The cards are not in the order of their numbers."],
    ),
    "late": (
        lambda data: data["cards"][-1].update(from_call=52),
        ["Card 11 came into play when the round was over."],
    ),
    "at the last call": (lambda data: data["cards"][-1].update(from_call=data["calls"]), []),
    "newcomer": (
        lambda data: data["cards"][0].update(from_call=data["calls"]),
        ["Card 1 had BINGO! when it came into play."],
    ),
    "calls": (lambda data: data.update(calls=data["calls"] - 1), [PLACES]),
    "more calls": (lambda data: data.update(calls=52), [PLACES]),
    "winner": (lambda data: data["places"][0].update(cards=[1, 2, 3]), [PLACES]),
    "no winner": (lambda data: data.update(places=[]), [PLACES]),
    "mode": (lambda data: data.update(mode="F"), [PLACES]),
    "speed": (lambda data: data.update(speed=True), [PLACES]),
    "player taken out": (
        lambda data: data["cards"].remove(
            next(one for one in data["cards"] if one["number"] == data["places"][0]["cards"][0])
        ),
        [PLACES],
    ),
    "claim": (
        lambda data: data["claims"].append({"card": 2, "call": 1, "heat": 0, "since": 0}),
        ["Nobody claims in an automatic round."],
    ),
}
"""What is changed in the automatic round of ``finished``, which card 1 wins at its last call, and
what is found wrong then."""


def found(said: str) -> list[str]:
    """Return the sentences, which all but the last line are; that counts them."""
    *sentences, last = said.splitlines()
    assert last.endswith(f" the places checked, {len(sentences)} problems.")
    return sentences


@pytest.mark.parametrize("change", TAMPERED)
def test_a_round_that_was_changed_is_found_out(change: str, tmp_path: Path) -> None:
    data = json.loads(json.dumps(exported(finished(by_hand=False))))
    tamper, sentences = TAMPERED[change]
    tamper(data)
    code, said = checked(data, tmp_path)
    assert found(said) == sentences
    assert code == (ExitCode.PROBLEMS if sentences else ExitCode.OK)


LATE = "The claim of card 1 names a call that was not made."
JUDGED = "The claim of card {} at call {} was judged wrongly."

TAMPERED_CLAIMS = {
    "since": ({"since": 1}, [JUDGED.format(1, 22)]),
    "call": ({"call": 2}, [JUDGED.format(1, 2), PLACES]),
    "later call": ({"call": 23}, [LATE, PLACES]),
    "card": ({"card": 2}, [JUDGED.format(2, 22), PLACES]),
}
"""What is changed of the second claim in the round by hand, that of card 1 at the last call, which
is right."""


@pytest.mark.parametrize("change", TAMPERED_CLAIMS)
def test_a_claim_that_was_changed_is_found_out(change: str, tmp_path: Path) -> None:
    data = json.loads(json.dumps(exported(finished(by_hand=True))))
    fields, sentences = TAMPERED_CLAIMS[change]
    data["claims"][1].update(fields)
    assert found(checked(data, tmp_path)[1]) == sentences


@pytest.mark.parametrize("spoil", ["cards", "claims", "mode", "salt", "places", "calls"])
def test_what_is_no_round_is_said_to_be_none(spoil: str, tmp_path: Path) -> None:
    data = exported(finished(by_hand=True))
    for value in (None, "no", 10**9, [1]):
        code, said = checked({**data, spoil: value}, tmp_path)
        assert code in (ExitCode.UNREADABLE, ExitCode.PROBLEMS), (spoil, value)
        assert "Traceback" not in said
    del data[spoil]
    assert checked(data, tmp_path)[0] == ExitCode.UNREADABLE
