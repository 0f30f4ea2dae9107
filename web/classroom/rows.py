"""Rows of classes, for what has no tables yet: votes, tournaments and insight."""

from collections.abc import Callable, Collection
from typing import ClassVar, Final, TypeVar

import msgspec
from werkzeug.exceptions import ServiceUnavailable

from web.storage.hints import Hints
from web.storage.store import NEVER, Put, Read, Row, Store

HEAD: Final = "head"
T = TypeVar("T")


class UnknownFormat(ServiceUnavailable):
    """Another version of the site has written a class."""


class ClassCounters(msgspec.Struct, frozen=True):
    """The numbers of a class that these rows want to know."""

    version: int
    students: int
    votes: int = 0

    def packed(self, **_: float) -> bytes:
        """Say that ``students`` is to be raised."""
        return b"raise"


def place_of(code: str) -> str:
    """Return the place of a class."""
    return f"class/{code}"


def student_key(number: int) -> str:
    """Return the key of a student's row."""
    return f"student/{number:04}"


def number_in_key(key: str) -> int:
    """Return the number at the end of a key."""
    return int(key.rpartition("/")[2])


class ClassRows:
    """Reads and writes the rows of classes, and for some of them hints of what is to be done."""

    hints_at: ClassVar[str] = ""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        self._store, self.hints = store, Hints(store, self.hints_at)

    def _read(self, code: str, *keys: str) -> tuple[ClassCounters | None, Read]:
        """Return the numbers of a class, None where there is none, and further rows."""
        from web.classroom import queries

        found = queries.find_class(code, self._store.read(place_of(code), HEAD).now)
        read = self._store.read(place_of(code), *keys)
        students = {
            key: Row(1, b"")
            for key in keys
            if key.startswith("student/") and queries.find_member(code, 0, number_in_key(key))
        }
        read = msgspec.structs.replace(read, rows={**read.rows, **students})
        if found is None:
            return None, read
        return ClassCounters(found[0].version, found[0].changes, len(found[0].votes)), read

    def _update(
        self,
        code: str,
        keys: Collection[str],
        change: Callable[[ClassCounters, Read], Put | None],
        *,
        before: float = NEVER,
    ) -> bool:
        """Write what follows from some rows of a class; return whether it was written."""
        from web.classroom import queries

        head, read = self._read(code, *keys)
        put = change(head, read) if head else None
        if put is None or head is None:
            return False
        if HEAD in put:
            queries.save_class(code, {"changes": head.students + 1})
        rows = {k: v for k, v in put.items() if k != HEAD and not k.startswith("student/")}
        until = 2**40
        return self._store.write(place_of(code), rows, {}, expires=until, before=before)

    def _value(self, code: str, key: str, kind: type[T]) -> T | None:
        """Return what a row of a class holds; None for nothing, and for what cannot be read."""
        return self._store.read(place_of(code), key).value(key, kind)

    def _revisions(self, code: str, *keys: str) -> tuple[int, ...]:
        """Return what changes whenever one of some rows of a class is written."""
        read = self._store.read(place_of(code), *keys)
        return tuple(read[key].revision for key in keys)

    def _scan(self, code: str, prefix: str) -> dict[str, bytes]:
        """Return the rows of a class whose keys begin with a prefix, in their order."""
        rows = self._store.scan(place_of(code), prefix).rows
        return {key: row.data for key, row in rows.items()}
