"""How fast one session may go while a class plays, so that a runaway script leaves room.

Counted by session, never by address: a whole class sits behind one. A visitor without a session is
not counted - one count for all of them would let anybody shut the door on everybody, and what they
can do is bounded otherwise: looking writes nothing, and a first move makes them a session.
"""

from time import monotonic
from typing import Final

import flask
from werkzeug.exceptions import TooManyRequests

from web.storage.sessions import session_as_read

WINDOW: Final = 60.0
"""Over how many seconds requests are counted."""

MIN_ACTIVE_SESSIONS: Final = 20
"""From how many sessions in a window on somebody else is kept waiting. Alone, a student's notebook
may play as fast as it can."""


class RateLimiter:
    """The requests of each session in this minute, in this worker."""

    def __init__(self, limit: int) -> None:
        """Allow so many requests a minute to a session."""
        self._limit = limit
        self._ends = 0.0
        self._counts: dict[str, int] = {}

    def check(self, _: flask.Request) -> None:
        """Count the request that is being answered.

        Raises:
            TooManyRequests: its session has had its share of this minute.
        """
        session = session_as_read()
        if not session.version:
            return
        now = monotonic()
        if now >= self._ends:
            self._counts, self._ends = {}, now + WINDOW
        count = self._counts[session.sid] = self._counts.get(session.sid, 0) + 1
        if count > self._limit and len(self._counts) >= MIN_ACTIVE_SESSIONS:
            raise TooManyRequests(retry_after=max(1, int(self._ends - now)))
