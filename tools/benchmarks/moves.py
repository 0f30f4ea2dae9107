"""The processor time of a move on the server: ``make bench``.

This site is compared with the ordinary Flask app of :mod:`tools.benchmarks.ordinary` and, with
``--before COMMIT``, with another version of the site. Each is served by one worker, and they are
measured in turn.
"""

import argparse
import itertools
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Final

from tests.support.http_client import Client
from tests.support.serving import ROOT, Server

TABLE: Final = "/simple-21"
KINDS: Final = {
    "page": {"Accept": "text/html"},
    "page in one trip": {"Accept": "text/html", "Prefer": "return=representation"},
    "JSON": {"Accept": "application/json"},
}
"""The request headers of each kind of move."""


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


class Mover:
    """A client that plays a fixed pattern: a deal, and then two hits for each stay."""

    def __init__(self, server: Server, kind: str) -> None:
        """Load a server's table, to prepare moves of one of the :data:`KINDS`."""
        self.server = server
        self._player, self._headers = Client(server.port), KINDS[kind]
        self._before = r'"name": ?' if kind == "JSON" else r'name="move" value='
        self._numbers = itertools.count()
        self._text = self._player.get(TABLE, self._headers).text

    def move(self) -> None:
        """Make the next move, and load the table if the response redirects to it."""
        step = re.search(r'(?:"step": ?|name="step" value=")(\d+)', self._text)
        names = re.findall(self._before + r'"(deal|hit|stay)"', self._text)
        if step is None:
            raise ValueError(self._text)
        stays = next(self._numbers) % 3 == 0 and "stay" in names
        form = {"move": "stay" if stays else names[0], "step": step[1]}
        answer = self._player.post(TABLE, form, self._headers)
        if answer.status == 303:
            answer = self._player.get(TABLE, self._headers)
        self._text = answer.text
        if answer.status != 200:
            raise RuntimeError(self._text)

    def milliseconds(self, moves: int) -> float:
        """Make moves, and return the server's processor time per move."""
        before = self.server.cpu()
        for _ in range(moves):
            self.move()
        return 1e3 * (self.server.cpu() - before) / moves


@contextmanager
def served(before: str | None) -> Iterator[dict[str, Server]]:
    """Serve the checkouts that are compared. The first checkout is the baseline."""
    with ExitStack() as stack:

        def folder() -> Path:
            return Path(stack.enter_context(tempfile.TemporaryDirectory()))

        servers = {
            "ordinary app": Server(folder(), "-m", "tools.benchmarks.ordinary"),
            "site": Server(folder(), WORKERS="1"),
        }
        if before:
            root = stack.enter_context(checkout(before))
            servers["before"] = Server(folder(), root=root, WORKERS="1")
        yield {name: stack.enter_context(server) for name, server in servers.items()}


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", metavar="COMMIT", help="another version, in the same run")
    parser.add_argument("--moves", type=int, default=500, help="number of moves per round")
    parser.add_argument(
        "--rounds", type=int, default=7, help="number of rounds, whose medians are printed"
    )
    asked = parser.parse_args()
    print(
        f"processor milliseconds per move (ratio to the ordinary app), one worker, "
        f"medians of {asked.rounds} rounds of {asked.moves} moves:"
    )
    with served(asked.before) as servers:
        movers = {
            (kind, name): Mover(server, kind) for kind in KINDS for name, server in servers.items()
        }
        runs: dict[tuple[str, str], list[float]] = {key: [] for key in movers}
        for mover in movers.values():
            mover.milliseconds(300)  # not counted, because caches are still being filled
        for _ in range(asked.rounds):
            for key, mover in movers.items():
                runs[key].append(mover.milliseconds(asked.moves))
    for kind in KINDS:
        taken = {name: median(runs[kind, name]) for name in servers}
        first = next(iter(taken.values()))
        each = (f"{name} {value:.3f} ({value / first:.2f})" for name, value in taken.items())
        print(f"  {kind:<18}{', '.join(each)}", flush=True)


if __name__ == "__main__":
    main()
