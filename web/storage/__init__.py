"""Where sessions, rounds, deals and jobs are kept: SQLite files, or Redis."""

from pathlib import Path

from web.storage.jobs import JobStore
from web.storage.protocol import Store, StoreUnavailable
from web.storage.sqlite import SQLiteStore
from web.storage.sqlite_jobs import SQLiteJobs


def open_store(folder: Path, address: str, limit: int = 0) -> Store:
    """Return the store at an address of Redis, or without one the file in a folder.

    Args:
        folder: the data directory.
        address: the value of ``SESSION_STORE``.
        limit: how many bytes it may take before it counts as full; 0 for any number.

    Raises:
        StoreUnavailable: there can be none.
    """
    if not address:
        return SQLiteStore(folder / "sessions.db", limit)
    from web.storage.redis import RedisStore  # noqa: PLC0415 - 19 MB that one machine does not need

    try:
        return RedisStore(address, limit)
    except ValueError as error:
        raise StoreUnavailable(f"SESSION_STORE: {error}.") from None


def open_jobs(folder: Path, address: str) -> JobStore:
    """Return where long computations are kept; nothing is made or asked before it is used.

    Args:
        folder: the data directory.
        address: the value of ``SESSION_STORE``.

    Raises:
        StoreUnavailable: there can be none.
    """
    if not address:
        return SQLiteJobs(folder / "jobs.db")
    from web.storage.redis_jobs import RedisJobs  # noqa: PLC0415

    try:
        return RedisJobs(address)
    except ValueError as error:
        raise StoreUnavailable(f"SESSION_STORE: {error}.") from None
