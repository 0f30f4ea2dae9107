"""Experiments in a terminal: ``python -m cardgames.lab``."""

import argparse
import secrets
import sys
from collections.abc import Sequence
from typing import Final, TextIO

from cardgames.cards import CardGameError
from cardgames.lab import MAX_ROUNDS, MIN_ROUNDS, OPTIONS, ask, run
from cardgames.lab.report import Table, choices, conclusion, tables, title

_REFUSED: Final = 2


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Play the experiment that the command line asks for, and print what came out.

    Args:
        arguments: the command line's, by default.
        out: where it goes, standard output by default.

    Returns:
        0; 2 where what was asked cannot be played.
    """
    out = out or sys.stdout
    asked = vars(_parser().parse_args(arguments))
    game, rounds, seed = asked.pop("game"), asked.pop("rounds"), asked.pop("seed")
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    try:
        experiment = ask(game, asked, rounds, seed)
    except CardGameError as error:
        print(error, file=sys.stderr)
        return _REFUSED
    print(f"{title(experiment)}. {choices(experiment)}. Seed: {seed}.", file=out, flush=True)
    result = run(experiment)
    print("", *conclusion(experiment, result), sep="\n", file=out)
    for table in tables(experiment, result):
        print(f"\n{as_text(table)}", file=out)
    return 0


def as_text(table: Table) -> str:
    """Return a table as lines of text, its columns lined up."""
    lines = [table.head, *table.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    laid_out = (
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
    return "\n".join((table.title, *("  " + line.rstrip() for line in laid_out)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cardgames.lab",
        description="Thousands of rounds at once. The same seed gives the same result.",
    )
    games = parser.add_subparsers(dest="game", required=True)
    for slug, options in OPTIONS.items():
        game = games.add_parser(slug)
        for option in options:
            values = [*option.texts]
            said = f"{option.title.lower()} (%(default)s)"
            game.add_argument(f"--{option.name}", choices=values, default=values[0], help=said)
        many = f"{MIN_ROUNDS} to {MAX_ROUNDS:,} (%(default)s)"
        game.add_argument("--rounds", type=int, default=1_000, help=many)
        game.add_argument("--seed", type=int, help="what all luck follows from (anything)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
