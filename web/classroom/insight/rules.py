"""What a class gets wrong at a table: its costly decisions, what it believes, and how each plays.

A belief is several decisions, grouped as one learns them: each mistake is in one group, whatever
the upcard was where that is no part of what is believed. A decision or a belief of fewer than three
students is not listed: how much of the whole that is, is said.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, NamedTuple

from cardgames import GAMES
from cardgames.advice import POINTS
from cardgames.cards import CardGameError, Rank
from cardgames.lab.distribution import wilson
from cardgames.records.line import InvalidRecord, parse
from cardgames.records.replay import replay
from cardgames.strategies.habits import EVERYTHING, HABITS, habit_of
from cardgames.text import Text
from web.classroom.core.models import Classroom
from web.classroom.insight.queries import (
    PER,
    Mistake,
    TablePlay,
    WorstTime,
    advisor_at,
    first_day,
    merged,
    mistakes_at,
    mistakes_in_class,
    plays_in_class,
    rounds_of,
)
from web.classroom.votes.models import Question
from web.history.addresses import replay_address
from web.tables.rows import UNREADABLE

MIN_STUDENTS: Final = 3
"""Minimum number of students in a row of the class's decisions: nobody is to be known by it."""

MAX_ON_SCREEN: Final = 4
"""Maximum number of decisions on the big screen, to be read from eight metres."""

_SURE: Final = 1.96
"""Number of standard errors within which a mean lies in nineteen cases of twenty."""

_UNSURE: Final = 0.05  # share of the cases in which an interval may be wrong


@dataclass(frozen=True, slots=True)
class CostlyDecision:
    """What several students have decided alike, though something else was better."""

    slug: str
    """The table's slug."""

    mistake: Mistake
    """All students' mistakes together; its round is the one in which it has cost most."""

    students: int
    of: int
    """How many students have played there."""

    @property
    def key(self) -> WorstTime:
        """What stands for the time that has cost most."""
        one = self.mistake
        return self.slug, one.chosen, one.total, one.soft, one.upcard.value, one.worst

    @property
    def what(self) -> Text:
        """What was decided."""
        advisor, one = advisor_at(self.slug), self.mistake
        assert advisor  # noqa: S101 - nothing is kept of other tables
        return advisor.decision_text(one.chosen, one.total, one.upcard, soft=one.soft)

    @property
    def hand(self) -> str:
        """The hand in short, as ``16`` or ``s18``."""
        return f"s{self.mistake.total}" if self.mistake.soft else str(self.mistake.total)

    @property
    def upcard(self) -> str:
        """The dealer's card in short."""
        rank = self.mistake.upcard
        return "10" if rank is Rank.TEN else rank.value

    @property
    def points(self) -> float:
        """What it has cost in all."""
        return self.mistake.cost * POINTS

    @property
    def each(self) -> float:
        """What it has cost each time, on average."""
        return self.points / max(1, self.mistake.times)

    @property
    def replay(self) -> str:
        """The address of the round in which it has cost most; empty where none can be shown."""
        try:
            record = parse(self.mistake.record)
        except InvalidRecord:
            return ""
        step = self.mistake.step
        return f"{replay_address(record)}?step={step}" if 0 < step <= record.steps else ""

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        counts = {"what": self.what, "students": self.students, "of": self.of}
        cost = {"each": self.each, "points": self.points, "replay": self.replay}
        return self.mistake.document() | counts | cost


class Estimate(NamedTuple):
    """A mean, and the ends of the interval in which it lies in nineteen cases of twenty."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class StudentPlay:
    """How one student has played at a table."""

    number: int
    play: TablePlay
    given: Estimate | None
    """The points given away in a hundred decisions; None where nothing was decided."""

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        play, given = self.play, self.given
        counts = {"rounds": play.rounds, "won": play.won, "decisions": play.decisions}
        mean, interval = (given.mean, given[1:]) if given else (None, None)
        return counts | {"per_100": mean, "interval": interval}


@dataclass(frozen=True, slots=True)
class TableInsight:
    """How a class has played at a table."""

    slug: str
    rounds: int
    costly: tuple[CostlyDecision, ...]
    """The costliest first; none of fewer than three students."""

    students: tuple[StudentPlay, ...]
    """Those who have played there; those who give least away first."""

    @property
    def title(self) -> str:
        """The table's title."""
        return GAMES[self.slug].info.title

    def screen_document(self) -> dict[str, Any]:
        """Return what the big screen shows as JSON: nobody is named in it."""
        about = {"table": self.slug, "rounds": self.rounds, "students": len(self.students)}
        return about | {"decisions": [decision.document() for decision in self.costly]}


def _table_insight(
    slug: str, plays: Mapping[int, TablePlay], mistakes: Sequence[tuple[Mistake, int]]
) -> TableInsight:
    times = sum(mistake.times for mistake, _ in mistakes)
    usual = sum(mistake.cost for mistake, _ in mistakes) / times if times else 0.0
    students = [StudentPlay(who, play, estimate(play, usual)) for who, play in plays.items()]
    students.sort(key=lambda one: (one.given is None, one.given or (), one.number))
    costly = [
        CostlyDecision(slug, mistake, number, len(students))
        for mistake, number in mistakes
        if number >= MIN_STUDENTS
    ]
    costly.sort(key=lambda one: (-one.mistake.cost, one.mistake.what))
    rounds = sum(play.rounds for play in plays.values())
    return TableInsight(slug, rounds, tuple(costly), tuple(students))


