"""A session as it lies in the store: a row in its place, with rows of its own by their keys."""

import zlib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from web.storage.rounds import UNREADABLE, decompressed, newest_numbers, session_place
from web.storage.store import DAY, LIFETIME, Store, pack, unpack

TABLES: Final = "tables"
"""The key of the session's own row in its place."""

_LARGE: Final = 2_000
"""From how many bytes on a session is compressed: somebody who plays at every table."""

ESTABLISHED: Final = 10
"""From how many saves on a session lives as long as it can; before, it lives for a day."""

_HOUR: Final = 3_600

T = TypeVar("T")

_decoder: Final = msgspec.msgpack.Decoder(tuple[int, dict[str, int], dict[str, msgspec.Raw]])


class Kept(NamedTuple):
    """What the store has of a player: nothing of a visitor that it does not know."""

    rows: Mapping[str, Any] = {}
    revision: int = 0
    saves: int = 0
    newest: Mapping[str, int] = {}
    now: float = 0.0
    fault: Exception | None = None


def packed(kept: Kept) -> bytes:
    """Return a session as its row."""
    data = pack((kept.saves, kept.newest, kept.rows))
    return zlib.compress(data, 1) if len(data) > _LARGE else data


def session_ids(store: Store) -> Iterator[str]:
    """Return the ids of all sessions that have not ended."""
    prefix = session_place("")
    return (place.removeprefix(prefix) for place in store.places(prefix))


def find_session(store: Store, sid: str) -> Kept | None:
    """Return a session; one that cannot be read has a fault and no rows."""
    read = store.read(session_place(sid), TABLES)
    row = read[TABLES]
    if not row.revision:
        return None
    try:
        saves, newest, rows = _decoder.decode(decompressed(row.data))
        return Kept(rows, row.revision, saves, newest, read.now)
    except UNREADABLE as error:
        # The rounds are readable still: their numbers go on, so that none is given twice.
        newest = newest_numbers(store, sid)
        return Kept({}, row.revision, ESTABLISHED, newest, read.now, error)


def end_of(now: float, saves: int) -> int:
    """Return when a session ends that is written now.

    Rounded, so that not every save changes it: a session that has hardly begun ends within a day,
    and gives way to others when the store is full.
    """
    if saves < ESTABLISHED:
        return int(now + DAY) // _HOUR * _HOUR
    return int(now + LIFETIME) // DAY * DAY + DAY


def read_row(session: MutableMapping[str, Any], key: str, kind: type[T]) -> T | None:
    """Return what a session keeps under a key; None where it has nothing that can be read."""
    return unpack(session.get(key, b""), kind)


def keep_row(session: MutableMapping[str, Any], key: str, value: Any) -> None:
    """Put something into a session."""
    session[key] = msgspec.Raw(pack(value))
