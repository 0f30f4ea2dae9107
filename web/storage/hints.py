"""Hints: rows that say in which other place a write may have left work to do.

Work that touches two places begins with a hint. It is written first, so it is found even if the
process is killed afterwards; the finder does what is left to do. A hint that leads to nothing is
removed, but only once it is no longer believed: what it announces has then been written, or never
will be.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from web.storage.store import DAY, NEVER, Read, Store, decide, pack

HINT_HOLDS: Final = 60
"""For how many seconds a hint is believed, though nothing is found where it leads."""

_LIFETIME: Final = 130
"""How many days hints are kept after the newest was written: longer than any class."""


class _Kept(NamedTuple):
    first: float
    latest: float
    data: bytes


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
    """Hints of one kind: in a place of their own, or among the rows of one that is there."""

    def __init__(self, store: Store, place: str, prefix: str = "", beside: str = "") -> None:
        """Keep hints in a store.

        Args:
            store: the store.
            place: where they lie.
            prefix: how their rows' keys begin.
            beside: a row of the place without which no hint is written; by default the place is
                theirs, and made where it is not there.
        """
        self._store, self._place = store, place
        self._prefix, self._beside = prefix, beside

    def note(self, key: str, change: Callable[[bytes], bytes] = bytes) -> float:
        """Write a hint, before anything else is written.

        Args:
            key: what it is about.
            change: returns its new data from those that are there; by default they stay.

        Returns:
            until when it is believed, by the store's time: what it announces is written before.
        """
        row = f"{self._prefix}{key}"

        def attempt() -> float | None:
            read = self._store.read(self._place, row, *filter(None, [self._beside]))
            if self._beside and not read[self._beside].revision:
                return NEVER
            first, _, data = read.value(row, _Kept) or _Kept(read.now, read.now, b"")
            put = {row: pack((first, read.now, change(data)))}
            expires = 0 if self._beside else (int(read.now) // DAY + _LIFETIME) * DAY
            done = self._store.write(self._place, put, read.seen([row]), expires=expires)
            return read.now + HINT_HOLDS if done else None

        return decide(attempt)

    def all(self, prefix: str = "") -> list[Hint]:
        """Return the hints whose keys begin with a prefix, the one that waits longest first."""
        return self.among(self._store.scan(self._place, self._prefix + prefix))

    def among(self, read: Read) -> list[Hint]:
        """Return the hints among rows that were read, the one that waits longest first."""
        found = read.values(self._prefix, _Kept).items()
        hints = (
            Hint(key, read[self._prefix + key].revision, *kept, read.now) for key, kept in found
        )
        return sorted(hints, key=lambda hint: hint.first)

    def replace(self, hint: Hint, data: bytes | None) -> bool:
        """Give a hint other data, or take it away; return False if it was written meanwhile."""
        new = None if data is None else pack((hint.first, hint.latest, data))
        row = f"{self._prefix}{hint.key}"
        return self._store.write(self._place, {row: new}, {row: hint.revision})
