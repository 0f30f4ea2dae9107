"""Checks of the properties that the site relies on, for every game.

Each ``check_…`` plays a game at random and raises an AssertionError with one sentence that names
the remedy. All checks run on every registered game, so a new game is tested once it is registered.
The registry (:mod:`cardgames.registry`) checks the game's metadata before that.
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
"""All checks; a check added to these modules runs on every game."""
