"""The store in memory, for tests: what a store does, as plainly as can be."""

import time
from collections.abc import Callable, Iterator
from itertools import count
from threading import RLock

from web.storage.store import ABSENT, DAY, Put, Read, Row, Seen, Store, StoreFull

Pause = Callable[[str, str], None]
"""Called with ``"before"`` a call or ``"after"`` a write, and with the place's name. It may let
somebody else call, move the clock, or raise ``StoreUnavailable``: after a write that is done."""


def no_pause(moment: str, place: str) -> None:
    """Go on."""


class MemoryStore(Store):
    """Keeps places in a dictionary.

    >>> store = MemoryStore(clock=lambda: 100.0)
    >>> store.write("class/K7QXB", {"head": b"1"}, {"head": 0}, expires=200)
    True
    >>> seen = store.read("class/K7QXB", "head")["head"]
    >>> store.write("class/K7QXB", {"head": b"2"}, {"head": seen.revision})
    True
    >>> store.write("class/K7QXB", {"head": b"3"}, {"head": seen.revision})
    False
    """

    def __init__(
        self, clock: Callable[[], float] = time.time, limit: int = 0, pause: Pause = no_pause
    ) -> None:
        """Begin empty.

        Args:
            clock: returns the store's time, in seconds since 1970.
            limit: how many bytes it may take before it counts as full; 0 for any number.
            pause: what happens at its calls.
        """
        self.clock, self.limit, self.pause = clock, limit, pause
        self._places: dict[str, tuple[int, dict[str, Row]]] = {}
        self._revisions = count(1)
        # Tests write from several threads. It is never held in a pause, where others may call.
        self._lock = RLock()

    def read(self, place: str, *keys: str) -> Read:
        """Return the rows with these keys that are there."""
        self.pause("before", place)
        rows = self._rows(place)
        return Read(self.clock(), {key: rows[key] for key in keys if key in rows})

    def scan(self, place: str, prefix: str = "") -> Read:
        """Return all rows whose keys begin with a prefix, ordered by key."""
        self.pause("before", place)
        rows = self._rows(place)
        found = {key: rows[key] for key in sorted(rows) if key.startswith(prefix)}
        return Read(self.clock(), found)

    def _write(
        self, place: str, put: Put, seen: Seen, expires: int, ends: int, before: float
    ) -> bool:
        self.pause("before", place)
        with self._lock:
            done = self._compare_and_set(place, put, seen, expires, ends, before)
        if done:
            self.pause("after", place)
        return done

    def _compare_and_set(
        self, place: str, put: Put, seen: Seen, expires: int, ends: int, before: float
    ) -> bool:
        rows = self._rows(place)
        known = self._places[place][0] if place in self._places else 0
        alive = known > self.clock()
        if self.clock() > before or not (alive or expires):
            return False
        if any(rows.get(key, ABSENT).revision != revision for key, revision in seen.items()):
            return False
        if not alive:
            known = 0
            self._make_room()
        kept = {key: row for key, row in rows.items() if key not in put}
        new = {
            key: Row(next(self._revisions), data) for key, data in put.items() if data is not None
        }
        self._places[place] = (ends or max(known, expires), kept | new)
        if not kept | new:
            del self._places[place]
        return True

    def forget(self, place: str) -> None:
        """Remove a place and all its rows."""
        self.pause("before", place)
        self._places.pop(place, None)
        self.pause("after", place)

    def places(self, prefix: str = "") -> Iterator[str]:
        """Return the names of all places that have not ended and begin with a prefix."""
        self.pause("before", prefix)
        now = self.clock()
        with self._lock:
            names = [name for name, (expires, _) in self._places.items() if expires > now]
        yield from (name for name in names if name.startswith(prefix))

    def purge(self) -> int:
        """Remove all places that have ended; return how many."""
        return self._drop(self.clock())

    def size(self) -> int:
        """Return how many bytes all rows take."""
        with self._lock:
            return sum(len(row.data) for _, rows in self._places.values() for row in rows.values())

    def check_read(self) -> None:
        """Return: memory answers."""
        self.pause("before", "")

    def check_write(self) -> None:
        """Return: memory takes a write."""
        self.pause("before", "")

    def _rows(self, place: str) -> dict[str, Row]:
        expires, rows = self._places.get(place, (0, {}))
        return rows if expires > self.clock() else {}

    def _make_room(self) -> None:
        """Drop what has ended if the store is full, or else what ends soonest, within a day."""
        full = self.limit and self.size() >= self.limit
        if full and not (self._drop(self.clock()) or self._drop(self.clock() + DAY, 1)):
            raise StoreFull

    def _drop(self, end: float, most: int | None = None) -> int:
        with self._lock:
            places = self._places.items()
            ended = [(expires, name) for name, (expires, _) in places if expires <= end]
            for _, name in sorted(ended)[:most]:
                del self._places[name]
        return len(ended[:most])
