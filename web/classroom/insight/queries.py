"""Updates of the results of a class's students, and queries of the sums of the results.

A move that ends a round adds the round to the sums in the same transaction, so pages read only
sums.

Costs are in rounds, as in :mod:`cardgames.ledger`; pages show points, which are hundredths.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from sqlalchemy import BigInteger, bindparam, case, delete, func, select, tuple_
from sqlalchemy.dialects.postgresql import insert  # SQLite supports the same clause.

from cardgames import GAMES
from cardgames.cards import Rank
from cardgames.records.record import Record
from web import db
from web.classroom.core.access import (
    IS_PARTICIPANT,
    browser_key,
    current_student,
    find_class,
    login_key,
)
from web.classroom.core.codes import class_session
from web.classroom.core.models import Browser, Classroom, Student, is_theirs
from web.classroom.core.words import local_time
from web.classroom.insight.models import OLDER_DAYS, StudentDailyScore, StudentDay, StudentMistake
from web.classroom.insight.rules import (
    Mistake,
    TableInsight,
    TablePlay,
    WorstTime,
    advisor_at,
    first_day,
    is_own_deck,
    judged_round,
    table_insight,
)
from web.deals.daily import ClassRank
from web.deals.scores import MIN_PLAYERS, load_score, rank_among
from web.http.sessions import current_session
from web.tables.models import UNREADABLE
from web.tables.seat import Seat

MAX_DAYS: Final = 7
"""Maximum number of days with separate sums per student. The sums of all earlier days are merged.
"""

log = logging.getLogger("cardgames.classroom")


def _sum(column: Any) -> Any:
    """Return an SQL sum as an integer, because PostgreSQL would return a decimal."""
    return func.sum(column).cast(BigInteger)


_WHAT: Final = tuple(
    getattr(StudentMistake, name) for name in ("chosen", "total", "soft", "upcard")
)
_SUMS: Final = (
    *(_sum(StudentMistake.times), func.sum(StudentMistake.cost)),
    func.max(StudentMistake.worst),
)


def _since(day: date, code: str, table: Any) -> tuple[Any, ...]:
    """Return the conditions for a class's rows since a given day.

    Rows of banned students do not meet the conditions.
    """
    return is_theirs(table), Student.class_code == code, Student.state != "banned", table.day >= day


def _mistake(slug: str, chosen: str, total: int, soft: bool, upcard: str, *more: Any) -> Mistake:  # noqa: FBT001
    """Return a mistake from a row."""
    return Mistake(slug, chosen, total, soft, Rank(upcard), *more)


def plays_in_class(code: str, since: date) -> dict[str, dict[int, TablePlay]]:
    """Return the results of a class's students since a day, keyed by table.

    Banned students are not included.
    """
    plays: defaultdict[str, dict[int, TablePlay]] = defaultdict(dict)
    day, keys = StudentDay, (StudentDay.game, StudentDay.student)
    sums = *map(_sum, (day.rounds, day.won, day.decisions)), *map(func.sum, (day.cost, day.squares))
    query = select(*keys, *sums).where(*_since(since, code, day)).group_by(*keys).order_by(*keys)
    for slug, student, *play in db.execute(query):
        if advisor_at(slug):
            plays[slug][student] = TablePlay(*play)
    return plays


def mistakes_in_class(code: str, since: date) -> dict[str, list[Mistake]]:
    """Return the mistakes of a class since a day, keyed by table.

    Each mistake includes the number of students who made it.
    """
    mistakes: defaultdict[str, list[Mistake]] = defaultdict(list)
    keys, students = (StudentMistake.game, *_WHAT), func.count(StudentMistake.student.distinct())
    query = select(*keys, *_SUMS, students).where(*_since(since, code, StudentMistake))
    for slug, *mistake in db.execute(query.group_by(*keys).order_by(*keys)):
        mistakes[slug].append(_mistake(slug, *mistake))
    return mistakes


def mistakes_at(code: str, slug: str, since: date) -> dict[int, list[Mistake]]:
    """Return a class's mistakes at a table since a day, keyed by student."""
    mistakes: defaultdict[int, list[Mistake]] = defaultdict(list)
    here = *_since(since, code, StudentMistake), StudentMistake.game == slug
    keys = StudentMistake.student, *_WHAT
    query = select(*keys, *_SUMS).where(*here).group_by(*keys).order_by(*keys)
    for student, *mistake in db.execute(query):
        mistakes[student].append(_mistake(slug, *mistake))
    return mistakes


