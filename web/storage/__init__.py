"""Where sessions, finished rounds and deals are kept: an SQLite file, or Redis."""

from pathlib import Path

from web.storage.protocol import Store, StoreUnavailable
from web.storage.sqlite import SQLiteStore


def open_store(folder: Path, address: str) -> Store:
    """Return the store at an address of Redis, or without one the file in a folder.

    Args:
        folder: the data directory.
        address: the value of ``SESSION_STORE``.

    Raises:
        StoreUnavailable: there can be none.
    """
    if not address:
        return SQLiteStore(folder / "sessions.db")
    from web.storage.redis import RedisStore  # noqa: PLC0415 - 19 MB that one machine does not need

    try:
        return RedisStore(address)
    except ValueError as error:
        raise StoreUnavailable(f"SESSION_STORE: {error}.") from None
