"""One-time links: each is a place of its own, which ends with the link."""

from typing import Final

from web.storage.store import Store

_LINK: Final = "link"


class OneTimeLinks:
    """What one-time links are good for."""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        self._store = store

    def keep(self, key: str, data: bytes, lifetime: int) -> None:
        """Keep what a link is good for, for a number of seconds.

        Raises:
            StoreFull: there is no room for it.
        """
        now = self._store.read(_place(key), _LINK).now
        self._store.write(_place(key), {_LINK: data}, {_LINK: 0}, expires=int(now) + lifetime)

    def find(self, key: str) -> bytes | None:
        """Return what a link is good for, if it is good still."""
        row = self._store.read(_place(key), _LINK)[_LINK]
        return row.data if row.revision else None

    def take(self, key: str) -> bytes | None:
        """Return what a link is good for, and end it: of several at once, one has it."""
        row = self._store.read(_place(key), _LINK)[_LINK]
        seen = {_LINK: row.revision}
        taken = row.revision and self._store.write(_place(key), {_LINK: None}, seen)
        return row.data if taken else None


def _place(key: str) -> str:
    return f"link/{key}"
