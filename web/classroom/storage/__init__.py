"""Where classes are kept: beside the sessions, in their SQLite file or their Redis."""

from pathlib import Path

from web.classroom.storage.protocol import ClassStore
from web.classroom.storage.sqlite import SQLiteClassStore
from web.storage import opened


def open_class_store(folder: Path, address: str) -> ClassStore:
    """Return the store at an address of Redis, or without one the sessions' file in a folder.

    Args and errors are those of :func:`web.storage.open_store`.
    """

    def at_redis() -> ClassStore:
        from web.classroom.storage.redis import RedisClassStore  # noqa: PLC0415 - as for sessions

        return RedisClassStore(address)

    return opened(address, lambda: SQLiteClassStore(folder / "sessions.db"), at_redis)
