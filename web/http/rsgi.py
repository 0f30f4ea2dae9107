"""The site behind granian's RSGI interface: whole requests in, and the WSGI app called in the loop.

A worker's event loop reads a request to its end, within a deadline, before any code of the site
runs: a sender who is slow or silent holds a connection and nothing else. Then the loop itself calls
the app, one call at a time. Threads would fight for the interpreter's lock, which SQLite and every
write release many times in a request.

What takes long must not hold the loop. So calls that are known to be dear are made one by one in a
thread beside it; and after a slow one, since then a store or a disk may hang, all others are made
in threads too until it is calm again.
"""

import asyncio
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeVar
from wsgiref.types import WSGIApplication, WSGIEnvironment

from granian.rsgi import HTTPProtocol, ProtocolClosed, Scope
from werkzeug.exceptions import (
    BadRequest,
    HTTPException,
    RequestEntityTooLarge,
    RequestHeaderFieldsTooLarge,
    RequestTimeout,
)

from web.http.security import MAX_BODY, REFUSED

MAX_HEADERS: Final = 16 * 1024
"""How many characters the names and values of a request's headers may have together."""

MAX_DRAIN: Final = 32 * 1024 * 1024
"""How many bytes of a refused body are read, so that a browser sees our answer and no reset."""

READS_WITHIN: Final = 10.0
"""In how many seconds after the headers a body has to come."""

LOOKS_EVERY: Final = 0.5
"""After how many seconds bodies that have not come are looked for again."""

SLOW: Final = 0.5
"""From how many seconds on a call is slow, if it is not known to be dear."""

CALM: Final = 10.0
"""For how many seconds after a slow call the others are made in threads."""

THREADS: Final = 16
"""How many calls can then wait at a time for a store that hangs."""

_MAX_SHOWN: Final = 1_024
"""Longer headers of a refused request are not shown to the app."""

_VERSIONS: Final = {"1": "HTTP/1.0", "1.1": "HTTP/1.1"}

T = TypeVar("T")
log = logging.getLogger("cardgames.rsgi")


class Answer(NamedTuple):
    """What is answered to a request."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


Early = Callable[[Scope], Awaitable[Answer] | None]
"""Answers a request in the loop, or returns None for one that is not its own.

It is asked before the app. What it returns may wait for long, and must not compute.
"""


def never(_: Any) -> None:
    """Answer no request early, and hold none for dear."""


class RSGIApplication:
    """A WSGI app, in the shape that granian calls."""

    def __init__(
        self,
        app: WSGIApplication,
        is_dear: Callable[[str], object] = never,
        early: Early = never,
    ) -> None:
        """Wrap an app.

        Args:
            app: what answers.
            is_dear: says of a path whether its answer may take long.
            early: what is asked before the app.
        """
        self._app = app
        self._is_dear = is_dear
        self._early = early
        self._dear = ThreadPoolExecutor(1)
        self._threads = ThreadPoolExecutor(THREADS)
        self._calm_from = 0.0
        self._asked = self._open = 0
        """How many requests there were so far, and how many of them are not answered yet."""
        self._reading: dict[asyncio.Future[Any], int] = {}
        """The bodies that are being read, and how often each was still looked for in vain."""
        self._most_looks = round(READS_WITHIN / LOOKS_EVERY)
        self._stopping = False

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin to look after slow senders, and look out for the signal to stop.

        granian has the loop's own handler of the signal, which hears of it by the process's wake-up
        descriptor: it works beside the handler that is set here.
        """

        def look(asked: int = 0) -> None:
            self._give_up_slow_bodies()
            if self._stopping and not self._open and self._asked == asked:
                sys.exit()  # all have their answer; granian would wait for who sends half a header
            loop.call_later(LOOKS_EVERY, look, self._asked)

        def stop(*_: object) -> None:
            self._stopping, self._most_looks = True, 1  # what has been sent is still awaited

        loop.call_later(LOOKS_EVERY, look)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)

    async def __call__(self, scope: Scope, protocol: HTTPProtocol) -> None:
        """Answer a request."""
        self._asked += 1
        self._open += 1
        try:
            answer = await (self._early(scope) or self._answer(scope, protocol))
            protocol.response_bytes(*answer)
        finally:
            self._open -= 1

    async def _answer(self, scope: Scope, protocol: HTTPProtocol) -> Answer:
        """Read a request and have the app answer it."""
        environ = environ_of(scope)
        try:
            environ["wsgi.input"] = BytesIO(await self._body(environ, protocol))
        except HTTPException as error:
            answer = await self._call(_refused(environ, error))
            return answer._replace(headers=[*answer.headers, ("Connection", "close")])
        return await self._call(environ)

    async def _body(self, environ: WSGIEnvironment, protocol: HTTPProtocol) -> bytes:
        """Read a request's body, and say in the environment how long it is.

        Of one that is too large nothing is returned: the app refuses it by its length.

        Raises:
            HTTPException: the request is refused. As much of its body as may be was read.
        """
        chunked = environ.pop("HTTP_TRANSFER_ENCODING", None) is not None
        length = int(environ.get("CONTENT_LENGTH", 0))
        refusal = _refusal(environ, has_body=chunked or length > 0)
        body = b""
        if chunked or length > MAX_BODY or (length and refusal):
            body, length = await self._whole(asyncio.ensure_future(_streamed(protocol)))
            environ["CONTENT_LENGTH"] = str(length)
        elif length:
            body = await self._whole(asyncio.ensure_future(protocol()))
        if refusal:
            raise refusal
        return body

    async def _whole(self, reading: asyncio.Future[T]) -> T:
        """Return a body when it has come to its end.

        Raises:
            HTTPException: it has not, in time or at all.
        """
        self._reading[reading] = 0
        try:
            return await reading
        except asyncio.CancelledError:
            raise RequestTimeout from None
        except ProtocolClosed:
            raise BadRequest from None
        finally:
            del self._reading[reading]

    def _give_up_slow_bodies(self) -> None:
        """Wait no longer for bodies that have been read for too long.

        Looks are counted and not the time: what came while the app held the loop is not too late.
        """
        for reading, looks in list(self._reading.items()):
            if looks >= self._most_looks:
                reading.cancel()
            else:
                self._reading[reading] = looks + 1

    async def _call(self, environ: WSGIEnvironment) -> Answer:
        """Call the app, in the loop if that is quick."""
        loop = asyncio.get_running_loop()
        if self._is_dear(environ["PATH_INFO"]):
            return await loop.run_in_executor(self._dear, called, self._app, environ)
        if perf_counter() < self._calm_from:
            return await loop.run_in_executor(self._threads, self._timed, environ)
        return self._timed(environ)

    def _timed(self, environ: WSGIEnvironment) -> Answer:
        """Call the app, and remember it if that was slow."""
        began = perf_counter()
        answer = called(self._app, environ)
        ended = perf_counter()
        if ended - began > SLOW:
            if ended > self._calm_from:
                log.warning("a call took %.1f s: others are made in threads", ended - began)
            self._calm_from = ended + CALM
        return answer


