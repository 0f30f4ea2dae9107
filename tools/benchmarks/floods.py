"""The delay of moves while unknown clients flood the site.

``python -m tools.benchmarks.floods`` prints one line per kind of flood and number of connections.
With ``--before COMMIT``, it also measures another version of the site.
"""

import argparse
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from tests.support.floods import FLOODS, Moves, beside
from tests.support.school import spread
from tests.support.serving import ROOT, Server
from tools.benchmarks.load import apart
from tools.benchmarks.moves import checkout


def measure(root: Path, seconds: float) -> None:
    """Print the durations of ten players' moves during each flood."""
    for kind in FLOODS:
        for connections in (100, 300):
            with (
                tempfile.TemporaryDirectory() as folder,
                Server(Path(folder), root=root, CLASSES="open") as server,
            ):
                scene = partial(beside, server.port, kind, connections, seconds=seconds)
                moves: Moves = apart(scene)[0]
            print(
                f"  {kind}, {connections}: {len(moves.seconds)} moves, {spread(moves.seconds)}, "
                f"{moves.rejected} rejected"
            )


def main() -> None:
    """Measure this version, and another version if requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--before", metavar="COMMIT", help="measure this version too")
    chosen = parser.parse_args()
    with ExitStack() as stack:
        if chosen.before:
            print(f"Before ({chosen.before}):")
            measure(stack.enter_context(checkout(chosen.before)), chosen.seconds)
        print("Now:")
        measure(ROOT, chosen.seconds)


if __name__ == "__main__":
    main()
