"""Sessions straight in a store, as the site saves them."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from web.storage.rounds import NewRound, rows_with, session_place
from web.storage.session_rows import ESTABLISHED, TABLES, end_of
from web.storage.store import Store


def save(
    store: Store,
    sid: str,
    data: bytes,
    finished: Sequence[NewRound] = (),
    newest: Mapping[str, int] | None = None,
) -> Mapping[str, int]:
    """Load and save a session once, with rounds beside it.

    Args:
        store: where it is kept.
        sid: its id.
        data: its row.
        finished: the rounds.
        newest: the numbers of each table's newest round, as the last save has returned them.

    Returns:
        those numbers now.

    Raises:
        RuntimeError: somebody else has saved it.
    """
    read = store.read(session_place(sid), TABLES)
    rounds = rows_with(store, sid, newest or {}, finished)
    put, seen = {**rounds.put, TABLES: data}, {**rounds.seen, TABLES: read[TABLES].revision}
    end = end_of(read.now, ESTABLISHED)
    if not store.write(session_place(sid), put, seen, expires=end):
        raise RuntimeError(sid)
    return rounds.newest


def checkpoint(path: Path) -> None:
    """Move what was written lately from a file's log of writes into the file itself."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
