"""One student against the class, scenario by scenario: before and after.

``make load`` runs them all, ``python -m tools.benchmarks.scenarios disk lab`` some of them. With
``--before COMMIT`` each is first played against that version of the site, which is checked out and
set up beside this one for as long as it takes.
"""

import argparse
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.support.serving import ROOT
from tools.benchmarks import (
    bored_student,
    scenarios_attacks,
    scenarios_pages,
    scenarios_storage,
)

Scenario = Callable[[Path, Path], Iterator[str]]
"""What is done to the site of a checkout, with a folder to do it in; each line says what came."""

SCENARIOS: Final[dict[str, Scenario]] = {
    "senders": bored_student.senders,
    "pages": scenarios_pages.pages,
    "lab": scenarios_pages.lab,
    "deals": scenarios_storage.deals,
    "disk": scenarios_storage.disk,
    "purge": scenarios_storage.purge,
    "history": scenarios_storage.history,
    "hanging": scenarios_storage.hanging,
    "conflicts": scenarios_storage.conflicts,
}

ATTACKS: Final = "attacks"
"""The scenario that is a table: of each attack, before and after stand together."""


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """Yield a checkout of a version, with a virtual environment of its own."""
    with tempfile.TemporaryDirectory() as folder:
        there = Path(folder) / commit
        git = ("git", "-C", str(ROOT), "worktree")
        subprocess.run([*git, "add", "--quiet", "--detach", str(there), commit], check=True)
        try:
            subprocess.run(["make", "--quiet", "setup"], cwd=there, check=True)
            yield there
        finally:
            subprocess.run([*git, "remove", "--force", str(there)], check=True)


def measure(
    names: Iterable[str],
    before: str | None = None,
    seconds: float = scenarios_attacks.SECONDS,
    connections: Sequence[int] = scenarios_attacks.CONNECTIONS,
    only: Sequence[str] = (),
) -> None:
    """Print what scenarios do to this checkout, and to an earlier version first.

    Args:
        names: which of ``SCENARIOS``, or ``ATTACKS``.
        before: a commit, if any.
        seconds: how long each attack is sent.
        connections: from how many connections, one after the other.
        only: which attacks are sent; all if empty.
    """
    with ExitStack() as stack:
        earlier = {"before": stack.enter_context(checked_out(before))} if before else {}
        for name in names:
            if name == ATTACKS:
                roots = {**earlier, "after": ROOT}
                chosen = only or [*scenarios_attacks.ATTACKS]
                for line in scenarios_attacks.attacks(roots, chosen, seconds, connections):
                    print(line, flush=True)
                continue
            print(f"{name}: {SCENARIOS[name].__doc__}")
            for when, root in {**earlier, "after": ROOT}.items():
                with tempfile.TemporaryDirectory() as folder:
                    for line in SCENARIOS[name](root, Path(folder)):
                        print(f"  {when if before else '':<7}{line}", flush=True)


def main() -> None:
    """Run the scenarios that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", metavar="COMMIT", help="an earlier version, to compare with")
    parser.add_argument("--seconds", type=float, default=scenarios_attacks.SECONDS)
    parser.add_argument("--connections", default="1,8", help="of an attack: 1,8 by default")
    parser.add_argument("--only", action="append", default=[], help="an attack, by its name")
    every = [*SCENARIOS, ATTACKS]
    parser.add_argument("names", nargs="*", choices=[[], *every], help="all of them by default")
    asked = parser.parse_args()
    connections = [*map(int, asked.connections.split(","))]
    measure(asked.names or every, asked.before, asked.seconds, connections, asked.only)


if __name__ == "__main__":
    main()
