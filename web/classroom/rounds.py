"""What is asked of the rounds of a class, and what is written of them."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import and_, bindparam, delete, insert, select, update
from sqlalchemy.dialects.postgresql import insert as insert_or_not  # SQLite has the same clause

from cardgames.class_bingo.results import Claim
from web import db
from web.classroom import models
from web.classroom.models import BingoRound
from web.classroom.queries import Member

MAX_FINISHED: Final = 200
"""Maximum number of finished rounds that are kept of a class: the newest ones."""

MAX_CARDS_HAD: Final = 2_000
"""Maximum number of browsers of a round whose cards are kept: those that were kept last."""

_students: Any = models.Student.__table__
_browsers: Any = models.Browser.__table__
_rounds: Any = BingoRound.__table__
_late: Any = models.LateCard.__table__
_cards: Any = models.PlayedCard.__table__
_claims: Any = models.Claim.__table__
_had: Any = models.CardHad.__table__
_code: Any = bindparam("code")
_number: Any = bindparam("number")


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
_KEEP_HAD: Final = insert_or_not(_had).on_conflict_do_nothing(
    index_elements=["class_code", "round", "browser"]  # the first one is the card of the browser
)
_HAD: Final = (
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
    return tuple(map(Claim._make, db.execute(_CLAIMS, code=code, number=number)))


def add_claim(code: str, number: int, which: int, claim: Claim) -> None:
    """Keep a claim in a round: which one it is there, counted from 1."""
    db.execute(_ADD_CLAIM, class_code=code, round=number, number=which, **claim._asdict())


def give_late_card(code: str, number: int, student: int, card: int, calls: int) -> None:
    """Give a student a card of a round that was dealt; 0 for none that is left."""
    theirs = _late.c.class_code == code, _late.c.round == number, _late.c.student == student
    db.execute(delete(_late).where(*theirs))
    key = {"class_code": code, "round": number, "student": student}
    db.execute(_ADD_LATE, **key, card=card, from_call=calls)


def keep_card_had(code: str, number: int, card: int, browsers: Collection[str]) -> None:
    """Keep which card of a round some browsers had, until the round is over."""
    key = {"class_code": code, "round": number, "card": card}
    if rows := [key | {"browser": browser} for browser in browsers]:
        db.execute(_KEEP_HAD, rows)
        here = _had.c.class_code == code, _had.c.round == number
        oldest = select(_had.c.id).where(*here).order_by(_had.c.id.desc()).offset(MAX_CARDS_HAD)
        db.execute(delete(_had).where(_had.c.id.in_(oldest)))


def card_had_before(code: str, number: int, student: int) -> int | None:
    """Return the card of a round that a student's browsers had as somebody else; None for none.

    It is 0 where no card was left for them.
    """
    found: int | None = db.execute(_HAD, code=code, number=number, student=student).scalar()
    return found


def newest_late_card(member: Member) -> tuple[int, int, int] | None:
    """Return the newest round in which a student has got a card late, with the card and call."""
    theirs = _late.c.class_code == member.class_code, _late.c.student == member.number
    query = select(_late.c.round, _late.c.card, _late.c.from_call).where(*theirs)
    row = db.execute(query.order_by(_late.c.round.desc()).limit(1)).one_or_none()
    return tuple(row) if row else None


def save_round(code: str, number: int, values: Mapping[str, Any]) -> None:
    """Write some columns of a round."""
    db.execute(_SAVE_ROUND, of_class=code, of_round=number, **values)


def keep_cards(code: str, number: int, cards: Sequence[CardPlayed], *, counts: bool) -> None:
    """Keep the cards of a round that is over, and whether it counts for their students.

    Rounds that are too old to be kept go, and count no more.
    """
    key = {"class_code": code, "round": number}
    if cards:
        rows = [key | card._asdict() for card in cards]
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


def cards_of(code: str, number: int) -> list[CardPlayed]:
    """Return the cards of a round that is over, by their numbers."""
    of_round = _cards.c.class_code == code, _cards.c.round == number
    query = select(*(_cards.c[name] for name in CardPlayed._fields)).where(*of_round)
    return [CardPlayed._make(row) for row in db.execute(query.order_by(_cards.c.card))]


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
