"""Wrong instructor passwords: one limit for all visitors."""

from typing import Final

import msgspec

from web.storage.store import Store, decide

MAX_WRONG_PASSWORDS: Final = 10
"""Maximum number of wrong passwords in :data:`PASSWORD_WINDOW` seconds, by all visitors."""

PASSWORD_WINDOW: Final = 60

_PLACE: Final = "guesses/password"
_TIMES: Final = "times"


class PasswordGuesses:
    """When wrong passwords were sent: all workers share the limit, and it outlives them."""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        self._store = store

    def may_pass(self, *, is_right: bool) -> bool | None:
        """Say whether a password is let through; None while too many were wrong.

        A wrong one is counted before it is answered: guesses at the same moment count one by one.
        """

        def attempt() -> tuple[bool | None] | None:
            read = self._store.read(_PLACE, _TIMES)
            data, now = read[_TIMES].data, read.now
            times = msgspec.msgpack.decode(data, type=list[float]) if data else []
            recent = [at for at in times if now - at < PASSWORD_WINDOW]
            if len(recent) >= MAX_WRONG_PASSWORDS:
                return (None,)
            if is_right:
                return (True,)
            put, seen = msgspec.msgpack.encode([*recent, now]), {_TIMES: read[_TIMES].revision}
            expires = int(now) + PASSWORD_WINDOW + 1
            written = self._store.write(_PLACE, {_TIMES: put}, seen, expires=expires)
            return (False,) if written else None

        return decide(attempt)[0]
