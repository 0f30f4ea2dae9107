"""The site behind granian's RSGI interface: whole requests in, and the WSGI app called in the loop.

A worker's event loop reads a request to its end, within a deadline, before any code of the site
runs: a slow or silent sender holds a connection and nothing else. Then the app is called
(:mod:`web.http.turns`).
"""

import asyncio
import signal
import sys
from typing import Final
from wsgiref.types import WSGIApplication, WSGIEnvironment

from granian.rsgi import HTTPProtocol, Scope
from werkzeug import exceptions

from web.http.requests import MAX_BODY
from web.http.security import REFUSED
from web.http.turns import Turns, environ_of

MAX_HEADERS: Final = 16 * 1024
"""Maximum number of characters of the names and values of a request's headers together."""

MAX_DRAIN: Final = 32 * 1024 * 1024
"""Maximum number of bytes of a refused body that are read: a browser then sees our answer."""

READS_WITHIN: Final = 10.0
"""Number of seconds after the headers in which a body has to come."""

LOOKS_EVERY: Final = 0.5
"""Number of seconds between two looks for a body that has not come."""

_LONG: Final = 1_000
"""Number of characters from which on a header of a refused request is not shown to the app."""


class RSGIApplication:
    """A WSGI app, in the shape that granian calls."""

    def __init__(self, app: WSGIApplication, prefix: str = "") -> None:
        """Wrap an app whose addresses begin with a prefix."""
        self._turns = Turns(app, prefix)
        self._asked = self._open = 0
        self._stopping = False

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look out for the signal to stop, beside granian's own handler of it."""

        def look(asked: int = 0) -> None:
            if self._stopping and not self._open and self._asked == asked:
                sys.exit()  # granian would wait for a client that has sent half a header
            self._turns.log_refused()
            loop.call_later(LOOKS_EVERY, look, self._asked)

        def stop(*_: object) -> None:
            self._stopping = True

        look()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)

    async def __call__(self, scope: Scope, protocol: HTTPProtocol) -> None:
        """Read a request, and answer it."""
        self._asked += 1
        self._open += 1
        try:
            environ, closing = environ_of(scope), []
            try:
                body = await self._read(environ, protocol)
            except exceptions.HTTPException as error:
                short = {
                    key: value for key, value in environ.items() if len(f"{key}{value}") < _LONG
                }
                # What it was raised from holds the body, which must go for the connection to end.
                refused = {"CONTENT_LENGTH": "0", REFUSED: error.with_traceback(None)}
                environ, body, closing = {**short, **refused}, b"", [("Connection", "close")]
            status, headers, answer = await self._turns.call(environ, body)
            protocol.response_bytes(status, [*headers, *closing], answer)
        finally:
            self._open -= 1

    async def _read(self, environ: WSGIEnvironment, protocol: HTTPProtocol) -> bytes:
        """Return a request's body; nothing of one that the app will refuse by its length.

        Raises:
            HTTPException: the request is refused. As much of its body as may be was read.
        """
        chunked = environ.pop("HTTP_TRANSFER_ENCODING", None) is not None
        has_body = chunked or int(environ.get("CONTENT_LENGTH", 0)) > 0
        names = [name for name in environ if name.startswith("HTTP_")]
        body = b""
        if has_body:
            reading = asyncio.ensure_future(_read_pieces(protocol))
            looks = 0  # not seconds: what came while the app held the loop is not too late
            while not (await asyncio.wait({reading}, timeout=LOOKS_EVERY))[0]:
                looks += 1
                if self._stopping or looks * LOOKS_EVERY >= READS_WITHIN:
                    reading.cancel()
                    raise exceptions.RequestTimeout
            body, length = reading.result()
            # A body in chunks came without; and the app reads no further than this says.
            environ["CONTENT_LENGTH"] = str(length)
        # Only now, after the body: a browser that is still sending would not read the answer.
        if sum(len(name) + len(environ[name]) for name in names) > MAX_HEADERS:
            raise exceptions.RequestHeaderFieldsTooLarge
        if has_body and environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            raise exceptions.BadRequest
        if has_body and "HTTP_CONTENT_ENCODING" in environ:
            raise exceptions.UnsupportedMediaType
        _require_host(environ)
        return body


def _require_host(environ: WSGIEnvironment) -> None:
    """Return if a request names one host, as HTTP/1.1 asks (RFC 9112, 3.2).

    A proxy and an app may each take another one of two.

    Raises:
        BadRequest: it names several, or none.
    """
    host = environ.get("HTTP_HOST", "")
    if "," in host or (not host and environ["SERVER_PROTOCOL"] == "HTTP/1.1"):
        environ.pop("HTTP_HOST", None)
        raise exceptions.BadRequest


async def _read_pieces(protocol: HTTPProtocol) -> tuple[bytes, int]:
    """Return a body and its length; nothing of too large a one.

    granian ends a whole one with an empty piece, and one that was cut off with two: that is not
    documented, and ``tests/hosting/test_senders.py`` notices when it changes.
    """
    body, length, empty = bytearray(), 0, 0
    async for piece in protocol:
        length += len(piece)
        empty += not piece
        if length <= MAX_BODY:
            body += piece
        elif length > MAX_DRAIN:
            raise exceptions.RequestEntityTooLarge
    if empty != 1:
        raise exceptions.BadRequest
    return (bytes(body) if length <= MAX_BODY else b""), length
