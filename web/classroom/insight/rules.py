"""The mistakes of a class at a table: costly decisions, misconceptions and students' results.

A misconception is a group of mistakes that students unlearn together. Each mistake belongs to a
single group, whatever the upcard is, unless the upcard is part of the misconception. Decisions and
misconceptions of fewer than three students are not listed, but their proportion of the total is
shown.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import chain
from typing import Any, Final, NamedTuple

from cardgames import GAMES
from cardgames.advice import POINTS, Advisor, Decision
from cardgames.cards import CardGameError, Rank
from cardgames.game import AnyGame
from cardgames.lab.distribution import wilson
from cardgames.ledger import review_round
from cardgames.records.line import InvalidRecord, line, parse
from cardgames.records.record import Record
from cardgames.records.replay import Replay, redacted, replay, with_shuffle_orders
from cardgames.strategies.habits import EVERYTHING, HABITS, find_habit
from cardgames.table import Phase
from cardgames.text import Text
from web.classroom.core.words import local_time
from web.classroom.insight.models import OLDER_DAYS, StudentDay
from web.classroom.votes.models import Question
from web.history.addresses import replay_address
from web.tables.models import UNREADABLE

PERIODS: Final[Mapping[str, Text]] = {
    "1": Text("Today"),
    "7": Text("7 days"),
    "all": Text("All"),
}
"""The period in which the counted rounds ended, as in the query parameter ``days``.
"""

PER: Final = 100
"""Minimum number of decisions for which the points given away are shown."""

MIN_STUDENTS: Final = 3
"""Minimum number of students who made a listed decision, so that no student is identified.
"""

MAX_ON_SCREEN: Final = 4
"""Maximum number of decisions on the big screen, because students read it from eight metres."""

_SURE: Final = 1.96
"""Number of standard errors in half of a 95% confidence interval of a mean."""

_UNSURE: Final = 0.05  # the probability that an interval is wrong


What = tuple[str, int, bool, Rank]
"""A decision. It consists of the move, the hand's total, whether the hand was soft, and the upcard.
"""

WorstTime = tuple[Any, ...]
"""Key of the costliest occurrence of a mistake: the table, the decision and the cost."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A decision that was not the best play, made by one or more students."""

    slug: str
    """The table's slug."""

    chosen: str
    total: int
    soft: bool
    upcard: Rank
    times: int
    cost: float
    """Total cost of all occurrences of the mistake."""

    worst: float
    """Highest cost of a single occurrence of the mistake."""

    students: int = 1
    of: int = 0
    """The number of students who played at the table, or 0 if this number was not loaded."""

    step: int = 0
    """The step of the decision in the costliest round, or 0 if the round was not loaded."""

    record: str = ""
    """The record of the costliest round, or an empty string if the record was not loaded. The
    record contains only cards that the player knew.
    """

    @property
    def decision(self) -> What:
        """The decision, with the hand and the upcard."""
        return self.chosen, self.total, self.soft, self.upcard

    @property
    def key(self) -> WorstTime:
        """Key of the costliest occurrence of the mistake."""
        return self.slug, self.chosen, self.total, self.soft, self.upcard.value, self.worst

    @property
    def decision_text(self) -> Text:
        """The decision, in words."""
        advisor = advisor_at(self.slug)
        assert advisor  # noqa: S101 - mistakes of other tables are not stored
        return advisor.decision_text(self.chosen, self.total, self.upcard, soft=self.soft)

    @property
    def hand(self) -> str:
        """The hand in short form, such as ``16`` or ``s18``."""
        return f"s{self.total}" if self.soft else str(self.total)

    @property
    def upcard_text(self) -> str:
        """The dealer's card in short form."""
        return "10" if self.upcard is Rank.TEN else self.upcard.value

    @property
    def points(self) -> float:
        """The total cost."""
        return self.cost * POINTS

    @property
    def cost_each(self) -> float:
        """The average cost."""
        return self.points / max(1, self.times)

    @property
    def replay(self) -> str:
        """The URL of the costliest round, or an empty string if no round can be shown."""
        try:
            record = parse(self.record)
        except InvalidRecord:
            return ""
        return f"{replay_address(record)}?step={self.step}" if 0 < self.step <= record.steps else ""

    def document(self) -> dict[str, Any]:
        """Return the result as JSON."""
        hand = {"total": self.total, "soft": self.soft, "upcard": self.upcard.value}
        counts = {"what": self.decision_text, "students": self.students, "of": self.of}
        cost = {"each": self.cost_each, "points": self.points, "replay": self.replay}
        return {"move": self.chosen, **hand, "times": self.times, **counts, **cost}


