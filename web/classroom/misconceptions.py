"""What a class believes that is not so: its costly decisions, grouped as one learns them.

Each mistake is in one group, whatever the upcard was where that is no part of what is believed. A
group of fewer than three students is not listed: how much of the whole that is, is said.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, NamedTuple

from cardgames.advice import POINTS
from cardgames.cards import CardGameError
from cardgames.lab.distribution import wilson
from cardgames.records.line import parse
from cardgames.records.replay import replay
from cardgames.strategies.habits import EVERYTHING, HABITS, habit_of
from cardgames.text import Text
from web.classroom.insight import Mistake, TablePlay, advisor_at, merged
from web.classroom.questions import Position
from web.tables.rows import UNREADABLE

MIN_STUDENTS: Final = 3
"""Minimum number of students in a row of the class's decisions: nobody is to be known by it."""


@dataclass(frozen=True, slots=True)
class Misconception:
    """What several students do, though something else is better."""

    name: str
    mistakes: tuple[Mistake, ...]
    """Those of all students, the same ones together."""

    students: int
    of: int
    """How many students have played at the table."""

    alike: tuple[tuple[Mistake, int], ...]
    """Those that at least three students have made alike, with how many, the costliest first."""

    @property
    def text(self) -> Text:
        """What it is, in words."""
        return HABITS[self.name].text

    @property
    def times(self) -> int:
        """How often it was done."""
        return sum(one.times for one in self.mistakes)

    @property
    def points(self) -> float:
        """What it has cost in all."""
        return POINTS * sum(one.cost for one in self.mistakes)

    @property
    def each(self) -> float:
        """What it costs each time, on average."""
        return self.points / self.times

    @property
    def reach(self) -> tuple[float, float]:
        """The shares between which the habit lies in nineteen of twenty classes like this one."""
        return wilson(self.students, self.of)

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "name": self.name,
            "what": self.text,
            "students": self.students,
            "of": self.of,
            "times": self.times,
            "each": self.each,
            "points": self.points,
            "share": self.reach,
        }


class Misconceptions(NamedTuple):
    """What a class believes that is not so, at one table."""

    listed: tuple[Misconception, ...]
    """The costliest first; none of fewer than three students."""

    unlisted: float
    """The points that are in none of them."""

    total: float
    """The points that all mistakes have cost."""


def misconceptions(plays: Collection[TablePlay]) -> Misconceptions:
    """Return what a class believes at a table, from how each student has played there."""
    who_does: dict[str, list[list[Mistake]]] = {}
    for play in plays:
        own: dict[str, list[Mistake]] = {}
        for name, mistake in _named(play.mistakes):
            own.setdefault(name, []).append(mistake)
        for name, mistakes in own.items():
            who_does.setdefault(name, []).append(mistakes)
    total = POINTS * sum(one.cost for by in who_does.values() for one in chain(*by))
    listed = [
        _misconception(name, by, len(plays))
        for name, by in who_does.items()
        if len(by) >= MIN_STUDENTS
    ]
    listed.sort(key=lambda one: (-one.points, one.name))
    return Misconceptions(tuple(listed), total - sum(one.points for one in listed), total)


def _misconception(name: str, by: list[list[Mistake]], of: int) -> Misconception:
    """Return what some of the students believe, from the mistakes of each that come from it."""
    mistakes = merged(chain(*by))
    who = Counter(mistake.what for mistake in chain(*by))  # each is once with each student
    alike = [(one, who[one.what]) for one in mistakes if who[one.what] >= MIN_STUDENTS]
    alike.sort(key=lambda pair: (-pair[0].cost, pair[0].what))
    return Misconception(name, mistakes, len(by), of, tuple(alike))


def _named(mistakes: tuple[Mistake, ...]) -> Iterator[tuple[str, Mistake]]:
    """Yield the mistakes of one student with what they believe.

    Who stops on stiff hands against strong cards and against weak ones stops on all of them.
    """
    names = [habit_of(one.chosen, one.total, one.upcard, soft=one.soft) for one in mistakes]
    stops = {"stops-strong", "stops-weak"}
    does_all = stops <= {*names}
    for name, mistake in zip(names, mistakes, strict=True):
        yield EVERYTHING if does_all and name in stops else name, mistake


def position_of(slug: str, mistake: Mistake) -> Position | None:
    """Return a mistake as a position to vote on; None where its round cannot be replayed.

    The hand is that of the round in which it has cost most, with all other cards unseen.
    """
    advisor = advisor_at(slug)
    try:
        tables = replay(parse(mistake.record)).tables
        if advisor is None or not 0 <= mistake.step < len(tables):
            return None
        situation = advisor.situation(tables[mistake.step].state)
    except (*UNREADABLE, CardGameError):
        return None
    return Position(slug, situation.hand, situation.upcard)
