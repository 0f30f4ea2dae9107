"""The examination of a game: the properties that the site relies on, whoever wrote the game.

Each ``check_…`` plays a game at random and raises an AssertionError in one sentence that names the
remedy. All of them are run on every registered game, so a game is tested by being registered. The
registry (:mod:`cardgames.registry`) checks the game's metadata before that.
"""

from collections.abc import Callable
from typing import Final

from cardgames.game import AnyGame
from tests.support.examination import moves, records, secrets, states

CHECKS: Final[tuple[Callable[[AnyGame], None], ...]] = tuple(
    check
    for module in (moves, states, records, secrets)
    for name, check in vars(module).items()
    if name.startswith("check_")
)
"""All of them; a new one in these modules is run on every game."""
