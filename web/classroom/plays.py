"""How the students of a class have played at the tables: sums of what was noted of their rounds.

Costs are in rounds, as in :mod:`cardgames.ledger`; pages show points, which are hundredths.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

import flask
from sqlalchemy import BigInteger, and_, bindparam, func, select, tuple_

from cardgames import GAMES
from cardgames.advice import POINTS, Advisor
from cardgames.cards import Rank
from cardgames.text import Text
from web import db
from web.classroom.decisions import EARLIER, StudentDay, StudentMistake
from web.classroom.models import Student
from web.classroom.words import local_time

PERIODS: Final[Mapping[str, Text]] = {"1": Text("Today"), "7": Text("7 days"), "all": Text("All")}
"""Which rounds are counted, by the days on which they ended: the values of the query ``days``."""

PER: Final = 100
"""Number of decisions for which points given away are shown."""

What = tuple[str, int, bool, Rank]
"""What was decided: the move, the hand's total, whether that was soft, and the upcard."""

_days: Any = StudentDay.__table__
_mistakes: Any = StudentMistake.__table__


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

    @property
    def what(self) -> What:
        """What was decided, and with which hand against which card."""
        return self.chosen, self.total, self.soft, self.upcard


@dataclass(frozen=True, slots=True)
class TablePlay:
    """How a student has played at one table in some days."""

    rounds: int = 0
    won: int = 0
    decisions: int = 0
    cost: float = 0.0
    squares: float = 0.0
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


Play = dict[str, TablePlay]
"""How a student has played, by the tables' slugs."""

Days = dict[str, Play]
"""The same by the day, as in 2026-11-23; of all days before the newest the key is empty."""


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


def play_in(days: Days, since: str = "") -> Play:
    """Return how a student has played since a day, together; by default on all days."""
    total: Play = {}
    for day in sorted(day for day in days if day >= since):
        for slug, play in days[day].items():
            total[slug] = total[slug].plus(play) if slug in total else play
    return total


def total_of(play: Play) -> tuple[int, int]:
    """Return how many rounds a student has played at all tables, and how many of them won."""
    return sum(at.rounds for at in play.values()), sum(at.won for at in play.values())


def advisor_at(slug: str) -> Advisor | None:
    """Return the advisor of a table; None where there is none, or no such table."""
    return GAMES[slug].advisor if slug in GAMES else None


def _sum(column: Any) -> Any:
    """Return a sum of whole numbers, of which PostgreSQL would make a decimal."""
    return func.sum(column).cast(BigInteger)


_WHAT: Final = tuple(_mistakes.c[name] for name in ("chosen", "total", "soft", "upcard"))


def _of_class(table: Any, *keys: Any) -> Any:
    """Return the query for what is kept of students who are not banned, in groups, since a day."""
    owner = and_(table.c.class_code == Student.class_code, table.c.student == Student.number)
    here = (Student.class_code == bindparam("code"), Student.state != "banned")
    since = table.c.day >= bindparam("since")
    return select(*keys).join(Student, owner).where(*here, since).group_by(*keys).order_by(*keys)


_PLAYS: Final = _of_class(_days, _days.c.game, _days.c.student).add_columns(
    *map(_sum, (_days.c.rounds, _days.c.won, _days.c.decisions)),
    *map(func.sum, (_days.c.cost, _days.c.squares)),
)
_SUMS: Final = (_sum(_mistakes.c.times), func.sum(_mistakes.c.cost), func.max(_mistakes.c.worst))
_MISTAKES: Final = _of_class(_mistakes, _mistakes.c.game, *_WHAT).add_columns(
    func.count(_mistakes.c.student.distinct()), *_SUMS
)
_BY_STUDENT: Final = (
    _of_class(_mistakes, _mistakes.c.student, *_WHAT)
    .add_columns(*_SUMS)
    .where(_mistakes.c.game == bindparam("game"))
)
_TOTALS: Final = (
    select(_days.c.student, _sum(_days.c.rounds), _sum(_days.c.won))
    .where(_days.c.class_code == bindparam("code"))
    .group_by(_days.c.student)
)


def _of_student(table: Any, *columns: Any) -> Any:
    """Return the query for what is kept of a student, by the day."""
    own = (table.c.class_code == bindparam("code"), table.c.student == bindparam("student"))
    return select(table.c.day, table.c.game, *columns).where(*own).order_by(table.c.day)


_OWN_DAYS: Final = _of_student(
    _days, *(_days.c[name] for name in ("rounds", "won", "decisions", "cost", "squares"))
)
_OWN_MISTAKES: Final = _of_student(
    *(_mistakes, *_WHAT),
    *(_mistakes.c[name] for name in ("times", "cost", "worst", "step", "record")),
)

