"""The few threads that call a WSGI app; where too many requests wait for one, they are refused.

The requests of one player are answered one after the other, so that nobody takes more than one of
the threads, however slow what they ask for; those of all who have no session leave one free. With
SQLite forms are answered one at a time: each waits for the one before, and a process whose next is
always ready would never let another write.
"""

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import lru_cache
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

log = logging.getLogger("cardgames.threads")


class Player(asyncio.Semaphore):
    """Who asks, and how many of their requests wait or are answered."""

    requests = 0


class AppThreads:
    """An app, called when it is a request's turn."""

    def __init__(self, app: WSGIApplication, cookie: str, prefix: str = "", forms: int = 1) -> None:
        """Prepare to call an app.

        Args:
            app: the app.
            cookie: the name of its sessions' cookie.
            prefix: what its addresses begin with.
            forms: how many forms are answered at the same time.
        """
        self._app, self._cookie, self._lobby = app, cookie, f"{prefix}/"
        self._threads = ThreadPoolExecutor(THREADS)
        self._requests = self._refused = 0
        self._mean_turn = self._answered = 0.0
        self._strangers, self._forms = Player(THREADS - 1), asyncio.Semaphore(forms)
        self._players: WeakValueDictionary[str, Player] = WeakValueDictionary()
        self._busy = lru_cache(self._make_busy)

    async def answer(self, environ: WSGIEnvironment) -> Answer:
        """Return what the app answers, once the earlier requests of the same player are."""
        session = parse_cookie(environ.get("HTTP_COOKIE")).get(self._cookie, "")
        is_form = environ["REQUEST_METHOD"] not in ("GET", "HEAD")
        player = Player() if is_form else self._strangers
        if session:
            player = self._players.setdefault(session, Player())
        is_one_too_many = bool(session) and player.requests >= MAX_REQUESTS_OF_ONE
        # What waits for its own player holds up nobody else.
        if is_one_too_many or (self._requests + player.requests) * self._mean_turn > MAX_WAIT:
            return self._refuse(environ)
        player.requests += 1
        try:
            async with player:
                return await self._call(environ, is_form=is_form)
        finally:
            player.requests -= 1

    async def _call(self, environ: WSGIEnvironment, *, is_form: bool) -> Answer:
        self._requests += 1
        try:
            async with self._forms if is_form else nullcontext():
                began, loop = perf_counter(), asyncio.get_running_loop()
                answer = await loop.run_in_executor(self._threads, run_wsgi, self._app, environ)
                self._count(began)
                return answer
        finally:
            self._requests -= 1

    def _count(self, began: float) -> None:
        """Keep how often one is answered: a running mean of about the last 32."""
        now = perf_counter()
        turn = now - max(began, self._answered)  # others were answered at the same time
        self._answered = now
        self._mean_turn += (min(turn, _MAX_TURN) - self._mean_turn) / 32

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
