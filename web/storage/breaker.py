"""A breaker: while a store does not answer, its callers are refused at once.

A worker makes one call at a time, so each call that waits for a frozen store keeps everybody
waiting, those too who need nothing of it. So only the first one waits. From then on a thread of its
own asks the store, several times a second, and until it answers all others are refused.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from web.storage.store import StoreUnavailable

SLOW: Final = 0.2
"""From how many seconds on a call that fails has kept others waiting."""

_PAUSE: Final = 0.2  # how long the thread waits between two questions, in seconds

_MINDED: Final = 10.0
"""Seconds without a caller after which the thread ends, and the next caller waits again."""


class Breaker:
    """Stands before a store."""

    def __init__(self, what: str, ask: Callable[[], object]) -> None:
        """Prepare, with nothing known against the store.

        Args:
            what: what it stands before, for a sentence.
            ask: returns when the store answers, and raises what it likes when it does not.
        """
        self._what, self._ask = what, ask
        self._lock = threading.Lock()
        self._asked = 0.0
        self.is_open = False
        """Whether calls are refused."""

    def check(self) -> None:
        """Return if the store may be asked.

        Raises:
            StoreUnavailable: it did not answer lately.
        """
        if self.is_open:
            self._asked = time.monotonic()
            raise StoreUnavailable(f"{self._what} has not answered yet; nobody waits for it now.")

    def trip(self) -> None:
        """Refuse all calls until the store answers a question."""
        with self._lock:
            if self.is_open:
                return
            self.is_open, self._asked = True, time.monotonic()
            # A daemon: a worker that stops does not wait for a store that hangs.
            threading.Thread(target=self._until_it_answers, daemon=True).start()

    def _until_it_answers(self) -> None:
        while time.monotonic() - self._asked < _MINDED:
            with suppress(Exception):  # whatever it is, the store is not well yet
                self._ask()
                break
            time.sleep(_PAUSE)
        self.is_open = False
