"""What the rules themselves cost, beyond the page: ``python -m tools.benchmarks.tables``."""

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from cardgames import GAMES
from cardgames.moves import Sent
from cardgames.table import NEW, Table

CHOICE: Final = random.Random(1)
GAMES_OF_WAR: Final = 201
MOVES: Final = 2_000


def spent(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor milliseconds of one call, and what it gave."""
    before = time.process_time()
    result = action()
    return (time.process_time() - before) * 1e3, result


def played(table: Table, name: str, sent: Sent) -> Table:
    """Play a move and look at the table, as a request does."""
    after = table.play(name, sent).table
    after.view()
    return after


def random_move(table: Table, choose: random.Random) -> tuple[str, Sent]:
    """Return a legal move and its fields; starting over only where nothing else is left."""
    legal = table.moves()
    move = choose.choice([move for move in legal if move is not NEW] or list(legal))
    chosen = ((name, options) for name, options in move.form.items() if options is not None)
    return move.name, {name: choose.choice(list(options)) for name, options in chosen}


def war(turns: str) -> list[float]:
    """Return the cost of a click of so many turns, first clicks of many games."""
    costs = []
    for _ in range(GAMES_OF_WAR):
        table = Table(GAMES["war"]).play("deal", {"players": "2"}).table
        costs.append(spent(partial(played, table, "turn", {"turns": turns}))[0])
    return costs


def random_moves(table: Table) -> dict[str, list[float]]:
    """Return the costs of random legal moves with their view, by what was clicked."""
    costs: dict[str, list[float]] = {}
    for _ in range(MOVES):
        name, sent = random_move(table, CHOICE)
        cost, table = spent(partial(played, table, name, sent))
        costs.setdefault(" ".join((name, *map(str, sent.values()))), []).append(cost)
    return costs


def main() -> None:
    """Print the costs."""
    whole, hundred = war("all"), war("100")
    print(f"War to the end in one click: median {statistics.median(whole):.2f} ms of CPU (goal 50)")
    print(f"War, a 100-turn click:       median {statistics.median(hundred):.2f} ms (goal 10)")
    for slug, game in GAMES.items():
        dear = {
            name: statistics.median(costs)
            for name, costs in random_moves(Table(game)).items()
            if slug != "war" or name.endswith(" 1")
        }
        if dear:
            name, cost = max(dear.items(), key=lambda item: item[1])
            print(f"{slug}: dearest move {name!r}, median {cost:.3f} ms (goal 1)")


if __name__ == "__main__":
    main()
