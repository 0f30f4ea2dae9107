"""``python -m cardgames.tournament`` compares programs on the same deals.

A deal is one round from a fresh deck that is derived from the seed. Because all programs play the
same deals, most of the luck is removed from the comparison. Programs are compared by their
differences per deal, because these vary far less than the results. If the differences do not
determine a program's rank, the rank is a range: it starts after all programs that are certainly
better, and ends before all programs that are certainly worse.
"""

import argparse
import math
import secrets
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import combinations
from typing import Final, TextIO

from cardgames import GAMES
from cardgames.cards import CardGameError
from cardgames.games.twentyone.rules import TABLES
from cardgames.moves import Action
from cardgames.shared_deal import SharedDeal
from cardgames.strategies.program import Decider, ProgramEnded, opened, program_view
from cardgames.strategies.strategy import Strategy
from cardgames.table import Phase, Table

DESCRIPTION: Final = f"""\
Everybody plays the same deals, so luck is out of the comparison.

Who takes part is a file with a function decide(view), which returns "hit" or "stay", or a strategy:
{", ".join(Strategy)}. A view is what the site's JSON shows of the table. A file runs in a
process of its own, as you, with limits of time and memory; what it prints is not shown.
"""

MIN_DEALS: Final = 100
"""Minimum number of deals of a tournament."""

MAX_DEALS: Final = 1_000_000

POINTS: Final = {"player": 1, "tie": 0, "dealer": -1}
"""The value of a round, keyed by its winner."""

_SURE: Final = 1.96
"""Half-width of a 95% confidence interval, in standard errors."""

