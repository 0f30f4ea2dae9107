"""The tables of the database: brought up to this version by Alembic when the site starts.

``migrations/versions`` has a script for each change. ``tools/migration SUBJECT`` writes a new one
from what the classes of tables say.
"""

import sqlite3
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.util import CommandError
from sqlalchemy import Connection, inspect, select, text
from sqlalchemy import column as sql_column
from sqlalchemy import table as sql_table

from web.db import Database, Unavailable
from web.db.engines import Busy, is_error_of
from web.db.models import Base
from web.settings import ROOT

MIGRATIONS: Final = ROOT / "migrations"
"""Where Alembic's scripts lie."""

DEVELOPMENT: Final = "0006"
"""The newest migration before version 1.0, whose six are one now."""

OLD_STORE: Final = "store.db"
"""The file in the data directory of earlier versions, which is left as it is."""

MAX_UPGRADE: Final = 60.0
"""Maximum number of seconds that a process waits for another one that upgrades SQLite's file."""

_PAUSE: Final = 0.1

LOCK: Final = 0x63617264
"""The number of the lock of PostgreSQL under which one process upgrades."""

_VERSION: Final[Any] = select(sql_column("version_num")).select_from(sql_table("alembic_version"))


def upgrade(database: Database) -> None:
    """Make the tables of a database, or bring them up to this version, one process at a time.

    Raises:
        Unavailable: the database does not answer, belongs to another version of the site, or its
            disk cannot keep a shared database.
    """
    ends = monotonic() + MAX_UPGRADE
    while True:
        try:
            return _upgrade(database)
        except Busy:  # another process is upgrading it
            database.engine.dispose()
            if monotonic() > ends:
                raise
            sleep(_PAUSE)
        except Unavailable:
            database.engine.dispose()
            raise


def _upgrade(database: Database) -> None:
    if database.is_sqlite:
        _keep_log(database)
    if is_current(database):
        return
    with database.engine.begin() as connection:
        if not database.is_sqlite:  # where the transaction itself has one writer
            connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
        try:
            if _has_current_tables_of_development(connection):
                command.stamp(config_for(connection), "head", purge=True)
            command.upgrade(config_for(connection), "head")
        except CommandError as error:
            raise Unavailable(
                "The database belongs to another version of the site. Nothing in it was changed: "
                f"start that version, or set another DATA_DIR or DATABASE_URL. ({error})"
            ) from error


def _has_current_tables_of_development(connection: Connection) -> bool:
    """Return whether a development version made the database, with the tables of this version."""
    context = MigrationContext.configure(connection)
    is_development = context.get_current_revision() == DEVELOPMENT
    return is_development and not compare_metadata(context, Base.metadata)


def is_current(database: Database) -> bool:
    """Return whether the tables are those of this version."""
    return _current(database) == newest()


def newest() -> str:
    """Return the number of the newest migration."""
    found = (path.stem.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    return max(found)


def config_for(connection: Connection) -> Config:
    """Return Alembic's configuration for a connection."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def old_store(folder: Path) -> str:
    """Return a sentence about a file of an older version; empty where there is none."""
    path = folder / OLD_STORE
    if not path.exists():
        return ""
    return (
        f"{path} was kept by an older version of the site. It is not read, and left where it is: "
        "games and classes begin anew."
    )


def _current(database: Database) -> str:
    """Return the number of the migration that a database has; nothing where it has none."""
    with database.engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return ""
        return str(connection.scalar(_VERSION))


def _keep_log(database: Database) -> None:
    """Have SQLite write into a log beside its file, so that nobody who reads waits for a writer.

    Raises:
        Busy: another process holds the file, which is new to it as well.
        Unavailable: the disk cannot share such a file, as network drives cannot.
    """
    with database.engine.connect() as connection:
        raw: Any = connection.connection.dbapi_connection
        try:
            mode = raw.execute("PRAGMA journal_mode=WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if not is_error_of(error, sqlite3.SQLITE_BUSY):
                raise
            raise Busy(f"{database.engine.url.database}: {error}") from error
    if mode != "wal":
        raise Unavailable(
            f"The disk of {database.engine.url.database} cannot keep a shared database (journal "
            f"mode {mode}, not wal). Set DATA_DIR to a local disk."
        )
