"""What a move costs the server, in hellos of a bare Flask app.

``python -m tools.benchmarks.moves``. Both are served by one worker of the same server program. One
client asks after the other, as a single notebook does, or six ask at once, as a class does.
``--beside FOLDER`` measures another checkout in the same rounds, so that both see the same machine.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from tools.serving import ROOT, Player, Server, next_form

WARM_UP: Final = 300
ROUNDS: Final = 9
CLIENTS: Final = (1, 6)
TABLE: Final = "/simple-21"

Action = Callable[[], None]
"""One thing that a client does at a server, and does again and again."""


def greetings(player: Player) -> Action:
    """Return what one hello is."""

    def hello() -> None:
        player.request("GET", "/")

    return hello


def page_moves(player: Player) -> Action:
    """Return what one move in a browser is: POST, 303, GET of the page."""
    page = [player.request("GET", TABLE)[1]]

    def move() -> None:
        page[0] = player.page_move(TABLE, next_form(page[0]))

    return move


def json_moves(player: Player) -> Action:
    """Return what one move of a program is: one POST, answered in JSON."""
    table = [player.json(TABLE)[1]]

    def move() -> None:
        form = {"move": table[0]["moves"][0]["name"], "step": str(table[0]["step"])}
        status, table[0] = player.json(TABLE, form)
        if "error" in table[0]:
            raise RuntimeError(f"{status}: {table[0]['error']}")

    return move


class Kind(NamedTuple):
    """A kind of thing that is measured."""

    name: str
    command: tuple[str, ...]
    """How the server is started that does it."""

    action: Callable[[Player], Action]
    times: int
    """How many of them in a round: processor time is told in hundredths of a second."""


HELLO: Final = Kind("hello", ("-m", "tools.benchmarks.hello"), greetings, 4_000)
PAGE_MOVE: Final = Kind("page move", ("app.py",), page_moves, 1_000)
JSON_MOVE: Final = Kind("JSON move", ("app.py",), json_moves, 1_500)


def cost(server: Server, action: Action, times: int) -> float:
    """Return the server's processor seconds for one action."""
    return cost_at_once(server, [action], times)


def cost_at_once(server: Server, actions: list[Action], times: int) -> float:
    """Return the server's processor seconds for one action of several clients at once."""
    each = times // len(actions)

    def repeat(action: Action) -> None:
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
    kind: Kind
    server: Server
    actions: list[Action]


def contests(
    kinds: Sequence[Kind], checkouts: dict[str, Path], stack: ExitStack
) -> Iterator[Contest]:
    """Start the servers of each checkout and seat the clients."""
    for checkout, root in checkouts.items():
        servers: dict[tuple[str, ...], Server] = {}
        for command in dict.fromkeys(kind.command for kind in kinds):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = Server(folder, *command, root=root, WORKERS="1")
            servers[command] = stack.enter_context(server)
        for clients in CLIENTS:
            for kind in kinds:
                server = servers[kind.command]
                actions = [kind.action(Player(server.port)) for _ in range(clients)]
                yield Contest(checkout, clients, kind, server, actions)


def measure(kinds: Sequence[Kind], description: str | None) -> None:
    """Measure all in turns, so that all see the same machine, and print the ratios.

    Args:
        kinds: what is measured, the yardstick first.
        description: what the command does, for its help.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--beside", type=Path, help="another checkout, measured in the same rounds")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    checkouts = {"": ROOT} | ({f"{asked.beside.name}: ": asked.beside} if asked.beside else {})
    with ExitStack() as stack:
        measured = list(contests(kinds, checkouts, stack))
        for contest in measured:
            cost_at_once(contest.server, contest.actions, WARM_UP)
        runs: dict[tuple[str, int, Kind], list[float]] = {one[:3]: [] for one in measured}
        for _ in range(asked.rounds):
            for contest in measured:
                spent = cost_at_once(contest.server, contest.actions, contest.kind.times)
                runs[contest[:3]].append(spent)
    print(f"server processor time, medians of {asked.rounds} rounds taken in turns, one worker:")
    for (checkout, clients, kind), costs in runs.items():
        hellos = zip(costs, runs[checkout, clients, kinds[0]], strict=True)
        ratio = median(mine / hello for mine, hello in hellos)
        who = f"{checkout}{clients} client{'s' if clients > 1 else ''} at once"
        each = f"{median(costs) * 1e3:7.3f} ms each"
        print(f"  {who:<24} {kind.name:<10} {each}, {ratio:5.2f} {kinds[0].name}s")


def main() -> None:
    """Measure what the site's moves cost."""
    measure((HELLO, PAGE_MOVE, JSON_MOVE), __doc__)


if __name__ == "__main__":
    main()
