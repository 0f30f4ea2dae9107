"""The store: rows in places, written by compare-and-set.

A *place* is all that belongs together and dies together: a player's session with its finished
rounds, a deal with its results, a class with its students. It has an end and rows. A row has a key,
bytes, and a *revision*: a number that changes with every write and never comes back, so a row that
was removed and made anew is another one. With its last row a place is gone.

A write names the revisions that its caller has read. It is done whole if every named row still has
that revision, or not at all; it touches one place. This is all that a database has to offer. What
may be written when is said by the *layers*: plain Python that reads, decides, writes, and does it
again with :func:`decide` after a conflict.
"""

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple, TypeVar, cast

import msgspec

NEVER: Final = float("inf")
"""A time that no clock passes."""

MAX_TRIES: Final = 50
"""Maximum number of times that a decision is made again because of other writers."""

DAY: Final = 86_400
"""Seconds in a day. A place that ends within one gives way to others when the store is full."""

LIFETIME: Final = 14 * DAY
"""How long a place lives after it was last written, in seconds; of somebody who has hardly begun, a
day."""

_MAX_PAUSE: Final = 0.004
"""Maximum pause before the next try, in seconds. A worker answers nobody meanwhile."""

UNREADABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError)
"""What is raised where bytes are not such a value; the second where a text is not UTF-8."""

T = TypeVar("T")

Put = Mapping[str, bytes | None]
"""Rows that are to be written, by their keys; None removes one."""

Seen = Mapping[str, int]
"""The revisions of rows as they were read, by their keys; 0 for one that is not there."""


from web.db import Unavailable as StoreUnavailable  # noqa: E402 - until the port is done


class StoreFull(Exception):
    """There is no room for another place; places that are there can still be written."""


class TooManyConflicts(StoreUnavailable):
    """Other writers came first at every try; nothing was changed."""


class Row(NamedTuple):
    """A row as it was read; revision 0 and no bytes stand for one that is not there."""

    revision: int
    data: bytes


ABSENT: Final = Row(0, b"")


pack: Final = msgspec.msgpack.Encoder().encode
"""Return a value as a row keeps it."""


def unpack(data: bytes, kind: type[T]) -> T | None:
    """Return what was packed; None for no bytes, and for bytes that are not such a value."""
    try:
        return cast("T", _decoder(cast("Hashable", kind)).decode(data)) if data else None
    except UNREADABLE:
        return None


@cache
def _decoder(kind: Hashable) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(cast("Any", kind))


class Read(msgspec.Struct, frozen=True):
    """Some rows of a place, read in one moment."""

    now: float
    """The store's time of that moment, in seconds since 1970."""

    rows: Mapping[str, Row]
    """The rows that are there, by their keys; ordered by key where they were scanned."""

    def __getitem__(self, key: str) -> Row:
        """Return a row, or :data:`ABSENT`."""
        return self.rows.get(key, ABSENT)

    def value(self, key: str, kind: type[T]) -> T | None:
        """Return what a row holds; None where nothing is, or nothing that can be read."""
        return unpack(self[key].data, kind)

    def values(self, prefix: str, kind: type[T]) -> dict[str, T]:
        """Return what rows hold whose keys begin with a prefix, by the rest of their keys.

        What cannot be read is left out.
        """
        return {
            key.removeprefix(prefix): value
            for key in self.rows
            if key.startswith(prefix) and (value := self.value(key, kind)) is not None
        }

    def seen(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the revisions of some rows, for a write that names them."""
        return {key: self[key].revision for key in keys}


class Store(ABC):
    """What a database offers; every method raises :class:`StoreUnavailable` if it is away."""

    @abstractmethod
    def read(self, place: str, *keys: str) -> Read:
        """Return the rows with these keys that are there; none of a place that has ended."""

    @abstractmethod
    def scan(self, place: str, prefix: str = "") -> Read:
        """Return all rows whose keys begin with a prefix, ordered by key."""

    def write(
        self,
        place: str,
        put: Put,
        seen: Seen,
        *,
        expires: int = 0,
        ends: int = 0,
        before: float = NEVER,
    ) -> bool:
        """Write rows of a place at once, or nothing.

        Args:
            place: its name.
            put: the rows' new bytes.
            seen: the revisions that rows must still have.
            expires: until when the place lives, in seconds since 1970, if that is later than now
                known. A new place needs one: without it nothing is written where there is none.
            ends: when it ends, even if that is sooner than known; 0 for no change.
            before: when the store's time is later than this, nothing is written.

        Returns:
            whether it was written.

        Raises:
            StoreFull: the place is new, and there is no room for one.
        """
        return self._write(place, put, seen, expires, ends, before)

    @abstractmethod
    def _write(
        self, place: str, put: Put, seen: Seen, expires: int, ends: int, before: float
    ) -> bool:
        """Write rows, as :meth:`write` says."""

    @abstractmethod
    def forget(self, place: str) -> None:
        """Remove a place and all its rows."""

    def scrub(self) -> None:  # noqa: B027 - nothing is to be done where no log is kept
        """Remove what was forgotten from the store's logs too, now or as soon as can be."""

    @abstractmethod
    def places(self, prefix: str = "") -> Iterator[str]:
        """Return the names of all places that have not ended and begin with a prefix."""

    def purge(self) -> int:
        """Remove some places that have ended; return how many, 0 when none are left."""
        return 0

    @abstractmethod
    def size(self) -> int:
        """Return how many bytes the store takes."""

    @abstractmethod
    def check_read(self) -> None:
        """Return if the store answers."""

    @abstractmethod
    def check_write(self) -> None:
        """Return if the store takes a write."""

    def faults(self) -> str:
        """Return what is wrong with the store as a sentence; empty if nothing is."""
        return ""

    def close(self) -> None:  # noqa: B027 - memory has none
        """Close all connections; the next call opens one again."""


def decide(attempt: Callable[[], T | None]) -> T:
    """Read, decide and write until no other writer comes between.

    Args:
        attempt: reads, decides and writes; returns None where the write was refused because
            somebody else has written since it read, and the outcome otherwise.

    Raises:
        TooManyConflicts: every try was refused.
    """
    for number in range(MAX_TRIES):
        outcome = attempt()
        if outcome is not None:
            return outcome
        time.sleep(random.uniform(0, min(_MAX_PAUSE, 0.0005 * number)))
    raise TooManyConflicts("Other writers came first, again and again.")
