"""Queries and updates of a class's rounds of Bingo: their cards, claims and winners."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert  # SQLite supports the same clause.

from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from web import db
from web.classroom.bingo.models import BingoClaim, CardInPlay, PlayedCard
from web.classroom.bingo.rules import (
    BestPlayer,
    LiveBingo,
    RoundPhase,
    best_players,
    build_open_state,
)
from web.classroom.core.access import save_class
from web.classroom.core.models import (
    BingoRound,
    Classroom,
    Student,
    is_theirs,
)

MAX_FINISHED: Final = 200
"""Maximum number of stored finished rounds of a class; older rounds are deleted."""


_code: Any = bindparam("code")
_number: Any = bindparam("number")
_is_in: Final = Student.state == "in"


def _find_cards(is_named: Any) -> Any:
    """Return the query for a round's cards with students' names.

    Only the names of students who meet the given condition are included.
    """
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


# Every page of a phone or a dashboard needs these statements, so they are built once.
_FIND_CARDS: Final = _find_cards(Student.state != "banned")
_FIND_CARDS_IN_PLAY: Final = _find_cards(_is_in).where(
    or_(and_(_is_in, PlayedCard.from_call.is_not(None)), PlayedCard.rank.is_not(None))
)
_FIND_CLAIMS: Final = (
    select(*(getattr(BingoClaim, name) for name in Claim._fields))
    .where(BingoClaim.class_code == _code, BingoClaim.round == _number)
    .order_by(BingoClaim.number)
)
_FIND_ENDED: Final = select(BingoRound.number).where(
    BingoRound.class_code == _code,
    BingoRound.ended >= bindparam("since"),
    BingoRound.void.is_(False),
)


def claims_in(code: str, number: int) -> tuple[Claim, ...]:
    """Return a round's claims in order of arrival."""
    return tuple(map(Claim._make, db.execute(_FIND_CLAIMS, code=code, number=number).all()))


def add_claim(stored: BingoRound, number: int, student: int, claim: Claim) -> None:
    """Save a student's claim under its number in the round, counted from 1."""
    key = {"class_code": stored.class_code, "round": stored.number, "number": number}
    db.execute(insert(BingoClaim), **key, student=student, **claim._asdict())


def save_claim(classroom: Classroom, live: LiveBingo, claim: Claim, student: int = 0) -> LiveBingo:
    """Save a claim unless it is already saved; return the round with the claim.

    The first correct claim stops the round's clock.
    """
    if claim in live.claims:
        return live
    calls, number = classroom.calls, classroom.claims + 1
    add_claim(live.round, number, student, claim)
    stops = claim.right and not classroom.right
    clock = Clock(calls, classroom.now, classroom.every, calls) if stops else None
    save_class(classroom, clock, claims=number, right=classroom.right + claim.right)
    return build_open_state(classroom, live.round, live.cards, (*live.claims, claim))


def _here(stored: BingoRound) -> tuple[Any, ...]:
    """Return the conditions that select the rows of a round's cards."""
    return PlayedCard.class_code == stored.class_code, PlayedCard.round == stored.number


def deal_cards(stored: BingoRound, students: Iterable[int], calls: int = 0) -> None:
    """Deal each student the card that has the same number as the student."""
    key = {"class_code": stored.class_code, "round": stored.number, "from_call": calls}
    if rows := [key | {"card": student, "student": student} for student in students]:
        db.execute(insert(PlayedCard), rows)


def deal_card(stored: BingoRound, student: Student, card: int, calls: int) -> None:
    """Save a student's card after the deal."""
    key = {"class_code": stored.class_code, "round": stored.number, "from_call": calls}
    db.execute(insert(PlayedCard), **key, card=card, student=student.number)
    db.session().expire(student, ["card"])


def withdraw_card(stored: BingoRound, student: Student) -> None:
    """Take a student's card out of play until the round ends."""
    here = *_here(stored), PlayedCard.student == student.number
    db.execute(update(PlayedCard).where(*here).values(from_call=None))
    db.session().expire(student, ["card"])


def save_places(stored: BingoRound, cards: Iterable[CardInPlay]) -> None:
    """Save the places won by the cards of leaving students, so that no place is lost."""
    for card in cards:
        here = *_here(stored), PlayedCard.card == card.card, PlayedCard.student == card.student
        values = {"rank": card.rank, "rank_call": card.rank_call}
        db.execute(update(PlayedCard).where(*here).values(values))


def dealt_cards(stored: BingoRound) -> dict[int, dict[int, bool]]:
    """Return an open round's cards, each with its past and present students.

    For each student, the result contains whether the student remains in the class. A student who
    stepped out or is banned remains in the class, and can get the card back.
    """
    cards: defaultdict[int, dict[int, bool]] = defaultdict(dict)
    query = select(PlayedCard.card, PlayedCard.student, Student.number.is_not(None))
    query = query.outerjoin(Student, is_theirs(PlayedCard)).where(*_here(stored))
    for card, student, is_there in db.execute(query.order_by(PlayedCard.card)):
        cards[card][student] = is_there
    return cards


