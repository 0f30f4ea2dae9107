"""What is kept of deals: each in a place of its own, with the results of those who played it.

``deal`` is what its cards follow from, ``count`` how many results have come, and ``result/…`` one
of them, by what stands for its player. A player's own result lies beside their session, in another
place, so ``due/…`` says before that is written whose session to look into: a result that did not
come, since the server was killed between the two, is added by the next look at the deal.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from web.storage.store import DAY, LIFETIME, NEVER, Read, Store, StoreFull, decide

MAX_RESULTS: Final = 1_000
"""Maximum number of results that are kept of a deal: the first."""

DEALS_SHARE: Final = 4
"""Divisor of a store's limit: deals and their results may take the quotient."""

HINT_HOLDS: Final = 60
"""For how many seconds whose result is due is believed, though it is not there yet."""

_ROW_OVERHEAD: Final = 200
"""About how many bytes a deal or a result takes besides its own."""

_BYTES: Final = "deal-bytes"
"""The place with a row a day: how many bytes of deals and results came on it."""


class Due(NamedTuple):
    """Whose result has come or is about to."""

    player: str
    sid: str
    at: float
    """When the hint was written, in seconds since 1970."""

    revision: int


class Results(NamedTuple):
    """What has become of a deal."""

    now: float
    came: dict[str, bytes]
    """The results by their players, in the order they came."""

    due: tuple[Due, ...]


def keep_deal(store: Store, deal: str, data: bytes, most: int) -> bool:
    """Keep a deal for two weeks; return False if its id is taken.

    Args:
        store: where it is kept.
        deal: its id.
        data: what is kept of it.
        most: maximum number of bytes that deals may take in two weeks; 0 for any number.

    Raises:
        StoreFull: there is no room for it.
    """
    _charge(store, len(data), most)
    expires = int(store.read(_place(deal)).now) + LIFETIME
    return store.write(_place(deal), {"deal": data}, {"deal": 0}, expires=expires)


def deal_data(store: Store, deal: str) -> bytes:
    """Return what was kept of a deal; nothing of one that has expired."""
    return store.read(_place(deal), "deal")["deal"].data


def note_due(store: Store, deal: str, player: str, sid: str) -> float:
    """Say whose result is about to come.

    Returns:
        until when it must lie beside the session, or not at all: by the store's time.
    """
    now = store.read(_place(deal)).now
    hint = msgspec.msgpack.encode((sid, now))
    kept = store.write(_place(deal), {f"due/{player}": hint}, {})
    return now + HINT_HOLDS if kept else NEVER


def add_result(store: Store, deal: str, player: str, data: bytes, most: int) -> None:
    """Keep a player's result of a deal, however often it is added.

    Of a player's results the first counts, of a deal's the first thousand; one that comes too
    late, for a deal that is gone, or when there is no room, is left out.
    """
    result, due = f"result/{player}", f"due/{player}"
    has_room = True
    if not store.read(_place(deal), result)[result].revision:
        try:
            _charge(store, len(data), most)
        except StoreFull:
            has_room = False

    def attempt() -> bool | None:
        read = store.read(_place(deal), "deal", "count", result)
        count = _number(read["count"].data)
        put: dict[str, bytes | None] = {due: None}
        if has_room and count < MAX_RESULTS and not read[result].revision:
            put["count"] = b"%d" % (count + 1)
            put[result] = msgspec.msgpack.encode((count + 1, data))
        seen = {key: read[key].revision for key in ("deal", "count", result)}
        return not read["deal"].revision or store.write(_place(deal), put, seen) or None

    decide(attempt)


def drop_hint(store: Store, deal: str, due: Due) -> None:
    """Take away that a result is due, unless it was written again meanwhile."""
    key = f"due/{due.player}"
    store.write(_place(deal), {key: None}, {key: due.revision})


def results(store: Store, deal: str) -> Results:
    """Return what has become of a deal; what cannot be read is left out."""
    read = store.scan(_place(deal))
    came = sorted((*_rows(read, "result/", tuple[int, bytes]),), key=lambda one: one[1][0])
    due = (
        Due(player, sid, at, read[f"due/{player}"].revision)
        for player, (sid, at) in _rows(read, "due/", tuple[str, float])
    )
    return Results(read.now, {player: data for player, (_, data) in came}, tuple(due))


def _rows(read: Read, prefix: str, kind: Any) -> Iterator[tuple[str, Any]]:
    for key, row in read.rows.items():
        if key.startswith(prefix):
            try:
                yield key.removeprefix(prefix), msgspec.msgpack.decode(row.data, type=kind)
            except msgspec.MsgspecError:
                continue


def _charge(store: Store, size: int, most: int) -> None:
    """Count bytes that a deal or a result takes.

    Raises:
        StoreFull: deals have taken as many as they may.
    """
    if not most:
        return

    def attempt() -> bool | None:
        read = store.scan(_BYTES)
        today = int(read.now) // DAY
        oldest = today - LIFETIME // DAY
        days = {key: _number(row.data) for key, row in read.rows.items()}
        recent = {key: taken for key, taken in days.items() if _number(key.encode()) > oldest}
        after = sum(recent.values()) + size + _ROW_OVERHEAD
        if after > most:
            raise StoreFull
        key = str(today)
        put: dict[str, bytes | None] = dict.fromkeys(days.keys() - recent.keys())
        put[key] = b"%d" % (recent.get(key, 0) + size + _ROW_OVERHEAD)
        seen = {key: read[key].revision}
        return store.write(_BYTES, put, seen, expires=int(read.now) + LIFETIME + DAY) or None

    decide(attempt)


def _number(data: bytes) -> int:
    return int(data) if data.isdigit() else 0


def _place(deal: str) -> str:
    return f"deal/{deal}"