_WHICH: Final = (_mistakes.c.game, *_WHAT)
_ROUNDS: Final = (
    select(*_WHICH, _mistakes.c.step, _mistakes.c.record)
    .join(
        Student,
        and_(_mistakes.c.class_code == Student.class_code, _mistakes.c.student == Student.number),
    )
    .where(
        *(Student.class_code == bindparam("code"), Student.state != "banned"),
        _mistakes.c.day >= bindparam("since"),
        tuple_(*_WHICH, _mistakes.c.worst).in_(bindparam("keys", expanding=True)),
    )
    .order_by(_mistakes.c.student, _mistakes.c.day)
)


def _mistake(chosen: str, total: int, soft: bool, upcard: str, *more: Any) -> Mistake:  # noqa: FBT001
    """Return a mistake as it was read."""
    return Mistake(chosen, total, soft, Rank(upcard), *more)


def _play(sums: Iterable[Any], mistakes: Iterable[Mistake]) -> TablePlay:
    """Return how a student has played at a table as it was read."""
    return replace(TablePlay(*sums), mistakes=tuple(mistakes))


def plays_in_class(code: str, since: date) -> dict[str, dict[int, TablePlay]]:
    """Return how the students of a class have played since a day, but for who is banned.

    It is by table and student; their mistakes are not with it.
    """
    found: defaultdict[str, dict[int, TablePlay]] = defaultdict(dict)
    asked = {"code": code, "since": since}
    for slug, student, *sums in db.execute(_PLAYS, asked):
        if advisor_at(slug):
            found[slug][student] = TablePlay(*sums)
    return found


def mistakes_in_class(code: str, since: date) -> dict[str, list[tuple[Mistake, int]]]:
    """Return the mistakes of a class since a day by table, each with how many have made it."""
    found: defaultdict[str, list[tuple[Mistake, int]]] = defaultdict(list)
    rows = db.execute(_MISTAKES, {"code": code, "since": since})
    for slug, chosen, total, soft, upcard, students, *sums in rows:
        found[slug].append((_mistake(chosen, total, soft, upcard, *sums), students))
    return found


def mistakes_at(code: str, slug: str, since: date) -> dict[int, list[Mistake]]:
    """Return the mistakes of each student of a class at a table since a day."""
    found: defaultdict[int, list[Mistake]] = defaultdict(list)
    asked = {"code": code, "since": since, "game": slug}
    for student, *mistake in db.execute(_BY_STUDENT, asked):
        found[student].append(_mistake(*mistake))
    return found


def totals_in_class(code: str) -> dict[int, tuple[int, int]]:
    """Return how many rounds each student of a class has played at tables, and how many won."""
    rows = db.execute(_TOTALS, {"code": code})
    return {student: (rounds, won) for student, rounds, won in rows}


def days_of(code: str, student: int, *, with_mistakes: bool = False) -> Days:
    """Return how a student has played, by the day."""
    connection, own = db.session().connection(), {"code": code, "student": student}
    mistakes: defaultdict[tuple[date, str], list[Mistake]] = defaultdict(list)
    for day, slug, *mistake in connection.execute(_OWN_MISTAKES, own) if with_mistakes else ():
        mistakes[day, slug].append(_mistake(*mistake))
    found = Days()
    for day, slug, *sums in connection.execute(_OWN_DAYS, own):
        if advisor_at(slug):
            key = "" if day == EARLIER else f"{day}"
            found.setdefault(key, {})[slug] = _play(sums, mistakes[day, slug])
    return found


def with_rounds(code: str, since: date, mistakes: Sequence[tuple[str, Mistake]]) -> list[Mistake]:
    """Return mistakes of a class with the rounds in which they have cost most since a day.

    Args:
        code: the class's.
        since: the first day.
        mistakes: the mistakes, each with its table's slug.
    """
    keys = [(slug, *one.what[:3], one.upcard.value, one.worst) for slug, one in mistakes]
    asked = {"code": code, "since": since, "keys": keys}
    rounds: dict[tuple[object, ...], tuple[int, str]] = {}
    for *key, step, record in db.execute(_ROUNDS, asked) if keys else ():
        rounds.setdefault(tuple(key), (step, record))
    found = (rounds.get(key[:-1], (0, "")) for key in keys)
    pairs = zip(mistakes, found, strict=True)
    return [replace(one, step=step, record=record) for (_, one), (step, record) in pairs]


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
        since = "" if period == "all" else f"{first_day(period, now)}"
        plays = play_in(days, since).values()
        rounds, decisions = (
            sum(play.rounds for play in plays),
            sum(play.decisions for play in plays),
        )
        cost = sum(play.cost for play in plays)
        yield OwnPlay(label, rounds, decisions, POINTS * PER * cost / max(1, decisions))
