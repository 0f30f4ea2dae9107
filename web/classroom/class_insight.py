"""How a class has played at a table: its costly decisions, and each student's play."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, NamedTuple

import flask

from cardgames import GAMES
from cardgames.advice import POINTS
from cardgames.cards import Rank
from cardgames.records.line import InvalidRecord, parse
from cardgames.text import Text
from web.classroom.answers import local_time, remembered
from web.classroom.insight import (
    EARLIER,
    Days,
    Mistake,
    Play,
    TablePlay,
    advisor_at,
    merged,
    play_in,
)
from web.classroom.misconceptions import MIN_STUDENTS
from web.classroom.state import ClassState, class_store
from web.history.addresses import replay_address

MAX_ON_SCREEN: Final = 4
"""Maximum number of decisions on the big screen, to be read from eight metres."""

PERIODS: Final[Mapping[str, Text]] = {"1": Text("Today"), "7": Text("7 days"), "all": Text("All")}
"""Which rounds are counted, by the days on which they ended: the values of the query ``days``."""

PER: Final = 100
"""Number of decisions for which points given away are shown."""

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
        one = self.mistake
        hand = {"total": one.total, "soft": one.soft, "upcard": one.upcard.value}
        counts = {"students": self.students, "of": self.of, "times": one.times}
        cost = {"each": self.each, "points": self.points, "replay": self.replay}
        return {"what": self.what, "move": one.chosen, **hand, **counts, **cost}


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

    @property
    def on_screen(self) -> tuple[CostlyDecision, ...]:
        """The decisions on the big screen: the costliest."""
        return self.costly[:MAX_ON_SCREEN]

    def screen_document(self) -> dict[str, Any]:
        """Return what the big screen shows as JSON: nobody is named in it."""
        about = {"table": self.slug, "rounds": self.rounds, "students": len(self.students)}
        return about | {"decisions": [decision.document() for decision in self.on_screen]}


def class_insight(plays: Mapping[int, Play]) -> dict[str, TableInsight]:
    """Return how a class has played, by the tables at which it has.

    Args:
        plays: how its students have played, by their numbers.
    """
    found = {}
    for slug in GAMES:
        here = {who: play[slug] for who, play in plays.items() if slug in play}
        if any(play.rounds for play in here.values()):
            found[slug] = _table_insight(slug, here)
    return found


def _table_insight(slug: str, plays: Mapping[int, TablePlay]) -> TableInsight:
    mistakes = [mistake for play in plays.values() for mistake in play.mistakes]
    times = sum(mistake.times for mistake in mistakes)
    usual = sum(mistake.cost for mistake in mistakes) / times if times else 0.0
    students = [
        StudentPlay(who, play, estimate(play, usual)) for who, play in plays.items() if play.rounds
    ]
    students.sort(key=lambda one: (one.given is None, one.given or (), one.number))
    who_decided = Counter(
        what for play in plays.values() for what in {found.what for found in play.mistakes}
    )
    costly = [
        CostlyDecision(slug, mistake, who_decided[mistake.what], len(students))
        for mistake in merged(mistakes)
        if who_decided[mistake.what] >= MIN_STUDENTS
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


def asked_period() -> str:
    """Return the period that the query of this request asks for; by default all days."""
    asked = flask.request.args.get("days", "")
    return asked if asked in PERIODS else "all"


def first_day(period: str, now: float) -> str:
    """Return the first day of a period that ends today, by the server's clock."""
    if period == "all":
        return EARLIER
    return f"{local_time(now).date() - timedelta(days=int(period) - 1)}"


def insight_of(state: ClassState, period: str = "all") -> Mapping[str, TableInsight]:
    """Return how a class has played, by the tables at which it has; who is banned is left out.

    A worker remembers it until a round is judged, a student comes or goes, or a day begins: of
    1,000 students it takes 40 ms.

    Args:
        state: the class.
        period: which rounds are counted, one of :data:`PERIODS`.
    """
    store, since = class_store().insight, first_day(period, state.counters.now)

    def add_up() -> dict[str, TableInsight]:
        known = {member.number for member in state.students}
        kept = {one.student: one.days for one in store.plays(state.code) if one.student in known}
        return class_insight({who: play_in(days, since) for who, days in kept.items()})

    version = (since, store.version(state.code), state.counters.students)
    return remembered(("insight", state.code, period), version, add_up)


def chosen_table(state: ClassState, asked: str, period: str) -> TableInsight | None:
    """Return how a class has played at the table that was asked for, in a period.

    At the one with most rounds where it has not played there; None where nothing is judged yet.
    """
    found = insight_of(state, period)
    return found.get(asked) or max(found.values(), key=lambda one: one.rounds, default=None)


class OwnPlay(NamedTuple):
    """How one student has played in a period, at all tables."""

    period: Text
    rounds: int
    decisions: int
    points: float
    """What a hundred decisions have given away."""


def own_play(days: Days, now: float) -> Iterator[OwnPlay]:
    """Yield how a student has played in each period."""
    for period, label in PERIODS.items():
        plays = play_in(days, first_day(period, now)).values()
        rounds, decisions = (
            sum(play.rounds for play in plays),
            sum(play.decisions for play in plays),
        )
        cost = sum(play.cost for play in plays)
        yield OwnPlay(label, rounds, decisions, POINTS * PER * cost / max(1, decisions))
