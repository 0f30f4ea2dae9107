"""Backups of the database and the signing key in a single file, created while the site runs.

The file is a zip archive with two members. The archive contains hidden cards and the key that signs
cookies, so only the file's owner can read it.
"""

import os
import shutil
import sqlite3
import time
import zipfile
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from web import db, schema
from web.commands import as_click_error
from web.data_dir import (
    KEY,
    create_private,
    data_dir,
    give_to_owner,
    signing_key,
    write_private,
)
from web.db import FILE
from web.settings import BadSetting, Settings

LAST: Final = "last-backup"
"""A file in the data directory whose modification time is the time of the last backup."""

MAX_MEMBER: Final = 64 << 30
"""Maximum size of a restored file in bytes."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def backup(file: Path) -> None:
    """Write the database and the key to FILE, even while the site runs."""
    with as_click_error():
        settings = _settings_with_file()
        make_backup(settings, file)
        size = file.stat().st_size / 1e6
        click.echo(f"Wrote {file} ({size:.1f} MB). Keep it as safe as a key: it holds one.")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--replace", is_flag=True, help="Replace the database that is there.")
def restore(file: Path, replace: bool) -> None:  # noqa: FBT001 - click passes a flag this way
    """Restore the backup FILE into the data directory of a stopped server."""
    with as_click_error():
        settings = _settings_with_file()
        restore_backup(settings, file, replace=replace)
        click.echo(f"{settings.data_dir} is as it was when {file} was made. Start the server.")


def make_backup(settings: Settings, file: Path) -> None:
    """Write a backup atomically.

    Args:
        settings: The settings of the server.
        file: The backup file, which is replaced when the backup is complete.

    Raises:
        BadSetting: If there is no database, or no folder for the backup file.
        OSError: If a file cannot be read or written.
        sqlite3.Error: If the database cannot be read.
    """
    store = settings.data_dir / FILE
    if not store.is_file():
        raise BadSetting(f"{settings.data_dir} has no {FILE}: no server has saved anything there.")
    if not file.absolute().parent.is_dir():
        raise BadSetting(f"There is no folder {file.absolute().parent}.")
    with TemporaryDirectory(dir=file.absolute().parent) as folder:
        copy, draft = Path(folder) / FILE, Path(folder) / "backup"
        _copy_store(store, copy)
        draft.touch(mode=0o600)
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(copy, FILE)
            archive.writestr(KEY, signing_key(settings))
        with draft.open("rb") as written:
            os.fsync(written.fileno())
        draft.replace(file)
        if file.resolve().is_relative_to(settings.data_dir.resolve()):
            give_to_owner(file)
    create_private(settings.data_dir / LAST)


def _copy_store(store: Path, copy: Path) -> None:
    """Copy a snapshot of a database with SQLite's backup API.

    Other processes may use the database during the copy.
    """
    copy.touch(mode=0o600)
    with (
        closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=rw", uri=True)) as source,
        closing(sqlite3.connect(copy)) as target,
    ):
        # The copy is made in a single step, because a write of another process between two steps
        # would restart the copy.
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")


def restore_backup(settings: Settings, file: Path, *, replace: bool = False) -> None:
    """Restore a backup into the data directory.

    If the restore fails, the directory is unchanged.

    Args:
        settings: The settings of a server that is not running.
        file: The backup file.
        replace: Whether to replace an existing database, which is then saved as
            ``cardgames.db.before``.

    Raises:
        BadSetting: If the file is missing or is not a backup, or if the directory is in use.
        OSError: If a file cannot be read or written.
    """
    if not file.is_file():
        raise BadSetting(f"There is no file {file}.")
    folder = data_dir(settings)
    store = folder / FILE
    if store.exists() and not replace:
        raise BadSetting(
            f"{folder} has a {FILE} already. With --replace the backup replaces it, and it is "
            f"saved as {FILE}.before."
        )
    with TemporaryDirectory(dir=folder) as drafts:
        give_to_owner(Path(drafts))
        draft = Path(drafts) / FILE
        key = _unpack(file, draft)
        if settings.secret_key and settings.secret_key != key:
            raise BadSetting(
                "SECRET_KEY is not the key of the backup, so all cookies would be invalid. Set the "
                "right one, or none."
            )
        _check_store(draft)
        _put_in_place(draft, store)
        if not settings.secret_key:
            write_private(folder / KEY, key.encode())


def _put_in_place(draft: Path, store: Path) -> None:
    """Move a checked database into the data directory.

    The old database is saved.

    Raises:
        BadSetting: If a server uses the directory.
    """
    if store.exists():
        _require_unused(store)  # Opening the database also merges the log into the file.
        store.replace(store.with_name(f"{FILE}.before"))
    for name in (f"{FILE}-wal", f"{FILE}-shm"):
        store.with_name(name).unlink(missing_ok=True)
    draft.replace(store)


def _require_unused(store: Path) -> None:
    """Raise BadSetting if another program has the database open.

    SQLite needs an exclusive lock to leave WAL mode, so leaving it fails while another program has
    the file open.

    Raises:
        BadSetting: If a server is running.
    """
    with closing(sqlite3.connect(store, timeout=0)) as connection:
        try:
            connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError:
            raise BadSetting(f"A server runs in {store.parent}. Stop it first.") from None
        except sqlite3.DatabaseError:
            pass  # A server could not use a damaged file either.


def last_backup(settings: Settings) -> float | None:
    """Return the age of the last backup in days, or None if there was no backup."""
    try:
        return (time.time() - (settings.data_dir / LAST).stat().st_mtime) / 86_400
    except OSError:
        return None


def _unpack(file: Path, target: Path) -> str:
    """Write the database of a backup to a file, and return the backup's key."""
    wrong = BadSetting(f"{file} is no backup of Cardgames.")
    try:
        with zipfile.ZipFile(file) as archive:
            if sorted(archive.namelist()) != sorted((FILE, KEY)):
                raise wrong
            if any(member.file_size > MAX_MEMBER for member in archive.infolist()):
                raise wrong
            create_private(target)
            with archive.open(FILE) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out)
            return archive.read(KEY).decode()
    except (zipfile.BadZipFile, UnicodeDecodeError, EOFError):
        raise wrong from None


def _check_store(path: Path) -> None:
    """Upgrade a database, or raise :class:`BadSetting` if it is damaged."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            verdict = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        if verdict != "ok":
            raise BadSetting(f"The store in the backup is damaged: {verdict}.")
        with db.Database(f"sqlite:///{path}") as database:
            schema.upgrade(database)
        # Closing the last connection merged the write-ahead log into the file.
    except (sqlite3.Error, db.Unavailable) as error:
        raise BadSetting(f"The store in the backup cannot be used: {error}") from None


def _settings_with_file() -> Settings:
    """Return the settings if the database is an SQLite file."""
    settings = Settings.from_environment()
    if settings.database_url:
        raise BadSetting("The database is PostgreSQL: back it up with pg_dump (docs/hosting.md).")
    return settings
