"""Hourly maintenance of the database, which deletes expired rows."""

import logging
import threading
from typing import Any, Final

import flask
from sqlalchemy import delete, select

from web import db
from web.db import DATABASE_ERRORS, Database
from web.db.models import Base

INTERVAL_SECONDS: Final = 3_600

_BATCH: Final = 50  # maximum number of rows per transaction, so that players do not have to wait

log = logging.getLogger("cardgames.upkeep")


def purge(database: Database) -> int:
    """Delete the expired rows of all tables, and return the number of deleted rows.

    Raises:
        Unavailable: If the database does not respond.
    """
    ending = [table for table in Base.metadata.sorted_tables if "expires" in table.c]
    return sum(_purge_table(database, table) for table in ending)


def _purge_table(database: Database, table: Any) -> int:
    (key,) = table.primary_key
    ended = select(key).where(table.c.expires <= database.now()).limit(_BATCH)
    deleted = 0
    while True:
        with database.begin(writes=True) as connection:
            batch = connection.execute(delete(table).where(key.in_(ended))).rowcount
            connection.commit()
        if not batch:
            return deleted
        deleted += batch


def run_maintenance(app: flask.Flask) -> None:
    """Run the maintenance once. An error is logged, and the next run tries again."""
    try:
        purge(db.database(app))
    except DATABASE_ERRORS as error:
        log.error("database: %s", error)  # noqa: TRY400 - an error such as a full disk needs no traceback


def start_maintenance_thread(app: flask.Flask) -> None:
    """Start a thread that runs the maintenance every hour until the process ends."""

    def run() -> None:
        pause = threading.Event()
        while not pause.wait(INTERVAL_SECONDS):
            run_maintenance(app)

    threading.Thread(target=run, name="upkeep", daemon=True).start()
