"""What is asked of a class and its students, and what is written of them.

Statements that every phone asks for are built once: to build one takes as long as SQLite takes to
answer it. What is read is a copy: what changes is written by the functions below.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Integer, and_, bindparam, delete, func, insert, select, update

from cardgames.class_bingo.clock import Clock
from web import db
from web.classroom import models
from web.classroom.models import BingoRound, Classroom

MAX_WRONG_CODES: Final = 10
"""Maximum number of wrong rejoin codes for a student in :data:`WRONG_CODES_WITHIN` seconds."""

WRONG_CODES_WITHIN: Final = 600

_classes: Any = Classroom.__table__
_students: Any = models.Student.__table__
_browsers: Any = models.Browser.__table__
_rounds: Any = BingoRound.__table__
_late: Any = models.LateCard.__table__
_code: Any = bindparam("code")
_number: Any = bindparam("number")
_now: Any = bindparam("now")


# ---- The class -----------------------------------------------------------------------------------


class ClassCounters(NamedTuple):
    """The numbers of a class, which everybody asks for again and again."""

    version: int
    """Raised by every move of an instructor."""

    students: int
    """Raised whenever a student joins, leaves or is changed, or has finished a tournament."""

    claims: int
    """The number of claims in the newest round."""

    right: int
    """How many of them were right since the round last went on: while there are any, it waits."""

    round: int
    """The number of the newest round; 0 before the first."""

    is_open: bool
    """Whether that round is still on."""

    members: int
    """The number of students that there are."""

    has_vote: bool
    """Whether a vote is on: it is open, or talked over."""

    called: int
    """With the next three the clock of the newest round."""

    since: float
    every: int
    stop: int
    now: float
    """The time when it was asked."""

    @property
    def clock(self) -> Clock:
        """When cards are called."""
        return Clock(self.called, self.since, self.every, self.stop)

    @property
    def calls(self) -> int:
        """How many cards have been called by now."""
        return self.clock.called(self.now)


_COLUMNS: Final = {"students": "changes", "round": "round_number"}
"""The columns of a class's numbers that have other names there."""

_numbers: Final = [_COLUMNS.get(name, name) for name in ClassCounters._fields[:-1]]
_is_alive: Final = (_classes.c.code == _code, _classes.c.expires > _now)
_COUNTERS: Final = select(*(_classes.c[name] for name in _numbers)).where(*_is_alive)
_CLASS: Final = (
    select(*_classes.c, *_rounds.c)
    .outerjoin(
        _rounds,
        and_(_rounds.c.class_code == _classes.c.code, _rounds.c.number == _classes.c.round_number),
    )
    .where(*_is_alive)
)
_LOCKED_CLASS: Final = _CLASS.with_for_update(of=_classes)
_LOCK: Final = select(_classes.c.code).where(_classes.c.code == _code).with_for_update()
_SAVE: Final = update(_classes).where(_classes.c.code == bindparam("of_class"))
_SETTLE: Final = (
    update(_classes)
    .where(
        *(_classes.c.code == bindparam("of_class"), _classes.c.is_open),
        *(_classes.c.round_number == bindparam("of_round"), _classes.c.called < bindparam("calls")),
    )
    .values(called=bindparam("calls"), since=bindparam("at"))
)
_class_columns: Final = tuple(_classes.c.keys())
_round_columns: Final = tuple(_rounds.c.keys())


def find_counters(code: str) -> ClassCounters | None:
    """Return only the numbers of a class."""
    now = db.now()
    row = db.execute(_COUNTERS, code=code, now=now).one_or_none()
    return ClassCounters._make((*row, now)) if row else None


def counters_in(classroom: Classroom, now: float) -> ClassCounters:
    """Return the numbers of a class as they stand at a time."""
    return ClassCounters._make((*(getattr(classroom, name) for name in _numbers), now))


def find_class(code: str, now: float) -> tuple[Classroom, BingoRound | None] | None:
    """Return a class and its newest round; a POST has the class to itself until it ends."""
    query = _LOCKED_CLASS if db.session().info["writes"] else _CLASS
    row = db.execute(query, code=code, now=now).one_or_none()
    if row is None:
        return None
    split = len(_class_columns)
    classroom = Classroom(**dict(zip(_class_columns, row[:split], strict=True)))
    if not classroom.round_number:
        return classroom, None
    return classroom, BingoRound(**dict(zip(_round_columns, row[split:], strict=True)))


