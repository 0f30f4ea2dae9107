"""The command ``check``, which reports problems of the settings, the disk and the port.

The command creates missing folders in the data directory, as the server does. If there is no data
directory, the command uses a temporary folder in the parent folder of the data directory.
"""

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import click
from sqlalchemy import func, select

from web import db, schema
from web.commands.backup import last_backup
from web.commands.health import status_at
from web.commands.running import running_settings
from web.commands.serve import require_free_port
from web.data_dir import owner_name, reason, signing_key, url_in
from web.db.models import SavedSession
from web.http.security import OTHER_HOST, REFUSED_FORMS
from web.reach import unknown_address
from web.settings import BadSetting, Settings

_LEAST_SPACE: Final = 200 * 1024**2
_LEAST_FILES: Final = 1_024
_LEAST_KEY: Final = 32
_PRIVATE: Final = 0o077
_NEARLY_FULL: Final = 0.8


class Finding(NamedTuple):
    """The result of a single check."""

    level: str
    """``ok``, ``note`` (useful to know) or ``WRONG`` (the site will not work correctly)."""

    sentence: str


@click.command("check")
def command() -> None:
    """Report problems of the settings, the disk and the port."""
    wrong = False
    for level, sentence in findings():
        click.echo(f"{level:<6} {sentence}")
        wrong = wrong or level == "WRONG"
    if wrong:
        sys.exit(1)


def findings() -> Iterator[Finding]:
    """Yield the result of each check, in the order of the steps of the server's start."""
    try:
        settings = Settings.from_environment()
    except BadSetting as error:
        yield from (Finding("WRONG", sentence) for sentence in error.sentences)
        return
    if removed := Settings.removed():
        yield Finding("note", removed)
    if not {"HOST", "PORT"} & os.environ.keys():
        settings = running_settings(settings) or settings
    yield _port(settings)
    try:
        yield from _kept(settings) if settings.data_dir.is_dir() else _not_yet_there(settings)
    except PermissionError as error:  # A parent folder belongs to someone else.
        yield Finding("WRONG", f"DATA_DIR {settings.data_dir}: {reason(error, settings.data_dir)}.")
    yield from _proxy(settings)
    yield from _machine(settings)


def _port(settings: Settings) -> Finding:
    address = f"port {settings.port} of {settings.host}"
    try:
        require_free_port(settings)
    except BadSetting as error:
        if status_at(settings.host, settings):  # The program that uses the port is this site.
            return Finding("ok", f"Cardgames is running on {address}.")
        return Finding("WRONG", str(error))
    return Finding("ok", f"No other program is using {address}.")


def _kept(settings: Settings) -> Iterator[Finding]:
    yield from _folder(settings.data_dir)
    yield _key(settings)
    yield from _database(settings)


def _not_yet_there(settings: Settings) -> Iterator[Finding]:
    """Check whether a missing data directory can be created.

    The check uses a temporary folder, which it deletes.
    """
    folder = settings.data_dir.absolute()
    parent = next(path for path in folder.parents if path.exists())
    try:
        if folder.exists():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        with TemporaryDirectory(prefix=".cardgames-check.", dir=parent) as trial:
            yield Finding("ok", f"{settings.data_dir} is not there yet; the server makes it.")
            tried = replace(settings, data_dir=Path(trial))
            yield _key(tried)
            yield from _database(tried)
    except OSError as error:
        yield Finding("WRONG", f"DATA_DIR {settings.data_dir}: {reason(error, folder)}.")


def _folder(folder: Path) -> Iterator[Finding]:
    draft = folder / f"check.{os.getpid()}"
    try:
        draft.write_bytes(b"x" * 4_096)
        draft.unlink()
        yield Finding("ok", f"{folder} can be written.")
    except OSError as error:
        yield Finding("WRONG", f"DATA_DIR {folder} cannot be written: {reason(error, draft)}.")
    free = shutil.disk_usage(folder).free
    if free < _LEAST_SPACE:
        yield Finding("WRONG", f"The disk of {folder} is nearly full: {free >> 20} MB are free.")
    for path in (folder, *sorted(folder.glob("[cs]*"))):  # the database, the key and the backups
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:  # SQLite has deleted its log since the folder was listed.
            continue
        if (owner := owner_name(path)) != owner_name(folder):
            yield Finding(
                "WRONG",
                f"{path} belongs to {owner}, and {folder} to {owner_name(folder)}, who cannot "
                f"use it: chown --reference={folder} {path}",
            )
        if mode & _PRIVATE:
            yield Finding(
                "note",
                f"Others on this machine can reach {path} ({stat.filemode(mode)}), and so hidden "
                f"cards: chmod -R go= {folder}",
            )