def save_final_cards(stored: BingoRound, cards: Iterable[CardInPlay], *, counts: bool) -> None:
    """Save the cards that are in play at the end of a round.

    ``counts`` determines whether the students' statistics include the round. The oldest rounds
    are deleted and no longer count.
    """
    code, number = stored.class_code, stored.number
    columns = ("card", "student", "from_call", "rank", "rank_call")
    key = {"class_code": code, "round": number}
    db.execute(delete(PlayedCard).where(*_here(stored)))
    if rows := [key | {name: getattr(card, name) for name in columns} for card in cards]:
        db.execute(insert(PlayedCard), rows)
    if counts:
        _count_round(code, number, 1)
    old = BingoRound.class_code == code, BingoRound.number <= number - MAX_FINISHED
    counted = select(BingoRound.number).where(*old, BingoRound.void.is_(False))
    for old_number in db.execute(counted).scalars():
        _count_round(code, old_number, -1)
    db.execute(delete(BingoRound).where(*old))


def _count_round(code: str, number: int, more: int) -> None:
    """Add a number, which may be negative, to the round counts of a round's students."""
    played = PlayedCard.class_code == code, PlayedCard.round == number, PlayedCard.student != 0
    players = select(PlayedCard.student).where(*played)
    for column, students in (("rounds", players), ("won", players.where(PlayedCard.rank == 1))):
        here = Student.class_code == code, Student.number.in_(students)
        values = {column: getattr(Student, column) + more}
        db.execute(update(Student).where(*here).values(values))


class _CardsKey(NamedTuple):
    """The values that determine a round's cards.

    They are a cache key, because every transaction that changes the cards also changes one of them.
    """

    code: str
    number: int
    paper: int
    is_open: bool
    salt: str
    step: int
    changes: int
    database: db.Database


def round_cards(classroom: Classroom, stored: BingoRound) -> Mapping[int, CardInPlay]:
    """Return a round's cards, keyed by number.

    If the round is open, only the cards in play are returned. If a card's student leaves, the card
    stays in play only if it has won a place.
    """
    key = _CardsKey(
        *(classroom.code, stored.number, stored.paper, stored.ended is None),
        *(stored.salt, classroom.step, classroom.changes),
        db.database(),
    )
    # A transaction that writes must neither see old cards nor show its own cards to other
    # transactions.
    return _load_cards(key) if db.transaction().writes else _cached_cards(key)


def _load_cards(key: _CardsKey) -> Mapping[int, CardInPlay]:
    query = _FIND_CARDS_IN_PLAY if key.is_open else _FIND_CARDS
    rows = db.execute(query, code=key.code, number=key.number)
    cards = {row.card: row for row in map(CardInPlay._make, rows.all())}
    if not key.is_open:
        return cards
    for card in range(1, key.paper + 1):
        cards.setdefault(card, CardInPlay(card, 0, 0, ""))
    return dict(sorted(cards.items()))


_cached_cards: Final = lru_cache(maxsize=64)(_load_cards)
"""The cards of recent rounds are cached, because all phones request their pages after each call.

Without this cache, rendering the page of a phone takes 70% longer in a class of 400.
"""


def winners_within(
    classroom: Classroom, students: Iterable[Student], seconds: float
) -> list[BestPlayer]:
    """Return the given students who won in the last ``seconds``, the best first."""
    code, card = classroom.code, PlayedCard
    ended = db.execute(_FIND_ENDED, code=code, since=classroom.now - seconds)
    numbers = [*ended.scalars()]
    if not numbers:
        return []
    of_rounds = card.class_code == code, card.round.in_(numbers), card.rank == 1
    # The rounds are counted in Python, because SQLite would read all cards of the class to group
    # them.
    won = Counter(db.execute(select(card.student).where(*of_rounds)).scalars())
    return [*best_players(students, won)]


def live_bingo(classroom: Classroom) -> LiveBingo | None:
    """Return the state of a class's newest round, or None before the first round."""
    stored = classroom.newest_round
    if stored is None:
        return None
    return bingo_in(classroom, stored)


def bingo_in(classroom: Classroom, stored: BingoRound) -> LiveBingo:
    """Return the state of a class's newest round, including its cards and claims."""
    code, number = classroom.code, stored.number
    cards = round_cards(classroom, stored)
    claims = claims_in(code, number) if classroom.claims else ()
    if stored.ended is not None:
        phase: RoundPhase = "void" if stored.void else "over"
        return LiveBingo(stored, phase, stored.calls or 0, 0, cards, claims)
    return build_open_state(classroom, stored, cards, claims)


def open_bingo(classroom: Classroom) -> LiveBingo | None:
    """Return the current state of a class's open round, or None."""
    return live_bingo(classroom) if classroom.open_round else None