def keep_calls(code: str, counters: ClassCounters) -> None:
    """Keep what the clock of a class has called by now, unless as much is kept already."""
    clock = counters.clock.settled(counters.now)
    db.execute(_SETTLE, of_class=code, of_round=counters.round, calls=clock.calls, at=clock.since)


def lock_class(code: str) -> bool:
    """Wait until nobody else writes anything of a class; return whether it is there."""
    return db.execute(_LOCK, code=code).one_or_none() is not None


def save_class(code: str, values: Mapping[str, Any]) -> None:
    """Write some columns of a class."""
    db.execute(_SAVE, of_class=code, **values)


def prolong_class(code: str, until: int) -> None:
    """Let a class that has not ended live until a time at least."""
    here = _classes.c.code == code, _classes.c.expires > db.now(), _classes.c.expires < until
    db.execute(update(_classes).where(*here).values(expires=until))


def add_class(classroom: Classroom) -> None:
    """Keep a new class; those that have ended make room."""
    db.execute(delete(_classes).where(_classes.c.expires <= db.now()))
    db.session().add(classroom)
    db.session().flush()


def is_kept(code: str) -> bool:
    """Say whether there is a class with a code, also one that has ended."""
    return db.session().get(Classroom, code) is not None


def delete_class(code: str) -> None:
    """Forget a class and all that belongs to it."""
    db.execute(delete(_classes).where(_classes.c.code == code))


# ---- Its students --------------------------------------------------------------------------------


class Member(NamedTuple):
    """A student of a class, as pages read them."""

    class_code: str
    number: int
    name: str
    name_key: str
    offered: bool
    joined: float
    state: str = "in"
    renamed: float = 0.0
    generation: int = 0
    marks_round: int = 0
    marks: int = 0
    seen: float = 0.0
    seen_at: str = ""
    rounds: int = 0
    won: int = 0
    late_card: int | None = None
    """The number of a card of the newest round that was not dealt; 0 where none was left."""

    late_from: int | None = None
    has_real_name: bool = False
    wrong_codes: int = 0
    """How many wrong rejoin codes count for the limit."""

    @property
    def browsers(self) -> tuple[str, ...]:
        """What stands for their browsers in the class, in the order in which they came."""
        return tuple(db.execute(_BROWSERS, code=self.class_code, number=self.number).scalars())

    @property
    def is_code_blocked(self) -> bool:
        """Whether the rejoin code is refused until the instructor makes a new one."""
        return self.wrong_codes >= MAX_WRONG_CODES

    def marks_in(self, round_number: int) -> int:
        """Return the positions covered by hand in a round, as bits."""
        return self.marks if self.marks_round == round_number else 0


_MEMBERS: Final = (
    select(
        *(_students.c[name] for name in Member._fields[:-4]),
        *(_late.c.card, _late.c.from_call),
        _students.c.real_name != "",
        func.json_array_length(_students.c.wrong_codes, type_=Integer),
    )
    .outerjoin(
        _late,
        and_(
            _late.c.class_code == _students.c.class_code,
            _late.c.student == _students.c.number,
            _late.c.round == bindparam("round"),
        ),
    )
    .where(_students.c.class_code == _code)
    .order_by(_students.c.number)
)
_PLAYERS: Final = (
    _MEMBERS.with_only_columns(_students.c.number, _late.c.card, _late.c.from_call)
    .where(_students.c.state == "in")
    .order_by(None)
)
_MEMBER: Final = _MEMBERS.where(_students.c.number == _number)
_MEMBER_OF: Final = _MEMBERS.join(
    _browsers,
    and_(
        _browsers.c.class_code == _students.c.class_code,
        _browsers.c.student == _students.c.number,
    ),
).where(_browsers.c.class_code == _code, _browsers.c.key == bindparam("key"))
_BROWSERS: Final = (
    select(_browsers.c.key)
    .where(_browsers.c.class_code == _code, _browsers.c.student == _number)
    .order_by(_browsers.c.number)
)
_NAMED: Final = select(_students.c.number).where(
    _students.c.class_code == _code, _students.c.name_key == bindparam("key")
)
_SAVE_STUDENT: Final = update(_students).where(
    _students.c.class_code == bindparam("of_class"), _students.c.number == bindparam("of_student")
)
_SEEN: Final = (
    update(_students)
    .where(
        _students.c.class_code == _code,
        _students.c.number.in_(
            select(_browsers.c.student).where(
                _browsers.c.class_code == _code,
                _browsers.c.key.in_(bindparam("keys", expanding=True)),
            )
        ),
    )
    .values(seen=_now, seen_at=bindparam("at"))
)
_NEW: Final = Member._fields[:6]
"""What a new student has; the rest follows."""

