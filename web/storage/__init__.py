"""Where everything is kept: one store for a site, in a SQLite file or in Redis."""

from pathlib import Path

from web.storage.sqlite import SQLiteStore
from web.storage.store import Store, StoreUnavailable

FILE = "store.db"
"""The name of the file in the data directory."""


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
        return SQLiteStore(folder / FILE, limit)
    from web.storage.redis import RedisStore  # noqa: PLC0415 - 19 MB one machine does not need

    try:
        return RedisStore(address, limit)
    except ValueError as error:
        raise StoreUnavailable(f"SESSION_STORE: {error}.") from None
