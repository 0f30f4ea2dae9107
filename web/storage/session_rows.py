"""What a session keeps beside its tables: a row each, by its key."""

from typing import Any, TypeVar

import msgspec

from web.storage.sessions import Session

T = TypeVar("T")


def read_row(session: Session, key: str, kind: type[T]) -> T | None:
    """Return what a session keeps under a key; None where it has nothing that can be read."""
    row = session.get(key)
    try:
        return msgspec.msgpack.decode(row, type=kind) if row else None
    except msgspec.MsgspecError:  # of another version of the site
        return None


def keep_row(session: Session, key: str, value: Any) -> None:
    """Put something into a session."""
    session[key] = msgspec.Raw(msgspec.msgpack.encode(value))
