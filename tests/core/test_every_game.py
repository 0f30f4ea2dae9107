"""The checks that every registered game must pass, and tests that these checks can fail."""

from collections.abc import Callable

import pytest

from cardgames import GAMES
from cardgames.game import AnyGame
from tests.support.amounts import few_or_all
from tests.support.examination import CHECKS, walks

games = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


@games
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@few_or_all("moves", walks.MOVES, 240)
def test_every_game_keeps(
    check: Callable[[AnyGame], None], game: AnyGame, moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walks, "MOVES", moves)
    check(game)
