"""Calls of a WSGI app from an event loop: one at a time, in the order of arrival, or refused.

A view that takes long is made in an extra thread instead (:func:`takes_long`), and one that waits
for another process in one of a few others (:func:`waits`).
"""

import asyncio
import logging
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from io import BytesIO
from time import perf_counter
from typing import Any, Final, ParamSpec, TypeVar
from wsgiref.types import WSGIApplication, WSGIEnvironment

import flask
from granian.rsgi import Scope
from werkzeug.exceptions import ServiceUnavailable

from cardgames.text import Text
from web.http.i18n import LANGUAGES
from web.http.security import REFUSED

MAX_WAIT: Final = 1.0
"""Maximum number of seconds for which a request may expect to wait for its turn."""

MAX_TURN: Final = 0.25
"""Maximum number of seconds that a turn is counted with: a single slow one says little."""

MAX_LONG_CALLS: Final = 32
"""Maximum number of calls that are made, or wait, in the extra thread and the others."""

WAITING_THREADS: Final = 4
"""Number of threads for views that wait for another process, and cost nothing meanwhile."""

IN_LOOP: Final = "cardgames.in_loop"
"""Is in the environment of a request whose app is called in a server's event loop."""

_SERVER: Final = {
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
}

Answer = tuple[int, list[tuple[str, str]], bytes]
"""Status, headers and body."""

log = logging.getLogger("cardgames.turns")
P = ParamSpec("P")
R = TypeVar("R")


def environ_of(scope: Scope) -> WSGIEnvironment:
    """Return what WSGI says of a request, all but its body."""
    server, _, port = scope.server.rpartition(":")
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),  # bytes, as WSGI writes them
        "QUERY_STRING": scope.query_string,
        "SERVER_PROTOCOL": "HTTP/1.0" if scope.http_version == "1" else "HTTP/1.1",
        "SERVER_NAME": server.strip("[]"),
        "SERVER_PORT": port,
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input_terminated": True,
        **_SERVER,
    }
    for name, value in scope.headers.items():
        if "_" in name:  # it would pass for the header with a dash, which a proxy may have set
            continue
        key = name.upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        environ[key] = f"{environ[key]},{value}" if key in environ else value
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


class TakesLong(BaseException):  # no error: like GeneratorExit, it asks to leave
    """The call has to be made again, in a thread beside the event loop."""


class Waits(TakesLong):
    """The same, of a call that waits for another process."""


def takes_long(view: Callable[P, R]) -> Callable[P, R]:
    """Declare that a view may take more than 50 ms: everybody would wait for it in the loop.

    The server calls the app again in its extra thread: a request is guarded and its session read
    twice. Any other server just calls the view.
    """
    return _beside_the_loop(view, TakesLong)


def waits(view: Callable[P, R]) -> Callable[P, R]:
    """Declare that a view waits for another process: it holds up no view that takes long."""
    return _beside_the_loop(view, Waits)


def _beside_the_loop(view: Callable[P, R], leave: type[TakesLong]) -> Callable[P, R]:
    @wraps(view)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if IN_LOOP in flask.request.environ:
            raise leave
        return view(*args, **kwargs)

    return call


class TooManyAtOnce(ServiceUnavailable):
    """The request would have to wait too long for its turn."""

    sentence = Text("Too many want something at once. Nothing has changed: try again in a moment.")


class Turns:
    """A queue for the event loop, which calls the app itself, and one thread for what takes long.

    Who comes while the queue is too long is refused at once: so those that are in it are answered
    soon, where otherwise everybody would wait in vain.
    """

    def __init__(self, app: WSGIApplication, prefix: str) -> None:
        """Prepare to call an app whose addresses begin with a prefix."""
        self._app, self._lobby = app, f"{prefix}/"
        self._queue: deque[tuple[WSGIEnvironment, asyncio.Future[Answer]]] = deque()
        self._mean_turn = 0.0
        self._extra_thread = ThreadPoolExecutor(1)
        self._waiting_threads = ThreadPoolExecutor(WAITING_THREADS)
        self._long_calls = self._refused = 0
        self._refusals: dict[tuple[bool, str], Answer] = {}

    async def call(self, environ: WSGIEnvironment, body: bytes) -> Answer:
        """Have the app called when it is the request's turn, if that comes soon enough."""
        if len(self._queue) * self._mean_turn > MAX_WAIT:
            return self._refuse(environ)
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[Answer] = loop.create_future()
        self._queue.append(({**environ, "wsgi.input": BytesIO(body), IN_LOOP: True}, turn))
        # Where others wait, the turn before this one calls the next.
        if len(self._queue) == 1:
            loop.call_soon(self._take_turn, loop, perf_counter())
        try:
            return await turn
        except TakesLong as left:
            if self._long_calls >= MAX_LONG_CALLS:
                return self._refuse(environ)
            is_waiting = isinstance(left, Waits)
        thread = self._waiting_threads if is_waiting else self._extra_thread
        self._long_calls += 1
        try:
            environ["wsgi.input"] = BytesIO(body)
            return await loop.run_in_executor(thread, run_wsgi, self._app, environ)
        finally:
            self._long_calls -= 1

    def log_refused(self) -> None:
        """Log how many requests were refused since the last time."""
        if self._refused:
            log.warning("too many requests at once: %d were refused", self._refused)
        self._refused = 0

    def _take_turn(self, loop: asyncio.AbstractEventLoop, since: float) -> None:
        """Call the app for the first in the queue; who has come meanwhile queues before the next.

        A turn counts from the end of the one before it: what lies between takes time as well.
        """
        environ, turn = self._queue[0]
        try:
            answer = run_wsgi(self._app, environ)
        except BaseException as error:  # noqa: BLE001 - it is raised where the turn is awaited
            if not turn.cancelled():
                turn.set_exception(error)
        else:
            if not turn.cancelled():  # or nobody behind it would ever have a turn
                turn.set_result(answer)
        now = perf_counter()
        # A running mean of about the last 32 turns: no list of them is kept.
        self._mean_turn += (min(now - since, MAX_TURN) - self._mean_turn) / 32
        self._queue.popleft()
        if self._queue:
            loop.call_soon(self._take_turn, loop, now)

    def _refuse(self, environ: WSGIEnvironment) -> Answer:
        """Return the answer that there is no time; it is made once, or refusing would take long."""
        self._refused += 1
        language = environ.get("HTTP_ACCEPT_LANGUAGE", "")[:2]
        key = "json" in environ.get("HTTP_ACCEPT", ""), language if language in LANGUAGES else ""
        if key not in self._refusals:
            # The answer is kept for everybody, so nothing of this visitor may be in it.
            shown = dict.fromkeys((name for name in environ if name.startswith("HTTP_")), "") | {
                "REQUEST_METHOD": "GET",
                "PATH_INFO": self._lobby,
                "QUERY_STRING": "",
                "HTTP_ACCEPT": "application/json" if key[0] else "",
                "HTTP_ACCEPT_LANGUAGE": key[1],
                "wsgi.input": BytesIO(),
                REFUSED: TooManyAtOnce(),
            }
            self._refusals[key] = run_wsgi(self._app, {**environ, **shown})
        return self._refusals[key]
