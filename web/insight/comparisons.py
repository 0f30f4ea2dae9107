"""Before and after: what was given away then and now, and whether that is more than chance.

A lesson is a day on which at least three students have played at a table, by the server's clock.
One lesson is held against the last by the students who have decided ten times in both, each
against themselves; the first of a class against the last of the class that it follows. A student's
first ten rounds at a table are held against the next ten. The interval is Student's, in which the
difference lies in nineteen cases of twenty.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt
from statistics import fmean
from typing import Any, Final, Literal, NamedTuple

from cardgames.advice import POINTS
from cardgames.strategies.habits import HABITS, has_hands
from cardgames.text import Text, format_number
from web.classes.insight import EARLIER, TEN, Days, TablePlay
from web.insight.class_insight import PER, TableInsight
from web.insight.misconceptions import MIN_STUDENTS, names_of

MIN_DECISIONS: Final = 10
"""Minimum number of a student's decisions in a lesson that is compared."""

_WHOLE: Final = 1_000  # points from which on tenths are not shown

_T: Final = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""Student's 0.975 quantiles for 1 to 30 degrees of freedom; for more the last is wide enough."""


class Comparison(NamedTuple):
    """What was given away before and after, in points."""

    before: float
    after: float
    low: float
    high: float
    """The ends of the interval in which the difference, after less before, lies."""

    students: int

    @property
    def verdict(self) -> Literal["less", "more", ""]:
        """Whether it is less or more than before; empty where the interval holds zero."""
        return "less" if self.high < 0 else "more" if self.low > 0 else ""

    @property
    def text(self) -> Text:
        """The difference in words."""
        ends = [
            format_number(abs(end), ",.1f" if abs(end) < _WHOLE else ",.0f")
            for end in (self.low, self.high)
        ]
        if self.verdict == "less":
            return Text("between {low} and {high} less", low=ends[1], high=ends[0])
        if self.verdict == "more":
            return Text("between {low} and {high} more", low=ends[0], high=ends[1])
        if self.low == self.high:
            return Text("no change")
        return Text("no clear change: from {less} less to {more} more", less=ends[0], more=ends[1])

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {**self._asdict(), "verdict": self.verdict or None}


class OwnLesson(NamedTuple):
    """How one student has played on a day, at all tables."""

    day: str
    rounds: int
    decisions: int
    points: float
    """What a hundred decisions have given away."""


def own_lessons(*classes: Days) -> list[OwnLesson]:
    """Return how a student has played in some classes on the newest ten days, the newest first."""
    found = []
    for day in sorted(set().union(*classes) - {EARLIER}, reverse=True)[:TEN]:
        plays = [play for days in classes for play in days.get(day, {}).values()]
        decisions, cost = sum(play.decisions for play in plays), sum(play.cost for play in plays)
        rounds = sum(play.rounds for play in plays)
        found.append(OwnLesson(day, rounds, decisions, POINTS * PER * cost / max(1, decisions)))
    return found


def between_students(pairs: Sequence[tuple[float, float]]) -> Comparison | None:
    """Compare what some students gave away, each with themselves; None for fewer than three.

    >>> between_students([(9.0, 5.0), (8.0, 6.0), (7.0, 1.0)])
    Comparison(before=8.0, after=4.0, low=-8.96..., high=0.96..., students=3)
    """
    n = len(pairs)
    if n < MIN_STUDENTS:
        return None
    before, after = (fmean(column) for column in zip(*pairs, strict=True))
    error = sqrt(_variance([then - now for now, then in pairs]) / n)
    return _comparison(before, after, error, n - 1, n)


def tens_of(costs: Sequence[float], *, latest: bool = False) -> Comparison | None:
    """Compare a student's first ten rounds with the next ten, or with the latest ten.

    Each has nine degrees of freedom, and no more are counted, whatever the variances are: so fewer
    than one claim in twenty is chance. None before there are twenty rounds.

    Args:
        costs: of the rounds, in rounds, as :class:`~web.classes.insight.TablePlay` keeps them.
        latest: whether the latest ten are asked for.
    """
    if len(costs) < 2 * TEN:
        return None
    first, then = costs[:TEN], costs[-TEN:] if latest else costs[TEN : 2 * TEN]
    error = POINTS * sqrt((_variance(first) + _variance(then)) / TEN)
    return _comparison(POINTS * fmean(first), POINTS * fmean(then), error, TEN - 1, 1)


