"""How the students of a class play at the tables: what is kept of it, and what follows.

Of a round nothing is kept but that it was played, whether it was won, and what its decisions have
cost; of a decision that was not the best one, what was decided and the round in which it cost most.
Costs are in rounds, as in :mod:`cardgames.ledger`; pages show points, which are hundredths.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec

from cardgames import GAMES
from cardgames.advice import Advisor
from cardgames.cards import Rank
from cardgames.records.line import InvalidRecord, parse
from cardgames.text import Text
from web.rounds.addresses import replay_address

MAX_ON_SCREEN: Final = 4
"""Maximum number of decisions on the big screen, to be read from eight metres."""

MIN_STUDENTS: Final = 3
"""Minimum number of students in a row of the class's decisions: nobody is to be known by it."""

POINTS: Final = 100
"""Points in a round."""

PER: Final = 100
"""Number of decisions for which points given away are shown."""

_SURE: Final = 1.96
"""Standard errors within which a mean lies in nineteen cases of twenty."""

_UNSURE: Final = 0.05
"""How often an interval may be wrong."""

Count = Annotated[int, msgspec.Meta(ge=0)]
Cost = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Total = Annotated[int, msgspec.Meta(ge=2, le=21)]


class Mistake(msgspec.Struct, frozen=True, array_like=True):
    """Something that a student has decided, and that was not the best."""

    chosen: Literal["hit", "stay", "deal"]
    total: Total
    soft: bool
    upcard: Rank
    times: Count
    cost: Cost
    """Of all these times together."""

    worst: Cost
    """Of the one that has cost most."""

    record: str
    """The round in which that was, as its player knows it."""

    step: Count
    """The step of it at which that was to be decided."""

    @property
    def what(self) -> tuple[str, int, bool, Rank]:
        """What was decided, and with which hand against which card."""
        return self.chosen, self.total, self.soft, self.upcard


class TablePlay(msgspec.Struct, frozen=True, array_like=True):
    """How a student has played at one table since joining."""

    rounds: Count = 0
    won: Count = 0
    decisions: Count = 0
    cost: Cost = 0.0
    squares: Cost = 0.0
    """The sum of the squares of what each decision has cost."""

    mistakes: tuple[Mistake, ...] = ()

    def plus(self, other: "TablePlay") -> "TablePlay":
        """Return both together."""
        return TablePlay(
            rounds=self.rounds + other.rounds,
            won=self.won + other.won,
            decisions=self.decisions + other.decisions,
            cost=self.cost + other.cost,
            squares=self.squares + other.squares,
            mistakes=merged((*self.mistakes, *other.mistakes)),
        )

    @property
    def is_sound(self) -> bool:
        """Whether the sums can be those of some rounds."""
        costs = (self.cost, self.squares, *(mistake.cost for mistake in self.mistakes))
        return self.won <= self.rounds and all(map(math.isfinite, costs))


Play = dict[str, TablePlay]
"""How a student has played, by the tables' slugs."""


def of_round(costs: Sequence[float], mistakes: Iterable[Mistake], *, won: bool) -> TablePlay:
    """Return what came of one round.

    Args:
        costs: what each decision has cost.
        mistakes: those that were not the best.
        won: whether the player has won it.
    """
    squares = sum(cost * cost for cost in costs)
    return TablePlay(1, int(won), len(costs), sum(costs), squares, merged(mistakes))


def merged(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """Return mistakes with those that are alike put together."""
    found: dict[tuple[str, int, bool, Rank], Mistake] = {}
    for mistake in mistakes:
        known = found.get(mistake.what)
        if known is None:
            found[mistake.what] = mistake
            continue
        worse = mistake if mistake.worst > known.worst else known
        found[mistake.what] = msgspec.structs.replace(
            worse, times=known.times + mistake.times, cost=known.cost + mistake.cost
        )
    return tuple(found.values())


def total_of(play: Play) -> tuple[int, int]:
    """Return how many rounds a student has played at all tables, and how many of them won."""
    return sum(at.rounds for at in play.values()), sum(at.won for at in play.values())


def advisor_at(slug: str) -> Advisor | None:
    """Return the advisor of a table; None where there is none, or no such table."""
    return GAMES[slug].advisor if slug in GAMES else None


def kept_play(play: Play) -> dict[str, Any]:
    """Return all that is kept of how a student has played, as JSON for that student."""
    return {
        slug: {
            "rounds": one.rounds,
            "won": one.won,
            "decisions": one.decisions,
            "points_given_away": one.cost * POINTS,
            "not_the_best": [
                {
                    "move": mistake.chosen,
                    "total": mistake.total,
                    "soft": mistake.soft,
                    "upcard": mistake.upcard.value,
                    "times": mistake.times,
                    "points": mistake.cost * POINTS,
                    "record": mistake.record,
                }
                for mistake in one.mistakes
            ],
        }
        for slug, one in play.items()
    }


# ---- What follows for the class ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CostlyDecision:
    """What several students have decided alike, though something else was better."""

    slug: str
    """The table's."""

    mistake: Mistake
    """All of it together; its round is the one in which it has cost most."""

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
        return {
            "what": self.what,
            "move": one.chosen,
            "total": one.total,
            "soft": one.soft,
            "upcard": one.upcard.value,
            "students": self.students,
            "of": self.of,
            "times": one.times,
            "each": self.each,
            "points": self.points,
            "replay": self.replay,
        }


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
    """Those who have played there; who gives least away first."""

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
        return {
            "table": self.slug,
            "rounds": self.rounds,
            "students": len(self.students),
            "decisions": [decision.document() for decision in self.on_screen],
        }


def class_insight(plays: Mapping[int, Play]) -> dict[str, TableInsight]:
    """Return how a class has played, by the tables at which it has.

    Args:
        plays: how each student has played, by their numbers.
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
    spread = max(0.0, play.squares - n * mean * mean) / (n - 1) if n > 1 else 0.0
    reach = _SURE * math.sqrt(spread / n) if n > 1 else mean
    low, high = max(0.0, mean - reach), max(mean + reach, unseen)
    scale = POINTS * PER
    return Estimate(mean * scale, low * scale, high * scale)
