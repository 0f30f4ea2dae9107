"""Hints: where a background task finds work without looking through all classes.

Work that touches two places of the store begins with a hint in a third one. The hint is written
first; so whenever a process is killed afterwards, the task still looks there. It does what is left
to do, and where it finds nothing it takes the hint away: but only one that is no longer believed,
since what it announces was then written before, or never will be.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from web.storage.store import DAY, Store, decide

HINT_HOLDS: Final = 60
"""For how many seconds a hint is believed, though nothing is found where it leads."""

_LIFETIME: Final = 130
"""How many days hints are kept after the newest was written: longer than any class."""


class Hint(NamedTuple):
    """A hint as it was read."""

    key: str
    revision: int
    first: float
    """When it was first written, in seconds since 1970."""

    latest: float
    """When it was last written."""

    data: bytes
    now: float

    @property
    def is_over(self) -> bool:
        """Whether it is no longer believed."""
        return self.now > self.latest + HINT_HOLDS


class Hints:
    """Hints of one kind, in a place of their own."""

    def __init__(self, store: Store, kind: str) -> None:
        """Keep hints of a kind in a store."""
        self._store, self._place = store, f"hints/{kind}"

    def note(self, key: str, change: Callable[[bytes], bytes] = bytes) -> float:
        """Write a hint, before anything else is written.

        Args:
            key: what it is about.
            change: returns its new data from those that are there; by default they stay.

        Returns:
            until when it is believed, by the store's time: what it announces is written before.
        """

        def attempt() -> float | None:
            read = self._store.read(self._place, key)
            row, now = read[key], read.now
            first, _, data = _unpacked(row.data) if row.revision else (now, now, b"")
            put = {key: msgspec.msgpack.encode((first, now, change(data)))}
            expires = (int(now) // DAY + _LIFETIME) * DAY
            seen = {key: row.revision}
            written = self._store.write(self._place, put, seen, expires=expires)
            return now + HINT_HOLDS if written else None

        return decide(attempt)

    def all(self, prefix: str = "") -> list[Hint]:
        """Return the hints whose keys begin with a prefix, the one that waits longest first."""
        read = self._store.scan(self._place, prefix)
        found = (
            Hint(key, row.revision, *_unpacked(row.data), read.now)
            for key, row in read.rows.items()
        )
        return sorted(found, key=lambda hint: hint.first)

    def replace(self, hint: Hint, data: bytes | None) -> bool:
        """Give a hint other data, or take it away; return False if it was written meanwhile."""
        new = None if data is None else msgspec.msgpack.encode((hint.first, hint.latest, data))
        return self._store.write(self._place, {hint.key: new}, {hint.key: hint.revision})


def _unpacked(data: bytes) -> tuple[float, float, bytes]:
    return msgspec.msgpack.decode(data, type=tuple[float, float, bytes])
