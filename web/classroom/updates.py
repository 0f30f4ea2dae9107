"""``/class/CODE/updates``: is there anything new?

Every page of a class asks it about once a second, so it is answered before Flask where the server
can (:mod:`web.http.rsgi`): one read of a row of numbers. Who is here is noted by the way.
"""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from urllib.parse import parse_qs

import flask
import msgspec
from granian.rsgi import Scope

from web.classroom.access import known_classes
from web.classroom.class_store import ClassStore
from web.classroom.codes import browser_hash, is_code, tidy_code
from web.classroom.presence import PLACES, PresenceNotes
from web.classroom.rows import ClassCounters
from web.classroom.state import EXTENSION, NoClass, class_store, version_of
from web.http.addresses import MAX_ADDRESS
from web.http.rsgi import Answer
from web.http.security import HEADERS, VARY
from web.storage.sessions import Sessions, current_session
from web.storage.side_effects import side_effect
from web.storage.store import StoreUnavailable
from web.tables.listeners import RoundsOver

LIVE: Final = 1
RECENT: Final = 3
IDLE: Final = 10
"""When a page asks again, in seconds: in a round; before the first or soon after one; else."""

_RECENTLY: Final = 600
"""A round that ended at most so many seconds ago ended recently."""

_DASHBOARD_REFRESH: Final = 15
"""A dashboard is told at least every so many seconds that there is news: somebody may have gone, or
more rounds may have been judged."""

PAGES: Final = ("", "screen", "dashboard", "insight")
"""Which page asks: a student's, the big screen, a dashboard, or what shows how the class plays."""

NOTES: Final = "class-presence"
EARLY: Final = "class-updates"
"""The app's extensions: who was seen, and what answers before Flask."""

_encode: Final = msgspec.json.Encoder().encode

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
        return LIVE
    waits = counters.round == 0 or counters.now - counters.clock.since < _RECENTLY
    return RECENT if waits else IDLE


@blueprint.get("/class/<code>/updates")
def updates(code: str) -> flask.Response:
    """Say whether there is anything new."""
    code, request = tidy_code(code), flask.request
    counters = class_store().counters(code) if is_code(code) else None
    if counters is None:
        raise NoClass
    session = current_session()
    if session.version:
        note_presence(code, session.sid, request.args.get("at", ""))
    page = request.args.get("of", "")
    told = _told(counters, page, request.headers.get("If-None-Match", ""))
    return flask.Response(told.body, told.status, dict(told.headers))


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


def _told(counters: ClassCounters, page: str, known: str) -> Answer:
    """Return the answer for a page, which may know all of it."""
    version = page_version(counters, page if page in PAGES else "")
    every = asks_every(counters)
    tag = f'"{version}/{every}"'
    headers = [("ETag", tag), ("Cache-Control", "no-store")]
    if known == tag:
        return Answer(304, headers, b"")
    headers.append(("Content-Type", "application/json"))
    return Answer(200, headers, _encode({"version": version, "every": every}))


class EarlyUpdates:
    """Answers the same before Flask is asked."""

    def __init__(self, app: flask.Flask, prefix: str, hosts: tuple[str, ...]) -> None:
        """Prepare to answer for an app.

        Args:
            app: the site.
            prefix: where it begins behind a proxy.
            hosts: the names it is called by; empty for any.
        """
        self._store: ClassStore = app.extensions[EXTENSION]
        self._notes: PresenceNotes = app.extensions[NOTES]
        sessions = app.session_interface
        assert isinstance(sessions, Sessions)  # noqa: S101 - for the type
        self._sid_of: Callable[[str], str | None] = sessions.sid_of
        name = re.escape(app.config["SESSION_COOKIE_NAME"])
        self._cookie_in = re.compile(rf"(?:^|;\s*){name}=([^;]*)").search
        self._hosts = hosts
        self._code_in = re.compile(rf"{re.escape(prefix)}/class/([^/]+)/updates").fullmatch
        self._thread = ThreadPoolExecutor(1)

    def __call__(self, scope: Scope) -> Any:
        """Return what is answered, or None for a request that is not ours to answer."""
        ours = scope.method == "GET" and len(scope.path + scope.query_string) <= MAX_ADDRESS
        found = self._code_in(scope.path) if ours else None
        code = tidy_code(found[1]) if found else ""
        if not is_code(code) or not self._is_called_rightly(scope):
            return None
        try:
            counters = self._store.counters(code)
        except StoreUnavailable:
            return None  # the site says so in words, and logs it
        if counters is None:
            return None  # the site counts who guesses codes
        asked = parse_qs(scope.query_string)
        self._note(code, scope.headers, asked.get("at", [""])[0])
        known = scope.headers.get("if-none-match") or ""
        return self._answer(_told(counters, asked.get("of", [""])[0], known))

    async def _answer(self, told: Answer) -> Answer:
        headers = [*told.headers, *HEADERS, ("Vary", VARY)]
        return told._replace(headers=headers)

    def _is_called_rightly(self, scope: Scope) -> bool:
        """Say whether the site is called by one of its names."""
        host = (scope.headers.get("host") or "").lower()
        return not self._hosts or host in self._hosts or host.rpartition(":")[0] in self._hosts

    def _note(self, code: str, headers: Any, place: str) -> None:
        """Note who asks; what is to be written is written by a thread, and nobody waits for it."""
        cookie = self._cookie_in(headers.get("cookie") or "")
        sid = self._sid_of(cookie[1]) if cookie else None
        if not sid:
            return
        with side_effect("presence"):
            write = self._notes.note(
                code, browser_hash(code, sid), place if place in PLACES else ""
            )
            if write:
                asyncio.get_running_loop().run_in_executor(self._thread, _write_presence, write)


def _write_presence(write: Callable[[], None]) -> None:
    """Write who is here; if that cannot be, it is written the next time."""
    with side_effect("presence"):
        write()
