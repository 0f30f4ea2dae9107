"""The rounds of Bingo of a class: their cards and claims, what is asked of them, and written.

What belongs to a round goes with it, by cascade.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
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
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert  # SQLite has the same clause
from sqlalchemy.orm import Mapped, column_property, mapped_column

from cardgames.class_bingo.results import Claim
from web import db
from web.classroom.models import (
    CODE,
    HASH,
    BingoRound,
    Browser,
    Classroom,
    Student,
    is_theirs,
    of_student,
)
from web.db.models import Base

MAX_FINISHED: Final = 200
"""Maximum number of finished rounds that are kept of a class: the newest ones."""

MAX_CARDS_HAD: Final = 2_000
"""Maximum number of browsers of a round whose cards are kept: those that were kept last."""

_BROWSER: Final = ("class_code", "round", "browser")


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


Student.late_card = column_property(
    select(LateCard.card)
    .where(
        is_theirs(LateCard),
        *(LateCard.class_code == Classroom.code, LateCard.round == Classroom.round_number),
    )
    .correlate_except(LateCard, Classroom)
    .scalar_subquery()
)


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


_code: Any = bindparam("code")
_number: Any = bindparam("number")
# Built once: every phone asks for them.
_FIND_PLAYERS: Final = (
    select(Student.number, LateCard.card, LateCard.from_call, Student.name)
    .outerjoin(
        LateCard,
        and_(is_theirs(LateCard), LateCard.round == _number),
    )
    .where(Student.class_code == _code, Student.state == "in")
)
_FIND_CLAIMS: Final = (
    select(*(getattr(KeptClaim, name) for name in Claim._fields))
    .where(KeptClaim.class_code == _code, KeptClaim.round == _number)
    .order_by(KeptClaim.number)
)


def claims_in(code: str, number: int) -> tuple[Claim, ...]:
    """Return the claims of a round, in the order in which they came."""
    return tuple(map(Claim._make, db.execute(_FIND_CLAIMS, code=code, number=number).all()))


def add_claim(found: BingoRound, number: int, claim: Claim) -> None:
    """Keep a claim in a round under its number there, counted from 1."""
    of = {"class_code": found.class_code, "round": found.number, "number": number}
    db.execute(insert(KeptClaim), **of, **claim._asdict())


def give_late_card(found: BingoRound, student: Student, card: int, calls: int) -> None:
    """Give a student a card of a round that was dealt; 0 for none that is left."""
    late = LateCard(class_code=found.class_code, round=found.number, student=student.number)
    late.card, late.from_call = card, calls
    db.session().merge(late)
    db.session().flush()


def keep_card_had(found: BingoRound, card: int, browsers: Collection[str]) -> None:
    """Keep which card of a round some browsers had, until the round is over."""
    here = CardHad.class_code == found.class_code, CardHad.round == found.number
    key = {"class_code": found.class_code, "round": found.number, "card": card}
    if rows := [key | {"browser": browser} for browser in browsers]:
        # The first one is the card of the browser.
        db.execute(insert(CardHad).on_conflict_do_nothing(index_elements=_BROWSER), rows)
        oldest = select(CardHad.id).where(*here).order_by(CardHad.id.desc()).offset(MAX_CARDS_HAD)
        db.execute(delete(CardHad).where(CardHad.id.in_(oldest)))


def card_had_before(found: BingoRound, student: Student) -> int | None:
    """Return the card of a round that a student's browsers had as somebody else; None for none.

    It is 0 where no card was left for them.
    """
    theirs = and_(Browser.class_code == CardHad.class_code, Browser.key == CardHad.browser)
    here = CardHad.class_code == found.class_code, CardHad.round == found.number
    query = select(CardHad.card).join(Browser, theirs).where(*here)
    query = query.where(Browser.student == student.number).order_by(CardHad.id).limit(1)
    return db.session().scalar(query)


def newest_late_card(student: Student) -> tuple[int, int, int] | None:
    """Return the newest round in which a student has got a card late, with the card and call."""
    theirs = LateCard.class_code == student.class_code, LateCard.student == student.number
    query = select(LateCard.round, LateCard.card, LateCard.from_call).where(*theirs)
    row = db.execute(query.order_by(LateCard.round.desc()).limit(1)).one_or_none()
    return tuple(row) if row else None


def keep_cards(found: BingoRound, cards: Iterable[HeldCard], *, counts: bool) -> None:
    """Keep the cards of a round that is over, and whether it counts for their students.

    Rounds that are too old to be kept go, and count no more.
    """
    code, number = found.class_code, found.number
    columns = ("card", "student", "from_call", "rank", "rank_call")
    key = {"class_code": code, "round": number}
    if rows := [key | {name: getattr(card, name) for name in columns} for card in cards]:
        db.execute(insert(PlayedCard), rows)
    db.execute(delete(CardHad).where(CardHad.class_code == code))
    if counts:
        _count_round(code, number, 1)
    old = BingoRound.class_code == code, BingoRound.number <= number - MAX_FINISHED
    counted = select(BingoRound.number).where(*old, BingoRound.void.is_(False))
    for gone in db.execute(counted).scalars():
        _count_round(code, gone, -1)
    db.execute(delete(BingoRound).where(*old))


def _count_round(code: str, number: int, more: int) -> None:
    """Count a round for its students, or no more."""
    played = PlayedCard.class_code == code, PlayedCard.round == number, PlayedCard.student != 0
    players = select(PlayedCard.student).where(*played)
    for column, who in (("rounds", players), ("won", players.where(PlayedCard.rank == 1))):
        here = Student.class_code == code, Student.number.in_(who)
        values = {column: getattr(Student, column) + more}
        db.execute(update(Student).where(*here).values(values))


def cards_in_play(found: BingoRound) -> dict[int, HeldCard]:
    """Return the cards that are in play in the round that is on, by their numbers."""
    dealt, held = frozenset(found.dealt), {}
    players = db.execute(_FIND_PLAYERS, code=found.class_code, number=found.number)
    for number, late, from_call, name in players.all():
        if late is None and number in dealt:
            held[number] = HeldCard(number, number, 0, name)
        elif late:
            held[late] = HeldCard(late, number, from_call or 0, name)
    for card in range(1, found.paper + 1):
        held.setdefault(card, HeldCard(card, 0, 0, ""))
    return dict(sorted(held.items()))


def cards_of(code: str, number: int) -> dict[int, HeldCard]:
    """Return the cards of a round that is over, by their numbers."""
    card, name = PlayedCard, func.coalesce(Student.name, "")
    query = select(card.card, card.student, card.from_call, name, card.rank, card.rank_call)
    query = query.outerjoin(Student, is_theirs(card)).where(
        card.class_code == code, card.round == number
    )
    held = map(HeldCard._make, db.execute(query.order_by(card.card)))
    return {one.card: one for one in held}


def find_round(code: str, number: int) -> BingoRound | None:
    """Return a round of a class."""
    return db.session().get(BingoRound, (code, number))


def finished_rounds(code: str) -> Sequence[BingoRound]:
    """Return the rounds of a class that are over, the oldest first."""
    is_over = BingoRound.class_code == code, BingoRound.ended.is_not(None)
    query = select(BingoRound).where(*is_over).order_by(BingoRound.number)
    return db.session().scalars(query).all()


def cards_of_student(student: Student) -> list[tuple[PlayedCard, BingoRound, list[KeptClaim]]]:
    """Return the cards of a student in rounds that are over, the oldest first.

    Each with its round, and what was claimed for it.
    """
    card, claim, own = PlayedCard, KeptClaim, BingoRound
    theirs = card.class_code == student.class_code, card.student == student.number
    same_round = and_(own.class_code == card.class_code, own.number == card.round)
    here = and_(claim.class_code == card.class_code, claim.round == card.round)
    query = select(card, own).join(own, same_round).where(*theirs).order_by(card.round)
    made = select(claim).join(card, and_(here, claim.card == card.card)).where(*theirs)
    claims: defaultdict[int, list[KeptClaim]] = defaultdict(list)
    for one in db.session().scalars(made.order_by(claim.number)):
        claims[one.round].append(one)
    return [(held, found, claims[found.number]) for held, found in db.session().execute(query)]


class BestPlayer(NamedTuple):
    """Where a student stands at class Bingo; as many rounds won are the same place."""

    rank: int
    name: str
    won: int

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"place": self.rank, "name": self.name, "won": self.won}


def best_players(
    students: Iterable[Student], won: Mapping[int, int] | None = None
) -> Iterator[BestPlayer]:
    """Yield those of some students who have won at Bingo, who has won most rounds first.

    Args:
        students: the students.
        won: how many rounds each has won; by default of all that are kept.
    """
    winners = [
        (won.get(one.number, 0) if won is not None else one.won, one.name) for one in students
    ]
    ranked = sorted(filter(itemgetter(0), winners), key=itemgetter(0), reverse=True)
    counts = [rounds for rounds, _ in ranked]
    for rounds, name in ranked:
        yield BestPlayer(1 + counts.index(rounds), name, rounds)


def winners_within(
    classroom: Classroom, students: Iterable[Student], seconds: float
) -> list[BestPlayer]:
    """Return those of some students who have won in the last seconds, the best first."""
    code, own, card = classroom.code, BingoRound, PlayedCard
    counts = own.class_code == code, own.ended >= classroom.now - seconds, own.void.is_(False)
    numbers = [*db.execute(select(own.number).where(*counts)).scalars()]
    if not numbers:
        return []
    of_rounds = card.class_code == code, card.round.in_(numbers), card.rank == 1
    # Counted here: SQLite would go through all cards of the class to group them.
    won = Counter(db.execute(select(card.student).where(*of_rounds)).scalars())
    return [*best_players(students, won)]
