"""Deals as they are kept, and their results: the rounds that were played of them."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from sqlalchemy import JSON, ForeignKey, Index, String, bindparam, delete, func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from web import db
from web.db.models import SLUG, Base, Round
from web.http.sessions import DAY, USUAL

MAX_RESULTS: Final = 1_000
"""Maximum number of results that are shown of a deal: the first."""

DEALS_SHARE: Final = 4
"""Divisor of the database's limit: deals may take the quotient."""

LIFETIME: Final = USUAL * DAY
"""How long a deal is kept, in seconds."""

DAILY_LIFETIME: Final = 7 * DAY
"""How long a daily deal is kept, in seconds."""

_OVERHEAD: Final = 200  # about how many bytes a deal takes besides its own


class SavedDeal(Base):
    """A deal: all that its cards follow from."""

    __tablename__ = "deals"

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    game: Mapped[str] = mapped_column(SLUG)
    seeded: Mapped[bool]
    salt: Mapped[bytes]
    choices: Mapped[list[list[str]]] = mapped_column(JSON)
    """The fields of the deal as an action has them, in pairs: a deck as codes."""

    language: Mapped[str] = mapped_column(String(8))
    day: Mapped[int]
    """The number of the day whose deal it is; 0 for a deal that somebody has made."""

    size: Mapped[int]
    """About how many bytes it takes."""

    expires: Mapped[int] = mapped_column(index=True)
    """When it ends, in seconds since 1970."""


class DailyScore(Base):
    """What a player has given away at a day's deals, once all of them are over."""

    __tablename__ = "daily_scores"
    __table_args__ = (Index("scores_of_days", "day", "cost"), {"sqlite_with_rowid": False})

    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE", deferrable=True, initially="DEFERRED"),
        primary_key=True,
    )
    day: Mapped[int] = mapped_column(primary_key=True)
    cost: Mapped[int]
    """In billionths of a round: the same plays cost the same."""


class NoRoomForDeals(Exception):
    """Deals have taken as much of the database as they may."""


_deals: Any = SavedDeal.__table__
_rounds: Any = Round.__table__
_FIND: Final = select(SavedDeal).where(
    SavedDeal.id == bindparam("deal"), SavedDeal.expires > bindparam("now")
)
_RESULTS: Final = (
    select(_rounds.c.session_id, _rounds.c.record, _rounds.c.step)
    .where(_rounds.c.deal == bindparam("deal"))
    .order_by(_rounds.c.finished, _rounds.c.session_id)
    .limit(MAX_RESULTS)
)
_scores: Any = DailyScore.__table__
_OWN_RESULT: Final = select(_rounds.c.record, _rounds.c.step).where(
    _rounds.c.deal == bindparam("deal"), _rounds.c.session_id == bindparam("sid")
)

_OWN_OF_SOME: Final = select(_rounds.c.deal, _rounds.c.record).where(
    _rounds.c.deal.in_(bindparam("deals", expanding=True)),
    _rounds.c.session_id == bindparam("sid"),
)
_PLAYS: Final = (
    select(_rounds.c.deal, _rounds.c.record, func.count())
    .where(_rounds.c.deal.in_(bindparam("deals", expanding=True)))
    .group_by(_rounds.c.deal, _rounds.c.record)
)
_KEEP_SCORE: Final = insert(_scores)
_DROP_SCORES: Final = delete(_scores).where(_scores.c.day < bindparam("first"))
_OWN_SCORE: Final = select(_scores.c.cost).where(
    _scores.c.session_id == bindparam("sid"), _scores.c.day == bindparam("day")
)
_RANK: Final = select(
    1 + func.count().filter(_scores.c.cost < bindparam("cost")), func.count()
).where(_scores.c.day == bindparam("day"))


def find(deal_id: str) -> SavedDeal | None:
    """Return what is kept of a deal; nothing of one that has ended."""
    return db.session().scalars(_FIND, {"deal": deal_id, "now": db.now()}).one_or_none()


def keep(deal_id: str, values: Mapping[str, Any], most: int, lifetime: int = LIFETIME) -> bool:
    """Keep a deal; return False if its id is taken.

    Args:
        deal_id: its id.
        values: its columns.
        most: maximum number of bytes that deals may take together; 0 for any number.
        lifetime: for how many seconds it is kept.

    Raises:
        NoRoomForDeals: there is no room for it.
    """
    session = db.session()
    size = len(str(values["choices"])) + _OVERHEAD
    if most and (session.scalar(select(func.sum(SavedDeal.size))) or 0) + size > most:
        raise NoRoomForDeals
    expires = int(db.now()) + lifetime
    try:
        with session.begin_nested():
            row = {"id": deal_id, "size": size, "expires": expires, **values}
            session.connection().execute(insert(_deals), row)
    except IntegrityError:
        return False
    return True


def results(deal_id: str) -> list[tuple[str, str, int]]:
    """Return the results of a deal in the order they came: session, record, step."""
    found = db.execute(_RESULTS, {"deal": deal_id})
    return [(sid, record, step) for sid, record, step in found]


def own_result(sid: str, deal_id: str) -> tuple[str, int] | None:
    """Return the record of a session's round of a deal, and its table's step; None for none."""
    found = db.execute(_OWN_RESULT, {"deal": deal_id, "sid": sid})
    row = found.first()
    return (row.record, row.step) if row else None


def own_records(sid: str, deal_ids: Collection[str]) -> dict[str, str]:
    """Return the records of a session's rounds at those of some deals that it has finished."""
    found = db.execute(_OWN_OF_SOME, {"sid": sid, "deals": [*deal_ids]})
    return dict(found.all())


def plays_of(deal_ids: Collection[str]) -> list[tuple[str, str, int]]:
    """Return the records of some deals' rounds, each with its deal and how often it was played."""
    found = db.execute(_PLAYS, {"deals": [*deal_ids]})
    return [(deal, record, count) for deal, record, count in found]


def keep_score(sid: str, day: int, cost: int) -> None:
    """Keep what a session's player has given away on a day; scores of earlier weeks go."""
    db.execute(_DROP_SCORES, {"first": day - DAILY_LIFETIME // DAY})
    db.execute(_KEEP_SCORE, {"session_id": sid, "day": day, "cost": cost})


def score_of(sid: str, day: int) -> int | None:
    """Return what a session's player has given away on a day, once all its deals are over."""
    found: int | None = db.execute(_OWN_SCORE, {"sid": sid, "day": day}).scalar()
    return found


def rank_on(day: int, cost: int) -> tuple[int, int]:
    """Return the rank of a score among all of its day, and how many there are."""
    rank, players = db.execute(_RANK, {"day": day, "cost": cost}).one()
    return rank, players