def environ_of(scope: Scope) -> WSGIEnvironment:
    """Return what WSGI says of a request, all but its body."""
    server, _, port = scope.server.rpartition(":")
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),  # bytes, as WSGI writes them
        "QUERY_STRING": scope.query_string,
        "SERVER_PROTOCOL": _VERSIONS.get(scope.http_version, "HTTP/1.1"),
        "SERVER_NAME": server.strip("[]"),
        "SERVER_PORT": port,
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": BytesIO(),
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope.headers.items():
        if "_" in name:  # it would pass for the header with a dash, which a proxy may have set
            continue
        key = "HTTP_" + name.upper().replace("-", "_")
        environ[key] = f"{environ[key]},{value}" if key in environ else value
    for key in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if (value := environ.pop(f"HTTP_{key}", None)) is not None:
            environ[key] = value
    return environ


def called(app: WSGIApplication, environ: WSGIEnvironment) -> Answer:
    """Return what a WSGI app answers, as a whole."""
    started: list[Any] = []
    chunks: list[bytes] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], _failed: object = None
    ) -> Callable[[bytes], object]:
        started[:] = status, headers
        return chunks.append

    result = app(environ, start_response)
    try:
        chunks.extend(result)
    finally:
        if close := getattr(result, "close", None):
            close()
    status, headers = started
    return Answer(int(status[:3]), headers, b"".join(chunks))


def _refusal(environ: WSGIEnvironment, *, has_body: bool) -> HTTPException | None:
    """Say what a request is refused for whatever its body is."""
    headers = (key + value for key, value in environ.items() if key.startswith("HTTP_"))
    if sum(map(len, headers)) > MAX_HEADERS:
        return RequestHeaderFieldsTooLarge()
    if has_body and environ["REQUEST_METHOD"] in ("GET", "HEAD"):
        return BadRequest()
    return None


def _refused(environ: WSGIEnvironment, error: HTTPException) -> WSGIEnvironment:
    """Return what the app needs to know of a request that it shall refuse."""
    shown = {
        key: value
        for key, value in environ.items()
        if not key.startswith("HTTP_") or len(key + value) <= _MAX_SHOWN
    }
    return {**shown, "CONTENT_LENGTH": "0", REFUSED: error}


async def _streamed(protocol: HTTPProtocol) -> tuple[bytes, int]:
    """Read a body piece by piece; return it and its length. Nothing is kept of too large a one.

    granian ends a whole one with an empty piece, and one that was cut off with two.

    Raises:
        HTTPException: it was cut off, or has no end in sight.
    """
    body = bytearray()
    length = empty = 0
    async for piece in protocol:
        length += len(piece)
        empty += not piece
        if length <= MAX_BODY:
            body += piece
        elif length > MAX_DRAIN:
            raise RequestEntityTooLarge
    if empty != 1:
        raise BadRequest
    return (bytes(body) if length <= MAX_BODY else b""), length