def totals_in_class(code: str) -> dict[int, tuple[int, int]]:
    """Return the numbers of rounds played and won by each student at the tables."""
    day = StudentDay
    query = select(day.student, _sum(day.rounds), _sum(day.won)).group_by(day.student)
    rows = db.execute(query.where(day.class_code == code))
    return {student: (rounds, won) for student, rounds, won in rows}


def load_days(student: Student) -> list[StudentDay]:
    """Return a student's results, the oldest day first."""
    by_student = StudentDay.class_code == student.class_code, StudentDay.student == student.number
    days = db.session().scalars(select(StudentDay).where(*by_student).order_by(StudentDay.day))
    return [day for day in days if advisor_at(day.game)]


def load_rounds(
    code: str, since: date, keys: Sequence[WorstTime]
) -> dict[WorstTime, dict[str, Any]]:
    """Return the rounds with a class's mistakes since a day.

    Each round includes the step of the mistake.
    """
    if not keys:
        return {}
    mistakes, rounds = StudentMistake, dict[WorstTime, dict[str, Any]]()
    columns = mistakes.game, *_WHAT, mistakes.worst
    query = select(*columns, mistakes.step, mistakes.record).where(*_since(since, code, mistakes))
    query = query.where(tuple_(*columns).in_(keys)).order_by(mistakes.student, mistakes.day)
    for *key, step, record in db.execute(query):
        rounds.setdefault(tuple(key), {"step": step, "record": record})
    return rounds


# ---- A class at its tables -----------------------------------------------------------------------


def load_insight(classroom: Classroom, period: str = "all") -> Mapping[str, TableInsight]:
    """Return the results of a class at each of its tables.

    Banned students and the rounds of the decisions (:func:`with_replays`) are not included.

    Args:
        classroom: The class whose results are loaded.
        period: One of :data:`~web.classroom.insight.queries.PERIODS`.
    """
    since = first_day(period, classroom.now)
    plays = plays_in_class(classroom.code, since)
    mistakes = mistakes_in_class(classroom.code, since)
    return {
        slug: table_insight(slug, plays[slug], mistakes.get(slug, ()))
        for slug in GAMES
        if slug in plays
    }


def with_replays(
    classroom: Classroom, period: str, decisions: Sequence[Mistake]
) -> tuple[Mistake, ...]:
    """Return decisions, each with its costliest round in a period."""
    keys = [decision.key for decision in decisions]
    rounds = load_rounds(classroom.code, first_day(period, classroom.now), keys)
    return tuple(replace(decision, **rounds.get(decision.key, {})) for decision in decisions)


# ---- Rounds that have ended ----------------------------------------------------------------------


_days: Any = StudentDay.__table__


_mistakes: Any = StudentMistake.__table__


def _additive_upsert(table: Any, *sums: str, **others: Any) -> Any:
    """Return the statement that inserts a row or adds its values to an existing row."""
    new = insert(table)
    added = {name: table.c[name] + new.excluded[name] for name in sums}
    replaced = {name: value(new.excluded) for name, value in others.items()}
    return new.on_conflict_do_update(index_elements=[*table.primary_key], set_=added | replaced)


def _from_costlier(name: str) -> Any:
    """Return the column's value from the row with the higher cost."""
    return lambda new: case((new.worst > _mistakes.c.worst, new[name]), else_=_mistakes.c[name])


def _is_students(table: Any) -> tuple[Any, ...]:
    """Return the condition that selects a student's rows."""
    return table.c.class_code == bindparam("code"), table.c.student == bindparam("student")


_ADD_TO_DAY: Final = _additive_upsert(_days, "rounds", "won", "decisions", "cost", "squares")


_ADD_DAY: Final = _ADD_TO_DAY.returning(_days.c.rounds)


_OWN_DAYS: Final = (
    select(_days.c.day)
    .where(*_is_students(_days), _days.c.day > OLDER_DAYS)
    .distinct()
    .order_by(_days.c.day.desc())
)


_ADD_MISTAKE: Final = _additive_upsert(
    *(_mistakes, "times", "cost"),
    **{name: _from_costlier(name) for name in ("worst", "step", "record")},
)


# The row is locked on PostgreSQL, so that the student cannot be removed between this query and the
# end of the transaction.
_PLAYING: Final = (
    select(Student.number)
    .join(Classroom, Classroom.code == Student.class_code)
    .join(Browser, is_theirs(Browser))
    .where(
        Student.class_code == bindparam("code"),
        Student.state == "in",
        Classroom.closed.is_(False),
        Classroom.expires > bindparam("now"),
        IS_PARTICIPANT,
    )
    .with_for_update(read=True, key_share=True, of=Student)
)


