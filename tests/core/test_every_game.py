"""What every registered game must keep: the examination, and whether it can find anything."""

from collections.abc import Callable

import pytest

from cardgames import GAMES
from cardgames.game import AnyGame
from tests.support.examination import CHECKS

games = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


@games
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_every_game_keeps(check: Callable[[AnyGame], None], game: AnyGame) -> None:
    check(game)
