"""What a move costs the server, in hellos of a bare Flask app.

``python -m tools.benchmarks.moves``. Both are served by one worker of the same server program. One
client asks after the other, as a single notebook does, or six ask at once, as a class does. Where
there is a Redis, moves are measured on it too; what Redis itself takes is not counted.
``--beside FOLDER`` measures another checkout in the same rounds, so that both see the same machine.
"""

import argparse
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from tests.support.serving import ROOT, Player, Server, next_form, redis_server

WARM_UP: Final = 300
ROUNDS: Final = 9
CLIENTS: Final = (1, 6)
TABLE: Final = "/simple-21"
REDIS: Final = "on Redis: "

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


class Site(NamedTuple):
    """A checkout and a store: what is compared."""

    name: str
    root: Path = ROOT
    store: str = ""


class Contest(NamedTuple):
    """One thing that is measured: what so many clients do at a server."""

    site: str
    clients: int
    kind: Kind
    server: Server
    actions: list[Action]


def contests(kinds: Sequence[Kind], site: Site, stack: ExitStack) -> Iterator[Contest]:
    """Start the servers of a site and seat the clients."""
    servers: dict[tuple[str, ...], Server] = {}
    for command in dict.fromkeys(kind.command for kind in kinds):
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = Server(folder, *command, root=site.root, WORKERS="1", SESSION_STORE=site.store)
        servers[command] = stack.enter_context(server)
    for clients in CLIENTS:
        for kind in kinds:
            server = servers[kind.command]
            actions = [kind.action(Player(server.port)) for _ in range(clients)]
            yield Contest(site.name, clients, kind, server, actions)


def sites(beside: Path | None, stack: ExitStack, *, redis: bool) -> Iterator[Site]:
    """Return what is compared with this checkout, and start the Redis that one of them needs."""
    if beside:
        yield Site(f"{beside.name}: ", beside)
    if redis and shutil.which("redis-server"):
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield Site(REDIS, store=stack.enter_context(redis_server(folder))[0])


def measure(kinds: Sequence[Kind], description: str | None, *, redis: bool = False) -> None:
    """Measure all in turns, so that all see the same machine, and print the ratios.

    Args:
        kinds: what is measured, the yardstick first; that is measured in this checkout alone.
        description: what the command does, for its help.
        redis: whether to measure on Redis too.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--beside", type=Path, help="another checkout, measured in the same rounds")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    with ExitStack() as stack:
        measured = list(contests(kinds, Site(""), stack))
        for site in sites(asked.beside, stack, redis=redis):
            measured += contests(kinds[1:], site, stack)
        for contest in measured:
            cost_at_once(contest.server, contest.actions, WARM_UP)
        runs: dict[tuple[str, int, Kind], list[float]] = {one[:3]: [] for one in measured}
        for _ in range(asked.rounds):
            for contest in measured:
                spent = cost_at_once(contest.server, contest.actions, contest.kind.times)
                runs[contest[:3]].append(spent)
    print(f"server processor time, medians of {asked.rounds} rounds taken in turns, one worker:")
    for (name, clients, kind), costs in runs.items():
        ratio = _ratio(costs, runs["", clients, kinds[0]])
        who = f"{name}{clients} client{'s' if clients > 1 else ''} at once"
        each = f"{median(costs) * 1e3:7.3f} ms each"
        than = f", {_ratio(costs, runs['', clients, kind]):4.2f} times as much" if name else ""
        print(f"  {who:<24} {kind.name:<10} {each}, {ratio:5.2f} {kinds[0].name}s{than}")


def _ratio(costs: Sequence[float], others: Sequence[float]) -> float:
    """Return how many times as much something costs as another: the median of the rounds."""
    return median(mine / theirs for mine, theirs in zip(costs, others, strict=True))


def main() -> None:
    """Measure what the site's moves cost."""
    measure((HELLO, PAGE_MOVE, JSON_MOVE), __doc__, redis=True)


if __name__ == "__main__":
    main()
