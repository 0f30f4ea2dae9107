"""Where sessions, rounds, deals and jobs are kept: SQLite files, or Redis."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from web.storage.jobs import JobStore
from web.storage.protocol import Store, StoreUnavailable
from web.storage.sqlite import SQLiteStore
from web.storage.sqlite_jobs import SQLiteJobs

Opened = TypeVar("Opened")


def open_store(folder: Path, address: str, limit: int = 0) -> Store:
    """Return the store at an address of Redis, or without one the file in a folder.

    Args:
        folder: the data directory.
        address: the value of ``SESSION_STORE``.
        limit: how many bytes it may take before it counts as full; 0 for any number.

    Raises:
        StoreUnavailable: there can be none.
    """

    def at_redis() -> Store:
        from web.storage.redis import RedisStore  # noqa: PLC0415 - 19 MB one machine does not need

        return RedisStore(address, limit)

    return opened(address, lambda: SQLiteStore(folder / "sessions.db", limit), at_redis)


def open_jobs(folder: Path, address: str) -> JobStore:
    """Return where long computations are kept; nothing is made or asked before it is used.

    Args and errors are those of :func:`open_store`.
    """

    def at_redis() -> JobStore:
        from web.storage.redis_jobs import RedisJobs  # noqa: PLC0415 - as above

        return RedisJobs(address)

    return opened(address, lambda: SQLiteJobs(folder / "jobs.db"), at_redis)


def opened(address: str, in_a_file: Callable[[], Opened], at_redis: Callable[[], Opened]) -> Opened:
    """Return what is kept at an address of Redis, or without one in a file.

    Args:
        address: the value of ``SESSION_STORE``.
        in_a_file: opens the file.
        at_redis: connects to the address, and raises ValueError where it is none.

    Raises:
        StoreUnavailable: there can be none.
    """
    if not address:
        return in_a_file()
    try:
        return at_redis()
    except ValueError as error:
        raise StoreUnavailable(f"SESSION_STORE: {error}.") from None
