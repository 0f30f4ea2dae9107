"""Jobs in an SQLite file of their own.

Not in that of the sessions: an SQLite file has one writer at a time, and a process that steps back
behind the others must not hold up a player's move. A connection is opened for each question; there
are a few a second.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, cast

from web.storage.jobs import LEASE, LIFETIME, MAX_ATTEMPTS, MAX_JOBS, Job, JobState
from web.storage.protocol import StoreUnavailable

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS job (
    number INTEGER PRIMARY KEY AUTOINCREMENT, created INTEGER NOT NULL, queue INTEGER NOT NULL,
    work INTEGER NOT NULL, state TEXT NOT NULL, lease INTEGER NOT NULL, attempts INTEGER NOT NULL,
    data BLOB NOT NULL, result BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS open_job ON job (queue, work, number) WHERE state = 'open';
"""
_KEPT: Final = "SELECT number, created, queue, work, state, lease, data FROM job WHERE created > ? "


class SQLiteJobs:
    """Jobs in one SQLite file, shared by all processes of one machine."""

    def __init__(self, path: Path) -> None:
        """Keep jobs in a file; it is made for the owner alone, when the first question is asked."""
        self._path = path

    def add(self, queue: int, work: int, data: bytes) -> Job:
        """Keep a new job; the oldest of its queue goes when there are too many."""
        now = int(time.time())
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM job WHERE created <= ?", (now - LIFETIME,))
            connection.execute(
                "DELETE FROM job WHERE number IN (SELECT number FROM job WHERE queue = ? "
                "ORDER BY number DESC LIMIT -1 OFFSET ?)",
                (queue, MAX_JOBS - 1),
            )
            number = connection.execute(
                "INSERT INTO job (created, queue, work, state, lease, attempts, data, result) "
                "VALUES (?, ?, ?, 'open', 0, 0, ?, x'')",
                (now, queue, work, data),
            ).lastrowid
            connection.execute("COMMIT")
        return Job(cast("int", number), now, queue, work, JobState.OPEN, 0, data)

    def find(self, number: int) -> Job | None:
        """Return a job, if it is kept."""
        found = self._jobs("AND number = ?", number)
        return found[0] if found else None

    def result(self, number: int) -> bytes:
        """Return what came out of a job so far; empty where nothing has."""
        with self._connection() as connection:
            statement = "SELECT result FROM job WHERE number = ?"
            row = connection.execute(statement, (number,)).fetchone()
        data: bytes = row[0] if row else b""
        return data

    def latest(self, count: int) -> tuple[Job, ...]:
        """Return the newest jobs, the newest first."""
        return self._jobs("ORDER BY number DESC LIMIT ?", count)

    def open_jobs(self) -> tuple[Job, ...]:
        """Return the jobs that are not finished: one queue after the other, each in its order."""
        return self._jobs("AND state = 'open' ORDER BY queue, work, number")

    def take(self, queue: int) -> Job | None:
        """Take the first job of a queue for ``LEASE`` seconds; None where there is none."""
        if not self.open_jobs():  # asked again and again: without a lock, and nothing is written
            return None
        now = time.time_ns() // 1_000
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(
                "UPDATE job SET state = 'failed' "
                "WHERE state = 'open' AND lease <= ? AND attempts >= ?",
                (now, MAX_ATTEMPTS),
            )
            row = connection.execute(
                _KEPT + "AND state = 'open' AND lease <= ? AND queue = ? ORDER BY work, number",
                (_oldest(), now, queue),
            ).fetchone()
            job = row and _job(row)._replace(lease=now + LEASE * 1_000_000)
            if job:
                connection.execute(
                    "UPDATE job SET lease = ?, attempts = attempts + 1 WHERE number = ?",
                    (job.lease, job.number),
                )
            connection.execute("COMMIT")
        return job

    def put(self, job: Job, result: bytes) -> bool:
        """Put a job back as it stands now, with what came out so far."""
        return self._write(
            "UPDATE job SET lease = 0, attempts = 0, state = ?, work = ?, data = ?, result = ? "
            "WHERE number = ? AND lease = ? AND state = 'open'",
            *(job.state, job.work, job.data, result, job.number, job.lease),
        )

    def cancel(self, number: int) -> bool:
        """End a job that is open; return whether it was."""
        statement = "UPDATE job SET state = 'cancelled' WHERE number = ? AND state = 'open'"
        return self._write(statement, number)

    def _jobs(self, condition: str, *values: int) -> tuple[Job, ...]:
        with self._connection() as connection:
            rows = connection.execute(_KEPT + condition, (_oldest(), *values)).fetchall()
        return tuple(map(_job, rows))

    def _write(self, statement: str, *values: int | str | bytes) -> bool:
        with self._connection() as connection:
            return connection.execute(statement, values).rowcount == 1

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; a fault of the disk or the file becomes StoreUnavailable."""
        try:
            if not self._path.exists():
                self._path.touch(mode=0o600)
            with closing(
                sqlite3.connect(self._path, timeout=5, isolation_level=None)
            ) as connection:
                connection.executescript(_SCHEMA)
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailable(f"{self._path}: {error}") from error


def _job(row: tuple[int, int, int, int, str, int, bytes]) -> Job:
    number, created, queue, work, state, lease, data = row
    return Job(number, created, queue, work, JobState(state), lease, data)


def _oldest() -> int:
    """Return the time at or before which a job was made that is no longer kept."""
    return int(time.time()) - LIFETIME
