"""The stored deals and their results, which are the players' rounds."""

import hashlib
import hmac
import logging
import secrets
from collections.abc import Collection
from dataclasses import replace
from typing import Any, Final, NamedTuple

import flask
import msgspec
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    LargeBinary,
    String,
    Table,
    bindparam,
    func,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError
from werkzeug.exceptions import ServiceUnavailable

from cardgames import GAMES
from cardgames.moves import Action
from cardgames.records.line import InvalidRecord, action_words, parse_actions
from cardgames.records.record import Record
from cardgames.shared_deal import SharedDeal
from cardgames.shuffling import SALT_BYTES
from web import db
from web.db.models import SLUG, Base, Round
from web.http.sessions import DAY, USUAL
from web.tables.queries import parsed

MAX_RESULTS: Final = 1_000
"""Maximum number of results that are shown for a deal; the first results are shown."""

DEALS_SHARE: Final = 4
"""The maximum size of all deals is the maximum size of the database divided by this number."""

LIFETIME: Final = USUAL * DAY
"""Lifetime of a deal, in seconds."""

DAILY_LIFETIME: Final = 7 * DAY
"""Lifetime of a daily deal, in seconds."""

_NEXT: Final = "cardgames next deal 1"

_OVERHEAD: Final = 200  # approximate size of a row in bytes, without its deal

log = logging.getLogger("cardgames.deals")


class Deal(msgspec.Struct, frozen=True, array_like=True):
    """A deal, including all values that determine its cards."""

    game: str
    salt: bytes
    choices: tuple[tuple[str, str], ...]
    """The names and values of the deal's fields as in an action. A deck is stored as card codes."""

    day: int = 0
    """The number of the day of a daily deal, or 0 for a deal that a player created."""

    @property
    def shared(self) -> SharedDeal:
        """The deal that all players play."""
        return SharedDeal(GAMES[self.game], Action("deal", self.choices), self.salt.hex())

    def record(self, moves: str) -> Record:
        """Return the record of a round with the given moves after the deal.

        The moves are words of a record.

        Raises:
            InvalidRecord: If the moves are not moves of the game.
        """
        actions = (self.shared.fixed_deal, *parse_actions(moves.split(), GAMES[self.game]))
        return Record(self.game, salt=self.salt.hex(), actions=actions)


def moves_after_deal(record: Record) -> str:
    """Return the moves after the deal, as words of a record."""
    return action_words(replace(record, actions=record.actions[1:]))


class OwnResult(NamedTuple):
    """A player's round of a deal."""

    record: Record
    step: int
    """The number of moves that the table had accepted when the round ended."""

    number: int
    """The number of the round in the player's history."""


class NoRoomForDeals(Exception):
    """Raised if the deals have reached their maximum proportion of the database."""


