"""What a move costs the server, in hellos of a bare Flask app: ``python -m benchmarks.moves``."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.serving import Player, Server, next_form

WARM_UP: Final = 300
ROUNDS: Final = 7
BATCHES: Final = {"hello": 4_000, "page move": 1_000, "JSON move": 1_500}
"""How many of each in a round: processor time is told in hundredths of a second."""

TABLE: Final = "/simple-21"


def greetings(player: Player) -> Callable[[], None]:
    """Return what one hello is."""
    return lambda: player.request("GET", "/") and None


def page_moves(player: Player) -> Callable[[], None]:
    """Return what one move in a browser is: POST, 303, GET of the page."""
    page = [player.request("GET", TABLE)[1]]

    def move() -> None:
        page[0] = player.page_move(TABLE, next_form(page[0]))

    return move


def json_moves(player: Player) -> Callable[[], None]:
    """Return what one move of a program is: one POST, answered in JSON."""
    table = [player.json(TABLE)[1]]

    def move() -> None:
        form = {"move": table[0]["moves"][0]["name"], "step": str(table[0]["step"])}
        status, table[0] = player.json(TABLE, form)
        if "error" in table[0]:
            raise RuntimeError(f"{status}: {table[0]['error']}")

    return move


def cost(server: Server, action: Callable[[], None], times: int) -> float:
    """Return the server's processor seconds for one action."""
    before = server.cpu()
    for _ in range(times):
        action()
    return (server.cpu() - before) / times


def main() -> None:
    """Measure the three in turns, so that all see the same machine, and print the ratios."""
    with (
        tempfile.TemporaryDirectory() as bare,
        tempfile.TemporaryDirectory() as full,
        Server(Path(bare), "-m", "benchmarks.hello") as plain,
        Server(Path(full)) as site,
    ):
        contests = {
            "hello": (plain, greetings(Player(plain.port))),
            "page move": (site, page_moves(Player(site.port))),
            "JSON move": (site, json_moves(Player(site.port))),
        }
        for server, action in contests.values():
            cost(server, action, WARM_UP)
        runs: dict[str, list[float]] = {name: [] for name in contests}
        for _ in range(ROUNDS):
            for name, (server, action) in contests.items():
                runs[name].append(cost(server, action, BATCHES[name]))
    print(f"server processor time, medians of {ROUNDS} rounds taken in turns:")
    for name, costs in runs.items():
        seconds = median(costs)
        hellos = median(mine / hello for mine, hello in zip(costs, runs["hello"], strict=True))
        each = f"{seconds * 1e3:7.3f} ms each, {1 / seconds:6.0f} a CPU-second"
        print(f"  {name:<10} {each}, {hellos:5.2f} hellos")


if __name__ == "__main__":
    main()
