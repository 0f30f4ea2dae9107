"""The store in memory, for tests: what a store does, said as plainly as can be."""

import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count

from web.storage.store import NEVER, Read, Row


class MemoryStore:
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

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        """Begin empty.

        Args:
            clock: returns the store's time, in seconds since 1970.
        """
        self.clock = clock
        self._places: dict[str, tuple[int, dict[str, Row]]] = {}
        self._revisions = count(1)

    def _rows(self, place: str) -> dict[str, Row]:
        expires, rows = self._places.get(place, (0, {}))
        return rows if expires > self.clock() else {}

    def read(self, place: str, *keys: str) -> Read:
        """Return the rows with these keys that are there."""
        rows = self._rows(place)
        return Read(self.clock(), {key: rows[key] for key in keys if key in rows})

    def scan(self, place: str, prefix: str = "") -> Read:
        """Return all rows whose keys begin with a prefix, ordered by key."""
        rows = self._rows(place)
        return Read(
            self.clock(), {key: rows[key] for key in sorted(rows) if key.startswith(prefix)}
        )

    def write(
        self,
        place: str,
        put: Mapping[str, bytes | None],
        seen: Mapping[str, int],
        *,
        expires: int = 0,
        before: float = NEVER,
    ) -> bool:
        """Write rows of a place at once, or nothing."""
        known, rows = self._places.get(place, (0, {}))
        if known <= self.clock():
            known, rows = 0, {}
        if self.clock() > before or not (known or expires):
            return False
        if any(rows.get(key, Row(0, b"")).revision != revision for key, revision in seen.items()):
            return False
        kept = {key: row for key, row in rows.items() if key not in put}
        new = {
            key: Row(next(self._revisions), data) for key, data in put.items() if data is not None
        }
        self._places[place] = (max(known, expires), kept | new)
        return True

    def forget(self, place: str) -> None:
        """Remove a place and all its rows."""
        self._places.pop(place, None)

    def places(self, prefix: str = "") -> Iterator[str]:
        """Return the names of all places that have not ended and begin with a prefix."""
        now = self.clock()
        names = [name for name, (expires, _) in self._places.items() if expires > now]
        yield from (name for name in names if name.startswith(prefix))

    def purge(self) -> int:
        """Remove all places that have ended; return how many."""
        ended = [name for name, (expires, _) in self._places.items() if expires <= self.clock()]
        for name in ended:
            del self._places[name]
        return len(ended)

    def size(self) -> int:
        """Return how many bytes all rows take."""
        return sum(len(row.data) for _, rows in self._places.values() for row in rows.values())

    def check_read(self) -> None:
        """Return: memory answers."""

    def check_write(self) -> None:
        """Return: memory takes a write."""

    def faults(self) -> str:
        """Return that nothing is wrong."""
        return ""

    def close(self) -> None:
        """Do nothing: there are no connections."""
