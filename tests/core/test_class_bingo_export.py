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
        assert said.startswith("Class Bingo, round 3: the seal, ")
        assert said.endswith(" 0 problems.\n")


TAMPERED = {
    "seal": lambda data: data.update(seal="0" * 64),
    "salt": lambda data: data.update(salt="00"),
    "calling": lambda data: data["orders"].update(calling=data["orders"]["calling"][::-1]),
    "bingo deck": lambda data: data["orders"]["bingo"].reverse(),
    "grid": lambda data: data["cards"][4].update(cards=data["cards"][5]["cards"]),
    "number": lambda data: data["cards"][4].update(number=40),
    "late": lambda data: data["cards"][-1].update(from_call=52),
    "calls": lambda data: data.update(calls=data["calls"] - 1),
    "more calls": lambda data: data.update(calls=52),
    "winner": lambda data: data["places"][0].update(cards=[1, 2, 3]),
    "no winner": lambda data: data.update(places=[]),
    "mode": lambda data: data.update(mode="F"),
    "speed": lambda data: data.update(speed=True),
    "player taken out": lambda data: data["cards"].remove(
        next(one for one in data["cards"] if one["number"] == data["places"][0]["cards"][0])
    ),
}


@pytest.mark.parametrize("change", TAMPERED)
def test_a_round_that_was_changed_is_found_out(change: str, tmp_path: Path) -> None:
    data = json.loads(json.dumps(exported(finished(by_hand=False))))
    TAMPERED[change](data)
    code, said = checked(data, tmp_path)
    assert code == ExitCode.PROBLEMS, said


@pytest.mark.parametrize("field", ["since", "call", "card", "heat"])
def test_a_claim_that_was_changed_is_found_out(field: str, tmp_path: Path) -> None:
    data = json.loads(json.dumps(exported(finished(by_hand=True))))
    claimed = data["claims"][1]["card"]
    changes = {"since": 1, "call": 2, "card": claimed % 10 + 1, "heat": 0}
    data["claims"][1 if field != "heat" else 0][field] = changes[field]
    code, _ = checked(data, tmp_path)
    assert code == (ExitCode.OK if field == "heat" else ExitCode.PROBLEMS)


@pytest.mark.parametrize("spoil", ["cards", "claims", "mode", "salt", "places", "calls"])
def test_what_is_no_round_is_said_to_be_none(spoil: str, tmp_path: Path) -> None:
    data = exported(finished(by_hand=True))
    for value in (None, "no", 10**9, [1]):
        code, said = checked({**data, spoil: value}, tmp_path)
        assert code in (ExitCode.UNREADABLE, ExitCode.PROBLEMS), (spoil, value)
        assert "Traceback" not in said
    del data[spoil]
    assert checked(data, tmp_path)[0] == ExitCode.UNREADABLE