_ADD_STUDENT: Final = insert(_students)
_ADD_BROWSER: Final = insert(_browsers)


def find_members(code: str, round_number: int) -> dict[int, Member]:
    """Return all students of a class by their numbers, with their late cards of a round."""
    found = map(Member._make, db.execute(_MEMBERS, code=code, round=round_number))
    return {member.number: member for member in found}


def find_players(code: str, round_number: int) -> Sequence[tuple[int, int | None, int | None]]:
    """Return the numbers of those who have not stepped out, with their late cards of a round."""
    found: Sequence[tuple[int, int | None, int | None]]
    found = db.execute(_PLAYERS, code=code, round=round_number).all()
    return found


def find_member(code: str, round_number: int, number: int) -> Member | None:
    """Return a student of a class."""
    row = db.execute(_MEMBER, code=code, round=round_number, number=number).one_or_none()
    return Member._make(row) if row else None


def member_of(code: str, round_number: int, key: str) -> Member | None:
    """Return the student of a browser."""
    row = db.execute(_MEMBER_OF, code=code, round=round_number, key=key).one_or_none()
    return Member._make(row) if row else None


def number_named(code: str, key: str) -> int:
    """Return the number of the student with a nickname; 0 where nobody has it."""
    return db.execute(_NAMED, code=code, key=key).scalar() or 0


def wrong_codes(member: Member) -> list[float]:
    """Return when wrong rejoin codes were sent for a student: the times that count."""
    theirs = (
        _students.c.class_code == member.class_code,
        _students.c.number == member.number,
    )
    return list(db.execute(select(_students.c.wrong_codes).where(*theirs)).scalar() or ())


def add_student(member: Member, real: str, browsers: Collection[str]) -> None:
    """Keep a new student, with their real name and their browsers."""
    code, number = member.class_code, member.number
    db.execute(_ADD_STUDENT, **dict(zip(_NEW, member, strict=False)), real_name=real)
    rows = [
        {"class_code": code, "key": key, "student": number, "number": which}
        for which, key in enumerate(browsers)
    ]
    db.execute(_ADD_BROWSER, rows)


def add_browser(member: Member, key: str) -> None:
    """Let a browser be a student's; before, it may have been another's."""
    code, student = member.class_code, member.number
    db.execute(delete(_browsers).where(_browsers.c.class_code == code, _browsers.c.key == key))
    number = len(member.browsers)
    db.execute(_ADD_BROWSER, class_code=code, key=key, student=student, number=number)


def save_student(member: Member, **values: Any) -> None:
    """Write some columns of a student."""
    db.execute(_SAVE_STUDENT, of_class=member.class_code, of_student=member.number, **values)


def delete_students(code: str, numbers: Collection[int]) -> None:
    """Forget students, and with them all that is theirs."""
    theirs = _students.c.class_code == code, _students.c.number.in_(numbers)
    db.execute(delete(_students).where(*theirs))


def note_presence(code: str, places: Mapping[str, str]) -> None:
    """Write at which pages some browsers were seen just now."""
    if lock_class(code):
        for page in sorted({*places.values()}):
            keys = [key for key, at in places.items() if at == page]
            db.execute(_SEEN, code=code, keys=keys, now=db.now(), at=page)


def real_names(code: str) -> dict[int, str]:
    """Return the real names that students of a class have given, by their numbers."""
    given = _students.c.class_code == code, _students.c.real_name != ""
    return dict(db.execute(select(_students.c.number, _students.c.real_name).where(*given)).all())


def forget_real_names(code: str) -> None:
    """Forget all real names that students of a class have given."""
    db.execute(update(_students).where(_students.c.class_code == code).values(real_name=""))
