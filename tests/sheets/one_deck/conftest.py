"""How the tests of the One-deck sheet load its files."""

import builtins
import random
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.sheets.one_deck.support import ORDER
from tests.support.sheets import loader

load = loader("one_deck")


@pytest.fixture
def cards(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("cards")


@pytest.fixture
def played(
    load: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., str]:
    """Play a whole game with these cards on top, or only with these, and these answers.

    Returns what was shown, the answers included.
    """

    def play(codes: str, *answers: str, only: bool = False) -> str:
        proj09, cards = load("proj09"), load("cards")
        order = [] if only else [code for code in reversed(ORDER) if code not in codes.split()]
        order += codes.split()[::-1]

        def arrange(held: list[Any]) -> None:
            held[:] = sorted(
                (card for card in held if str(card) in order), key=lambda c: order.index(str(c))
            )

        left = list(answers)

        def typed(prompt: str = "") -> str:
            answer = left.pop(0)
            sys.stdout.write(f"{prompt}{answer}\n")
            return answer

        monkeypatch.setattr(random, "shuffle", arrange)
        monkeypatch.setattr(builtins, "input", typed)
        assert proj09.cards is cards
        capsys.readouterr()
        proj09.main()
        assert left == []
        return capsys.readouterr().out

    return play