def record_rounds(seat: Seat, ended: tuple[Record, ...]) -> None:
    """Add the rounds that a move ended to the sums of each of the player's classes.

    Rounds at deal links and rounds with the player's own deck do not count for the class.
    """
    game = seat.table.game
    if seat.kind != "own" or not game.advisor:
        return
    records = [record for record in ended if not is_own_deck(game, record)]
    students = [*own_students()] if records else []
    for record in records if students else ():
        note_round(students, record, db.now())


def own_students() -> Iterator[tuple[str, int]]:
    """Yield the class code and number of each student of the current browser."""
    for code in sorted(class_session().joined):  # A fixed order avoids deadlocks.
        keys = {"browser": browser_key(code), "login": login_key(code), "now": db.now()}
        for number in db.execute(_PLAYING, code=code, **keys).scalars():
            yield code, number


def note_round(students: Iterable[tuple[str, int]], record: Record, time: float) -> None:
    """Add a round to the sums of its students.

    Args:
        students: The class code and number of each student.
        record: A round of a game with an advisor.
        time: The time at which the round ended.
    """
    try:
        sums, mistakes = judged_round(record)
    except UNREADABLE as error:
        # InvalidRecord is caught too, because an error must not lose the move.
        log.warning("a student's round could not be judged: %s", type(error).__name__)
        return
    day = local_time(time).date()
    for code, student in students:
        key = {"class_code": code, "student": student, "game": record.game, "day": day}
        is_new = db.execute(_ADD_DAY, key | sums).scalar_one() == 1
        if mistakes:
            db.execute(_ADD_MISTAKE, [key | mistake for mistake in mistakes])
        if is_new:
            _merge_old_days(code, student)


def _merge_old_days(code: str, student: int) -> None:
    """Merge a student's older days into a single day."""
    student_key = {"code": code, "student": student}
    for day in db.execute(_OWN_DAYS, student_key).scalars().all()[MAX_DAYS:]:
        for table, add in ((_days, _ADD_TO_DAY), (_mistakes, _ADD_MISTAKE)):
            here = (*_is_students(table), table.c.day == day)
            rows = db.execute(select(table).where(*here), student_key).mappings().all()
            if rows:
                db.execute(add, [{**row, "day": OLDER_DAYS} for row in rows])
            db.execute(delete(table).where(*here), student_key)


# ---- The deals of the day ------------------------------------------------------------------------


def note_daily(seat: Seat, _ended: tuple[Record, ...]) -> None:
    """Save a day's score in the player's classes, if all its deals have ended."""
    if seat.kind != "deal" or not seat.place.deal.day:
        return
    day, scores = seat.place.deal.day, StudentDailyScore
    cost = load_score(current_session().sid, day)
    for code, student in own_students() if cost is not None else ():
        db.execute(delete(scores).where(scores.class_code == code, scores.day <= day - MAX_DAYS))
        row = {"class_code": code, "student": student, "day": day, "cost": cost}
        db.execute(insert(scores).values(**row).on_conflict_do_nothing())


def class_ranks(day: int) -> list[ClassRank]:
    """Return the player's ranks on a day in the browser's classes, newest class first."""
    codes = class_session().joined[::-1] if current_session().is_kept else ()
    return [rank for code in codes if (rank := _rank_in(code, day))]


def _rank_in(code: str, day: int) -> ClassRank | None:
    """Return the rank on a day in a class, or None.

    There is no rank without a student, or if there are too few results.
    """
    classroom = find_class(code)
    student = classroom and current_student(classroom)
    if not classroom or classroom.closed or not student:
        return None
    known, daily = (Student.class_code == code, Student.state != "banned"), StudentDailyScore
    students = db.session().scalar(select(func.count()).where(*known)) or 0
    if students < MIN_PLAYERS:
        return None
    scores = select(daily.student, daily.cost).join(Student, is_theirs(daily))
    costs: dict[int, int] = dict(db.execute(scores.where(*known, daily.day == day)).all())
    own_cost, rank = costs.get(student.number), None
    if own_cost is not None:
        rank = rank_among(1 + sum(cost < own_cost for cost in costs.values()), len(costs))
    return ClassRank(code, classroom.title or code, students, len(costs), rank)
