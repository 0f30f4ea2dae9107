"""What a move costs the server: ``python -m tools.benchmarks.moves``.

Processor time (served by one worker, measured in turns), or with ``--count`` instructions
(valgrind, in process: no neighbour disturbs them). Compared are the ordinary Flask app of
:mod:`tools.benchmarks.ordinary`, this site, the site on Redis where there is one, and with
``--before COMMIT`` another version of the site, run with this checkout's packages.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from tests.support.machines import Redis
from tests.support.serving import ROOT, Player, Server
from tools.benchmarks.counted import KINDS, TABLE, Moves

COUNTED: Final = Path(__file__).with_name("counted.py")
ORDINARY: Final = "ordinary"
WARM_UP: Final = 300


class Site(NamedTuple):
    """What is measured: a checkout with a store, or the ordinary app."""

    name: str
    root: Path = ROOT
    store: str = ""

    def server(self, folder: Path) -> Server:
        """Return a server of it, with one worker."""
        if self.store == ORDINARY:
            return Server(folder, "-m", "tools.benchmarks.ordinary")
        return Server(folder, root=self.root, WORKERS="1", SESSION_STORE=self.store)


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """Yield a folder with another version of the project."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder) / commit
        git = ("git", "-C", str(ROOT), "worktree")
        subprocess.run([*git, "add", "--quiet", "--detach", str(there), commit], check=True)
        try:
            yield there
        finally:
            subprocess.run([*git, "remove", "--force", str(there)], check=True)


@contextmanager
def sites(before: str | None, *, redis: bool) -> Iterator[list[Site]]:
    """Yield what is compared; the first is the measure of the others."""
    with ExitStack() as stack:
        found = [Site("ordinary app", store=ORDINARY), Site("site")]
        if before:
            found.append(Site("before", stack.enter_context(checkout(before))))
        if redis and shutil.which("redis-server"):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            found.append(Site("on Redis", store=stack.enter_context(Redis(folder)).url))
        yield found


def instructions(site: Site, kind: str, moves: int) -> float:
    """Return how many million instructions a move takes in process."""
    valgrind = "valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file=/dev/null"
    run = subprocess.run(
        [*valgrind.split(), sys.executable, COUNTED, kind, str(moves), site.store],
        env={**os.environ, "PYTHONPATH": str(site.root), "PYTHONHASHSEED": "0"},
        cwd=site.root,
        capture_output=True,
        text=True,
        check=False,
    )
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or collected is None:
        raise RuntimeError(run.stderr)
    return int(collected[1]) / moves / 1e6


def mover(player: Player, kind: str) -> Callable[[], None]:
    """Return what makes a client's next move at a server, to be called again and again."""

    def ask(method: str, form: dict[str, str], headers: dict[str, str]) -> tuple[int, str]:
        answer, text = player.request(method, TABLE, form or None, headers)
        return answer.status, text

    return Moves(ask, kind).make


def milliseconds(server: Server, move: Callable[[], None], moves: int) -> float:
    """Return the server's processor time for a move."""
    before = server.cpu()
    for _ in range(moves):
        move()
    return 1e3 * (server.cpu() - before) / moves


def print_instructions(compared: list[Site], moves: int) -> None:
    """Count and print what a move of each kind takes."""
    print(f"million instructions a move, in process, of {moves} moves with the same luck:")
    for kind in KINDS:
        taken = {site.name: instructions(site, kind, moves) for site in compared}
        print_row(kind, taken)


def print_processor_time(compared: list[Site], rounds: int, moves: int) -> None:
    """Measure and print what a move of each kind takes, in turns."""
    print(
        f"processor milliseconds a move, one worker, medians of {rounds} rounds of {moves} moves:"
    )
    with ExitStack() as stack:
        movers = {}
        for site in compared:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = stack.enter_context(site.server(folder))
            for kind in KINDS:
                movers[site.name, kind] = server, mover(Player(server.port), kind)
        for server, move in movers.values():
            milliseconds(server, move, WARM_UP)
        runs: dict[tuple[str, str], list[float]] = {key: [] for key in movers}
        for _ in range(rounds):
            for key, (server, move) in movers.items():
                runs[key].append(milliseconds(server, move, moves))
    for kind in KINDS:
        print_row(kind, {site.name: median(runs[site.name, kind]) for site in compared})


def print_row(kind: str, taken: dict[str, float]) -> None:
    """Print what each site takes, and how many times the first one's page or JSON that is."""
    first = next(iter(taken.values()))
    each = (f"{name} {value:.3f} ({value / first:.2f})" for name, value in taken.items())
    print(f"  {kind:<18}{', '.join(each)}", flush=True)


def main() -> None:
    """Count, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", metavar="COMMIT", help="another version, in the same run")
    parser.add_argument("--count", action="store_true", help="instructions instead of time")
    parser.add_argument("--moves", type=int, help="number of moves that are counted or timed")
    parser.add_argument("--rounds", type=int, default=7, help="of processor time")
    parser.add_argument("--no-redis", dest="redis", action="store_false")
    asked = parser.parse_args()
    with sites(asked.before, redis=asked.redis) as compared:
        if asked.count:
            print_instructions(compared, asked.moves or 120)
        else:
            print_processor_time(compared, asked.rounds, asked.moves or 500)


if __name__ == "__main__":
    main()