def estimate(play: TablePlay, usual: float) -> Estimate | None:
    """Return how many points a student gives away in a hundred decisions.

    Who has made no mistake yet may still make one: in n decisions without, the chance of one is
    below 1 - 0.05^(1/n) in nineteen cases of twenty (about 3/n, "the rule of three"), and it then
    costs what one costs in the class.

    Args:
        play: what the student has done at a table.
        usual: what a mistake costs on average in the class, in rounds.

    >>> estimate(TablePlay(rounds=9, decisions=10, cost=0.2, squares=0.02), 0.1)
    Estimate(mean=200.0, low=0.0, high=461.3...)
    >>> estimate(TablePlay(rounds=9, decisions=59), 0.1)
    Estimate(mean=0.0, low=0.0, high=49.5...)
    """
    n = play.decisions
    if not n:
        return None
    mean = play.cost / n
    unseen = (1 - _UNSURE ** (1 / n)) * usual
    # From sums alone, so rounding may leave a little less than nothing.
    spread = max(0.0, play.squares - n * mean * mean) / (n - 1) if n > 1 else 0.0
    reach = _SURE * math.sqrt(spread / n) if n > 1 else mean
    low, high = max(0.0, mean - reach), max(mean + reach, unseen)
    scale = POINTS * PER
    return Estimate(mean * scale, low * scale, high * scale)


@dataclass(frozen=True, slots=True)
class Misconception:
    """What several students do, though something else is better."""

    name: str
    mistakes: tuple[Mistake, ...]
    """Those of all students, the same ones together."""

    students: int
    of: int
    """How many students have played at the table."""

    alike: tuple[CostlyDecision, ...]
    """The decisions that at least three students have made alike, the costliest first."""

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
            "decisions": [decision.document() for decision in self.alike],
        }


class Misconceptions(NamedTuple):
    """What a class believes that is not so, at one table."""

    listed: tuple[Misconception, ...]
    """The costliest first; none of fewer than three students."""

    unlisted: float
    """The points that are in none of them."""

    total: float
    """The points that all mistakes have cost."""


def misconceptions(classroom: Classroom, table: TableInsight, period: str) -> Misconceptions:
    """Return what a class believes at a table, from the mistakes of each student there."""
    since = first_day(period, classroom.now)
    who_does: defaultdict[str, list[list[Mistake]]] = defaultdict(list)
    for mistakes in mistakes_at(classroom.code, table.slug, since).values():
        own: defaultdict[str, list[Mistake]] = defaultdict(list)
        for name, mistake in _named(mistakes):
            own[name].append(mistake)
        for name, alike in own.items():
            who_does[name].append(alike)
    total = POINTS * sum(one.cost for by in who_does.values() for one in chain(*by))
    listed = [
        _misconception(table, name, by) for name, by in who_does.items() if len(by) >= MIN_STUDENTS
    ]
    listed.sort(key=lambda one: (-one.points, one.name))
    return Misconceptions(tuple(listed), total - sum(one.points for one in listed), total)


def _misconception(table: TableInsight, name: str, by: list[list[Mistake]]) -> Misconception:
    """Return what some of the students believe, from the mistakes of each that come from it."""
    mistakes, of = merged(chain(*by)), len(table.students)
    who = Counter(mistake.what for mistake in chain(*by))  # each is once with each student
    rounds = {one.mistake.what: one.mistake for one in table.costly}
    alike = []
    for one in mistakes:
        if who[one.what] >= MIN_STUDENTS:
            worst = rounds[one.what]
            seen = replace(one, step=worst.step, record=worst.record)
            alike.append(CostlyDecision(table.slug, seen, who[one.what], of))
    alike.sort(key=lambda one: (-one.mistake.cost, one.mistake.what))
    return Misconception(name, mistakes, len(by), of, tuple(alike))


def _named(mistakes: Sequence[Mistake]) -> Iterator[tuple[str, Mistake]]:
    """Yield the mistakes of one student with what they believe.

    Who stops on stiff hands against strong cards and against weak ones stops on all of them.
    """
    names = [habit_of(one.chosen, one.total, one.upcard, soft=one.soft) for one in mistakes]
    stops = {"stops-strong", "stops-weak"}
    does_all = stops <= {*names}
    for name, mistake in zip(names, mistakes, strict=True):
        yield EVERYTHING if does_all and name in stops else name, mistake


def question_of(slug: str, mistake: Mistake) -> Question | None:
    """Return a mistake as a question to vote on, or None if its round cannot be replayed.

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
    return Question(slug, situation.hand, situation.upcard)


def insight_of(classroom: Classroom, period: str = "all") -> Mapping[str, TableInsight]:
    """Return how a class has played, by the tables at which it has; who is banned is left out.

    The rounds of the decisions are not with it (:func:`with_replays`).

    Args:
        classroom: the class.
        period: which rounds are counted, one of :data:`~web.classroom.insight.queries.PERIODS`.
    """
    since = first_day(period, classroom.now)
    plays = plays_in_class(classroom.code, since)
    mistakes = mistakes_in_class(classroom.code, since)
    return {
        slug: _table_insight(slug, plays[slug], mistakes.get(slug, ()))
        for slug in GAMES
        if slug in plays
    }


def with_replays(
    classroom: Classroom, period: str, decisions: Sequence[CostlyDecision]
) -> tuple[CostlyDecision, ...]:
    """Return decisions with the rounds in which they have cost most in a period."""
    keys = [one.key for one in decisions]
    rounds = rounds_of(classroom.code, first_day(period, classroom.now), keys)
    return tuple(
        replace(one, mistake=replace(one.mistake, **rounds.get(one.key, {}))) for one in decisions
    )


def chosen_table(found: Mapping[str, TableInsight], asked: str) -> TableInsight | None:
    """Return how a class has played at the table that was asked for.

    At the one with most rounds where it has not played there; None where nothing was played.
    """
    return found.get(asked) or max(found.values(), key=lambda one: one.rounds, default=None)
