"""Where classes are kept: beside the sessions, in their SQLite file or their Redis."""

from pathlib import Path

from web.classroom.storage.protocol import ClassStore
from web.classroom.storage.sqlite import SQLiteClassStore
from web.storage.protocol import StoreUnavailable


def open_class_store(folder: Path, address: str) -> ClassStore:
    """Return the store at an address of Redis, or without one the sessions' file in a folder.

    Args:
        folder: the data directory.
        address: the value of ``SESSION_STORE``.

    Raises:
        StoreUnavailable: there can be none.
    """
    if not address:
        return SQLiteClassStore(folder / "sessions.db")
    from web.classroom.storage.redis import RedisClassStore  # noqa: PLC0415 - as for sessions

    try:
        return RedisClassStore(address)
    except ValueError as error:
        raise StoreUnavailable(f"SESSION_STORE: {error}.") from None
