"""Is there anything new? What a class's pages ask, how often, and who is here.

A page asks for itself with the version that it shows (``If-None-Match``), and is answered 304 after
one read of a row of numbers, or with the page as it is now. Programs ask ``/class/CODE/updates``.
Who is here is noted by the way, in memory, and written to the store at most once a worker in ten
seconds.
"""

import threading
import time
from collections.abc import Callable, Mapping
from math import ceil
from typing import Final

import flask

from cardgames import GAMES
from web.classroom.access import known_classes
from web.classroom.class_store import ClassStore
from web.classroom.codes import browser_hash, is_code, tidy_code
from web.classroom.model import Member, Presence
from web.classroom.rows import ClassCounters
from web.classroom.state import ClassState, NoClass, class_store, version_of
from web.storage.sessions import current_session
from web.storage.side_effects import side_effect
from web.tables.listeners import RoundsOver

LIVE: Final = 1
RECENT: Final = 3
IDLE: Final = 10
"""Seconds after which a page asks again: in a round; before the first or soon after one; else."""

MAX_ASKED: Final = 350
"""Maximum number of times a second that the pages of a class ask; a large one asks less often."""

_RECENTLY: Final = 600
"""Number of seconds for which a round that has ended is recent."""

_DASHBOARD_REFRESH: Final = 15
"""Number of seconds after which a dashboard is new anyway: somebody may have gone, or more rounds
may have been judged."""

PAGES: Final = ("", "screen", "dashboard", "insight")
"""Which page asks: a student's, the big screen, a dashboard, or what shows how the class plays."""

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

NOTES: Final = "class-presence"
"""The app's extension that knows who was seen."""

blueprint = flask.Blueprint("class-updates", __name__)


def page_version(counters: ClassCounters, page: str) -> str:
    """Return what changes whenever a page does.

    Args:
        counters: the numbers of the class.
        page: one of :data:`PAGES`.
    """
    version, often = version_of(counters), int(counters.now) // _DASHBOARD_REFRESH
    if page == "screen":
        # Between rounds it tells who plays at the tables.
        return f"{version}-{counters.students}" + ("" if counters.is_open else f"-{often}")
    if page == "dashboard":
        return f"{version}-{counters.students}-{counters.claims}-{often}"
    if page == "insight":
        return f"{version}-{counters.students}-{often}"
    return version


def asks_every(counters: ClassCounters) -> int:
    """Return after how many seconds a page shall ask again.

    Before the first round everybody waits for it, as after a round for the next.
    """
    if counters.is_open:
        every = LIVE
    else:
        waits = counters.round == 0 or counters.now - counters.clock.since < _RECENTLY
        every = RECENT if waits else IDLE
    return max(every, ceil(counters.members / MAX_ASKED))


# ---- Who is here ---------------------------------------------------------------------------------


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


# ---- The requests --------------------------------------------------------------------------------


@blueprint.get("/class/<code>/updates")
def updates(code: str) -> flask.Response:
    """Say whether there is anything new."""
    counters = _counters(code)
    _note(code, flask.request.args.get("at", ""))
    page = flask.request.args.get("of", "")
    version = page_version(counters, page if page in PAGES else "")
    every = asks_every(counters)
    tag = f'"{version}/{every}"'
    if flask.request.headers.get("If-None-Match") == tag:
        answer = flask.Response(status=304)
    else:
        answer = flask.jsonify(version=version, every=every)
    answer.headers["ETag"] = tag
    return answer


def answer_known_page() -> flask.Response | None:
    """Answer 304 to a page of a class that asks for itself, and shows all there is.

    The blueprints of such pages call it before their views.
    """
    request, code = flask.request, (flask.request.view_args or {}).get("code")
    known = request.headers.get("If-None-Match", "").strip('"')
    if not (known and code and request.method == "GET"):
        return None
    counters = _counters(code)
    if known not in {page_version(counters, page) for page in PAGES}:
        return None
    _note(code, "bingo" if request.path.endswith("/bingo") else "")
    return flask.Response(status=304, headers={"Retry-After": str(asks_every(counters))})


def _counters(code: str) -> ClassCounters:
    """Return the numbers of a class.

    Raises:
        NoClass: there is none with this code.
    """
    code = tidy_code(code)
    counters = class_store().counters(code) if is_code(code) else None
    if counters is None:
        raise NoClass
    return counters


def _note(code: str, place: str) -> None:
    """Note that the browser that asks has looked at a class."""
    session = current_session()
    if session.version:
        note_presence(tidy_code(code), session.sid, place)


def note_presence(code: str, sid: str, place: str) -> None:
    """Note that a browser has looked at a class."""
    with side_effect("presence"):
        write = _notes().note(code, browser_hash(code, sid), place if place in PLACES else "")
        if write:
            write()


def note_table(over: RoundsOver) -> None:
    """Note at which table a browser has just played a round, for the classes that it has joined.

    A program sits at a table and asks for no page of its class.
    """
    session = current_session()
    for code in known_classes():
        note_presence(code, session.sid, over.location.path)


def _notes() -> PresenceNotes:
    notes: PresenceNotes = flask.current_app.extensions[NOTES]
    return notes
