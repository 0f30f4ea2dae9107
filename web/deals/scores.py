"""The costs of a day's deals, streaks of days, and ranks.

The cost of a decision is computed from the round's record. A player gets a score only after all
deals of the day, so skipping deals brings no advantage.
"""

from typing import Final, NamedTuple

import msgspec
from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
)

from cardgames.advice import POINTS
from cardgames.records.line import InvalidRecord
from cardgames.text import Text
from web import db
from web.db.models import SID, Base
from web.deals.days import DEALS, daily_ids
from web.deals.models import DAILY_LIFETIME, own_records
from web.http.sessions import DAY, PlayerSession
from web.tables.queries import decisions_in, parsed

MIN_PLAYERS: Final = 3
"""Minimum number of players for which a rank or a proportion is shown, because fewer players could
be identified.
"""

COST_UNITS: Final = 10**9
"""Number of units per round. Costs are stored as integers, so that equal plays have equal costs."""

STREAK_ROW: Final = "daily"
"""The session key of the player's streak of days."""

_ORDINALS: Final = {1: Text("{number}st"), 2: Text("{number}nd"), 3: Text("{number}rd")}
_ORDINAL: Final = Text("{number}th")
_TEENS: Final = range(11, 14)

_scores: Final = Table(  # the points given away at all deals of a day
    "daily_scores",
    Base.metadata,
    Column(
        "session_id",
        ForeignKey("sessions.id", ondelete="CASCADE", deferrable=True, initially="DEFERRED"),
        type_=SID,
        primary_key=True,
    ),
    Column("day", BigInteger, primary_key=True, autoincrement=False),
    # in billionths of a round, so that equal plays have equal costs
    Column("cost", BigInteger, nullable=False),
    Index("scores_of_days", "day", "cost"),
    sqlite_with_rowid=False,
)
_KEEP_SCORE: Final = insert(_scores)
_DROP_SCORES: Final = delete(_scores).where(_scores.c.day < bindparam("first"))
_on_day: Final = _scores.c.day == bindparam("on")
_OWN_SCORE: Final = select(_scores.c.cost).where(_scores.c.session_id == bindparam("sid"), _on_day)
_RANK: Final = select(
    1 + func.count().filter(_scores.c.cost < bindparam("than")), func.count()
).where(_on_day)


class Streak(msgspec.Struct, frozen=True):
    """The consecutive days on which a session has finished all deals."""

    last: int = 0
    """The number of the last day of the streak."""

    run: int = 0

    def after(self, day: int) -> "Streak":
        """Return the streak after a finished day.

        A day that is not after the last day of the streak does not change the streak.

        >>> Streak().after(5).after(6).run
        2
        """
        if day <= self.last:
            return self
        return Streak(day, self.run + 1 if day == self.last + 1 else 1)

    def current(self, today: int) -> int:
        """Return the number of consecutive days up to today or yesterday, or 0."""
        return self.run if self.last >= today - 1 else 0


class DayRank(NamedTuple):
    """A player's rank among all players who have a score."""

    place: int
    players: int

    @property
    def text(self) -> Text:
        """The rank as an ordinal number."""
        last = 0 if self.place % 100 in _TEENS else self.place % 10
        return _ORDINALS.get(last, _ORDINAL).fill(number=self.place)


def note_day(session: PlayerSession, day: int) -> None:
    """Save a player's score and streak after the last deal of a day.

    Scores from earlier weeks are deleted.
    """
    records = own_records(session.sid, daily_ids(day))
    # Before the last deal has ended, moves are not delayed by computing the costs.
    if len(records) == DEALS:
        db.execute(_DROP_SCORES, first=day - DAILY_LIFETIME // DAY)
        cost = sum(map(round_cost, records.values()))
        db.execute(_KEEP_SCORE, session_id=session.sid, day=day, cost=cost)
        session.keep(STREAK_ROW, load_streak(session).after(day))


def own_costs(session: PlayerSession, day: int) -> dict[str, int]:
    """Return the cost of each finished deal of a player's day, keyed by deal ID."""
    records = own_records(session.sid, daily_ids(day)) if session.is_kept else {}
    return {deal_id: round_cost(record) for deal_id, record in records.items()}


def own_rank(sid: str, day: int) -> DayRank | None:
    """Return a player's rank on a day, or None.

    There is no rank before the player's last deal has ended, or if there are too few players.
    """
    cost = load_score(sid, day)
    return None if cost is None else rank_among(*db.execute(_RANK, on=day, than=cost).one())


def load_score(sid: str, day: int) -> int | None:
    """Return the cost of a session's day, or None before its last deal has ended."""
    score: int | None = db.execute(_OWN_SCORE, sid=sid, on=day).scalar()
    return score


def rank_among(place: int, players: int) -> DayRank | None:
    """Return a rank among the given players, or None if there are too few players."""
    return DayRank(place, players) if players >= MIN_PLAYERS else None


def load_streak(session: PlayerSession) -> Streak:
    """Return the consecutive days of a session."""
    return session.value(STREAK_ROW, Streak)


def round_cost(record: str) -> int:
    """Return the cost of a round's decisions, in billionths of a round."""
    try:
        return sum(round(decision.cost * COST_UNITS) for decision in decisions_in(parsed(record)))
    except InvalidRecord:  # The record is from another version of the site.
        return 0


def cost_in_points(cost: int) -> float:
    """Return a stored cost in points."""
    return POINTS * cost / COST_UNITS
