"""How many deals of a tournament a browser has seen as a student who it is no more.

Who is forgotten may join again, and has seen the cards; who uses the rejoin code of another student
as well. So for every browser that leaves a student the number of deals is kept, without a name,
until the tournament is over. It does not begin those deals as anybody else: for a student who has
begun none they are missing, and others begin them in another browser.
"""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import (
    Integer,
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
from sqlalchemy.orm import Mapped, mapped_column

from web import db
from web.classroom.access import own_key
from web.classroom.models import CODE, HASH, Browser, Classroom
from web.classroom.tournaments import Tournament, TournamentPlay, of_tournament
from web.db.models import Base

MAX_BROWSERS: Final = 2_000
"""Maximum number of browsers that are kept of a tournament: those that left a student last."""

_NEVER: Final = 2**40


class SeenDeals(Base):
    """How many deals of a tournament a browser has seen as a student who it is no more."""

    __tablename__ = "tournament_browsers"
    __table_args__ = (of_tournament(), UniqueConstraint("class_code", "tournament", "browser"))

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    class_code: Mapped[str] = mapped_column(CODE)
    tournament: Mapped[int]
    browser: Mapped[str] = mapped_column(HASH)
    deals: Mapped[int]
    expires: Mapped[int] = mapped_column(index=True)
    """When the tournament is over."""


_tournaments: Any = Tournament.__table__
_plays: Any = TournamentPlay.__table__
_seen: Any = SeenDeals.__table__
_code: Any = bindparam("code")


_IS_ON: Final = and_(
    *(Classroom.closed.is_(False), _tournaments.c.ended.is_(False)),
    or_(_tournaments.c.due == 0, _tournaments.c.due > bindparam("now")),
)
_browsers: Any = Browser.__table__
_tournament_of: Any = {
    table: and_(table.c.class_code == _tournaments.c.class_code, which)
    for table, which in (
        (_plays, _plays.c.tournament == _tournaments.c.number),
        (_seen, _seen.c.tournament == _tournaments.c.number),
    )
}
_SEEN_BEFORE: Final = (
    select(_seen.c.tournament, func.max(_seen.c.deals))
    .join(_tournaments, _tournament_of[_seen])
    .join(Classroom, Classroom.code == _seen.c.class_code)
    .where(_seen.c.class_code == _code, _seen.c.browser == bindparam("browser"), _IS_ON)
    .group_by(_seen.c.tournament)
)
_NOW_SEEN: Final = (
    select(
        *(_plays.c.class_code, _plays.c.tournament, _browsers.c.key, func.max(_plays.c.deal)),
        func.max(case((_tournaments.c.due > 0, _tournaments.c.due), else_=_NEVER)),
    )
    .join(_tournaments, _tournament_of[_plays])
    .join(Classroom, Classroom.code == _plays.c.class_code)
    .join(
        _browsers,
        and_(
            _browsers.c.class_code == _plays.c.class_code,
            _browsers.c.student == _plays.c.student,
        ),
    )
    .where(
        *(_plays.c.class_code == _code, _IS_ON),
        _plays.c.student.in_(bindparam("students", expanding=True)),
    )
    .group_by(_plays.c.class_code, _plays.c.tournament, _browsers.c.key)
)


def _keeping(seen: Any) -> Any:
    """Return the statement that keeps what browsers have seen; one may have seen more before."""
    names = ["class_code", "tournament", "browser", "deals", "expires"]
    see = insert(_seen).from_select(names, seen)
    more = case((see.excluded.deals > _seen.c.deals, see.excluded.deals), else_=_seen.c.deals)
    return see.on_conflict_do_update(index_elements=names[:3], set_={"deals": more})


_KEEP_SEEN: Final = _keeping(_NOW_SEEN)
_KEEP_SEEN_BY: Final = _keeping(_NOW_SEEN.where(_browsers.c.key == bindparam("browser")))


def oldest_beyond(most: int) -> Any:
    """Return the statement that forgets browsers of a tournament but for those kept last."""
    here = _seen.c.class_code == _code, _seen.c.tournament == bindparam("tournament")
    oldest = select(_seen.c.id).where(*here).order_by(_seen.c.id.desc()).offset(most)
    return delete(_seen).where(_seen.c.id.in_(oldest))


_OLDEST: Final = oldest_beyond(MAX_BROWSERS)


def deals_seen_before(classroom: Classroom) -> dict[int, int]:
    """Return how many deals of each tournament the request's browser has seen as somebody else."""
    found = db.execute(_SEEN_BEFORE, code=classroom.code, browser=own_key(classroom), now=db.now())
    return dict(found.all())


def keep_deals_seen(code: str, students: Collection[int], browser: str = "") -> None:
    """Keep how many deals browsers have seen that are about to leave their students.

    Args:
        code: the class's.
        students: the numbers of the students.
        browser: the only one that leaves; by default all of theirs do.
    """
    values = {"code": code, "students": [*students], "now": db.now()}
    if browser:
        db.execute(_KEEP_SEEN_BY, **values, browser=browser)
    else:
        db.execute(_KEEP_SEEN, **values)
    for number in db.execute(
        select(_tournaments.c.number).where(_tournaments.c.class_code == code)
    ):
        db.execute(_OLDEST, code=code, tournament=number[0])


def keep_seen_until(tournament: Tournament) -> None:
    """Keep what browsers have seen until the end of a tournament, which has changed."""
    here = _seen.c.class_code == tournament.class_code, _seen.c.tournament == tournament.number
    db.execute(update(_seen).where(*here).values(expires=int(tournament.due) or _NEVER))
