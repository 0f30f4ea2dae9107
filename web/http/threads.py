"""The turns in which requests call the app.

Python runs one thread at a time, so requests take turns, one after another. If a turn takes longer
than :data:`TURN_SECONDS`, the next one begins, so that no one waits for someone else's slow page. A
player is a verified session, which has one request at a time. Everyone else shares two places and a
separate queue, so that strangers never delay a player.

With SQLite, the event loop itself answers the players' requests for views that take milliseconds,
because a change of threads costs a third of a move. It would also keep the other process from
SQLite's lock, because this process's next form would always be ready (p99 5.3 s with 400 players).
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from time import monotonic
from typing import Any, Final, TypeVar, cast
from weakref import WeakValueDictionary
from wsgiref.types import WSGIEnvironment

import flask
from werkzeug.exceptions import HTTPException

from web.db import engines
from web.http.i18n import LANGUAGES
from web.http.responses import error_page
from web.http.security import TooManyAtOnce

THREADS: Final = 4
"""Number of threads that call the app. The lab may block two of them."""

TURN_SECONDS: Final = 0.05
"""Number of seconds after which a turn lets the next begin."""

STRANGERS: Final = 2
"""Maximum number of requests without a verified session that have a turn or wait for one."""

MAX_PLAYERS: Final = 500
MAX_STRANGERS: Final = 1_000
"""Maximum numbers of requests in progress or waiting, for players and for strangers."""

MAX_REQUESTS_PER_CLIENT: Final = 32
"""Maximum number of one player's requests in progress or waiting."""

MAX_LOOP_WAIT: Final = 0.25
"""Timeout, in seconds, of a request in the event loop that waits to be SQLite's writer."""

LOOP_PAUSE: Final = 1.0
"""Time, in seconds, without requests in the event loop after one of them timed out."""

Answer = tuple[int, list[tuple[str, str]], bytes]
"""Status, headers and body."""

View = TypeVar("View", bound=Callable[..., Any])

log = logging.getLogger("cardgames.threads")
_quick_views: Final = set[Any]()


def quick(view: View) -> View:
    """Mark a view that takes a few milliseconds, so that the event loop may answer it."""
    _quick_views.add(view)
    return view


class Queue(asyncio.Semaphore):
    """Requests that are answered a few at a time, in order of arrival."""

    requests = 0


class Turns:
    """An app that is called when it is a request's turn."""

    def __init__(
        self, app: flask.Flask, prefix: str = "", width: int = 1, *, uses_loop: bool = False
    ) -> None:
        """Prepare to call an app.

        Args:
            app: The app, whose session interface identifies the requests of players.
            prefix: Path at which its URLs begin.
            width: Number of turns at a time.
            uses_loop: Whether the event loop answers quick views.
        """
        self._app, self._prefix = app, prefix
        self._loop_pauses_until = float("-inf") if uses_loop else float("inf")
        self._player_of = cast("Any", app.session_interface).player_of
        self._adapter = app.url_map.bind("localhost")
        self._threads, self._turns = ThreadPoolExecutor(THREADS), asyncio.Semaphore(width)
        self._strangers, self._waiting_players, self._refused = Queue(STRANGERS), 0, 0
        self._players: WeakValueDictionary[str, Queue] = WeakValueDictionary()
        self._page: Any = lru_cache(partial(error_page, app, prefix))

    async def answer(self, environ: WSGIEnvironment) -> Answer:
        """Return the app's answer to a request, or 503 if too many wait."""
        player = self._player_of(environ)
        queue = self._players.setdefault(player, Queue()) if player else self._strangers
        most = MAX_REQUESTS_PER_CLIENT if player else MAX_STRANGERS
        if queue.requests >= most or (player and self._waiting_players >= MAX_PLAYERS):
            return self._refuse(environ)
        queue.requests += 1
        self._waiting_players += bool(player)
        try:
            async with queue:
                path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
                if player and self._uses_loop() and self._is_quick(path, method):
                    with engines.max_wait(MAX_LOOP_WAIT) as wait:
                        answer = run_wsgi(self._app, environ)
                    if not wait.timed_out:
                        return answer
                    self._loop_pauses_until = monotonic() + LOOP_PAUSE
                    environ["wsgi.input"].seek(0)  # nothing was changed, and a turn may wait longer
                return await self._in_turn(environ)
        finally:
            queue.requests -= 1
            self._waiting_players -= bool(player)

    def _uses_loop(self) -> bool:
        return monotonic() >= self._loop_pauses_until

    async def _in_turn(self, environ: WSGIEnvironment) -> Answer:
        await self._turns.acquire()
        loop = asyncio.get_running_loop()
        answer = loop.run_in_executor(self._threads, run_wsgi, self._app, environ)
        try:
            await asyncio.wait((answer,), timeout=TURN_SECONDS)
        finally:
            self._turns.release()
        return await answer

    def _is_quick(self, path: str, method: str) -> bool:
        try:
            endpoint, _ = self._adapter.match(path.removeprefix(self._prefix), method)
        except HTTPException:
            return False
        return self._app.view_functions.get(endpoint) in _quick_views

    def _refuse(self, environ: WSGIEnvironment) -> Answer:
        if not self._refused:
            asyncio.get_running_loop().call_later(1, self._log_refused)
        self._refused += 1
        return self.error_page(TooManyAtOnce, environ)

    def _log_refused(self) -> None:
        log.warning("too many requests at once: %d were refused", self._refused)
        self._refused = 0

    def error_page(self, error: type[Exception], environ: WSGIEnvironment) -> Answer:
        """Return the site's page for an error outside of its views."""
        is_json = "json" in environ.get("HTTP_ACCEPT", "")
        language = environ.get("HTTP_ACCEPT_LANGUAGE", "")[:2]
        answer: Answer = self._page(error, is_json, language if language in LANGUAGES else "")
        return answer


def run_wsgi(app: Any, environ: WSGIEnvironment) -> Answer:
    """Return the whole answer of a WSGI app."""
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
