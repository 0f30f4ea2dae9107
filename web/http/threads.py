"""The few threads that call a WSGI app; where too many requests wait for one, they are refused.

Python runs one thread at a time, so requests are answered one after the other: those that look in
one lane, forms in another. A look that takes long lets the next begin, and nobody waits for a slow
page of another's. A form does not: with SQLite it waits for the one before, and a process whose
next is always ready would never let another write. Of one player there is one request at a time, so
that nobody takes more than one of the threads, however slow what they ask for; those of all who
have no session leave one free.
"""

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from time import perf_counter
from typing import Any, Final
from weakref import WeakValueDictionary
from wsgiref.types import WSGIApplication, WSGIEnvironment

from werkzeug.http import parse_cookie
from werkzeug.test import create_environ

from web.http.i18n import LANGUAGES
from web.http.security import REFUSED, TooManyAtOnce

THREADS: Final = 4
"""Number of threads that call the app; the lab may hold two of them while it plays elsewhere."""

MAX_WAIT: Final = 1.0
"""Maximum number of seconds for which a request may expect to wait."""

SLOW: Final = 0.05
"""Number of seconds after which a page lets the next begin: together both would take longer, as
Python runs one thread at a time, but nobody is to wait for a slow one."""

MAX_REQUESTS_OF_ONE: Final = 32
"""Maximum number of requests of one player that are answered or wait."""

_MAX_TURN: Final = 0.25  # seconds that an answer counts for at most: a single slow one says little

_SERVER: Final = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.input_terminated": True,
}

Answer = tuple[int, list[tuple[str, str]], bytes]
"""Status, headers and body."""

Task = asyncio.Future[Answer]

log = logging.getLogger("cardgames.threads")


class Player(asyncio.Semaphore):
    """Who asks, and how many of their requests wait or are answered."""

    requests = 0


class Lane:
    """Requests that have their turns one after the other, or some at a time."""

    def __init__(self, width: int, slow: float | None = None) -> None:
        """Make an empty lane.

        Args:
            width: how many requests are answered at the same time.
            slow: number of seconds after which an answer no longer keeps the next from beginning.
        """
        self._turns, self._slow = asyncio.Semaphore(width), slow
        self._requests = 0
        self._mean_turn = self._ended = 0.0

    def wait(self, others: int) -> float:
        """Return how many seconds a request waits that comes now, behind some others as well."""
        return (self._requests + others) * self._mean_turn

    async def answer(self, free: asyncio.Semaphore, begin: Callable[[], Task]) -> Answer:
        """Return an answer that is begun in its turn, as soon as a thread is free."""
        self._requests += 1
        try:
            async with self._turns:
                began = perf_counter()
                await free.acquire()
                task = begin()
                task.add_done_callback(lambda _: free.release())
                await asyncio.wait((task,), timeout=self._slow)
                self._count(began)
        finally:
            self._requests -= 1
        return await task

    def _count(self, began: float) -> None:
        """Keep how often a turn ends: a running mean of about the last 32."""
        now = perf_counter()
        turn = now - max(began, self._ended)  # others had theirs at the same time
        self._ended = now
        self._mean_turn += (min(turn, _MAX_TURN) - self._mean_turn) / 32


class AppThreads:
    """An app, called when it is a request's turn."""

    def __init__(
        self, app: WSGIApplication, cookie: str, prefix: str = "", at_once: int = 1
    ) -> None:
        """Prepare to call an app.

        Args:
            app: the app.
            cookie: the name of its sessions' cookie.
            prefix: what its addresses begin with.
            at_once: how many forms, and how many requests that look, are answered together.
        """
        self._app, self._cookie, self._lobby = app, cookie, f"{prefix}/"
        self._threads, self._free = ThreadPoolExecutor(THREADS), asyncio.Semaphore(THREADS)
        self._refused = 0
        self._looks, self._forms = Lane(at_once, SLOW), Lane(at_once)
        self._strangers = Player(THREADS - 1)
        self._players: WeakValueDictionary[str, Player] = WeakValueDictionary()
        self._busy = lru_cache(self._make_busy)

    async def answer(self, environ: WSGIEnvironment) -> Answer:
        """Return what the app answers, once the earlier requests of the same player are."""
        session = parse_cookie(environ.get("HTTP_COOKIE")).get(self._cookie, "")
        is_look = environ["REQUEST_METHOD"] in ("GET", "HEAD")
        player = self._strangers if is_look else Player()
        if session:
            player = self._players.setdefault(session, Player())
        lane = self._looks if is_look else self._forms
        is_one_too_many = bool(session) and player.requests >= MAX_REQUESTS_OF_ONE
        # What waits for its own player holds up nobody else.
        if is_one_too_many or lane.wait(player.requests) > MAX_WAIT:
            return self._refuse(environ)
        player.requests += 1
        try:
            async with player:
                return await lane.answer(self._free, partial(self._begin, environ))
        finally:
            player.requests -= 1

    def _begin(self, environ: WSGIEnvironment) -> Task:
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._threads, run_wsgi, self._app, environ)

    def _refuse(self, environ: WSGIEnvironment) -> Answer:
        if not self._refused:
            asyncio.get_running_loop().call_later(1, self._log_refused)
        self._refused += 1
        kind = "application/json" if "json" in environ.get("HTTP_ACCEPT", "") else ""
        language = environ.get("HTTP_ACCEPT_LANGUAGE", "")[:2]
        return self._busy(kind, language if language in LANGUAGES else "")

    def _log_refused(self) -> None:
        log.warning("too many requests at once: %d were refused", self._refused)
        self._refused = 0

    def _make_busy(self, kind: str, language: str) -> Answer:
        """Return the answer that there is no time; it is kept, or refusing would take long."""
        headers, refused = {"Accept": kind, "Accept-Language": language}, {REFUSED: TooManyAtOnce()}
        environ = create_environ(self._lobby, headers=headers, environ_overrides=refused)
        return run_wsgi(self._app, environ)


def environ_of(scope: Mapping[str, Any]) -> WSGIEnvironment:
    """Return what WSGI says of a request, all but its body."""
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": scope["method"],
        "PATH_INFO": scope["path"].encode().decode("latin-1"),  # bytes, as WSGI writes them
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": "HTTP/1.0" if scope["http_version"] == "1" else "HTTP/1.1",
        "SERVER_NAME": scope["server"][0].strip("[]"),
        "SERVER_PORT": str(scope["server"][1]),
        "REMOTE_ADDR": scope["client"][0].strip("[]"),
        "wsgi.url_scheme": scope["scheme"],
        **_SERVER,
    }
    for name, value in scope["headers"]:
        if b"_" in name:  # it would pass for the header with a dash, which a proxy may have set
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ


def run_wsgi(app: WSGIApplication, environ: WSGIEnvironment) -> Answer:
    """Return what a WSGI app answers, as a whole."""
    started: list[Any] = []
    chunks: list[bytes] = []

    def start_response(status: str, headers: Any, _: object = None) -> Callable[[bytes], object]:
        started[:] = status, headers
        return chunks.append

    result = app(environ, start_response)
    try:
        chunks.extend(result)
    finally:
        if close := getattr(result, "close", None):
            close()
    return int(started[0][:3]), started[1], b"".join(chunks)
