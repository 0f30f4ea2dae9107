"""Deals as they are kept, and their results: the rounds that were played of them."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import JSON, String, bindparam, func, insert, select
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
_OWN_RESULT: Final = select(_rounds.c.record, _rounds.c.step).where(
    _rounds.c.deal == bindparam("deal"), _rounds.c.session_id == bindparam("sid")
)


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