def _key(settings: Settings) -> Finding:
    try:
        key = signing_key(settings)
    except BadSetting as error:
        return Finding("WRONG", str(error))
    if settings.secret_key and len(key) < _LEAST_KEY:
        return Finding(
            "WRONG",
            f"SECRET_KEY is too short ({len(key)} characters): somebody may guess it, and sit down "
            'at any table. Make one: python3 -c "import secrets; print(secrets.token_urlsafe(48))"',
        )
    if settings.secret_key:
        return Finding("ok", "The signing key comes from SECRET_KEY.")
    if settings.database_url:
        return Finding(
            "note",
            "The signing key is kept in DATA_DIR: several machines do not know each other's "
            "cookies. Set the same SECRET_KEY on all of them.",
        )
    return Finding("ok", "The signing key was made here and is kept in DATA_DIR.")


def _database(settings: Settings) -> Iterator[Finding]:
    try:
        with db.Database(settings.database_url or url_in(settings.data_dir)) as database:
            schema.upgrade(database)
            database.check()
            results = [*_contents(database, settings)]
    except db.Unavailable as error:
        yield Finding("WRONG", f"Sessions cannot be kept. {error}")
    except BadSetting:  # The check of the key has already reported the error.
        return
    else:
        yield from results


def _contents(database: db.Database, settings: Settings) -> Iterator[Finding]:
    """Yield the size and the problems of a database."""
    with database.session(writes=False) as session:
        count = session.scalar(select(func.count(SavedSession.id)))
    size = database.size()
    kind = "the SQLite file, in WAL mode" if database.is_sqlite else "PostgreSQL"
    used = f"{size / 1e6:.0f} of {settings.max_store_mb or 'any number of'}"
    yield Finding("ok", f"Sessions are kept in {kind}: {count} now, {used} MB.")
    if settings.store_limit and size > _NEARLY_FULL * settings.store_limit:
        yield Finding(
            "WRONG",
            f"The database is nearly full ({used} MB): soon new players are turned away. Set a "
            "larger MAX_STORE_MB if there is room.",
        )
    if faults := database.faults():
        yield Finding("WRONG", faults)
    if database.is_sqlite:
        days = last_backup(settings)
        last = "No backup was made yet" if days is None else f"Last backup {days:.1f} days ago"
        yield Finding("ok", f"{last} (the command backup makes one).")


def _proxy(settings: Settings) -> Iterator[Finding]:
    if (settings.data_dir / REFUSED_FORMS).exists():
        yield Finding("note", OTHER_HOST)
    if unknown := unknown_address(settings):
        yield Finding("note", unknown)
    if settings.trusted_user_header:
        peers = ", ".join(map(str, settings.proxy_networks))
        yield Finding(
            "ok",
            f"Who has signed on is read from {settings.trusted_user_header}, as sent from {peers}. "
            "The proxy there must drop that header from what browsers send.",
        )
    if settings.proxy_count and _is_public(settings) and not settings.proxy_networks:
        yield Finding(
            "note",
            f"TRUSTED_PROXIES is {settings.proxy_count}, but HOST {settings.host} lets anybody "
            "pass the proxy by and say what they like. Let only the proxy reach the port.",
        )
    if not settings.allowed_hosts:
        yield from _any_name(settings)


def _is_public(settings: Settings) -> bool:
    """Return whether other machines can reach the server's port."""
    return settings.host in ("0.0.0.0", "::")  # noqa: S104 - used only for comparison


def _any_name(settings: Settings) -> Iterator[Finding]:
    """Yield a note about the host names that the site accepts without ALLOWED_HOSTS."""
    if settings.proxy_count:
        yield Finding("note", "The site answers to any name. Set ALLOWED_HOSTS to its own.")
    elif _is_public(settings):
        yield Finding(
            "note",
            "The site answers to its addresses in numbers, and to names without a dot. Set "
            "ALLOWED_HOSTS to the names that it has besides.",
        )


def _machine(settings: Settings) -> Iterator[Finding]:
    yield from _open_files()
    processors = os.cpu_count() or 1
    if settings.workers > 2 * processors:
        yield Finding("note", f"{settings.workers} workers share {processors} processors.")


def _open_files() -> Iterator[Finding]:
    try:
        import resource  # noqa: PLC0415 - the module is missing on some systems
    except ImportError:
        return
    # The server raises its soft limit to this hard limit.
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if files != resource.RLIM_INFINITY and files < _LEAST_FILES:
        yield Finding("WRONG", f"Only {files} connections fit (ulimit -n): set it to 4096.")
