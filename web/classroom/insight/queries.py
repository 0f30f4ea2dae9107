"""How the students of a class have played at the tables: sums of what was noted of their rounds.

Costs are in rounds, as in :mod:`cardgames.ledger`; pages show points, which are hundredths.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Final

import flask
from sqlalchemy import BigInteger, func, select, tuple_

from cardgames import GAMES
from cardgames.advice import POINTS, Advisor
from cardgames.cards import Rank
from cardgames.text import Text
from web import db
from web.classroom.core.models import Student, is_theirs
from web.classroom.core.words import local_time
from web.classroom.insight.models import EARLIER, StudentDay, StudentMistake

PERIODS: Final[Mapping[str, Text]] = {"1": Text("Today"), "7": Text("7 days"), "all": Text("All")}
"""Which rounds are counted, by the days on which they ended: the values of the query ``days``."""

PER: Final = 100
"""Number of decisions for which points given away are shown."""

What = tuple[str, int, bool, Rank]
"""What was decided: the move, the hand's total, whether that was soft, and the upcard."""

WorstTime = tuple[Any, ...]
"""What stands for the time at which a mistake has cost most: the table, what, and the cost."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """Something that was decided, once or often, and that was not the best."""

    chosen: str
    total: int
    soft: bool
    upcard: Rank
    times: int
    cost: float
    """Of all these times together."""

    worst: float
    """Of the time that has cost most."""

    step: int = 0
    """The step of that round at which it was to be decided; 0 where the round was not asked for."""

    record: str = ""
    """That round, as its player knows it; empty where it was not asked for."""

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        hand = {"total": self.total, "soft": self.soft, "upcard": self.upcard.value}
        return {"move": self.chosen, **hand, "times": self.times}

    @property
    def what(self) -> What:
        """What was decided, and with which hand against which card."""
        return self.chosen, self.total, self.soft, self.upcard


@dataclass(frozen=True, slots=True)
class TablePlay:
    """How a student has played at a table, or at all of them, in some days."""

    rounds: int = 0
    won: int = 0
    decisions: int = 0
    cost: float = 0.0
    squares: float = 0.0
    """The sum of the squares of what each decision has cost."""

    @property
    def per_100(self) -> float:
        """The points that a hundred decisions have given away."""
        return POINTS * PER * self.cost / max(1, self.decisions)

    @classmethod
    def of(cls, days: Collection[StudentDay]) -> "TablePlay":
        """Return how a student has played on some days, together."""
        names = ("rounds", "won", "decisions", "cost", "squares")
        return cls(*(sum(getattr(day, name) for day in days) for name in names))


def merged(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    """Return mistakes with those that are alike put together."""
    found: dict[What, Mistake] = {}
    for mistake in mistakes:
        known = found.get(mistake.what)
        if known is None:
            found[mistake.what] = mistake
            continue
        worse = mistake if mistake.worst > known.worst else known
        found[mistake.what] = replace(
            worse, times=known.times + mistake.times, cost=known.cost + mistake.cost
        )
    return tuple(found.values())


def advisor_at(slug: str) -> Advisor | None:
    """Return the advisor of a table; None where there is none, or no such table."""
    return GAMES[slug].advisor if slug in GAMES else None


def _sum(column: Any) -> Any:
    """Return a sum of whole numbers, of which PostgreSQL would make a decimal."""
    return func.sum(column).cast(BigInteger)


_WHAT: Final = tuple(
    getattr(StudentMistake, name) for name in ("chosen", "total", "soft", "upcard")
)
_SUMS: Final = (
    *(_sum(StudentMistake.times), func.sum(StudentMistake.cost)),
    func.max(StudentMistake.worst),
)


def _since(day: date, code: str, kept: Any) -> tuple[Any, ...]:
    """Return the condition that rows are of students of a class who are not banned, since a day."""
    return is_theirs(kept), Student.class_code == code, Student.state != "banned", kept.day >= day


def _mistake(chosen: str, total: int, soft: bool, upcard: str, *more: Any) -> Mistake:  # noqa: FBT001
    """Return a mistake as it was read."""
    return Mistake(chosen, total, soft, Rank(upcard), *more)


def plays_in_class(code: str, since: date) -> dict[str, dict[int, TablePlay]]:
    """Return how students of a class have played since a day, by table; but for who is banned."""
    found: defaultdict[str, dict[int, TablePlay]] = defaultdict(dict)
    day, keys = StudentDay, (StudentDay.game, StudentDay.student)
    sums = *map(_sum, (day.rounds, day.won, day.decisions)), *map(func.sum, (day.cost, day.squares))
    query = select(*keys, *sums).where(*_since(since, code, day)).group_by(*keys).order_by(*keys)
    for slug, student, *play in db.execute(query):
        if advisor_at(slug):
            found[slug][student] = TablePlay(*play)
    return found


def mistakes_in_class(code: str, since: date) -> dict[str, list[tuple[Mistake, int]]]:
    """Return the mistakes of a class since a day by table, each with how many have made it."""
    found: defaultdict[str, list[tuple[Mistake, int]]] = defaultdict(list)
    keys, students = (StudentMistake.game, *_WHAT), func.count(StudentMistake.student.distinct())
    query = select(students, *keys, *_SUMS).where(*_since(since, code, StudentMistake))
    for number, slug, *mistake in db.execute(query.group_by(*keys).order_by(*keys)):
        found[slug].append((_mistake(*mistake), number))
    return found


def mistakes_at(code: str, slug: str, since: date) -> dict[int, list[Mistake]]:
    """Return the mistakes of each student of a class at a table since a day."""
    found: defaultdict[int, list[Mistake]] = defaultdict(list)
    here = *_since(since, code, StudentMistake), StudentMistake.game == slug
    keys = StudentMistake.student, *_WHAT
    query = select(*keys, *_SUMS).where(*here).group_by(*keys).order_by(*keys)
    for student, *mistake in db.execute(query):
        found[student].append(_mistake(*mistake))
    return found


def totals_in_class(code: str) -> dict[int, tuple[int, int]]:
    """Return how many rounds each student of a class has played at tables, and how many won."""
    day = StudentDay
    query = select(day.student, _sum(day.rounds), _sum(day.won)).group_by(day.student)
    rows = db.execute(query.where(day.class_code == code))
    return {student: (rounds, won) for student, rounds, won in rows}


def days_of(student: Student) -> list[StudentDay]:
    """Return how a student has played, the oldest days first."""
    theirs = StudentDay.class_code == student.class_code, StudentDay.student == student.number
    found = db.session().scalars(select(StudentDay).where(*theirs).order_by(StudentDay.day))
    return [day for day in found if advisor_at(day.game)]


def rounds_of(code: str, since: date, keys: Sequence[WorstTime]) -> dict[WorstTime, dict[str, Any]]:
    """Return the rounds of mistakes of a class since a day, each with the step of the mistake."""
    if not keys:
        return {}
    one, rounds = StudentMistake, dict[WorstTime, dict[str, Any]]()
    which = one.game, *_WHAT, one.worst
    query = select(*which, one.step, one.record).where(*_since(since, code, one))
    query = query.where(tuple_(*which).in_(keys)).order_by(one.student, one.day)
    for *key, step, record in db.execute(query):
        rounds.setdefault(tuple(key), {"step": step, "record": record})
    return rounds


# ---- Periods -------------------------------------------------------------------------------------


def asked_period() -> str:
    """Return the period that the query of this request asks for; by default all days."""
    asked = flask.request.args.get("days", "")
    return asked if asked in PERIODS else "all"


def first_day(period: str, now: float) -> date:
    """Return the first day of a period that ends today, by the server's clock."""
    if period == "all":
        return EARLIER
    return local_time(now).date() - timedelta(days=int(period) - 1)


def own_play(days: Collection[StudentDay], now: float) -> Iterator[tuple[Text, TablePlay]]:
    """Yield how a student has played in each period, at all tables."""
    for period, label in PERIODS.items():
        yield label, TablePlay.of([one for one in days if one.day >= first_day(period, now)])
