"""The data directory: the database, the signing key and other private files of the site.

Only the directory's owner can access the directory. Operators often run a command as root while the
site runs as another user. Like SQLite, root therefore gives the files that it creates to the owner
of the directory.
"""

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
"""The file with the signing key, unless SECRET_KEY is set."""

_OTHERS: Final = 0o077  # the permissions of all users except the owner

log = logging.getLogger("cardgames.data")


def data_dir(settings: Settings) -> Path:
    """Return the data directory, which is created if it is missing.

    Raises:
        BadSetting: If the directory cannot be created.
    """
    folder = settings.data_dir
    try:
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        for path in reversed(missing):
            path.mkdir(mode=0o700, exist_ok=True)
            give_to_owner(path)
        folder.mkdir(exist_ok=True)  # ``mkdir`` raises an error if a file has this name.
    except OSError as error:
        raise BadSetting(f"DATA_DIR {folder}: {reason(error, folder)}.") from None
    return folder


def signing_key(settings: Settings) -> str:
    """Return SECRET_KEY, or the key that is saved in the data directory.

    If both are missing, a key is created and saved.

    Raises:
        BadSetting: If there is no key and no key can be saved.
    """
    return settings.secret_key or _saved_key(data_dir(settings) / KEY)


def url_in(folder: Path) -> str:
    """Return the URL of the SQLite file in a data directory.

    If the file is missing, it is created.

    Raises:
        db.Unavailable: If the file cannot be created.
    """
    path = folder.resolve() / db.FILE
    try:
        create_private(path)
    except OSError as error:
        raise db.Unavailable(f"{path}: {reason(error, path)}.") from None
    for file in folder.glob(f"{db.FILE}*"):
        make_private(file)  # A restored copy may have different permissions.
    return f"sqlite:///{path}"


def reason(error: OSError, path: Path) -> str:
    """Return an error's message.

    If a permission is missing, the message names the user and the owner.

    >>> reason(OSError(28, "No space left on device"), Path("/"))
    'No space left on device'
    """
    text = error.strerror or str(error)
    if not isinstance(error, PermissionError):
        return text
    existing = next(
        folder for folder in (path.absolute(), *path.absolute().parents) if _exists(folder)
    )
    owner = owner_name(existing)
    return f"{text} for the user {_user_name(_user_id())}. {existing} belongs to {owner}"


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:
        return False


def _user_id() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0


def owner_name(path: Path) -> str:
    """Return the name of a file's owner."""
    return _user_name(path.stat().st_uid)


def _user_name(number: int) -> str:
    """Return a user's name, or the user's ID if there is no name.

    Users in many containers have no name.
    """
    try:
        import pwd  # noqa: PLC0415 - the module is missing on some systems

        return pwd.getpwuid(number).pw_name
    except (ImportError, KeyError):
        return str(number)


def create_private(path: Path) -> None:
    """Create a private file in the data directory, unless it exists.

    Only the owner can read the file.
    """
    if not path.exists():
        path.touch(mode=0o600)
        give_to_owner(path)
    else:
        path.touch()


def give_to_owner(path: Path) -> None:
    """If this process runs as root, give a new file to the owner of its folder."""
    if _user_id() or not hasattr(os, "chown"):
        return
    folder = path.absolute().parent.stat()
    if folder.st_uid:
        os.chown(path, folder.st_uid, folder.st_gid)


def _saved_key(path: Path) -> str:
    try:
        if not path.exists():
            _make_key(path)
        make_private(path)
        key = path.read_text().strip()
    except OSError as error:
        raise BadSetting(f"The key in {path}: {reason(error, path)}.") from None
    if not key:
        raise BadSetting(f"The key in {path} is empty. Delete the file, and a new one is made.")
    return key


def _make_key(path: Path) -> None:
    """Write a new key to a temporary file, and hard-link the key file to it.

    Linking fails if the key file exists, so that concurrent workers use the same key.
    """
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    create_private(draft)
    try:
        draft.write_text(secrets.token_urlsafe(48))
        path.hardlink_to(draft)
    except FileExistsError:
        pass  # Another worker was first, so that worker's key is used.
    finally:
        draft.unlink()


def write_private(path: Path, data: bytes) -> None:
    """Write a file of the data directory atomically."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    create_private(draft)
    draft.write_bytes(data)
    draft.replace(path)


def make_private(path: Path) -> None:
    """Remove other users' permissions on a file.

    A restored copy may have such permissions.
    """
    with suppress(OSError):  # The command `check` reports files that belong to other users.
        mode = path.stat().st_mode
        if mode & _OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
            log.warning("%s could be read by others on this machine, and is private now", path)
