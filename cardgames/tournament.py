"""``python -m cardgames.tournament``: programs against each other on the same deals."""

import argparse
import secrets
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import combinations
from typing import Final, TextIO

from cardgames.cards import CardGameError
from cardgames.games.twentyone.rules import TABLES
from cardgames.strategies.program import ProgramEnded, opened
from cardgames.strategies.tournament import Entry, difference, play, standings

DESCRIPTION: Final = """\
Everybody plays the same deals, so luck is out of the comparison.

Who takes part is a file with a function decide(view), which returns "hit" or "stay"; a file with a
strategy chart; or a strategy in words: dealer, basic, best, "below 16". A view is what the site's
JSON shows of the table. A file runs in a process of its own, as you, with limits of time and
memory; what it prints is not shown.
"""

_REFUSED: Final = 2
_INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Play a tournament, and print who stands where.

    Args:
        arguments: the command line's, by default.
        out: where the tables go, standard output by default. Progress goes to standard error.

    Returns:
        0; 1 where a program did not get to the end, 2 where nothing can be played, 130 where it was
        interrupted.
    """
    out = out or sys.stdout
    asked = _parser().parse_args(arguments)
    seed = secrets.randbelow(1_000_000) if asked.seed is None else asked.seed
    failed: list[str] = []
    with ExitStack() as stack:
        entries = []
        try:
            for text in asked.programs:
                try:
                    decider = opened(text, TABLES[asked.table])
                except ProgramEnded as error:
                    failed.append(str(error))
                    continue
                stack.callback(decider.close)
                entries.append(Entry(decider))
            play(entries, asked.table, asked.deals, seed, lambda done: _tell(done, asked.deals))
        except CardGameError as error:
            print(error, file=sys.stderr)
            return _REFUSED
        except KeyboardInterrupt:
            return _INTERRUPTED
    failed += [entry.ended for entry in entries if entry.ended]
    print(f"{asked.table}, {asked.deals:,} deals from seed {seed}", file=out)
    failures = ["", "Not placed:", *(f"  {sentence}" for sentence in failed)] if failed else []
    for line in (*_standings(entries), *_differences(entries), *failures):
        print(line, file=out)
    return int(bool(failed))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cardgames.tournament",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("programs", nargs="+", metavar="PROGRAM", help="who takes part")
    parser.add_argument("--table", choices=[*TABLES], default="blackjack", help="(%(default)s)")
    parser.add_argument("--deals", type=int, default=10_000, help="how many (%(default)s)")
    parser.add_argument("--seed", type=int, help="what the deals follow from (anything)")
    return parser


def _standings(entries: Sequence[Entry]) -> list[str]:
    found = standings(entries)
    width = max((len(standing.name) for standing in found), default=0)
    lines = [
        f"  {standing.place:>5}  {standing.name:<{width}}  "
        f"{100 * standing.result.mean:+8.2f} ± {100 * standing.result.reach:.2f}"
        for standing in found
    ]
    return ["", "Places, and rounds won less rounds lost in a hundred:", *lines] if lines else []


def _differences(entries: Sequence[Entry]) -> list[str]:
    """Return by how much they differ, two at a time, the better one first."""
    placed = sorted(
        (entry for entry in entries if not entry.ended), key=lambda entry: -sum(entry.results)
    )
    lines = []
    for one, other in combinations(placed, 2):
        found = difference(one, other)
        open_text = "" if found.above else "  (may be chance)"
        lines.append(
            f"  {one.name} over {other.name}: "
            f"{100 * found.mean:+.2f} ± {100 * found.reach:.2f}{open_text}"
        )
    return ["", "The same deals compared, two at a time:", *lines] if lines else []


def _tell(done: int, deals: int) -> None:
    if sys.stderr.isatty() and (done % 100 == 0 or done == deals):
        end = "\n" if done == deals else ""
        print(f"\r{done:,} of {deals:,} deals", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