@dataclass(frozen=True, slots=True)
class TablePlay:
    """A student's results on several days, at one table or at all tables."""

    rounds: int = 0
    won: int = 0
    decisions: int = 0
    cost: float = 0.0
    squares: float = 0.0
    """The sum of the squares of the decisions' costs."""

    @property
    def per_100(self) -> float:
        """The points given away per hundred decisions."""
        return POINTS * PER * self.cost / max(1, self.decisions)

    @classmethod
    def of(cls, days: Collection[StudentDay]) -> "TablePlay":
        """Return the sum of a student's results on several days."""
        names = ("rounds", "won", "decisions", "cost", "squares")
        return cls(*(sum(getattr(day, name) for day in days) for name in names))


def merged(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """Return the given mistakes after merging equal decisions."""
    by_decision: dict[What, Mistake] = {}
    for mistake in mistakes:
        known = by_decision.get(mistake.decision)
        if known is None:
            by_decision[mistake.decision] = mistake
            continue
        worse = mistake if mistake.worst > known.worst else known
        by_decision[mistake.decision] = replace(
            worse, times=known.times + mistake.times, cost=known.cost + mistake.cost
        )
    return tuple(by_decision.values())


def advisor_at(slug: str) -> Advisor | None:
    """Return the advisor of a table, or None if there is no such table or advisor."""
    return GAMES[slug].advisor if slug in GAMES else None


def first_day(period: str, now: float) -> date:
    """Return the first day of a period that ends today, by the server's clock."""
    if period == "all":
        return OLDER_DAYS
    return local_time(now).date() - timedelta(days=int(period) - 1)


def play_by_period(days: Collection[StudentDay], now: float) -> Iterator[tuple[Text, TablePlay]]:
    """Yield a student's results in each period, at all tables."""
    for period, label in PERIODS.items():
        yield label, TablePlay.of([day for day in days if day.day >= first_day(period, now)])


# ---- A finished round ----------------------------------------------------------------------------


def is_own_deck(game: AnyGame, record: Record) -> bool:
    """Return whether a round was played with a deck that the player uploaded."""
    return record.stacked or any(record.actions[0][name] for name in game.deals.decks)


def judged_round(record: Record) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the result of a round and its mistakes, as column values."""
    advisor = GAMES[record.game].advisor
    assert advisor  # noqa: S101 - rounds of other tables are not counted
    replayed = replay(record)
    moves = [action.name for action in record.single_actions()]
    decisions = review_round(advisor, replayed.tables, moves).current_decisions
    costs = [decision.cost for decision in decisions]
    sums = {
        "rounds": 1,
        "won": int(advisor.points[record.result] > 0),
        "decisions": len(costs),
        "cost": sum(costs),
        "squares": sum(cost * cost for cost in costs),
    }
    if not any(costs):
        return sums, []
    return sums, [*_mistakes_in(advisor, decisions, record, replayed)]


def _mistakes_in(
    advisor: Advisor, decisions: tuple[Decision, ...], record: Record, replayed: Replay
) -> Iterator[dict[str, Any]]:
    """Yield the decisions of a round that were not the best play."""
    steps = [
        step for step, table in enumerate(replayed.tables[:-1]) if table.phase is Phase.PLAYING
    ]
    public = _redacted_record(record, replayed)
    for step, decision in zip(steps, decisions, strict=True):
        if decision.cost:
            situation = advisor.situation(replayed.tables[step].state)
            yield {
                "chosen": decision.chosen,
                "total": situation.total,
                "soft": situation.soft,
                "upcard": advisor.upcard_rank(situation.upcard).value,
                "times": 1,
                "cost": decision.cost,
                "worst": decision.cost,
                "step": step,
                "record": public,
            }


def _redacted_record(record: Record, replayed: Replay) -> str:
    """Return the version of a round's record that may be shown.

    If the round's deck is still in use, the cards that the player has not seen are removed.
    """
    game = GAMES[record.game]
    if game.carry_type is None:
        return line(record)
    seen = game.seen(replayed.last.state)
    return line(redacted(with_shuffle_orders(record, replayed), seen))


# ---- A class at a table --------------------------------------------------------------------------


class Estimate(NamedTuple):
    """A mean with its 95% confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class StudentPlay:
    """One student's results at a table."""

    number: int
    play: TablePlay
    given: Estimate | None
    """Points given away per hundred decisions, or None if there are no decisions."""

    def document(self) -> dict[str, Any]:
        """Return the result as JSON."""
        play, given = self.play, self.given
        counts = {"rounds": play.rounds, "won": play.won, "decisions": play.decisions}
        mean, interval = (given.mean, given[1:]) if given else (None, None)
        return counts | {"per_100": mean, "interval": interval}


@dataclass(frozen=True, slots=True)
class TableInsight:
    """A class's results at a table."""

    slug: str
    rounds: int
    costly: tuple[Mistake, ...]
    """The costly decisions of at least three students, in descending order of cost."""

    students: tuple[StudentPlay, ...]
    """The students who played at the table, in ascending order of cost."""

    @property
    def title(self) -> str:
        """The table's title."""
        return GAMES[self.slug].info.title

    def screen_document(self) -> dict[str, Any]:
        """Return the JSON for the big screen, which contains no student's name."""
        about = {"table": self.slug, "rounds": self.rounds, "students": len(self.students)}
        return about | {"decisions": [decision.document() for decision in self.costly]}


def table_insight(
    slug: str, plays: Mapping[int, TablePlay], mistakes: Sequence[Mistake]
) -> TableInsight:
    """Return a class's results at a table, from its students' sums and mistakes."""
    times = sum(mistake.times for mistake in mistakes)
    usual = sum(mistake.cost for mistake in mistakes) / times if times else 0.0
    students = [StudentPlay(number, play, estimate(play, usual)) for number, play in plays.items()]
    students.sort(key=lambda student: (student.given is None, student.given or (), student.number))
    costly = [
        replace(mistake, of=len(students))
        for mistake in mistakes
        if mistake.students >= MIN_STUDENTS
    ]
    costly.sort(key=lambda mistake: (-mistake.cost, mistake.decision))
    rounds = sum(play.rounds for play in plays.values())
    return TableInsight(slug, rounds, tuple(costly), tuple(students))


def estimate(play: TablePlay, usual: float) -> Estimate | None:
    """Return the estimated points that a student gives away per hundred decisions.

    A student who has not made a mistake so far may make one later. If there was no mistake in n
    decisions, the probability of a mistake is below 1 - 0.05^(1/n) with 95 % confidence (about 3/n,
    "the rule of three"). The cost of a mistake is assumed to be the class's average.

    Args:
        play: The student's results at a table.
        usual: The class's average cost of a mistake, in rounds.

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
    # The rounding of the sums may make the variance slightly negative.
    spread = max(0.0, play.squares - n * mean * mean) / (n - 1) if n > 1 else 0.0
    reach = _SURE * math.sqrt(spread / n) if n > 1 else mean
    low, high = max(0.0, mean - reach), max(mean + reach, unseen)
    scale = POINTS * PER
    return Estimate(mean * scale, low * scale, high * scale)


@dataclass(frozen=True, slots=True)
class Misconception:
    """A kind of mistake that several students make."""

    name: str
    mistakes: tuple[Mistake, ...]
    """The mistakes of all students. Equal mistakes are merged."""

    students: int
    of: int
    """The number of students who have played at the table."""

    alike: tuple[Mistake, ...]
    """The decisions that at least three students made, the costliest first."""

    @property
    def text(self) -> Text:
        """The mistake, in words."""
        return HABITS[self.name].text

    @property
    def times(self) -> int:
        """The number of times that the mistake was made."""
        return sum(mistake.times for mistake in self.mistakes)

    @property
    def points(self) -> float:
        """The total cost."""
        return POINTS * sum(mistake.cost for mistake in self.mistakes)

    @property
    def cost_each(self) -> float:
        """The mean cost per mistake."""
        return self.points / self.times

    @property
    def reach(self) -> tuple[float, float]:
        """The 95% confidence interval of the proportion of students with the mistake."""
        return wilson(self.students, self.of)

    def document(self) -> dict[str, Any]:
        """Return the result as JSON."""
        return {
            "name": self.name,
            "what": self.text,
            "students": self.students,
            "of": self.of,
            "times": self.times,
            "each": self.cost_each,
            "points": self.points,
            "share": self.reach,
            "decisions": [decision.document() for decision in self.alike],
        }


class Misconceptions(NamedTuple):
    """A class's misconceptions at a table."""

    listed: tuple[Misconception, ...]
    """The misconceptions of at least three students, in descending order of cost."""

    unlisted: float
    """Points given away by mistakes that do not belong to any misconception."""

    total: float
    """The points given away by all mistakes."""


def misconceptions(
    table: TableInsight, mistakes_of: Mapping[int, Sequence[Mistake]]
) -> Misconceptions:
    """Return a class's misconceptions at a table, from each student's mistakes."""
    who_does: defaultdict[str, list[list[Mistake]]] = defaultdict(list)
    for mistakes in mistakes_of.values():
        by_habit: defaultdict[str, list[Mistake]] = defaultdict(list)
        for name, mistake in _group_by_habit(mistakes):
            by_habit[name].append(mistake)
        for name, alike in by_habit.items():
            who_does[name].append(alike)
    total = POINTS * sum(mistake.cost for by in who_does.values() for mistake in chain(*by))
    listed = [
        _misconception(table, name, by) for name, by in who_does.items() if len(by) >= MIN_STUDENTS
    ]
    listed.sort(key=lambda item: (-item.points, item.name))
    return Misconceptions(
        tuple(listed), total - sum(misconception.points for misconception in listed), total
    )


def _misconception(table: TableInsight, name: str, by: list[list[Mistake]]) -> Misconception:
    """Return a misconception, from each student's mistakes that belong to it."""
    mistakes, size = merged(chain(*by)), len(table.students)
    # Each student is counted once per misconception.
    counts = Counter(mistake.decision for mistake in chain(*by))
    rounds = {mistake.decision: mistake for mistake in table.costly}
    alike = [
        replace(
            mistake,
            students=counts[mistake.decision],
            of=size,
            step=rounds[mistake.decision].step,
            record=rounds[mistake.decision].record,
        )
        for mistake in mistakes
        if counts[mistake.decision] >= MIN_STUDENTS
    ]
    alike.sort(key=lambda mistake: (-mistake.cost, mistake.decision))
    return Misconception(name, mistakes, len(by), size, tuple(alike))


def _group_by_habit(mistakes: Sequence[Mistake]) -> Iterator[tuple[str, Mistake]]:
    """Yield the mistakes of one student, each with its misconception.

    If a student stays on stiff hands against both strong and weak cards, all these mistakes are
    attributed to one misconception.
    """
    names = [
        find_habit(mistake.chosen, mistake.total, mistake.upcard, soft=mistake.soft)
        for mistake in mistakes
    ]
    stops = {"stops-strong", "stops-weak"}
    does_all = stops <= {*names}
    for name, mistake in zip(names, mistakes, strict=True):
        yield EVERYTHING if does_all and name in stops else name, mistake


def mistake_question(mistake: Mistake) -> Question | None:
    """Return a mistake as a question, or None if its round cannot be replayed.

    The question has the hand of the round in which the mistake cost most. All other cards are
    unseen.
    """
    advisor = advisor_at(mistake.slug)
    try:
        tables = replay(parse(mistake.record)).tables
        if advisor is None or not 0 <= mistake.step < len(tables):
            return None
        situation = advisor.situation(tables[mistake.step].state)
    except (*UNREADABLE, CardGameError):
        return None
    return Question(mistake.slug, situation.hand, situation.upcard)


def chosen_table(tables: Mapping[str, TableInsight], asked: str) -> TableInsight | None:
    """Return a class's results at the requested table.

    If the class has not played at this table, return the results at the table with the most rounds,
    or None if the class has not played at all.
    """
    return tables.get(asked) or max(tables.values(), key=lambda table: table.rounds, default=None)
