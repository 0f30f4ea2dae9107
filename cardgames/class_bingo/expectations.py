"""What to expect of a round: how many calls to the first BINGO!, and how often it is a tie.

``python -m cardgames.class_bingo.expectations`` plays rounds at random and prints the figures as
CSV; those in ``expected.csv`` beside this module are what it printed. A round of 500 cards is at
the same time one of its first 2, 10 or 60 cards, so every size comes from the same rounds.
"""

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from pathlib import Path
from random import Random
from statistics import mean, quantiles
from typing import Final, TextIO

from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.class_bingo.card import BingoCard, Kind
from cardgames.games.bingo.rules import Mode, dealt

KINDS: Final = tuple(Kind(mode, speed) for mode in Mode for speed in (False, True))
SIZES: Final = (1, 2, 3, 4, 6, 8, 10, 14, 20, 30, 45, 60, 100, 200, 500)
"""Numbers of cards in play with known figures; those between follow from their neighbours."""

ROUNDS: Final = 8_000

_FILE: Final = Path(__file__).with_name("expected.csv")
_FIELDS: Final = ("mode", "speed", "cards", "calls", "tied", "from", "to")


@dataclass(frozen=True, slots=True)
class Expectation:
    """What to expect of a round by its number of cards in play."""

    calls: float
    """The mean number of calls to the first BINGO!"""

    tied: float
    """The share of rounds in which two or more have it at the same call."""

    low: float
    """One round in twenty ends before this call."""

    high: float
    """And one in twenty after this one."""


def expected(kind: Kind, cards: int) -> Expectation:
    """Return what to expect of a round.

    Args:
        kind: what the round is.
        cards: how many cards are in play.

    >>> expected(Kind(), 30).calls < expected(Kind(), 10).calls < expected(Kind(), 2).calls
    True
    """
    known = _known()[kind]
    wanted = min(max(cards, SIZES[0]), SIZES[-1])
    above = next(size for size in SIZES if size >= wanted)
    below = max(size for size in SIZES if size <= wanted)
    if above == below:
        return known[above]
    share = (log(wanted) - log(below)) / (log(above) - log(below))
    low, high = known[below], known[above]
    names = ("calls", "tied", "low", "high")
    return Expectation(
        *(getattr(low, name) * (1 - share) + getattr(high, name) * share for name in names)
    )


@lru_cache(1)
def _known() -> dict[Kind, dict[int, Expectation]]:
    """Read the figures that the command has printed."""
    found: dict[Kind, dict[int, Expectation]] = {kind: {} for kind in KINDS}
    with _FILE.open(newline="") as file:
        for row in csv.DictReader(file):
            figures = (float(row[name]) for name in _FIELDS[3:])
            kind = Kind(Mode(row["mode"]), row["speed"] == "Y")
            found[kind][int(row["cards"])] = Expectation(*figures)
    return found


def random_cards(rng: Random, count: int) -> tuple[Cards, list[Cards]]:
    """Return a calling deck and a number of grids, each from a deck of its own, at random."""
    grids = [dealt(shuffled(FULL_DECK, rng))[0] for _ in range(count)]
    return shuffled(FULL_DECK, rng), grids


def first_bingos(calls: Sequence[int], sizes: Sequence[int] = SIZES) -> Iterator[tuple[int, bool]]:
    """Yield when the first of some cards have BINGO!, and whether two or more have it then.

    Args:
        calls: the call of each card's BINGO!
        sizes: of how many cards at a time, ascending.

    >>> list(first_bingos([9, 12, 7, 7], (1, 3, 4)))
    [(9, False), (7, False), (7, True)]
    """
    for size in sizes:
        among = calls[:size]
        first = min(among)
        yield first, among.count(first) > 1


def simulate(rng: Random, rounds: int) -> Iterator[tuple[Kind, int, Expectation]]:
    """Play rounds at random and yield what came of them, by kind and number of cards."""
    seen: dict[tuple[Kind, int], list[tuple[int, bool]]] = {
        (kind, size): [] for kind in KINDS for size in SIZES
    }
    for _ in range(rounds):
        calling, grids = random_cards(rng, SIZES[-1])
        for kind in KINDS:
            calls = [BingoCard.of(0, grid, calling, kind).bingo_call for grid in grids]
            for size, first in zip(SIZES, first_bingos(calls), strict=True):
                seen[kind, size].append(first)
    for (kind, size), ends in seen.items():
        calls = [call for call, _ in ends]
        low, *_, high = quantiles(calls, n=20)
        yield kind, size, Expectation(mean(calls), mean(tied for _, tied in ends), low, high)


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> None:
    """Print the figures as CSV."""
    parser = argparse.ArgumentParser(
        prog="python -m cardgames.class_bingo.expectations",
        description="Play rounds of class Bingo at random, and print what to expect of one.",
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    writer = csv.writer(out or sys.stdout, lineterminator="\n")
    writer.writerow(_FIELDS)
    for kind, size, one in simulate(Random(asked.seed), asked.rounds):
        figures = (f"{one.calls:.2f}", f"{one.tied:.3f}", f"{one.low:.1f}", f"{one.high:.1f}")
        writer.writerow((kind.mode, "Y" if kind.speed else "N", size, *figures))


if __name__ == "__main__":
    main()
