"""Checks that all servers on one store sign with keys that the others accept.

Two machines with different keys would take each other's cookies for forged: a player served by one
and then by the other would lose their games without a word. So the store remembers the keys that
have signed its cookies in the last two weeks.
"""

import logging
import time
from contextlib import suppress
from typing import Final

from web.signing import fingerprint
from web.storage.store import LIFETIME, Store, StoreFull, StoreUnavailable

OTHER_KEY: Final = (
    "Cookies for this store were signed with another key in the last two weeks, by another machine "
    "or before SECRET_KEY was changed: players who have one lose their games here. Set the same "
    "SECRET_KEY on all machines, and the one before as SECRET_KEY_FALLBACKS."
)

_PLACE: Final = "signing-keys"
"""Where a row of each fingerprint has the time at which it was last in use."""

_EVERY: Final = 3_600.0  # how often a worker says that its key is still in use, in seconds

log = logging.getLogger("cardgames.signing")


class SigningKeys:
    """The keys of a site, beside those that its store remembers."""

    def __init__(self, store: Store, key: str, fallbacks: tuple[str, ...]) -> None:
        """Prepare to compare the key of a site, and the older ones that it believes."""
        self._store = store
        self._own = fingerprint(key)
        self._believed = frozenset(map(fingerprint, (key, *fallbacks)))
        self._noted = float("-inf")

    def problem(self) -> str:
        """Return what is wrong in a sentence, or nothing.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        return OTHER_KEY if self._in_use() - self._believed else ""

    def warn(self) -> None:
        """Say in the log what is wrong, if anything is."""
        try:
            problem = self.problem()
        except StoreUnavailable as error:
            problem = f"The signing key could not be compared: {error}"
        if problem:
            log.warning("%s", problem)

    def note(self) -> None:
        """Remember, when a cookie is signed, that the key is in use: once an hour is enough."""
        if time.monotonic() - self._noted < _EVERY:
            return
        self._noted = time.monotonic()
        # The move is saved: its player must hear no other.
        with suppress(StoreUnavailable, StoreFull):
            now = int(self._store.read(_PLACE).now)
            put, expires = {self._own: b"%d" % now}, now + LIFETIME
            self._store.write(_PLACE, put, {}, expires=expires)
        self.warn()

    def _in_use(self) -> set[str]:
        """Return the fingerprints of the signing keys used in the last two weeks."""
        read = self._store.scan(_PLACE)
        oldest = read.now - LIFETIME
        last = {key: row.data for key, row in read.rows.items() if row.data.isdigit()}
        return {key for key, seen in last.items() if int(seen) >= oldest}
