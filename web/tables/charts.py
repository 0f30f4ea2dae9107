"""Panels with charts of a table: streaks, the tally over time, and the progress of a long round.

The numbers of a round are not stored. The numbers are computed from the round's record, as in a
replay, and each process caches the numbers of the rounds that it has shown.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final, NamedTuple

from cardgames import GAMES
from cardgames.game import Game
from cardgames.records.record import Record
from cardgames.records.replay import replay
from cardgames.table import Table
from cardgames.text import Text
from web.charts import Plot, line_plot
from web.http.sessions import PlayerSession
from web.tables.seat import Seat

WON_OR_LOST: Final = [slug for slug, game in GAMES.items() if game.info.winners]
"""The slugs of the games whose rounds the player wins or loses against one opponent."""

LONG: Final = [slug for slug, game in GAMES.items() if type(game).progress is not Game.progress]
"""The slugs of the games that have numbers for the chart of a long round."""

MAX_SAMPLES: Final = 120
"""Maximum number of points drawn per line."""

_MIN_ROUNDS: Final = 10
"""Minimum number of rounds for a chart. A line through fewer rounds is not informative."""

_RUN: Final = re.compile("[^0]")
"""Matches the digit of a round that the player did not win. Such a round ends a streak."""

_MIN_RUN: Final = 2
"""Minimum number of consecutive rounds won that is mentioned on a page."""

_STEPS: Final = {"0": 1, "1": -1}
_TITLE: Final = Text("The tally over the game")
_ROUNDS: Final = Text("rounds")
_AHEAD: Final = Text("rounds ahead")


class WinningStreak(NamedTuple):
    """The number of consecutive rounds that the player has won."""

    run: int
    """The length of the current streak, or 0 if the player did not win the last round."""

    best: int
    """The longest streak at the table."""

    ended: int
    """The length of the streak that this round ended, or 0 if the round did not end a streak."""


def streak_panel(_session: PlayerSession, seat: Seat) -> Mapping[str, Any] | None:
    """Return the number of consecutive rounds won, for the verdict on a round.

    The table stores a limited number of rounds (:attr:`Table.round_winners`).
    """
    streak = winning_streak(seat.table.round_winners)
    return {"streak": streak} if streak else None


def winning_streak(round_winners: str) -> WinningStreak | None:
    """Return the consecutive rounds won, or None if there are too few to mention.

    >>> winning_streak("00010000"), winning_streak("0001")
    (WinningStreak(run=4, best=4, ended=0), WinningStreak(run=0, best=3, ended=3))
    >>> winning_streak("00011")
    """
    *earlier, run = winning_runs(round_winners)
    ended = 0 if run or not earlier else earlier[-1]
    is_long = max(run, ended) >= _MIN_RUN
    return WinningStreak(run, max(run, *earlier, 0), ended) if is_long else None


def course_panel(_session: PlayerSession, seat: Seat) -> Mapping[str, Any] | None:
    """Return the tally over time as a line, if there are enough rounds."""
    chart = build_chart(seat.table.round_winners)
    return {"course": chart} if chart else None


def progress_panel(_session: PlayerSession, seat: Seat) -> Mapping[str, Any] | None:
    """Return the progress of the round on a table, if its game has numbers for it."""
    progress = round_progress(seat.table)
    return {"progress": progress} if progress else None


def winning_runs(round_winners: str) -> list[int]:
    """Return the length of each streak of rounds that the player won.

    The last streak may continue.

    >>> winning_runs("0010000"), winning_runs("001")
    ([2, 4], [2, 0])
    """
    return [len(run) for run in _RUN.split(round_winners)]


class TallyChart(NamedTuple):
    """The tally over time, as a line.

    The line goes up for a round won, down for a round lost, and is level for a tie.
    """

    lead: int
    """Number of rounds by which the first player leads. A negative number means that the player is
    behind.
    """

    plot: Plot


@lru_cache(maxsize=1024)  # Without this cache, a page of 100 rounds takes 13% longer.
def build_chart(course: str) -> TallyChart | None:
    """Return the tally over time, or None if there are too few rounds.

    Args:
        course: The winner of each round, the oldest first: "0" for the player, "1" for the
            opponent.

    >>> chart = build_chart("0201000000")
    >>> chart.lead, chart.plot.lines[0].path
    (7, 'M0 7l1-1l1 0l1-1l1 1l1-1l1-1l1-1l1-1l1-1l1-1')
    """
    if len(course) < _MIN_ROUNDS:
        return None
    leads = list(accumulate((_STEPS.get(digit, 0) for digit in course), initial=0))
    plot = line_plot(
        _TITLE,
        _ROUNDS,
        _AHEAD,
        [(_AHEAD, tuple(enumerate(leads)))],
        (0, len(course)),
        (min(*leads, -1), max(*leads, 1)),
    )
    return TallyChart(leads[-1], plot)


@dataclass(frozen=True, slots=True)
class RoundProgress:
    """The progress of a round."""

    samples: tuple[tuple[int, ...], ...]
    """For each sample, the step's number and each player's number in the chart."""

    def plot(self, names: Sequence[str]) -> Plot:
        """Return the progress as a chart."""
        steps, *numbers = zip(*self.samples, strict=True)
        lines = [
            (name, tuple(zip(steps, line, strict=True)))
            for name, line in zip(names, numbers, strict=True)
        ]
        highest = max(map(max, numbers))
        turns = (0, max(1, steps[-1]))
        return line_plot(
            Text("Cards in each hand"), Text("turns"), Text("cards"), lines, turns, (0, highest)
        )


Sample = tuple[int, ...]

_latest: dict[Record, RoundProgress] = {}
"""The progress of the rounds that this worker has shown, keyed by record."""

_MAX_ROUNDS: Final = 256  # maximum number of rounds in the cache


def round_progress(table: Table) -> RoundProgress | None:
    """Return the progress of the round on a table, or None without numbers for it.

    Only some games have such numbers. If only one step was added since the last request, only this
    step is appended. Appending avoids a replay of hundreds of turns for every page.
    """
    if table.state is None or not table.game.progress(table.state):
        return None
    record = replace(table.record, result="")  # Like a truncated record, a key has no result.
    if record in _latest:
        return _latest[record]
    before = _latest.pop(record.truncated(record.steps - 1), None)
    if before:
        now = (record.steps - 1, *table.game.progress(table.state))
        progress: RoundProgress | None = RoundProgress(_evenly((*before.samples, now)))
    else:
        progress = sampled(replay(record).tables[1:])
    if len(_latest) >= _MAX_ROUNDS:  # The rounds of active players will soon be in the cache again.
        _latest.clear()
    if progress is not None:
        _latest[record] = progress
    return progress


def sampled(tables: Sequence[Table]) -> RoundProgress | None:
    """Return the progress of a round, computed from its replay.

    Args:
        tables: The tables after the deal and after each action.
    """
    if not tables or not tables[0].game.progress(tables[0].state):
        return None
    every = _every(len(tables) - 1)
    steps = [*range(0, len(tables) - 1, every), len(tables) - 1]
    return RoundProgress(
        tuple((step, *tables[step].game.progress(tables[step].state)) for step in steps)
    )


def _evenly(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """Return the samples at regular distances, and the last sample."""
    last = samples[-1]
    every = _every(last[0])
    return (*(sample for sample in samples[:-1] if sample[0] % every == 0), last)


def _every(last: int) -> int:
    """Return the number of steps between samples, for a round of a given length.

    The number is a power of two, so that a larger number never needs a sample that was omitted.

    >>> _every(MAX_SAMPLES), _every(MAX_SAMPLES + 1), _every(5 * MAX_SAMPLES)
    (1, 2, 8)
    """
    return 1 << (max(0, last - 1) // MAX_SAMPLES).bit_length()
