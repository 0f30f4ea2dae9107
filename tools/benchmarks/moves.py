"""What a move costs the server, in hellos of a bare Flask app.

``python -m tools.benchmarks.moves``. Both are served by one worker of the same server program. One
client asks after the other, as a single notebook does, or six ask at once, as a class does.
``--beside FOLDER`` measures another checkout in the same rounds, so that both see the same machine.
"""

import argparse
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from tools.serving import ROOT, Player, Server, next_form

WARM_UP: Final = 300
ROUNDS: Final = 9
CLIENTS: Final = (1, 6)
BATCHES: Final = {"hello": 4_000, "page move": 1_000, "JSON move": 1_500}
"""How many of each in a round: processor time is told in hundredths of a second."""

TABLE: Final = "/simple-21"


def greetings(player: Player) -> Callable[[], None]:
    """Return what one hello is."""

    def hello() -> None:
        player.request("GET", "/")

    return hello


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
    return cost_at_once(server, [action], times)


def cost_at_once(server: Server, actions: list[Callable[[], None]], times: int) -> float:
    """Return the server's processor seconds for one action of several clients at once."""
    each = times // len(actions)

    def repeat(action: Callable[[], None]) -> None:
        for _ in range(each):
            action()

    with ThreadPoolExecutor(len(actions)) as clients:
        before = server.cpu()
        list(clients.map(repeat, actions))
        return (server.cpu() - before) / (each * len(actions))


class Contest(NamedTuple):
    """One thing that is measured: what so many clients do at a server."""

    checkout: str
    clients: int
    name: str
    server: Server
    actions: list[Callable[[], None]]


def contests(checkouts: dict[str, Path], stack: ExitStack) -> list[Contest]:
    """Start the servers of each checkout and seat the clients."""
    found = []
    for checkout, root in checkouts.items():
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(2)]
        hello = Server(folders[0], "-m", "tools.benchmarks.hello", root=root, WORKERS="1")
        site = Server(folders[1], root=root, WORKERS="1")
        for server in (hello, site):
            stack.enter_context(server)
        kinds = (
            ("hello", hello, greetings),
            ("page move", site, page_moves),
            ("JSON move", site, json_moves),
        )
        for clients in CLIENTS:
            for name, server, action in kinds:
                actions = [action(Player(server.port)) for _ in range(clients)]
                found.append(Contest(checkout, clients, name, server, actions))
    return found


def main() -> None:
    """Measure all in turns, so that all see the same machine, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", type=Path, help="another checkout, measured in the same rounds")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    checkouts = {"": ROOT} | ({f"{asked.beside.name}: ": asked.beside} if asked.beside else {})
    with ExitStack() as stack:
        measured = contests(checkouts, stack)
        for contest in measured:
            cost_at_once(contest.server, contest.actions, WARM_UP)
        runs: dict[tuple[str, int, str], list[float]] = {one[:3]: [] for one in measured}
        for _ in range(asked.rounds):
            for contest in measured:
                spent = cost_at_once(contest.server, contest.actions, BATCHES[contest.name])
                runs[contest[:3]].append(spent)
    print(f"server processor time, medians of {asked.rounds} rounds taken in turns, one worker:")
    for (checkout, clients, name), costs in runs.items():
        hellos = zip(costs, runs[checkout, clients, "hello"], strict=True)
        ratio = median(mine / hello for mine, hello in hellos)
        who = f"{checkout}{clients} client{'s' if clients > 1 else ''} at once"
        print(f"  {who:<24} {name:<10} {median(costs) * 1e3:7.3f} ms each, {ratio:5.2f} hellos")


if __name__ == "__main__":
    main()
