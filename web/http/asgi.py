"""The site behind ASGI: the event loop reads a request to its end before any code of the site runs.

So a slow or silent sender holds a connection and nothing else.
"""

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable
from io import BytesIO
from typing import Any, Final
from wsgiref.types import WSGIEnvironment

import flask
from werkzeug import exceptions

from web.http.requests import MAX_BODY
from web.http.security import REFUSED
from web.http.threads import THREADS, Turns

MAX_HEADERS: Final = 16 * 1024
"""Maximum number of characters of the names and values of a request's headers together."""

MAX_DISCARDED: Final = 32 * 1024 * 1024
"""Maximum number of bytes of a refused body that are read: a browser then sees our answer."""

BODY_TIMEOUT: Final = 10.0
"""Number of seconds after the headers in which a body has to come."""

_POLLS: Final = 20  # number of waits that make them up: one counts where the process stood still
_LONG: Final = 1_000  # number of characters from which on a refused header is not shown to the app

_SERVER: Final = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.input_terminated": True,
}

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

log = logging.getLogger("cardgames.asgi")


class ASGIApplication:
    """A Flask app, in the shape that an ASGI server calls."""

    def __init__(self, app: flask.Flask, prefix: str = "", *, is_sqlite: bool = False) -> None:
        """Wrap an app whose URLs begin with a prefix.

        PostgreSQL has many writers, and may keep one waiting for seconds: there, requests have
        several turns at a time, and none in the event loop.
        """
        width = 1 if is_sqlite else THREADS
        self._turns = Turns(app, prefix, width, uses_loop=is_sqlite)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Read a request, and answer it."""
        environ: WSGIEnvironment = {}
        is_last = False
        try:
            environ = await _environ(scope, receive)
            is_last = REFUSED in environ  # the rest of the body may be on its way
            status, headers, body = await self._turns.answer(environ)
        except Exception:  # Flask answers its own: this is one of what is around it
            log.exception("a request failed outside of its view")
            error = exceptions.InternalServerError
            status, headers, body = self._turns.error_page(error, environ)
        closing = [("Connection", "close")] if is_last else []
        pairs = [(name.encode(), value.encode("latin-1")) for name, value in headers + closing]
        await send({"type": "http.response.start", "status": status, "headers": pairs})
        await send({"type": "http.response.body", "body": body})


async def _environ(scope: dict[str, Any], receive: Receive) -> WSGIEnvironment:
    """Return a request as WSGI describes it, with its body or the error that rejects it."""
    environ = _without_body(scope)
    try:
        body = await _read(environ, receive)
    except exceptions.HTTPException as error:
        shown = {key: value for key, value in environ.items() if len(f"{key}{value}") < _LONG}
        return {**shown, "CONTENT_LENGTH": "0", "wsgi.input": BytesIO(), REFUSED: error}
    return environ | {"wsgi.input": BytesIO(body)}


def _without_body(scope: dict[str, Any]) -> WSGIEnvironment:
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


async def _read(environ: WSGIEnvironment, receive: Receive) -> bytes:
    """Return a request's body; nothing of one that the app will refuse by its length.

    Raises:
        HTTPException: the request is refused. As much of its body as may be was read.
    """
    chunked, body = environ.pop("HTTP_TRANSFER_ENCODING", ""), b""
    if chunked or int(environ.get("CONTENT_LENGTH", 0)):
        reading = asyncio.ensure_future(_read_pieces(receive))
        for _ in range(_POLLS):
            if (await asyncio.wait({reading}, timeout=BODY_TIMEOUT / _POLLS))[0]:
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
        elif length > MAX_DISCARDED:
            raise exceptions.RequestEntityTooLarge
    return (bytes(body) if length <= MAX_BODY else b""), length
