"""Checks of the properties on which the site relies, for every game.

Each ``check_…`` function plays random rounds of a game, and raises an AssertionError whose message
suggests a fix. All checks run on every registered game, so a new game is tested as soon as it is
registered. Before that, the registry (:mod:`cardgames.registry`) checks the game's metadata.
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
"""All checks. Every check in these modules runs on every game."""
