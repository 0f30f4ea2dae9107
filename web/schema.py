"""Upgrades of the database's tables with Alembic when the site starts.

``migrations/versions`` has one script per change. ``tools/migration SUBJECT`` creates a new script
from the models.
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
from web.db.engines import Busy, has_error_code
from web.db.models import Base
from web.settings import ROOT

MIGRATIONS: Final = ROOT / "migrations"
"""The folder of Alembic's scripts."""

DEVELOPMENT: Final = "0006"
"""The last development migration; :data:`FIRST` replaces it and all before it."""

FIRST: Final = "0001"
"""The migration that creates the tables of :data:`DEVELOPMENT`."""

NEWER_TABLES: Final = frozenset({"friend_matches"})
"""The tables that later migrations add."""

NEWER_COLUMNS: Final = frozenset({("tournaments", "puzzles")})
"""The columns that later migrations add to other tables."""

OLD_STORE: Final = "store.db"
"""The file of earlier versions in the data directory. The site does not read this file."""

MAX_UPGRADE: Final = 60.0
"""Timeout, in seconds, for waiting while another process upgrades the SQLite file."""

_PAUSE: Final = 0.1

LOCK: Final = 0x63617264
"""The ID of PostgreSQL's advisory lock for upgrades."""

_VERSION: Final[Any] = select(sql_column("version_num")).select_from(sql_table("alembic_version"))


def upgrade(database: Database) -> None:
    """Create or upgrade a database's tables, in one process at a time.

    Raises:
        Unavailable: If the database does not respond, belongs to another version of the site, or is
            on a disk that cannot share files.
    """
    ends = monotonic() + MAX_UPGRADE
    while True:
        try:
            return _upgrade(database)
        except Busy:  # Another process is upgrading the database.
            database.engine.dispose()
            if monotonic() > ends:
                raise
            sleep(_PAUSE)
        except Unavailable:
            database.engine.dispose()
            raise


def _upgrade(database: Database) -> None:
    if database.is_sqlite:
        _enable_wal(database)
    if is_current(database):
        return
    with database.begin(writes=True) as connection:
        if not database.is_sqlite:  # SQLite has one writer at a time anyway.
            connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
        try:
            if _has_first_tables_of_development(connection):
                command.stamp(config_for(connection), FIRST, purge=True)
            command.upgrade(config_for(connection), "head")
            connection.commit()
        except CommandError as error:
            raise Unavailable(
                "The database belongs to another version of the site. Nothing in it was changed: "
                f"start that version, or set another DATA_DIR or DATABASE_URL. ({error})"
            ) from error


def _has_first_tables_of_development(connection: Connection) -> bool:
    """Return whether a development version created the database and its first tables."""

    def is_first(item: Any, name: str | None, kind: str, *_: object) -> bool:
        if kind == "column":
            return (item.table.name, name) not in NEWER_COLUMNS
        return kind != "table" or name not in NEWER_TABLES

    context = MigrationContext.configure(connection, opts={"include_object": is_first})
    is_development = context.get_current_revision() == DEVELOPMENT
    return is_development and not compare_metadata(context, Base.metadata)


def is_current(database: Database) -> bool:
    """Return whether the tables have the structure of this version."""
    return _current_revision(database) == head_revision()


def head_revision() -> str:
    """Return the number of the newest migration."""
    numbers = (path.stem.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    return max(numbers)


def config_for(connection: Connection) -> Config:
    """Return Alembic's configuration for a connection."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def old_store(folder: Path) -> str:
    """Return a message about a file of an older version, or an empty string."""
    path = folder / OLD_STORE
    if not path.exists():
        return ""
    return (
        f"{path} belongs to an older version of the site. It is not read and not changed: games "
        "and classes start again."
    )


def _current_revision(database: Database) -> str:
    """Return the number of a database's migration, or an empty string."""
    with database.begin(writes=False) as connection:
        if not inspect(connection).has_table("alembic_version"):
            return ""
        return str(connection.scalar(_VERSION))


def _enable_wal(database: Database) -> None:
    """Switch SQLite to WAL mode, in which readers never wait for writers.

    Raises:
        Busy: If another process has the file open.
        Unavailable: If the disk, such as a network drive, does not support shared files.
    """
    with database.engine.connect() as connection:
        raw: Any = connection.connection.dbapi_connection
        try:
            mode = raw.execute("PRAGMA journal_mode=WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if not has_error_code(error, sqlite3.SQLITE_BUSY):
                raise
            raise Busy(f"{database.engine.url.database}: {error}") from error
    if mode != "wal":
        raise Unavailable(
            f"The disk of {database.engine.url.database} cannot share a database (journal "
            f"mode {mode}, not wal). Set DATA_DIR to a local disk."
        )
