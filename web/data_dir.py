"""The data directory: made for its owner alone, with the signing key and other private files."""

import logging
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from web import db
from web.settings import BadSetting, Settings

KEY: Final = "secret_key"
"""The file of the signing key, where none is set."""

_OTHERS: Final = 0o077  # the rights of everybody but the owner of a file

log = logging.getLogger("cardgames.data")


def data_dir(settings: Settings) -> Path:
    """Return the data directory, made if it is not there yet.

    Raises:
        BadSetting: it cannot be made.
    """
    folder = settings.data_dir
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadSetting(f"DATA_DIR {folder}: {error.strerror}.") from None
    return folder


def signing_key(settings: Settings) -> str:
    """Return the signing key: the one that was set, or one made once and kept.

    Raises:
        BadSetting: none is set, and none can be kept.
    """
    return settings.secret_key or _kept_key(data_dir(settings) / KEY)


def url_in(folder: Path) -> str:
    """Return the address of SQLite's file in a data directory, which is made for its owner alone.

    Raises:
        db.Unavailable: the file cannot be made.
    """
    path = folder.resolve() / db.FILE
    try:
        path.touch(mode=0o600)
    except OSError as error:
        raise db.Unavailable(f"{path}: {error.strerror}.") from None
    for each in folder.glob(f"{db.FILE}*"):
        make_private(each)  # one restored from a copy may have come with other rights
    return f"sqlite:///{path}"


def _kept_key(path: Path) -> str:
    try:
        if not path.exists():
            _make_key(path)
        make_private(path)
        key = path.read_text().strip()
    except OSError as error:
        raise BadSetting(f"The key in {path} cannot be kept: {error.strerror}.") from None
    if not key:
        raise BadSetting(f"The key in {path} is empty. Delete the file, and a new one is made.")
    return key


def _make_key(path: Path) -> None:
    """Write a new key and link it into place whole, so that two workers agree on one."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    draft.touch(mode=0o600)
    try:
        draft.write_text(secrets.token_urlsafe(48))
        path.hardlink_to(draft)
    except FileExistsError:
        pass  # another worker was first: its key is the key
    finally:
        draft.unlink()


def write_private(path: Path, data: bytes) -> None:
    """Write a file for the owner alone, whole or not at all."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_bytes(data)
    draft.replace(path)


def make_private(path: Path) -> None:
    """Take everybody else's rights off a file of ours; a restored copy may have come with them."""
    with suppress(OSError):  # somebody else's file is reported by the command `check`
        mode = path.stat().st_mode
        if mode & _OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
            log.warning("%s could be read by others on this machine, and is private now", path)
