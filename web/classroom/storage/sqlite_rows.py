"""What all that is kept of classes in the sessions' SQLite file has in common."""

import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar

from web.storage.sqlite_file import SQLiteFile, transaction

T = TypeVar("T")


class SQLiteRows:
    """Reads and writes the classroom's tables (:mod:`.sqlite_schema`)."""

    def __init__(self, file: SQLiteFile) -> None:
        """Keep them in a file that has these tables."""
        self._file = file

    def _rows(self, statement: str, *values: str | float) -> list[Any]:
        """Return the rows that a statement finds."""
        with self._file.reading() as connection:
            return connection.execute(statement, values).fetchall()

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Write as a whole, or nothing if something fails; what is deleted is overwritten."""

        def whole(connection: sqlite3.Connection) -> T:
            connection.execute("PRAGMA secure_delete=ON")
            with transaction(connection):
                return work(connection)

        return self._file.write(whole)
