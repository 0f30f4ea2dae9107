"""The finished rounds of a player, beside the session in its place.

``round/war/0000003`` has those numbered 36 to 47: a row for each would take twice the room. Until
the last of them comes, each is a row behind that name, so that a move writes no more than its own.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

import msgspec

from web.storage.store import Store

MAX_ROUNDS: Final = 200
"""Maximum number of finished rounds that are kept of a session's table: the newest."""

_A_ROW: Final = 12
"""How many rounds are a row: of short ones three and of long ones two fill a page of SQLite's."""

_COMPRESSED: Final = b"\x78"
"""How zlib's output begins, and no msgpack of what is kept of a session."""

UNREADABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, zlib.error)
"""What is raised where bytes are not a session; the second also by msgspec, for a text."""

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


def decompressed(data: bytes) -> bytes:
    """Return what was kept, whether it was compressed or not."""
    return zlib.decompress(data) if data[:1] == _COMPRESSED else data


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
    put: dict[str, bytes | None] = {}
    seen: dict[str, int] = {}
    for game, data in finished:
        number = numbers[game] = numbers.get(game, 0) + 1
        together = _key(game, number)
        put[f"{together}/{number % _A_ROW:02}"] = msgspec.msgpack.encode({number: data})
        if number % _A_ROW == _A_ROW - 1:
            read = store.scan(session_place(sid), together)
            rows = [row.data for row in read.rows.values()]
            rows += [put.pop(key) or b"" for key in [*put] if key.startswith(together)]
            put |= dict.fromkeys(read.rows)
            rounds = dict(chain.from_iterable(map(_items, rows)))
            # The fastest level: the move that ends the round waits for it.
            put[together] = zlib.compress(msgspec.msgpack.encode(rounds), 1)
            # amend_rounds() may have changed these without the session's own row, which is compared
            # for all others.
            seen |= {key: row.revision for key, row in read.rows.items()}
        oldest = number - MAX_ROUNDS + 1
        # Whole rows go at a time, so a few rounds more than MAX_ROUNDS may lie there.
        if oldest > 0 and oldest % _A_ROW == 0:
            put[_key(game, oldest - 1)] = None
    return RoundRows(put, seen, numbers)


def newest_numbers(store: Store, sid: str) -> dict[str, int]:
    """Return the number of each table's newest round, as the rounds themselves say it.

    Behind every row there is, for a row that cannot be read.
    """
    numbers: dict[str, int] = {}
    for key, row in store.scan(session_place(sid), "round/").rows.items():
        _, game, place = key.split("/")[:3]
        last = int(place) * _A_ROW + _A_ROW - 1
        newest = max((number for number, _ in _items(row.data)), default=last)
        numbers[game] = max(newest, numbers.get(game, 0))
    return numbers


def rounds_of(store: Store, sid: str, game: str) -> tuple[Round, ...]:
    """Return the rounds kept of a session's table, the newest first."""
    rows = store.scan(session_place(sid), f"round/{game}/").rows.values()
    found = sorted(chain.from_iterable(_items(row.data) for row in rows), reverse=True)
    return tuple(Round(game, number, data) for number, data in found[:MAX_ROUNDS])


def round_of(store: Store, sid: str, game: str, number: int) -> Round | None:
    """Return one round, if it is kept."""
    return next((one for one in rounds_of(store, sid, game) if one.number == number), None)


def amend_rounds(store: Store, sid: str, game: str, changes: Mapping[Round, bytes]) -> None:
    """Give rounds of a table other bytes, but for those that are not as they were read.

    Where a move comes between, nothing is written: what is missing is worked out again.
    """
    put: dict[str, bytes | None] = {}
    read = store.scan(session_place(sid), f"round/{game}/")
    for key, row in read.rows.items():
        before = dict(_items(row.data))
        after = {n: changes.get(Round(game, n, data), data) for n, data in before.items()}
        if after != before:
            put[key] = msgspec.msgpack.encode(after)
    store.write(session_place(sid), put, {key: read[key].revision for key in put})


def _key(game: str, number: int) -> str:
    return f"round/{game}/{number // _A_ROW:07}"


def _items(data: bytes) -> Iterable[tuple[int, bytes]]:
    """Return the rounds of a row; none of one that cannot be read."""
    try:
        return _decoder.decode(decompressed(data)).items()
    except UNREADABLE:
        return ()
