"""What the rules themselves cost, beyond the page: ``python -m tools.benchmarks.tables``."""

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from cardgames import GAMES
from cardgames.game import Choices, Game

RNG: Final = random.SystemRandom()
GAMES_OF_WAR: Final = 201
MOVES: Final = 2_000


def spent(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor milliseconds of one call, and what it gave."""
    before = time.process_time()
    result = action()
    return (time.process_time() - before) * 1e3, result


def war(turns: str) -> list[float]:
    """Return the cost of a click of so many turns, first clicks of many games."""
    game = GAMES["war"]
    costs = []
    for _ in range(GAMES_OF_WAR):
        state = game.play(game.start(), "deal", {"players": "2"}, RNG)
        costs.append(spent(partial(played, game, state, "turn", {"turns": turns}))[0])
    return costs


def played(game: Game[Any, Any], state: Any, name: str, choices: Choices) -> Any:
    """Play a move and look at the table, as a request does."""
    after = game.play(state, name, choices, RNG)
    game.view(after)
    return after


def random_moves(game: Game[Any, Any]) -> dict[str, list[float]]:
    """Return the costs of random legal moves with their view, by what was clicked."""
    costs: dict[str, list[float]] = {}
    state = game.start()
    for _ in range(MOVES):
        legal = game.moves(state)
        move = RNG.choice([move for move in legal if move.name != "new"] or legal)
        choices = {
            name: RNG.choice(list(options))
            for name, options in move.fields.items()
            if options is not None
        }
        cost, state = spent(partial(played, game, state, move.name, choices))
        costs.setdefault(" ".join((move.name, *choices.values())), []).append(cost)
    return costs


def main() -> None:
    """Print the costs."""
    whole, hundred = war("all"), war("100")
    print(f"War to the end in one click: median {statistics.median(whole):.2f} ms of CPU (goal 50)")
    print(f"War, a 100-turn click:       median {statistics.median(hundred):.2f} ms (goal 10)")
    for slug, game in GAMES.items():
        dear = {
            name: statistics.median(costs)
            for name, costs in random_moves(game).items()
            if slug != "war" or name.endswith(" 1")
        }
        if dear:
            name, cost = max(dear.items(), key=lambda item: item[1])
            print(f"{slug}: dearest move {name!r}, median {cost:.3f} ms (goal 1)")


if __name__ == "__main__":
    main()
