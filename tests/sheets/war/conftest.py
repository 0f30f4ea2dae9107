"""How the tests of the War notebook load its files."""

import random
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.sheets.war.support import NAMES, RANKS, SYMBOLS, faces
from tests.support.sheets import sheet


@pytest.fixture
def war() -> Iterator[ModuleType]:
    with sheet("war") as load:
        yield load("war")


@pytest.fixture
def card(war: ModuleType) -> Callable[[str], Any]:
    """Make a card from what is written on it, as in ``10♢``."""
    suits = {symbol: suit for suit, symbol in SYMBOLS.items()}
    return lambda face: war.Card(RANKS.index(face[:-1]) + 2, suits[face[-1]])


@pytest.fixture
def game_of(war: ModuleType, card: Callable[[str], Any]) -> Callable[..., Any]:
    """Make a game whose players hold these cards, and nothing is in the deck."""

    def make(*hands: str) -> Any:
        players = [
            war.Player(name, map(card, hand.split()))
            for name, hand in zip(NAMES, hands, strict=False)
        ]
        game = war.Game(players)
        game.deck.cards.clear()
        game.deck.size = sum(player.num_cards for player in players)
        return game

    return make


@pytest.fixture
def unshuffled(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Let shuffling change nothing; returns what was to be shuffled."""
    asked: list[list[str]] = []
    monkeypatch.setattr(random, "shuffle", lambda cards: asked.append(faces(cards)))
    return asked
