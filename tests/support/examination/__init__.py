"""The examination of a game: what the site relies on, no matter who wrote it.

Each ``check_…`` plays a game at random and raises an AssertionError in one sentence that says what
to do. All of them are run on every registered game, so registering a game is what tests it. What a
game says of itself is checked before that, by the registry (:mod:`cardgames.registry`).
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
