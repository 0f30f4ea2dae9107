"""Simulations in a terminal: ``python -m cardgames.lab``."""

import argparse
import contextlib
import random
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TextIO

from cardgames.cards import CardGameError
from cardgames.games.bingo.rules import Mode
from cardgames.games.twentyone.rules import TABLES
from cardgames.simulation import (
    BingoRounds,
    Experiment,
    Result,
    TwentyOneRounds,
    WarGames,
    count_steps,
    run,
)
from cardgames.simulation.report import Finding, conclusion, findings, title

_BAR_WIDTH: Final = 40
_INTERRUPTED: Final = 130
_REFUSED: Final = 2


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Do the experiment that the command line asks for, and print what came out.

    Args:
        arguments: the command line's, by default.
        out: where the tables go, standard output by default. Progress goes to standard error.

    Returns:
        0; 2 where what was asked cannot be played, 130 where it was interrupted.
    """
    out = out or sys.stdout
    try:
        experiment = _to_experiment(_parser().parse_args(arguments))
    except CardGameError as error:
        print(error, file=sys.stderr)
        return _REFUSED
    print(f"{title(experiment)}, from seed {experiment.seed}", file=out, flush=True)
    began, status = time.perf_counter(), _INTERRUPTED
    results: deque[Result] = deque(maxlen=1)
    with contextlib.suppress(KeyboardInterrupt):
        for done, so_far in run(experiment):
            results.append(so_far)
            _show_progress(done, count_steps(experiment))
        status = 0
    if not results:
        return status
    result, seconds = results[0], time.perf_counter() - began
    rate = f"{result.games:,} played in {seconds:.1f} s, {result.games / seconds:,.0f} a second."
    print(f"\n{rate}", file=sys.stderr)
    for finding in findings(result):
        print(f"\n{as_text(finding)}", file=out)
    print(f"\n{' '.join(conclusion(result))}", file=out)
    return status


def as_text(finding: Finding) -> str:
    """Return a table as lines of text, its columns lined up."""
    lines = [finding.head, *finding.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    laid_out = (
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
    return "\n".join((finding.title, *("  " + line.rstrip() for line in laid_out)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cardgames.lab",
        description="Thousands of games at once. The same seed gives the same result.",
    )
    games = parser.add_subparsers(dest="game", required=True)
    for name in ("war", "bingo", "twentyone"):
        game = games.add_parser(name)
        game.add_argument("--games", type=int, default=10_000, help="how many (%(default)s)")
        game.add_argument("--seed", type=int, help="where luck begins (anywhere)")
    games.choices["war"].add_argument("--players", type=int, default=2, help="2 to 6 (%(default)s)")
    games.choices["bingo"].add_argument(
        "--mode", choices=[*Mode], default="L", help="line, corners or full (%(default)s)"
    )
    games.choices["bingo"].add_argument("--speed", action="store_true", help="compare ranks alone")
    games.choices["twentyone"].add_argument(
        "--table", choices=[*TABLES], default="simple-21", help="whose rules (%(default)s)"
    )
    games.choices["twentyone"].add_argument(
        "--strategy",
        nargs="+",
        default=["dealer"],
        help="below N, dealer, best, or a file with a table of decisions (%(default)s)",
    )
    return parser


def _to_experiment(arguments: argparse.Namespace) -> Experiment:
    games, seed = arguments.games, arguments.seed
    if seed is None:
        seed = random.SystemRandom().randrange(1_000_000)
    match arguments.game:
        case "war":
            return WarGames(games, seed, arguments.players)
        case "bingo":
            return BingoRounds(games, seed, Mode(arguments.mode), arguments.speed)
        case _:
            strategy = " ".join(arguments.strategy)
            if Path(strategy).is_file():
                strategy = Path(strategy).read_text(encoding="utf-8", errors="replace")
            return TwentyOneRounds(games, seed, arguments.table, strategy)


def _show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        full = _BAR_WIDTH * done // total
        bar = "#" * full + "." * (_BAR_WIDTH - full)
        print(f"\r[{bar}] {done / total:4.0%}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
