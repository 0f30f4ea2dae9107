"""How the students of a class play at the tables: what is kept of it, and what follows.

Of a round nothing is kept but that it was played, whether it was won, and what its decisions have
cost; of a decision that was not the best one, what was decided and the round in which it cost most.
Costs are in rounds, as in :mod:`cardgames.ledger`; pages show points, which are hundredths.
"""

import logging
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec

from cardgames import GAMES
from cardgames.advice import Advisor
from cardgames.cards import Rank
from cardgames.game import AnyGame
from web.classroom.insight_store import StoredPlay

MIN_STUDENTS: Final = 3
"""Of so many students a decision is shown at least: nobody is to be known by it."""

POINTS: Final = 100
"""A round has so many points."""

PER: Final = 100
"""What is given away is told for so many decisions."""

_SURE: Final = 1.96
"""So many standard errors chance allows in nineteen cases of twenty."""

_UNSURE: Final = 0.05
"""How often an interval may be wrong."""

Count = Annotated[int, msgspec.Meta(ge=0)]
Cost = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Total = Annotated[int, msgspec.Meta(ge=2, le=21)]

log = logging.getLogger("cardgames.classroom")


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


Play = dict[str, TablePlay]
"""How a student has played, by the tables' slugs."""


class JudgedRound(NamedTuple):
    """What came of one round."""

    game: str
    won: bool
    costs: tuple[float, ...]
    """What each decision has cost."""

    mistakes: tuple[Mistake, ...]


def pack_play(play: Play) -> bytes:
    """Return how a student has played as it is kept."""
    return msgspec.msgpack.encode(play)


def unpack_play(stored: StoredPlay) -> Play:
    """Return how a student has played; nothing where that cannot be read."""
    if not stored.data:
        return {}
    try:
        play = msgspec.msgpack.decode(stored.data, type=Play)
    except msgspec.MsgspecError as error:
        log.warning("how a student plays could not be read: %s", type(error).__name__)
        return {}
    return {slug: one for slug, one in play.items() if advisor_at(slug) and _is_sound(one)}


def _is_sound(play: TablePlay) -> bool:
    """Say whether sums can be those of some rounds."""
    costs = (play.cost, play.squares, *(one.cost for one in play.mistakes))
    return play.won <= play.rounds and all(map(math.isfinite, costs))


def with_round(play: Play, one: JudgedRound) -> Play:
    """Return how a student has played with one round more."""
    before = play.get(one.game, TablePlay())
    after = TablePlay(
        rounds=before.rounds + 1,
        won=before.won + one.won,
        decisions=before.decisions + len(one.costs),
        cost=before.cost + sum(one.costs),
        squares=before.squares + sum(cost * cost for cost in one.costs),
        mistakes=merged((*before.mistakes, *one.mistakes)),
    )
    return {**play, one.game: after}


def merged(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """Return mistakes with those that are alike put together."""
    found: dict[tuple[str, int, bool, Rank], Mistake] = {}
    for one in mistakes:
        known = found.get(one.what)
        if known is None:
            found[one.what] = one
            continue
        worse = one if one.worst > known.worst else known
        found[one.what] = msgspec.structs.replace(
            worse, times=known.times + one.times, cost=known.cost + one.cost
        )
    return tuple(found.values())


def total_of(play: Play) -> tuple[int, int]:
    """Return how many rounds a student has played at all tables, and how many of them won."""
    return sum(one.rounds for one in play.values()), sum(one.won for one in play.values())


def play_document(play: Play) -> dict[str, Any]:
    """Return all that is kept of how a student has played, for that student."""
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


def advisor_at(slug: str) -> Advisor | None:
    """Return who knows what decisions are worth at a table, if there is one who does."""
    game: AnyGame | None = GAMES.get(slug)
    return game.advisor if game else None


# ---- What follows for the class ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CostlyDecision:
    """What several students have decided alike, though something else was better."""

    mistake: Mistake
    """All of it together; its round is the one in which it has cost most."""

    students: int

    @property
    def points(self) -> float:
        """What it has cost in all."""
        return self.mistake.cost * POINTS

    @property
    def each(self) -> float:
        """What it has cost each time, on average."""
        return self.points / max(1, self.mistake.times)


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
    usual = _cost_of_a_mistake(plays.values())
    students = [
        StudentPlay(who, play, estimate(play, usual)) for who, play in plays.items() if play.rounds
    ]
    students.sort(key=lambda one: (one.given is None, one.given or (), one.number))
    rounds = sum(play.rounds for play in plays.values())
    return TableInsight(slug, rounds, _costly([*plays.values()]), tuple(students))


def _costly(plays: Sequence[TablePlay]) -> tuple[CostlyDecision, ...]:
    """Return what has cost a class most, as far as enough students have decided it."""
    students = Counter(one.what for play in plays for one in merged(play.mistakes))
    found = [
        CostlyDecision(one, students[one.what])
        for one in merged(one for play in plays for one in play.mistakes)
    ]
    shown = (one for one in found if one.students >= MIN_STUDENTS)
    return tuple(sorted(shown, key=lambda one: (-one.mistake.cost, one.mistake.what)))


def _cost_of_a_mistake(plays: Iterable[TablePlay]) -> float:
    """Return what a mistake costs on average in a class; nothing where there were none."""
    mistakes = [one for play in plays for one in play.mistakes]
    times = sum(one.times for one in mistakes)
    return sum(one.cost for one in mistakes) / times if times else 0.0


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
