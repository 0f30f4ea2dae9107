"""Polling for changes, and tracking which students are present.

A page requests itself with its ETag (``If-None-Match``). The response is the current page, or 304
after a single SELECT of one row with a few numbers. With ``Prefer: wait=25`` the request is held
until the ETag has changed (:mod:`web.http.news`). Each response records presence in memory, and
each worker saves it at most once in ten seconds.
"""

import threading
from collections.abc import Callable, Collection, Mapping
from http import HTTPStatus
from typing import Any, Final

import flask
from flask.typing import ResponseReturnValue
from sqlalchemy import bindparam, select, update

from cardgames import GAMES
from cardgames.records.record import Record
from web import db
from web.classroom.core.access import find_numbers, load_numbers, lock_class, login_key, try_write
from web.classroom.core.codes import browser_hash, class_session, is_code, normalize_code
from web.classroom.core.models import PAGES, Browser, Student
from web.http.news import CHANGED, Source
from web.http.sessions import current_session, renew_session
from web.tables.seat import Seat

WRITES_EVERY: Final = 10.0
"""Minimum interval, in seconds, between two writes of one worker for one class."""

PRESENT_SECONDS: Final = 35.0
"""Time, in seconds, for which a student is considered present after a response.

Pages poll at least every twelve seconds, and their requests are held for at most 20 seconds.
"""

DEAL_IN_SECONDS: Final = 120.0
"""Time, in seconds, after which a student who has not been seen is not dealt a card."""

_MAX_WAITING: Final = 2_000
"""Maximum number of browsers per class whose presence has not been saved yet."""

TABLE_TITLES: Final[Mapping[str, str]] = {
    f"/{slug}": game.info.title for slug, game in GAMES.items()
}
"""The URLs of the tables at which a student can be present."""

SEEN_AT: Final = ("", "bingo", *TABLE_TITLES)
"""The pages on which a student can be: the class's page, the card, or a table."""

NOTES: Final = "class-presence"
"""The name of the app's extension with the recorded presence."""

_students: Any = Student.__table__
_browsers: Any = Browser.__table__
_code: Any = bindparam("code")
_SEEN: Final = (
    update(_students)
    .where(
        _students.c.class_code == _code,
        _students.c.number.in_(
            select(_browsers.c.student).where(
                _browsers.c.class_code == _code,
                _browsers.c.key.in_(bindparam("keys", expanding=True)),
            )
        ),
    )
    .values(seen=bindparam("now"), seen_at=bindparam("at"))
)


def answer_not_modified() -> flask.Response | None:
    """Return 304 for a polling class page that is up to date.

    The blueprints of these pages call this function before their views.
    """
    request, code = flask.request, (flask.request.view_args or {}).get("code")
    if not (request.if_none_match and code and request.method == "GET"):
        return None
    if CHANGED in request.environ:
        return None
    classroom = load_numbers(code)
    for etag in map(classroom.etag, PAGES):
        if request.if_none_match.contains_weak(etag):
            note_presence(code, "bingo" if request.path.endswith("/bingo") else "")
            answer = flask.Response(status=304, headers={"Retry-After": str(classroom.asks_every)})
            return with_etag(answer, etag)
    return None


def with_etag(answer: ResponseReturnValue, etag: str) -> flask.Response:
    """Return a response, with its page's ETag if the response is a page."""
    response = flask.make_response(answer)
    if response.status_code in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED):
        # All languages and encodings of a page have the same ETag.
        response.set_etag(etag, weak=True)
    return response


def _class_in(path: str) -> str:
    """Return the code of the class whose page has a given path, or an empty string."""
    _, first, code, *_ = [*path.split("/"), "", ""]
    return code if first == "class" and is_code(code) else ""


def _current_etags(code: str) -> Collection[str]:
    """Return the ETags of all pages of a class, or no ETags if no class has the code."""
    db.read_only()  # a single SELECT without a lock
    classroom = find_numbers(code)
    return {classroom.etag(page) for page in PAGES} if classroom else ()


CLASS_NEWS: Final = Source(_class_in, _current_etags)
"""The pages of classes, for which requests may be held."""


class PresenceTracker:
    """The browsers that this worker has recently seen, keyed by class."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Create an object without any recorded browsers.

        Args:
            clock: Function that returns the time of a monotonic clock, in seconds.
        """
        self._clock = clock
        self._lock = threading.Lock()
        self._waiting: dict[str, dict[str, tuple[float, str]]] = {}
        self._written: dict[str, float] = {}

    def note(self, code: str, seen_at: str, *browsers: str) -> dict[str, str]:
        """Record the given browsers of a class.

        If a write is due, return all recorded browsers of the class. Each browser is recorded with
        the page on which it was seen.
        """
        now = self._clock()
        with self._lock:
            waiting = self._waiting.setdefault(code, {})
            if len(waiting) < _MAX_WAITING:
                waiting |= dict.fromkeys(browsers, (now, seen_at))
            if now - self._written.get(code, -WRITES_EVERY) < WRITES_EVERY:
                return {}
            noted = self._waiting.pop(code)
            self._written[code] = now
            self._drop_old(now)
        # Only students who are still present are written, because the database row gets the current
        # time.
        return {
            browser: seen_at
            for browser, (at, seen_at) in noted.items()
            if now - at < PRESENT_SECONDS
        }

    def _drop_old(self, now: float) -> None:
        """Remove classes whose pages no one has polled for a long time."""
        for code, written in list(self._written.items()):
            if now - written > 60 * WRITES_EVERY:
                self._written.pop(code)
                self._waiting.pop(code, None)


def record_visit(code: str, seen_at: str = "") -> None:
    """Record that a student is viewing a page of the class, and extend the session."""
    renew_session()
    note_presence(code, seen_at)


def note_presence(code: str, seen_at: str = "") -> None:
    """Record the current browser's presence in a class, unless it is a visitor's."""
    code, session = normalize_code(code), current_session()
    # A class identifies students by only one of the two keys; it ignores the other key.
    keys = (browser_hash(code, session.sid) if session.is_kept else "", login_key(code))
    if not any(keys):
        return
    notes: PresenceTracker = flask.current_app.extensions[NOTES]
    seen = notes.note(code, seen_at if seen_at in SEEN_AT else "", *filter(None, keys))
    if seen:
        try_write(lambda: save_presence(code, seen), "presence")


def save_presence(code: str, seen_at: Mapping[str, str]) -> None:
    """Write the pages on which the given browsers were just seen."""
    if lock_class(code):
        for page in sorted({*seen_at.values()}):
            keys = [key for key, at in seen_at.items() if at == page]
            db.execute(_SEEN, code=code, keys=keys, now=db.now(), at=page)


def note_table(seat: Seat, _records: tuple[Record, ...]) -> None:
    """Record the browser's presence at a table, in each class that it joined.

    A JSON client may play at a table without ever requesting a page of the class.
    """
    for code in sorted(class_session().joined):  # fixed lock order, to avoid deadlocks
        note_presence(code, f"/{seat.table.game.info.slug}" if seat.kind == "own" else "")


def is_present(student: Student, now: float) -> bool:
    """Return whether a student is present at a given time."""
    return now - student.last_seen < PRESENT_SECONDS


def is_dealt_in(student: Student, now: float) -> bool:
    """Return whether a student gets a card in a round that is dealt at a given time."""
    return student.state == "in" and now - student.last_seen < DEAL_IN_SECONDS
