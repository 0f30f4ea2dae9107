"""Who is here: noted in memory, and written to the store at most once a worker in ten seconds."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

from cardgames import GAMES
from web.classroom.changes import Presence
from web.classroom.class_store import ClassStore
from web.classroom.model import Member
from web.classroom.state import ClassState, class_store

WRITES_EVERY: Final = 10.0
"""Minimum number of seconds between two writes of a worker for a class."""

HERE: Final = 35.0
"""Number of seconds for which a student is here after they were seen: pages ask every twelve."""

DEALT_IN: Final = 120.0
"""Number of seconds since they were last seen after which a student is not dealt in."""

_MAX_WAITING: Final = 2_000
"""Maximum number of browsers of a class that wait to be written."""

TABLES: Final[Mapping[str, str]] = {f"/{slug}": game.info.title for slug, game in GAMES.items()}
"""The tables, by their addresses, at which a student can be."""

PLACES: Final = ("", "bingo", *TABLES)
"""Where a student can be: at the class's page, at the card, or at a table."""


def table_of(place: str) -> str:
    """Return the title of the table at which a student is; empty if they are at none."""
    return TABLES.get(place, "")


def is_here(seen: float | None, now: float) -> bool:
    """Say whether somebody who was last seen at a time is here."""
    return seen is not None and now - seen < HERE


def last_seen(state: ClassState) -> dict[int, Presence]:
    """Return when and where each student of a class was last seen; joining is being seen.

    Raises:
        StoreUnavailable: the store does not answer.
    """
    noted = class_store().presence(state.code)
    found = {}
    for number, member in state.members.items():
        joined, seen = member.student.joined, noted.get(number)
        found[number] = seen if seen and seen.at > joined else Presence(joined, "")
    return found


def dealt_in(state: ClassState) -> tuple[Member, ...]:
    """Return the students who get a card when a round is dealt now.

    Raises:
        StoreUnavailable: the store does not answer.
    """
    seen, now = last_seen(state), state.counters.now
    return tuple(member for member in state.playing if now - seen[member.number].at < DEALT_IN)


class PresenceNotes:
    """The browsers that this worker has seen lately, by class."""

    def __init__(self, store: ClassStore, clock: Callable[[], float] = time.monotonic) -> None:
        """Prepare to note who is here.

        Args:
            store: where it is written.
            clock: tells the time, in seconds.
        """
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: dict[str, dict[str, tuple[float, str]]] = {}
        self._written: dict[str, float] = {}

    def note(self, code: str, browser: str, place: str) -> Callable[[], None] | None:
        """Note a browser; return what writes all of its class's, when it is time for that.

        Args:
            code: the class's.
            browser: what stands for it there.
            place: one of :data:`PLACES`.
        """
        now = self._clock()
        with self._lock:
            waiting = self._waiting.setdefault(code, {})
            if len(waiting) < _MAX_WAITING:
                waiting[browser] = now, place
            if now - self._written.get(code, -WRITES_EVERY) < WRITES_EVERY:
                return None
            noted = self._waiting.pop(code)
            self._written[code] = now
            self._drop_old(now)
        # It is written as seen just now, so who has gone meanwhile is left out.
        places = {who: place for who, (at, place) in noted.items() if now - at < HERE}
        return lambda: self._store.note_presence(code, places)

    def _drop_old(self, now: float) -> None:
        """Forget the classes that nobody has looked at for long."""
        for code, written in list(self._written.items()):
            if now - written > 60 * WRITES_EVERY:
                self._written.pop(code)
                self._waiting.pop(code, None)
