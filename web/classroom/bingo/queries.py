"""The rounds of Bingo of a class: their cards and claims, what is asked of them, and written.

What belongs to a round goes with it, by cascade.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ForeignKeyConstraint,
    Index,
    UniqueConstraint,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert  # SQLite has the same clause
from sqlalchemy.orm import Mapped, column_property, mapped_column

from cardgames.class_bingo.results import Claim
from web import db
from web.classroom.core.models import (
    CODE,
    BingoRound,
    Classroom,
    Student,
    is_theirs,
)
from web.db.models import Base

MAX_FINISHED: Final = 200
"""Maximum number of finished rounds that are kept of a class: the newest ones."""


# ---- The tables ----------------------------------------------------------------------------------


def of_round() -> ForeignKeyConstraint:
    """Return the constraint that a row goes with its round."""
    return ForeignKeyConstraint(
        ["class_code", "round"], ["class_rounds.class_code", "class_rounds.number"],
        ondelete="CASCADE",
    )  # fmt: skip


class PlayedCard(Base):
    """A card of a round, as one student has it: a row that outlives the student.

    If that student leaves the class, another one can get the card, with a row of their own. When
    the round ends, only the rows of cards in play stay.
    """

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
    student: Mapped[int] = mapped_column(primary_key=True)
    """The number of its student, who may have left; 0 for a card on paper."""

    from_call: Mapped[int | None]
    """How many cards had been called when it came into play; None if it is out of play."""

    rank: Mapped[int | None]
    """The place that it has won, with the call; None without a place."""

    rank_call: Mapped[int | None]


Student.card = column_property(
    select(case((PlayedCard.from_call.is_(None), 0), else_=PlayedCard.card))
    .where(
        is_theirs(PlayedCard),
        *(PlayedCard.class_code == Classroom.code, PlayedCard.round == Classroom.round_number),
    )
    .correlate_except(PlayedCard, Classroom)
    .scalar_subquery()
)


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

    student: Mapped[int]
    """The number of the student, who may have left; 0 for a card on paper."""

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
    """The nickname of its student; empty for one who left or stepped out, and on paper."""

    rank: int | None = None
    """The place that it has won, with the call; none for none."""

    rank_call: int | None = None


_code: Any = bindparam("code")
_number: Any = bindparam("number")
_is_in: Final = Student.state == "in"


def _find_cards(is_named: Any) -> Any:
    """Return the query for the cards of a round, with the names of some of their students."""
    return (
        select(
            *(PlayedCard.card, PlayedCard.student, func.coalesce(PlayedCard.from_call, 0)),
            case((is_named, Student.name), else_=""),
            *(PlayedCard.rank, PlayedCard.rank_call),
        )
        .outerjoin(Student, is_theirs(PlayedCard))
        .where(PlayedCard.class_code == _code, PlayedCard.round == _number)
        .order_by(PlayedCard.card)
    )


# Built once, because every phone needs them.
_FIND_CARDS: Final = _find_cards(Student.state != "banned")
_FIND_CARDS_IN_PLAY: Final = _find_cards(_is_in).where(
    or_(and_(_is_in, PlayedCard.from_call.is_not(None)), PlayedCard.rank.is_not(None))
)
_FIND_CLAIMS: Final = (
    select(*(getattr(KeptClaim, name) for name in Claim._fields))
    .where(KeptClaim.class_code == _code, KeptClaim.round == _number)
    .order_by(KeptClaim.number)
)


def claims_in(code: str, number: int) -> tuple[Claim, ...]:
    """Return the claims of a round, in the order in which they came."""
    return tuple(map(Claim._make, db.execute(_FIND_CLAIMS, code=code, number=number).all()))


def add_claim(found: BingoRound, number: int, student: int, claim: Claim) -> None:
    """Save a claim of a student in a round under its number there, counted from 1."""
    of = {"class_code": found.class_code, "round": found.number, "number": number}
    db.execute(insert(KeptClaim), **of, student=student, **claim._asdict())


def _here(found: BingoRound) -> tuple[Any, ...]:
    """Return the condition that a row of a card is one of a round."""
    return PlayedCard.class_code == found.class_code, PlayedCard.round == found.number


def deal_cards(found: BingoRound, students: Iterable[int], calls: int = 0) -> None:
    """Give students the cards of their own numbers."""
    key = {"class_code": found.class_code, "round": found.number, "from_call": calls}
    if rows := [key | {"card": student, "student": student} for student in students]:
        db.execute(insert(PlayedCard), rows)


def deal_card(found: BingoRound, student: Student, card: int, calls: int) -> None:
    """Give a student a card after the deal."""
    key = {"class_code": found.class_code, "round": found.number, "from_call": calls}
    db.execute(insert(PlayedCard), **key, card=card, student=student.number)
    db.session().expire(student, ["card"])


def withdraw_card(found: BingoRound, student: Student) -> None:
    """Take a student's card out of play for the rest of the round."""
    here = *_here(found), PlayedCard.student == student.number
    db.execute(update(PlayedCard).where(*here).values(from_call=None))
    db.session().expire(student, ["card"])


def save_places(found: BingoRound, cards: Iterable[HeldCard]) -> None:
    """Save the places of cards whose students leave: these stay, whoever is still there."""
    for card in cards:
        here = *_here(found), PlayedCard.card == card.card, PlayedCard.student == card.student
        values = {"rank": card.rank, "rank_call": card.rank_call}
        db.execute(update(PlayedCard).where(*here).values(values))


def dealt_cards(found: BingoRound) -> dict[int, dict[int, bool]]:
    """Return the cards of an open round, each with all who have had it and whether they are there.

    A student who stepped out or is banned is still there, and can come back to the card.
    """
    cards: defaultdict[int, dict[int, bool]] = defaultdict(dict)
    query = select(PlayedCard.card, PlayedCard.student, Student.number.is_not(None))
    query = query.outerjoin(Student, is_theirs(PlayedCard)).where(*_here(found))
    for card, student, is_there in db.execute(query.order_by(PlayedCard.card)):
        cards[card][student] = is_there
    return cards


def keep_cards(found: BingoRound, cards: Iterable[HeldCard], *, counts: bool) -> None:
    """Save the cards in play of a round that has ended, and whether it counts for their students.

    The oldest rounds are deleted, and count no more.
    """
    code, number = found.class_code, found.number
    columns = ("card", "student", "from_call", "rank", "rank_call")
    key = {"class_code": code, "round": number}
    db.execute(delete(PlayedCard).where(*_here(found)))
    if rows := [key | {name: getattr(card, name) for name in columns} for card in cards]:
        db.execute(insert(PlayedCard), rows)
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
    """Return the cards that are in play in the open round, by their numbers.

    A card that has a place stays in play if its student leaves; any other one does not.
    """
    rows = db.execute(_FIND_CARDS_IN_PLAY, code=found.class_code, number=found.number)
    held = {one.card: one for one in map(HeldCard._make, rows.all())}
    for card in range(1, found.paper + 1):
        held.setdefault(card, HeldCard(card, 0, 0, ""))
    return dict(sorted(held.items()))


def cards_of(code: str, number: int) -> dict[int, HeldCard]:
    """Return the cards of a round that has ended, by their numbers."""
    rows = db.execute(_FIND_CARDS, code=code, number=number)
    return {one.card: one for one in map(HeldCard._make, rows.all())}


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
