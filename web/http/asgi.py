"""The site behind ASGI: the event loop reads a request to its end before any code of the site runs.

So a slow or silent sender holds a connection and nothing else.
"""

import asyncio
from collections.abc import Awaitable, Callable
from io import BytesIO
from typing import Any, Final
from wsgiref.types import WSGIEnvironment

import flask
from werkzeug import exceptions

from web.http.requests import MAX_BODY
from web.http.security import REFUSED
from web.http.threads import AppThreads, environ_of

MAX_HEADERS: Final = 16 * 1024
"""Maximum number of characters of the names and values of a request's headers together."""

MAX_DRAIN: Final = 32 * 1024 * 1024
"""Maximum number of bytes of a refused body that are read: a browser then sees our answer."""

READS_WITHIN: Final = 10.0
"""Number of seconds after the headers in which a body has to come."""

_LOOKS: Final = 20  # number of waits that make them up: one counts where the process stood still
_LONG: Final = 1_000  # number of characters from which on a refused header is not shown to the app

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class ASGIApplication:
    """A WSGI app, in the shape that an ASGI server calls."""

    def __init__(self, app: flask.Flask, prefix: str = "", at_once: int = 1) -> None:
        """Wrap an app whose addresses begin with a prefix; some requests are answered at once."""
        self._threads = AppThreads(app, app.config["SESSION_COOKIE_NAME"], prefix, at_once)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Read a request, and answer it."""
        environ, closing = environ_of(scope), []
        try:
            environ["wsgi.input"] = BytesIO(await _read(environ, receive))
        except exceptions.HTTPException as error:
            shown = {key: value for key, value in environ.items() if len(f"{key}{value}") < _LONG}
            environ = {**shown, "CONTENT_LENGTH": "0", "wsgi.input": BytesIO(), REFUSED: error}
            closing = [("Connection", "close")]
        status, headers, body = await self._threads.answer(environ)
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers + closing]
        await send({"type": "http.response.start", "status": status, "headers": pairs})
        await send({"type": "http.response.body", "body": body})


async def _read(environ: WSGIEnvironment, receive: Receive) -> bytes:
    """Return a request's body; nothing of one that the app will refuse by its length.

    Raises:
        HTTPException: the request is refused. As much of its body as may be was read.
    """
    chunked, body = environ.pop("HTTP_TRANSFER_ENCODING", ""), b""
    if chunked or int(environ.get("CONTENT_LENGTH", 0)):
        reading = asyncio.ensure_future(_read_pieces(receive))
        for _ in range(_LOOKS):
            if (await asyncio.wait({reading}, timeout=READS_WITHIN / _LOOKS))[0]:
                break
        else:
            reading.cancel()
            raise exceptions.RequestTimeout
        body, length = reading.result()
        # A body in chunks came without; and the app reads no further than this says.
        environ["CONTENT_LENGTH"] = str(length)
    # Only now, after the body: a browser that is still sending would not read the answer.
    headers = [(name, value) for name, value in environ.items() if name.startswith("HTTP_")]
    if sum(len(name) + len(value) for name, value in headers) > MAX_HEADERS:
        raise exceptions.RequestHeaderFieldsTooLarge
    host = environ.get("HTTP_HOST", "")
    # Exactly one, as HTTP/1.1 asks (RFC 9112, 3.2): a proxy and an app may each take another.
    if "," in host or (not host and environ["SERVER_PROTOCOL"] == "HTTP/1.1"):
        environ.pop("HTTP_HOST", None)
        raise exceptions.BadRequest
    return body


async def _read_pieces(receive: Receive) -> tuple[bytes, int]:
    """Return a body and its length; nothing of too large a one."""
    body, length, more = bytearray(), 0, True
    while more:
        event = await receive()
        if event["type"] != "http.request":  # the client has hung up in the middle
            raise exceptions.BadRequest
        length, more = length + len(event["body"]), event["more_body"]
        if length <= MAX_BODY:
            body += event["body"]
        elif length > MAX_DRAIN:
            raise exceptions.RequestEntityTooLarge
    return (bytes(body) if length <= MAX_BODY else b""), length