def tens(table: TableInsight) -> Comparison | None:
    """Compare the first ten rounds of all students of a table with their next ten."""
    found = [one for student in table.students if (one := tens_of(student.play.costs))]
    return between_students([(one.before, one.after) for one in found])


def lessons(table: TableInsight) -> list[str]:
    """Return the days on which at least three students have played at a table."""
    days = [day for student in table.students for day in student.days if day != EARLIER]
    return [day for day in sorted({*days}) if days.count(day) >= MIN_STUDENTS]


def with_last_lesson(table: TableInsight, day: str = "") -> TableInsight:
    """Return a table with what a lesson is held against, by default the newest.

    To the first lesson of a class the last is added that its students had in the class before,
    on a day before it. All others are held against one that the table has.
    """
    if lesson_pair(table, day):
        return table
    first = next(iter(lessons(table)), EARLIER)
    days = [day for one in table.students for day in one.before if EARLIER < day < first]
    last = max((day for day in {*days} if days.count(day) >= MIN_STUDENTS), default=EARLIER)
    if last == EARLIER:
        return table
    students = (
        replace(
            one, play=one.before[last].plus(one.play), days={**one.days, last: one.before[last]}
        )
        if last in one.before
        else one
        for one in table.students
    )
    return replace(table, students=tuple(students))


def lesson_pair(table: TableInsight, day: str = "") -> tuple[str, str] | None:
    """Return a lesson and the one before, that first; by default of the newest."""
    found = lessons(table)
    until = found[: found.index(day) + 1] if day in found else [] if day else found
    return (until[-2], until[-1]) if len(until) > 1 else None


class LessonBelief(NamedTuple):
    """What a belief has cost a class in one lesson."""

    name: str
    students: int = 0
    """How many did so in this lesson: three at least, or 0 for any fewer."""

    points: float = 0.0

    @property
    def text(self) -> Text:
        """What it is, in words."""
        return HABITS[self.name].text

    def has_hands(self, table: str) -> bool:
        """Say whether it can be practised at a table."""
        return has_hands(table, self.name)


def lesson_beliefs(table: TableInsight, day: str) -> list[LessonBelief]:
    """Return what a class got wrong in a lesson, the costliest first."""
    costs = defaultdict[str, list[float]](list)
    for student in table.students:
        if play := student.days.get(day):
            own, names = defaultdict[str, float](float), names_of(student.play)
            for mistake in play.mistakes:
                own[names[mistake.what]] += mistake.cost * POINTS
            for name, cost in own.items():
                costs[name].append(cost)
    found = [LessonBelief(name, len(every), sum(every)) for name, every in costs.items()]
    listed = [one for one in found if one.students >= MIN_STUDENTS]
    return sorted(listed, key=lambda one: (-one.points, one.name))


def lesson_changes(table: TableInsight, pair: tuple[str, str]) -> dict[str, Comparison]:
    """Compare what two lessons have cost in a hundred decisions, by the names of beliefs.

    All of it has the name ``""``. Nothing is there of fewer than three students.
    """
    found: list[list[defaultdict[str, float]]] = []
    for student in table.students:
        plays = [student.days.get(day, TablePlay()) for day in pair]
        if all(play.decisions >= MIN_DECISIONS for play in plays):
            names = names_of(student.play)
            found.append([_cost_by_name(play, names) for play in plays])
    every = {name for costs in found for cost in costs for name in cost}
    compared = {
        name: between_students([(before[name], after[name]) for before, after in found])
        for name in every
    }
    return {name: one for name, one in compared.items() if one}


def _cost_by_name(play: TablePlay, names: Mapping[Any, str]) -> defaultdict[str, float]:
    """Return what each belief has cost in a hundred decisions of a lesson, and all of them."""
    costs, scale = defaultdict[str, float](float, {"": 0.0}), POINTS * PER / play.decisions
    for mistake in play.mistakes:
        for name in ("", names[mistake.what]):
            costs[name] += mistake.cost * scale
    return costs


def _variance(costs: Sequence[float]) -> float:
    """Return the variance: :mod:`statistics` has it exactly, for thirty times the time."""
    mean = fmean(costs)
    return sum((cost - mean) ** 2 for cost in costs) / (len(costs) - 1)


def _comparison(
    before: float, after: float, error: float, freedom: int, students: int
) -> Comparison:
    reach = _T[min(freedom, len(_T)) - 1] * error
    difference = after - before
    return Comparison(before, after, difference - reach, difference + reach, students)
