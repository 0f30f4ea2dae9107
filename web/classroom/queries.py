"""What is asked of the tables of a class, and what is written into them.

Each statement is built once: to build one takes as long as SQLite takes to answer it. What is read
is a copy: whoever changes something says so with one of the functions that write.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import and_, bindparam, delete, insert, select, update

from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from web import db
from web.classroom import models
from web.classroom.models import BingoRound, Classroom

MAX_FINISHED: Final = 200
"""Maximum number of finished rounds that are kept of a class: the newest ones."""

MAX_WRONG_CODES: Final = 10
"""Maximum number of wrong rejoin codes for a student in :data:`WRONG_CODES_WITHIN` seconds."""

WRONG_CODES_WITHIN: Final = 600

_classes: Any = Classroom.__table__
_students: Any = models.Student.__table__
_browsers: Any = models.Browser.__table__
_rounds: Any = BingoRound.__table__
_late: Any = models.LateCard.__table__
_cards: Any = models.PlayedCard.__table__
_claims: Any = models.Claim.__table__
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
_class_columns: Final = tuple(_classes.c.keys())
_round_columns: Final = tuple(_rounds.c.keys())


def _run(statement: Any, **values: Any) -> Any:
    """Return what comes of a statement in the transaction of the request."""
    return db.session().connection().execute(statement, values)


def find_counters(code: str) -> ClassCounters | None:
    """Return only the numbers of a class."""
    now = db.now()
    row = _run(_COUNTERS, code=code, now=now).one_or_none()
    return ClassCounters._make((*row, now)) if row else None


def counters_in(classroom: Classroom, now: float) -> ClassCounters:
    """Return the numbers of a class as they stand at a time."""
    return ClassCounters._make((*(getattr(classroom, name) for name in _numbers), now))


def find_class(code: str, now: float) -> tuple[Classroom, BingoRound | None] | None:
    """Return a class and its newest round; a POST has the class to itself until it ends."""
    query = _LOCKED_CLASS if db.session().info["writes"] else _CLASS
    row = _run(query, code=code, now=now).one_or_none()
    if row is None:
        return None
    split = len(_class_columns)
    classroom = Classroom(**dict(zip(_class_columns, row[:split], strict=True)))
    if not classroom.round_number:
        return classroom, None
    return classroom, BingoRound(**dict(zip(_round_columns, row[split:], strict=True)))


def lock_class(code: str) -> bool:
    """Wait until nobody else writes anything of a class; return whether it is there."""
    return _run(_LOCK, code=code).one_or_none() is not None


def save_class(code: str, values: Mapping[str, Any]) -> None:
    """Write some columns of a class."""
    _run(_SAVE, of_class=code, **values)


def prolong_class(code: str, until: int) -> None:
    """Let a class that has not ended live until a time at least."""
    here = _classes.c.code == code, _classes.c.expires > db.now(), _classes.c.expires < until
    _run(update(_classes).where(*here).values(expires=until))


def add_class(classroom: Classroom) -> None:
    """Keep a new class; those that have ended make room."""
    _run(delete(_classes).where(_classes.c.expires <= db.now()))
    db.session().add(classroom)
    db.session().flush()


def is_kept(code: str) -> bool:
    """Say whether there is a class with a code, also one that has ended."""
    return db.session().get(Classroom, code) is not None


def delete_class(code: str) -> None:
    """Forget a class and all that belongs to it."""
    _run(delete(_classes).where(_classes.c.code == code))


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

    @property
    def browsers(self) -> tuple[str, ...]:
        """What stands for their browsers in the class, in the order in which they came."""
        return tuple(_run(_BROWSERS, code=self.class_code, number=self.number).scalars())

    @property
    def is_code_blocked(self) -> bool:
        """Whether the rejoin code is refused until the instructor makes a new one."""
        return len(wrong_codes(self)) >= MAX_WRONG_CODES

    def marks_in(self, round_number: int) -> int:
        """Return the positions covered by hand in a round, as bits."""
        return self.marks if self.marks_round == round_number else 0


_MEMBERS: Final = (
    select(*(_students.c[name] for name in Member._fields[:-2]), _late.c.card, _late.c.from_call)
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
    found = map(Member._make, _run(_MEMBERS, code=code, round=round_number))
    return {member.number: member for member in found}


def find_players(code: str, round_number: int) -> Sequence[tuple[int, int | None, int | None]]:
    """Return the numbers of those who have not stepped out, with their late cards of a round."""
    found: Sequence[tuple[int, int | None, int | None]]
    found = _run(_PLAYERS, code=code, round=round_number).all()
    return found


def find_member(code: str, round_number: int, number: int) -> Member | None:
    """Return a student of a class."""
    row = _run(_MEMBER, code=code, round=round_number, number=number).one_or_none()
    return Member._make(row) if row else None


def member_of(code: str, round_number: int, key: str) -> Member | None:
    """Return the student of a browser."""
    row = _run(_MEMBER_OF, code=code, round=round_number, key=key).one_or_none()
    return Member._make(row) if row else None


def number_named(code: str, key: str) -> int:
    """Return the number of the student with a nickname; 0 where nobody has it."""
    return _run(_NAMED, code=code, key=key).scalar() or 0


def wrong_codes(member: Member) -> list[float]:
    """Return when wrong rejoin codes were sent for a student: the times that count."""
    theirs = (
        _students.c.class_code == member.class_code,
        _students.c.number == member.number,
    )
    return list(_run(select(_students.c.wrong_codes).where(*theirs)).scalar() or ())


def add_student(member: Member, real: str, browsers: Collection[str]) -> None:
    """Keep a new student, with their real name and their browsers."""
    code, number = member.class_code, member.number
    _run(_ADD_STUDENT, **dict(zip(_NEW, member, strict=False)), real_name=real)
    rows = [
        {"class_code": code, "key": key, "student": number, "number": which}
        for which, key in enumerate(browsers)
    ]
    db.session().connection().execute(_ADD_BROWSER, rows)


def add_browser(member: Member, key: str) -> None:
    """Let a browser be a student's; before, it may have been another's."""
    code, student = member.class_code, member.number
    _run(delete(_browsers).where(_browsers.c.class_code == code, _browsers.c.key == key))
    number = len(member.browsers)
    _run(_ADD_BROWSER, class_code=code, key=key, student=student, number=number)


def save_student(member: Member, **values: Any) -> None:
    """Write some columns of a student."""
    _run(_SAVE_STUDENT, of_class=member.class_code, of_student=member.number, **values)


def delete_students(code: str, numbers: Collection[int]) -> None:
    """Forget students, and with them all that is theirs."""
    theirs = _students.c.class_code == code, _students.c.number.in_(numbers)
    _run(delete(_students).where(*theirs))


def note_presence(code: str, places: Mapping[str, str]) -> None:
    """Write at which pages some browsers were seen just now."""
    if lock_class(code):
        for page in sorted({*places.values()}):
            keys = [key for key, at in places.items() if at == page]
            _run(_SEEN, code=code, keys=keys, now=db.now(), at=page)


def real_names(code: str) -> dict[int, str]:
    """Return the real names that students of a class have given, by their numbers."""
    given = _students.c.class_code == code, _students.c.real_name != ""
    return dict(_run(select(_students.c.number, _students.c.real_name).where(*given)).all())


def real_name(member: Member) -> str:
    """Return the real name that a student has given; empty for none."""
    theirs = (
        _students.c.class_code == member.class_code,
        _students.c.number == member.number,
    )
    return str(_run(select(_students.c.real_name).where(*theirs)).scalar() or "")


def forget_real_names(code: str) -> None:
    """Forget all real names that students of a class have given."""
    _run(update(_students).where(_students.c.class_code == code).values(real_name=""))


# ---- Its rounds ----------------------------------------------------------------------------------


class CardInPlay(NamedTuple):
    """A card that is in play."""

    card: int
    student: int
    """The number of its student; 0 for a card on paper."""

    from_call: int
    """How many cards had been called when it came into play."""


class CardPlayed(NamedTuple):
    """A card that was in play when its round ended."""

    card: int
    student: int
    """The number of its student, who may be gone; 0 for a card on paper."""

    from_call: int
    rank: int | None
    """The place that it has won, with the call; None for none."""

    rank_call: int | None


_SAVE_ROUND: Final = update(_rounds).where(
    _rounds.c.class_code == bindparam("of_class"), _rounds.c.number == bindparam("of_round")
)
_CLAIMS: Final = (
    select(*(_claims.c[name] for name in Claim._fields))
    .where(_claims.c.class_code == _code, _claims.c.round == _number)
    .order_by(_claims.c.number)
)
_ADD_LATE: Final = insert(_late)
_ADD_CLAIM: Final = insert(_claims)
_ADD_CARDS: Final = insert(_cards)


def claims_in(code: str, number: int) -> tuple[Claim, ...]:
    """Return the claims of a round, in the order in which they came."""
    return tuple(map(Claim._make, _run(_CLAIMS, code=code, number=number)))


def add_claim(code: str, number: int, which: int, claim: Claim) -> None:
    """Keep a claim in a round: which one it is there, counted from 1."""
    _run(_ADD_CLAIM, class_code=code, round=number, number=which, **claim._asdict())


def give_late_card(code: str, number: int, student: int, card: int, calls: int) -> None:
    """Give a student a card of a round that was dealt; 0 for none that is left."""
    theirs = _late.c.class_code == code, _late.c.round == number, _late.c.student == student
    _run(delete(_late).where(*theirs))
    key = {"class_code": code, "round": number, "student": student}
    _run(_ADD_LATE, **key, card=card, from_call=calls)


def newest_late_card(member: Member) -> tuple[int, int, int] | None:
    """Return the newest round in which a student has got a card late, with the card and call."""
    theirs = _late.c.class_code == member.class_code, _late.c.student == member.number
    query = select(_late.c.round, _late.c.card, _late.c.from_call).where(*theirs)
    row = _run(query.order_by(_late.c.round.desc()).limit(1)).one_or_none()
    return tuple(row) if row else None


def save_round(code: str, number: int, values: Mapping[str, Any]) -> None:
    """Write some columns of a round."""
    _run(_SAVE_ROUND, of_class=code, of_round=number, **values)


def keep_cards(code: str, number: int, cards: Sequence[CardPlayed], *, counts: bool) -> None:
    """Keep the cards of a round that is over, and whether it counts for their students.

    Rounds that are too old to be kept go, and count no more.
    """
    key = {"class_code": code, "round": number}
    if cards:
        rows = [key | card._asdict() for card in cards]
        db.session().connection().execute(_ADD_CARDS, rows)
    if counts:
        _count_round(code, number, 1)
    old = _rounds.c.class_code == code, _rounds.c.number <= number - MAX_FINISHED
    for gone in _run(select(_rounds.c.number).where(*old, _rounds.c.void.is_(False))).scalars():
        _count_round(code, gone, -1)
    _run(delete(_rounds).where(*old))


def _count_round(code: str, number: int, more: int) -> None:
    """Count a round for its students, or no more."""
    of_round = _cards.c.class_code == code, _cards.c.round == number
    players = select(_cards.c.student).where(*of_round, _cards.c.student != 0)
    for column, who in (("rounds", players), ("won", players.where(_cards.c.rank == 1))):
        here = _students.c.class_code == code, _students.c.number.in_(who)
        _run(update(_students).where(*here).values({column: _students.c[column] + more}))


def cards_of(code: str, number: int) -> list[CardPlayed]:
    """Return the cards of a round that is over, by their numbers."""
    of_round = _cards.c.class_code == code, _cards.c.round == number
    query = select(*(_cards.c[name] for name in CardPlayed._fields)).where(*of_round)
    return [CardPlayed._make(row) for row in _run(query.order_by(_cards.c.card))]


def find_round(code: str, number: int) -> BingoRound | None:
    """Return a round of a class."""
    return db.session().get(BingoRound, (code, number))


def finished_rounds(code: str) -> Sequence[BingoRound]:
    """Return the rounds of a class that are over, the oldest first."""
    is_over = BingoRound.class_code == code, BingoRound.ended.is_not(None)
    query = select(BingoRound).where(*is_over).order_by(BingoRound.number)
    return db.session().scalars(query).all()


class OwnCard(NamedTuple):
    """A card that a student had in a round that is over."""

    round: int
    void: bool
    card: int
    from_call: int
    rank: int | None
    claims: tuple[Claim, ...]


def cards_of_student(member: Member) -> list[OwnCard]:
    """Return the cards of a student in rounds that are over, the oldest first."""
    theirs = _cards.c.class_code == member.class_code, _cards.c.student == member.number
    same_round = and_(
        _rounds.c.class_code == _cards.c.class_code, _rounds.c.number == _cards.c.round
    )
    same_card = and_(
        *(_claims.c[name] == _cards.c[name] for name in ("class_code", "round", "card"))
    )
    claims: dict[int, tuple[Claim, ...]] = {}
    query = select(_claims.c.round, *(_claims.c[name] for name in Claim._fields))
    query = query.join(_cards, same_card).where(*theirs).order_by(_claims.c.number)
    for number, *claim in _run(query):
        claims[number] = (*claims.get(number, ()), Claim._make(claim))
    columns = _rounds.c.number, _rounds.c.void, _cards.c.card, _cards.c.from_call, _cards.c.rank
    query = select(*columns).join(_cards, same_round).where(*theirs).order_by(_cards.c.round)
    return [OwnCard._make((*row, claims.get(row.number, ()))) for row in _run(query)]


def won_since(code: str, since: float) -> Mapping[int, int]:
    """Return how many rounds that count students have won since a time, by their numbers."""
    counts = _rounds.c.class_code == code, _rounds.c.ended >= since, _rounds.c.void.is_(False)
    numbers = [*_run(select(_rounds.c.number).where(*counts)).scalars()]
    of_rounds = _cards.c.class_code == code, _cards.c.round.in_(numbers), _cards.c.rank == 1
    # Counted here: SQLite would go through all cards of the class to group them.
    return Counter(_run(select(_cards.c.student).where(*of_rounds)).scalars())
