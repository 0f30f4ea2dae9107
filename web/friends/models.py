"""Stored matches of two players.

Each match is stored as a row for its deal link until the match expires.
"""

import logging
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Double,
    String,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from web import db
from web.db.models import SID, Base
from web.friends.rules import GUEST, HOST, Match

LIFETIME: Final = 2 * 3_600
"""Lifetime of a match after the last move or page request, in seconds."""

SEEN_EVERY: Final = 10.0
"""Minimum interval, in seconds, between two writes of the time at which a player was last seen."""

HERE: Final = 30.0
"""Time, in seconds, after which a player who has not been seen is considered away. Pages poll every
second.
"""

MAX_OWN: Final = 5
"""Maximum number of matches per host."""

MAX_MATCHES: Final = 400
"""Maximum number of matches on the site. Hosts with few moves may use half of these matches."""

log = logging.getLogger("cardgames.friends")

_matches: Final = Table(
    "friend_matches",
    Base.metadata,
    Column("deal", String(40), primary_key=True),
    Column("host", SID, nullable=False),
    Column("guest", SID, nullable=False),  # empty until a guest has arrived
    Column("host_seen", Double, nullable=False),
    Column("guest_seen", Double, nullable=False),
    Column("match", JSON, nullable=False),
    Column("expires", BigInteger, nullable=False, index=True),
)
_is_this: Final = _matches.c.deal == bindparam("id")
_is_alive: Final = _matches.c.expires > bindparam("now")
_FIND: Final = select(_matches).where(_is_this, _is_alive)
_LOCK: Final = _FIND.with_for_update()
_SAVE: Final = update(_matches).where(_is_this)
_COUNT: Final = select(
    func.count(), func.count().filter(_matches.c.host == bindparam("sid"))
).where(_is_alive, _matches.c.deal != bindparam("id"))


class NoRoomForMatches(Exception):
    """Raised if the site or a host has reached the maximum number of matches."""


class StoredMatch(NamedTuple):
    """A match with its players' session IDs and the times of their last requests."""

    deal: str
    host: str
    guest: str
    host_seen: float
    guest_seen: float
    match: Match

    def find_player(self, sid: str) -> int:
        """Return the player number of a session, or 0 if the session is not in the match."""
        return {self.host: HOST, self.guest: GUEST}.get(sid, 0) if sid else 0

    def last_seen(self, player: int) -> float:
        """Return the time at which a player was last seen."""
        return self.host_seen if player == HOST else self.guest_seen

    def is_here(self, player: int, now: float) -> bool:
        """Return whether a player has been seen recently."""
        return now - self.last_seen(player) < HERE


def find_match(deal_id: str) -> StoredMatch | None:
    """Return the match of a deal link, or None. A POST locks the match."""
    query = _LOCK if db.transaction().writes else _FIND
    row = db.execute(query, id=deal_id, now=db.now()).one_or_none()
    if row is None:
        return None
    match = msgspec.convert(row.match, Match)
    return StoredMatch(row.deal, row.host, row.guest, row.host_seen, row.guest_seen, match)


def awaits_guest(deal_id: str, sid: str) -> bool:
    """Return whether a match waits for a guest, and the player is not its host."""
    stored = find_match(deal_id)
    return stored is not None and stored.match.phase == "waiting" and stored.host != sid


def open_match(deal_id: str, sid: str, match: Match, *, established: bool) -> None:
    """Save a new match, replacing an earlier match of the same deal link.

    Args:
        deal_id: The ID of the deal link.
        sid: The ID of the host's session.
        match: The new match.
        established: Whether the host has played for a while.

    Raises:
        NoRoomForMatches: If there is no room for another match.
    """
    now = db.now()
    total, own_count = db.execute(_COUNT, id=deal_id, sid=sid, now=now).one()
    if own_count >= MAX_OWN or total >= (MAX_MATCHES if established else MAX_MATCHES // 2):
        raise NoRoomForMatches
    db.execute(delete(_matches).where(_is_this), id=deal_id)
    row = {"deal": deal_id, "host": sid, "guest": "", "host_seen": now, "guest_seen": 0.0}
    db.execute(insert(_matches), {**row, **_packed(match)})


def save_match(deal_id: str, match: Match, **columns: Any) -> None:
    """Save a match and other changed columns of its row, after a move."""
    db.execute(_SAVE.values(**_packed(match), **columns), id=deal_id)


def note_player(stored: StoredMatch, player: int) -> None:
    """Save the time of a player's request, at most once per :data:`SEEN_EVERY`."""
    now = db.now()
    if now - stored.last_seen(player) < SEEN_EVERY:
        return
    column = "host_seen" if player == HOST else "guest_seen"
    try:
        with db.write_transaction():
            db.execute(_SAVE.values(**{column: now, "expires": _end(now)}), id=stored.deal)
    except db.DATABASE_ERRORS as error:  # The page is shown even if the write fails.
        log.error("presence was not saved: %s", error)  # noqa: TRY400 - an expected error, such as a full disk


def _packed(match: Match) -> dict[str, Any]:
    """Return the values of the columns that store a match."""
    return {"match": msgspec.to_builtins(match), "expires": _end(db.now())}


def _end(now: float) -> int:
    """Return the expiry of a match that was last used at a given time."""
    return int(now) + LIFETIME
