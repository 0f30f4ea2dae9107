"""The rounds of Bingo of a class: their cards and claims, what is asked of them, and written.

What belongs to a round goes with it, by cascade.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ForeignKeyConstraint,
    Index,
    Integer,
    UniqueConstraint,
    and_,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert as insert_or_not  # SQLite has the same clause
from sqlalchemy.orm import Mapped, mapped_column

from cardgames.class_bingo.results import Claim
from cardgames.text import Text
from web import db
from web.classroom.models import CODE, HASH, BingoRound, Browser, Student, of_student
from web.db.models import Base

MAX_FINISHED: Final = 200
"""Maximum number of finished rounds that are kept of a class: the newest ones."""

MAX_CARDS_HAD: Final = 2_000
"""Maximum number of browsers of a round whose cards are kept: those that were kept last."""

PAPER: Final = Text("Paper card {number}")
GONE: Final = Text("Somebody who has left")


# ---- The tables ----------------------------------------------------------------------------------


def of_round() -> ForeignKeyConstraint:
    """Return the constraint that a row goes with its round."""
    return ForeignKeyConstraint(
        ["class_code", "round"], ["class_rounds.class_code", "class_rounds.number"],
        ondelete="CASCADE",
    )  # fmt: skip


class LateCard(Base):
    """A card of a round that a student has got after the deal."""

    __tablename__ = "class_late_cards"
    __table_args__ = (of_student(), of_round(), {"sqlite_with_rowid": False})

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    card: Mapped[int]
    """Its number; 0 where none was left."""

    from_call: Mapped[int]
    """How many cards had been called when it came into play."""


class CardHad(Base):
    """The card that a browser had in the round that is on, as a student who it is no more.

    It outlives the student, who is not named: until the round is over the browser gets no other.
    """

    __tablename__ = "class_cards_had"
    __table_args__ = (of_round(), UniqueConstraint("class_code", "round", "browser"))

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    class_code: Mapped[str] = mapped_column(CODE)
    round: Mapped[int]
    browser: Mapped[str] = mapped_column(HASH)
    card: Mapped[int]
    """Its number; 0 where none was left."""


class PlayedCard(Base):
    """A card that was in play when its round ended."""

    __tablename__ = "class_cards"
    __table_args__ = (
        of_round(),
        # With all that is asked of a student's cards: else SQLite goes through those of the class.
        Index("cards_of_students", "class_code", "student", "round", "from_call", "rank"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    card: Mapped[int] = mapped_column(primary_key=True)
    student: Mapped[int]
    """The number of its student, who may be gone; 0 for a card on paper."""

    from_call: Mapped[int]
    rank: Mapped[int | None]
    """The place that it has won, with the call; none for none."""

    rank_call: Mapped[int | None]


class KeptClaim(Base):
    """BINGO! said in a round: of a card and a call there is one."""

    __tablename__ = "class_claims"
    __table_args__ = (
        of_round(),
        UniqueConstraint("class_code", "round", "card", "call"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """The claims of a round in the order in which they came."""

    card: Mapped[int]
    call: Mapped[int]
    resumptions: Mapped[int]
    since: Mapped[int]


# ---- What is asked of them, and written ----------------------------------------------------------


class HeldCard(NamedTuple):
    """A card that is in play, or was when its round ended."""

    card: int
    student: int
    """The number of its student, who may be gone; 0 for a card on paper."""

    from_call: int
    """How many cards had been called when it came into play."""

    name: str
    """The nickname of its student; empty for one who has left, and on paper."""

    rank: int | None = None
    """The place that it has won, with the call; none for none."""

    rank_call: int | None = None

    @property
    def holder(self) -> str:
        """Who has it."""
        if not self.student:
            return PAPER.fill(number=self.card)
        return self.name or GONE


_students: Any = Student.__table__
_browsers: Any = Browser.__table__
_rounds: Any = BingoRound.__table__
_late: Any = LateCard.__table__
_cards: Any = PlayedCard.__table__
_claims: Any = KeptClaim.__table__
_had: Any = CardHad.__table__
_code: Any = bindparam("code")
_number: Any = bindparam("number")

_SAVE_ROUND: Final = update(_rounds).where(
    _rounds.c.class_code == bindparam("of_class"), _rounds.c.number == bindparam("of_round")
)
_FIND_CLAIMS: Final = (
    select(*(_claims.c[name] for name in Claim._fields))
    .where(_claims.c.class_code == _code, _claims.c.round == _number)
    .order_by(_claims.c.number)
)
_FIND_PLAYERS: Final = (
    select(_students.c.number, _late.c.card, _late.c.from_call, _students.c.name)
    .outerjoin(
        _late,
        and_(
            _late.c.class_code == _students.c.class_code,
            _late.c.student == _students.c.number,
            _late.c.round == _number,
        ),
    )
    .where(_students.c.class_code == _code, _students.c.state == "in")
)
_FIND_CARDS: Final = (
    select(
        *(_cards.c[name] for name in ("card", "student", "from_call")),
        func.coalesce(_students.c.name, ""),
        *(_cards.c.rank, _cards.c.rank_call),
    )
    .outerjoin(
        _students,
        and_(_students.c.class_code == _cards.c.class_code, _students.c.number == _cards.c.student),
    )
    .where(_cards.c.class_code == _code, _cards.c.round == _number)
    .order_by(_cards.c.card)
)
_ADD_LATE: Final = insert(_late)
_ADD_CLAIM: Final = insert(_claims)
_ADD_CARDS: Final = insert(_cards)
_KEEP_HAD: Final = insert_or_not(_had).on_conflict_do_nothing(
    index_elements=["class_code", "round", "browser"]  # the first one is the card of the browser
)
_FIND_HAD: Final = (
    select(_had.c.card)
    .join(
        _browsers,
        and_(_browsers.c.class_code == _had.c.class_code, _browsers.c.key == _had.c.browser),
    )
    .where(
        *(_had.c.class_code == _code, _had.c.round == _number),
        _browsers.c.student == bindparam("student"),
    )
    .order_by(_had.c.id)
    .limit(1)
)


def claims_in(code: str, number: int) -> tuple[Claim, ...]:
    """Return the claims of a round, in the order in which they came."""
    return tuple(map(Claim._make, db.execute(_FIND_CLAIMS, code=code, number=number)))


def add_claim(found: BingoRound, number: int, claim: Claim) -> None:
    """Keep a claim in a round under its number there, counted from 1."""
    of = {"class_code": found.class_code, "round": found.number, "number": number}
    db.execute(_ADD_CLAIM, **of, **claim._asdict())


def give_late_card(found: BingoRound, student: Student, card: int, calls: int) -> None:
    """Give a student a card of a round that was dealt; 0 for none that is left."""
    of = {"class_code": found.class_code, "round": found.number, "student": student.number}
    db.execute(delete(_late).where(*(_late.c[name] == value for name, value in of.items())))
    db.execute(_ADD_LATE, **of, card=card, from_call=calls)


def keep_card_had(found: BingoRound, card: int, browsers: Collection[str]) -> None:
    """Keep which card of a round some browsers had, until the round is over."""
    code, number = found.class_code, found.number
    key = {"class_code": code, "round": number, "card": card}
    if rows := [key | {"browser": browser} for browser in browsers]:
        db.execute(_KEEP_HAD, rows)
        here = _had.c.class_code == code, _had.c.round == number
        oldest = select(_had.c.id).where(*here).order_by(_had.c.id.desc()).offset(MAX_CARDS_HAD)
        db.execute(delete(_had).where(_had.c.id.in_(oldest)))


def card_had_before(found: BingoRound, student: Student) -> int | None:
    """Return the card of a round that a student's browsers had as somebody else; None for none.

    It is 0 where no card was left for them.
    """
    of = {"code": found.class_code, "number": found.number, "student": student.number}
    card: int | None = db.execute(_FIND_HAD, **of).scalar()
    return card


def newest_late_card(student: Student) -> tuple[int, int, int] | None:
    """Return the newest round in which a student has got a card late, with the card and call."""
    theirs = _late.c.class_code == student.class_code, _late.c.student == student.number
    query = select(_late.c.round, _late.c.card, _late.c.from_call).where(*theirs)
    row = db.execute(query.order_by(_late.c.round.desc()).limit(1)).one_or_none()
    return tuple(row) if row else None


def save_round(found: BingoRound, **values: Any) -> None:
    """Write some columns of a round."""
    db.execute(_SAVE_ROUND, of_class=found.class_code, of_round=found.number, **values)


def keep_cards(found: BingoRound, cards: Iterable[HeldCard], *, counts: bool) -> None:
    """Keep the cards of a round that is over, and whether it counts for their students.

    Rounds that are too old to be kept go, and count no more.
    """
    code, number = found.class_code, found.number
    key = {"class_code": code, "round": number}
    columns = ("card", "student", "from_call", "rank", "rank_call")
    rows = [key | {name: getattr(card, name) for name in columns} for card in cards]
    if rows:
        db.execute(_ADD_CARDS, rows)
    db.execute(delete(_had).where(_had.c.class_code == code))
    if counts:
        _count_round(code, number, 1)
    old = _rounds.c.class_code == code, _rounds.c.number <= number - MAX_FINISHED
    for gone in db.execute(
        select(_rounds.c.number).where(*old, _rounds.c.void.is_(False))
    ).scalars():
        _count_round(code, gone, -1)
    db.execute(delete(_rounds).where(*old))


def _count_round(code: str, number: int, more: int) -> None:
    """Count a round for its students, or no more."""
    of_round = _cards.c.class_code == code, _cards.c.round == number
    players = select(_cards.c.student).where(*of_round, _cards.c.student != 0)
    for column, who in (("rounds", players), ("won", players.where(_cards.c.rank == 1))):
        here = _students.c.class_code == code, _students.c.number.in_(who)
        db.execute(update(_students).where(*here).values({column: _students.c[column] + more}))


def cards_in_play(found: BingoRound) -> dict[int, HeldCard]:
    """Return the cards that are in play in the round that is on, by their numbers."""
    dealt, held = frozenset(found.dealt), {}
    players = db.execute(_FIND_PLAYERS, code=found.class_code, number=found.number)
    for number, late, from_call, name in players:
        if late is None and number in dealt:
            held[number] = HeldCard(number, number, 0, name)
        elif late:
            held[late] = HeldCard(late, number, from_call or 0, name)
    for card in range(1, found.paper + 1):
        held.setdefault(card, HeldCard(card, 0, 0, ""))
    return dict(sorted(held.items()))


def cards_of(code: str, number: int) -> dict[int, HeldCard]:
    """Return the cards of a round that is over, by their numbers."""
    held = map(HeldCard._make, db.execute(_FIND_CARDS, code=code, number=number))
    return {card.card: card for card in held}


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


def cards_of_student(student: Student) -> list[OwnCard]:
    """Return the cards of a student in rounds that are over, the oldest first."""
    theirs = _cards.c.class_code == student.class_code, _cards.c.student == student.number
    same_round = and_(
        _rounds.c.class_code == _cards.c.class_code, _rounds.c.number == _cards.c.round
    )
    same_card = and_(
        *(_claims.c[name] == _cards.c[name] for name in ("class_code", "round", "card"))
    )
    claims: dict[int, tuple[Claim, ...]] = {}
    query = select(_claims.c.round, *(_claims.c[name] for name in Claim._fields))
    query = query.join(_cards, same_card).where(*theirs).order_by(_claims.c.number)
    for number, *claim in db.execute(query):
        claims[number] = (*claims.get(number, ()), Claim._make(claim))
    columns = _rounds.c.number, _rounds.c.void, _cards.c.card, _cards.c.from_call, _cards.c.rank
    query = select(*columns).join(_cards, same_round).where(*theirs).order_by(_cards.c.round)
    return [OwnCard._make((*row, claims.get(row.number, ()))) for row in db.execute(query)]


def won_since(code: str, since: float) -> Mapping[int, int]:
    """Return how many rounds that count students have won since a time, by their numbers."""
    counts = _rounds.c.class_code == code, _rounds.c.ended >= since, _rounds.c.void.is_(False)
    numbers = [*db.execute(select(_rounds.c.number).where(*counts)).scalars()]
    of_rounds = _cards.c.class_code == code, _cards.c.round.in_(numbers), _cards.c.rank == 1
    # Counted here: SQLite would go through all cards of the class to group them.
    return Counter(db.execute(select(_cards.c.student).where(*of_rounds)).scalars())