_SALT_LENGTH: Final = 32
_REFUSED: Final = 2
_INTERRUPTED: Final = 130


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, with the half-width of its 95% confidence interval."""

    mean: float
    reach: float

    @classmethod
    def of(cls, results: Sequence[int]) -> "Interval":
        """Return the mean of several results, with its 95% confidence interval."""
        n = len(results)
        if not n:
            return cls(0.0, math.inf)
        mean = sum(results) / n
        squares = sum((result - mean) ** 2 for result in results)
        return cls(mean, _SURE * math.sqrt(squares / n / (n - 1)) if n > 1 else math.inf)

    @property
    def above(self) -> bool:
        """Whether the interval is completely above 0."""
        return self.mean > self.reach

    def __str__(self) -> str:
        """Return the mean and the half-width per hundred rounds, as in ``-5.25 ± 1.50``."""
        return f"{100 * self.mean:+.2f} ± {100 * self.reach:.2f}"


@dataclass(slots=True)
class Entry:
    """A participant, with the results so far."""

    decider: Decider
    results: list[int] = field(default_factory=list)
    """The result of each played deal: 1, 0 or -1 for a win, a tie or a loss."""

    ended: str = ""
    """The reason why the participant cannot continue, or an empty string."""

    @property
    def name(self) -> str:
        """The participant's name."""
        return self.decider.name

    def play(self, deal: SharedDeal, dealt: Table) -> None:
        """Play a deal. An error ends the tournament only for this participant."""
        if self.ended:
            return
        table = dealt
        try:
            while table.phase is Phase.PLAYING:
                table = deal.play(table, self.decider.decide(program_view(table)))
        except ProgramEnded as error:
            self.ended = f"{error} (deal {len(self.results) + 1})"
        else:
            self.results.append(POINTS[table.result.winner] if table.result else 0)


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """The rank of a participant who played every deal."""

    name: str
    first: int
    """The best possible rank."""

    last: int
    """The worst possible rank."""

    result: Interval
    """The number of won rounds minus the number of lost rounds, per round."""

    @property
    def place(self) -> str:
        """The rank, or the range of ranks, as text."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


def tournament_deal(table: str, seed: int, number: int) -> SharedDeal:
    """Return the deal with the given number in a tournament.

    Args:
        table: The slug of a twenty-one table.
        seed: The seed of the tournament.
        number: The number of the deal, starting at 1.
    """
    salt = sha256(f"tournament {table} {seed} {number}".encode()).hexdigest()[:_SALT_LENGTH]
    return SharedDeal(GAMES[table], Action("deal"), salt)


def play(
    entries: Sequence[Entry],
    table: str,
    deals: int,
    seed: int,
    report: Callable[[int], None] = lambda _done: None,
) -> None:
    """Play a tournament, and store the results in the entries.

    Args:
        entries: The participants.
        table: The slug of a twenty-one table.
        deals: The number of deals.
        seed: The seed of the deals. Equal seeds produce the same deals.
        report: Function that is called after each deal with the number of played deals.

    Raises:
        CardGameError: If the tournament cannot be played.
    """
    if not MIN_DEALS <= deals <= MAX_DEALS:
        raise CardGameError(f"A tournament has {MIN_DEALS:,} to {MAX_DEALS:,} deals.")
    for number in range(1, deals + 1):
        deal = tournament_deal(table, seed, number)
        dealt = deal.dealt()
        for entry in entries:
            entry.play(deal, dealt)
        report(number)


def difference(entry: Entry, other: Entry) -> Interval:
    """Return the mean difference between two participants per deal that both played."""
    pairs = zip(entry.results, other.results, strict=False)
    return Interval.of([cost - other_cost for cost, other_cost in pairs])


def standings(entries: Sequence[Entry]) -> tuple[RankedEntry, ...]:
    """Return the ranks of the participants who played every deal, best first."""
    placed = [entry for entry in entries if not entry.ended]
    ranked = []
    for entry in placed:
        better = sum(difference(other, entry).above for other in placed if other is not entry)
        worse = sum(difference(entry, other).above for other in placed if other is not entry)
        last = len(placed) - worse
        ranked.append(RankedEntry(entry.name, 1 + better, last, Interval.of(entry.results)))
    return tuple(sorted(ranked, key=lambda one: (-one.result.mean, one.name)))


# ---- The command ---------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Play a tournament, and print the ranks.

    Args:
        arguments: The command-line arguments, by default those of the process.
        out: The stream for the ranks, by default standard output. Progress is printed to standard
            error.

    Returns:
        0 for success, 1 if a program did not finish, 2 if nothing could be played, or 130 after an
        interruption.
    """
    out = out or sys.stdout
    options = _parser().parse_args(arguments)
    seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    failed: list[str] = []
    with ExitStack() as stack:
        entries = []
        try:
            for text in options.programs:
                try:
                    decider = opened(text, options.table)
                except ProgramEnded as error:
                    failed.append(str(error))
                    continue
                stack.callback(decider.close)
                entries.append(Entry(decider))
            play(
                entries,
                options.table,
                options.deals,
                seed,
                partial(_show_progress, options.deals),
            )
        except CardGameError as error:
            print(error, file=sys.stderr)
            return _REFUSED
        except KeyboardInterrupt:
            return _INTERRUPTED
    failed += [entry.ended for entry in entries if entry.ended]
    print(f"{options.table}, {options.deals:,} deals from seed {seed}", file=out)
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
    places = standings(entries)
    width = max((len(standing.name) for standing in places), default=0)
    lines = [
        f"  {standing.place:>5}  {standing.name:<{width}}  {standing.result!s:>16}"
        for standing in places
    ]
    return ["", "Places, and rounds won less rounds lost in a hundred:", *lines] if lines else []


def _differences(entries: Sequence[Entry]) -> list[str]:
    """Return the differences between pairs of participants, the better one first."""
    placed = sorted(
        (entry for entry in entries if not entry.ended), key=lambda entry: -sum(entry.results)
    )
    lines = []
    for first, other in combinations(placed, 2):
        interval = difference(first, other)
        chance = "" if interval.above else "  (may be chance)"
        lines.append(f"  {first.name} over {other.name}: {interval}{chance}")
    return ["", "The same deals compared, two at a time:", *lines] if lines else []


def _show_progress(deals: int, finished: int) -> None:
    if sys.stderr.isatty() and (finished % 100 == 0 or finished == deals):
        end = "\n" if finished == deals else ""
        print(f"\r{finished:,} of {deals:,} deals", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