_deals: Final = Table(
    "deals",
    Base.metadata,
    Column("id", String(40), primary_key=True),
    Column("game", SLUG, nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("choices", JSON, nullable=False),
    Column("day", BigInteger, nullable=False),
    Column("size", BigInteger, nullable=False),  # approximate, in bytes
    Column("expires", BigInteger, nullable=False, index=True),  # in seconds since 1970
)
_rounds: Any = Round.__table__
_FIND: Final = select(*(_deals.c[name] for name in Deal.__struct_fields__)).where(
    _deals.c.id == bindparam("deal"), _deals.c.expires > bindparam("now")
)
_at_deal: Final = _rounds.c.deal == bindparam("deal")
_at_deals: Final = _rounds.c.deal.in_(bindparam("deals", expanding=True))
_own: Final = _rounds.c.session_id == bindparam("sid")
_RESULTS: Final = (
    select(_rounds.c.session_id, _rounds.c.record)
    .where(_at_deal)
    .order_by(_rounds.c.finished, _rounds.c.session_id)
    .limit(MAX_RESULTS)
)
_OWN_RESULT: Final = select(_rounds.c.record, _rounds.c.step, _rounds.c.number).where(
    _at_deal, _own
)
_OWN_RECORDS: Final = select(_rounds.c.deal, _rounds.c.record).where(_at_deals, _own)
_PLAYS: Final = (
    select(_rounds.c.deal, _rounds.c.record, func.count())
    .where(_at_deals)
    .group_by(_rounds.c.deal, _rounds.c.record)
)


def find(deal_id: str) -> Deal | None:
    """Return a stored deal, or None if it has expired or this version cannot play it."""
    row = db.execute(_FIND, deal=deal_id, now=db.now()).mappings().one_or_none()
    if row is None or row["game"] not in GAMES:
        return None
    return Deal(**{**row, "choices": tuple((name, value) for name, value in row["choices"])})


def insert_deal(deal_id: str, deal: Deal, most: int, lifetime: int = LIFETIME) -> bool:
    """Save a deal, or return False if the ID is taken.

    Args:
        deal_id: The ID in the URL of the deal link.
        deal: The deal to save.
        most: Maximum total size of all deals, in bytes; 0 for no limit.
        lifetime: The deal's lifetime, in seconds.

    Raises:
        NoRoomForDeals: If there is no room for the deal.
    """
    size = len(str(deal.choices)) + _OVERHEAD
    if most and (db.execute(select(func.sum(_deals.c.size))).scalar() or 0) + size > most:
        raise NoRoomForDeals
    row = {"id": deal_id, "size": size, "expires": int(db.now()) + lifetime}
    try:
        with db.transaction().connection.begin_nested():
            db.execute(insert(_deals), row | msgspec.structs.asdict(deal))
    except IntegrityError:
        return False
    return True


def keep_deal(deal: Deal, *, established: bool) -> str:
    """Save a deal under a new random ID, and return the ID.

    Args:
        deal: The deal to save.
        established: Whether the creator of the deal has played for a while.

    Raises:
        NoRoomForDeals: If there is no room for the deal.
    """
    deal_id = secrets.token_hex(8)
    # Anyone can create sessions, so new players can fill only half of the space.
    most = _limit() if established else _limit() // 2
    return deal_id if insert_deal(deal_id, deal, most) else keep_deal(deal, established=established)


def publish(deal: Deal) -> str:
    """Save a deal with fixed cards, and return its ID.

    The ID is derived from the deal's salt.

    Raises:
        ServiceUnavailable: If there is no room for the deal.
    """
    deal_id = _id_by_salt(deal)
    try:
        insert_deal(deal_id, deal, _limit())
    except NoRoomForDeals:
        raise ServiceUnavailable from None
    return deal_id


def keep_next_deal(deal_id: str, deal: Deal, *, established: bool) -> str:
    """Save the deal that follows another deal, and return its ID.

    All players get the same next deal. The new deal's salt is an HMAC of the previous deal's ID
    under the server's key, so no one knows its cards in advance. The rules of the new deal are the
    same as in the previous deal. A deck file is not used again.

    Args:
        deal_id: The ID of the previous deal.
        deal: The previous deal.
        established: Whether the player has played for a while.

    Raises:
        NoRoomForDeals: If there is no room for the deal.
    """
    key = flask.current_app.config["SECRET_KEY"].encode()
    salt = hmac.digest(key, f"{_NEXT} {deal_id}".encode(), "sha256")[:SALT_BYTES]
    decks = deal.shared.game.deals.decks
    choices = tuple((name, value) for name, value in deal.choices if name not in decks)
    following = msgspec.structs.replace(deal, salt=salt, choices=choices)
    insert_deal(_id_by_salt(following), following, _limit() if established else _limit() // 2)
    return _id_by_salt(following)


def _id_by_salt(deal: Deal) -> str:
    """Return the ID of a deal with a derived salt.

    The same salt always has the same ID.
    """
    return hashlib.sha256(b"cardgames published deal " + deal.salt).hexdigest()[:16]


def load_results(deal_id: str) -> dict[str, Record]:
    """Return a deal's rounds, keyed by player, in the order in which they ended."""
    rows = db.execute(_RESULTS, deal=deal_id).all()
    results = ((player_key(sid, deal_id), _read(text)) for sid, text in rows)
    return {player: record for player, record in results if record}


def player_key(sid: str, deal_id: str) -> str:
    """Return the key of a session's player at a deal.

    A player has a different key at each deal.
    """
    return hashlib.sha256(f"{sid} {deal_id}".encode()).hexdigest()[:32]


def own_result(sid: str, deal_id: str) -> OwnResult | None:
    """Return a session's round at a deal, or None if the round has not ended."""
    row = db.execute(_OWN_RESULT, deal=deal_id, sid=sid).first()
    record = row and _read(row.record)
    return OwnResult(record, row.step, row.number) if row and record else None


def own_records(sid: str, deal_ids: Collection[str]) -> dict[str, str]:
    """Return the records of a session's finished rounds at the given deals."""
    return dict(db.execute(_OWN_RECORDS, sid=sid, deals=[*deal_ids]).all())


def count_plays(deal_ids: Collection[str]) -> list[Any]:
    """Return the different records of the rounds at the given deals.

    Each row contains a deal's ID, a record, and the number of players with this record.
    """
    return [*db.execute(_PLAYS, deals=[*deal_ids])]


def _read(text: str) -> Record | None:
    """Return a round at a deal, or None if the round cannot be read."""
    try:
        return parsed(text)
    except InvalidRecord as error:
        log.warning("a result of a deal could not be read: %s", type(error).__name__)
        return None


def _limit() -> int:
    """Return the maximum total size of all deals in bytes, or 0 if there is no limit."""
    limit: int = flask.current_app.config["DEALS_LIMIT"]
    return limit
