"""What is left of the old store, until all capabilities are ported."""

from pathlib import Path

from web import db
from web.storage.rows import RowStore
from web.storage.store import Store

FILE = db.FILE


def open_store(folder: Path, address: str, limit: int = 0) -> Store:  # noqa: ARG001
    """Return the rows of a database."""
    return RowStore(db.Database(address or db.url_in(folder)))
