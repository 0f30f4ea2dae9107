"""The turns in which requests call the app.

Python runs one thread at a time, so requests take turns. If a turn takes longer than
:data:`TURN_SECONDS`, the next turn begins, so that no player waits for someone else's slow page. A
player is identified by a verified session. At most one request of a player has a turn or waits for
a turn. All other clients together have at most two such requests, and wait in a separate queue, so
that they never delay a player.

With SQLite, the event loop itself answers players' requests to views that take milliseconds,
because switching to a thread would take a third as long as the move. With threads, this process
would also always have another form ready, so the other process would rarely get SQLite's write lock
(the 99th percentile of response times was 5.3 s with 400 players).
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
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
"""Number of threads that call the app. The lab may block two of these threads."""

TURN_SECONDS: Final = 0.05
"""Time, in seconds, after which the next turn begins even if the current turn has not ended."""

STRANGERS: Final = 2
"""Maximum number of requests without a verified session that have a turn or wait for a turn."""

MAX_PLAYERS: Final = 500
MAX_STRANGERS: Final = 1_000
"""Maximum numbers of unfinished requests, of players and of all other clients."""

MAX_REQUESTS_PER_CLIENT: Final = 32
"""Maximum number of one player's requests that are in progress or waiting."""

MAX_LOOP_WAIT: Final = 0.25
"""Timeout, in seconds, for a request in the event loop to acquire SQLite's write lock."""

MAX_PAUSE: Final = 0.01
"""Maximum time, in seconds, for which :meth:`Turns.pause` waits for a turn."""

LOOP_PAUSE: Final = 1.0
"""Time, in seconds, for which the event loop answers no requests after one of its requests timed
out.
"""

Answer = tuple[int, list[tuple[str, str]], bytes]
"""The status, headers and body of a response."""

View = TypeVar("View", bound=Callable[..., Any])

log = logging.getLogger("cardgames.threads")
_quick_views: Final = set[Any]()


def quick(view: View) -> View:
    """Mark a view as quick, so that the event loop may answer it.

    A quick view takes only a few milliseconds.
    """
    _quick_views.add(view)
    return view


class Queue(asyncio.Semaphore):
    """Requests that are answered in order of arrival, a few at a time."""

    requests = 0


class Turns:
    """An app that is called in the turn of each request."""

    def __init__(
        self, app: flask.Flask, prefix: str = "", width: int = 1, *, uses_loop: bool = False
    ) -> None:
        """Prepare to call an app.

        Args:
            app: The app, whose session interface identifies the players' requests.
            prefix: URL prefix of the app.
            width: Maximum number of requests processed concurrently.
            uses_loop: Whether the event loop answers quick views.
        """
        self._app, self._prefix = app, prefix
        self._loop_pauses_until = float("-inf") if uses_loop else float("inf")
        self._read_player_key = cast("Any", app.session_interface).read_player_key
        self._adapter = app.url_map.bind("localhost")
        self._threads, self._turns = ThreadPoolExecutor(THREADS), asyncio.Semaphore(width)
        self._strangers, self._waiting_players, self._refused = Queue(STRANGERS), 0, 0
        self._players: WeakValueDictionary[str, Queue] = WeakValueDictionary()
        # Rendering a page for a refused request takes 0.2 to 0.3 ms while the server is busy.
        self._page: Any = lru_cache(partial(error_page, app, prefix))

    async def answer(self, environ: WSGIEnvironment) -> Answer:
        """Return the app's response to a request, or 503 if too many requests wait."""
        player = self._read_player_key(environ)
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
                    # No data was changed, and the request may wait longer in a thread.
                    environ["wsgi.input"].seek(0)
                return await self._in_turn(environ)
        finally:
            queue.requests -= 1
            self._waiting_players -= bool(player)

    async def pause(self) -> None:
        """Wait until the event loop has polled its sockets and, with threads, a turn is free.

        The wait for a turn is short, so that slow requests cannot delay the pages of a class.
        """
        await asyncio.sleep(0)
        if not self._uses_loop():
            with suppress(TimeoutError):
                async with asyncio.timeout(MAX_PAUSE), self._turns:
                    pass

    def _uses_loop(self) -> bool:
        return monotonic() >= self._loop_pauses_until

    async def _in_turn(self, environ: WSGIEnvironment) -> Answer:
        await self._turns.acquire()
        try:
            loop = asyncio.get_running_loop()
            answer = loop.run_in_executor(self._threads, run_wsgi, self._app, environ)
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
        """Return the site's page for an error that was raised outside of the views."""
        is_json = "json" in environ.get("HTTP_ACCEPT", "")
        language = environ.get("HTTP_ACCEPT_LANGUAGE", "")[:2]
        answer: Answer = self._page(error, is_json, language if language in LANGUAGES else "")
        return answer


def run_wsgi(app: Any, environ: WSGIEnvironment) -> Answer:
    """Return the complete response of a WSGI app."""
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
