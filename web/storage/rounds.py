"""The finished rounds of a player, beside the session in its place.

Sixteen of a table are one row: ``round/war/0000003`` has those numbered 48 to 63. A row for each
would take twice the room.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from web.storage.store import Read, Row, Store

MAX_ROUNDS: Final = 200
"""Maximum number of finished rounds that are kept of a session's table: the newest."""

_A_ROW: Final = 16

_decoder: Final = msgspec.msgpack.Decoder(dict[int, bytes])


class NewRound(NamedTuple):
    """A finished round that is to be kept beside a session; it gets its number then."""

    game: str
    """The table's slug."""

    data: bytes


class Round(NamedTuple):
    """A finished round as it is kept beside its session."""

    game: str
    number: int
    """Counts up within a session's table, and is never used again."""

    data: bytes


class RoundRows(NamedTuple):
    """What is to be written to keep rounds."""

    put: Mapping[str, bytes | None]
    seen: Mapping[str, int]
    newest: Mapping[str, int]
    """The number of each table's newest round."""


def session_place(sid: str) -> str:
    """Return the name of the place where a session and its rounds are."""
    return f"session/{sid}"


def rows_with(
    store: Store, sid: str, newest: Mapping[str, int], finished: Sequence[NewRound]
) -> RoundRows:
    """Return the rows of a session with new rounds behind the newest ones.

    Args:
        store: where they are.
        sid: the session's id.
        newest: the number of each table's newest round.
        finished: the new rounds, the oldest first.
    """
    numbers = dict(newest)
    added = []
    for one in finished:
        numbers[one.game] = numbers.get(one.game, 0) + 1
        added.append(Round(one.game, numbers[one.game], one.data))
    read = store.read(session_place(sid), *{_key(one.game, one.number) for one in added})
    rows: dict[str, dict[int, bytes]] = {}
    put: dict[str, bytes | None] = {}
    for game, number, data in added:
        key = _key(game, number)
        rows.setdefault(key, _unpacked(read[key]))[number] = data
        oldest = number - MAX_ROUNDS + 1
        if oldest > 0 and oldest % _A_ROW == 0:
            put[_key(game, oldest - 1)] = None
    put |= {key: msgspec.msgpack.encode(row) for key, row in rows.items()}
    return RoundRows(put, {key: read[key].revision for key in rows}, numbers)


def newest_numbers(store: Store, sid: str) -> dict[str, int]:
    """Return the number of each table's newest round, as the rounds themselves say it.

    Behind every row there is, for a row that cannot be read.
    """
    numbers: dict[str, int] = {}
    for key, row in store.scan(session_place(sid), "round/").rows.items():
        _, game, place = key.split("/")
        last = int(place) * _A_ROW + _A_ROW - 1
        numbers[game] = max(_unpacked(row), default=last)
    return numbers


def rounds_of(store: Store, sid: str, game: str) -> tuple[Round, ...]:
    """Return the rounds kept of a session's table, the newest first."""
    read = store.scan(session_place(sid), f"round/{game}/")
    found = sorted(_all_of(read, game), key=lambda one: one.number, reverse=True)
    return tuple(found[:MAX_ROUNDS])


def round_of(store: Store, sid: str, game: str, number: int) -> Round | None:
    """Return one round, if it is kept."""
    read = store.read(session_place(sid), _key(game, number))
    return next((one for one in _all_of(read, game) if one.number == number), None)


def amend_rounds(store: Store, sid: str, changes: Sequence[tuple[Round, bytes]]) -> None:
    """Give rounds other bytes, but for those that are not as they were read.

    Where a move comes between, nothing is written: what is missing is worked out again.
    """
    keys = {_key(old.game, old.number) for old, _ in changes}
    read = store.read(session_place(sid), *keys)
    rows = {key: _unpacked(read[key]) for key in keys}
    for old, data in changes:
        row = rows[_key(old.game, old.number)]
        if row.get(old.number) == old.data:
            row[old.number] = data
    seen = {key: read[key].revision for key in keys if read[key].revision}
    put = {key: msgspec.msgpack.encode(rows[key]) for key in seen}
    store.write(session_place(sid), put, seen)


def _key(game: str, number: int) -> str:
    return f"round/{game}/{number // _A_ROW:07}"


def _all_of(read: Read, game: str) -> Iterator[Round]:
    for row in read.rows.values():
        for number, data in _unpacked(row).items():
            yield Round(game, number, data)


def _unpacked(row: Row) -> dict[int, bytes]:
    """Return the rounds of a row; none of one that cannot be read."""
    try:
        return _decoder.decode(row.data) if row.data else {}
    except msgspec.MsgspecError:
        return {}
