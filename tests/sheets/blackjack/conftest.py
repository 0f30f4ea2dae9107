"""How the tests of the Blackjack mini-project load its files."""

import random
from collections.abc import Callable
from types import ModuleType

import pytest

from tests.sheets.blackjack.support import FRESH
from tests.support.sheets import loader

load = loader("blackjack")


@pytest.fixture
def game(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("blackjack")


@pytest.fixture
def dealt(game: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Deal a round whose cards come in this order: player, dealer, player, dealer, and on."""

    def dealt(codes: str) -> None:
        order = codes.split()
        arranged = [code for code in FRESH.split() if code not in order] + order[::-1]
        monkeypatch.setattr(
            random, "shuffle", lambda cards: cards.sort(key=lambda c: arranged.index(str(c)))
        )
        game.deal()

    return dealt
