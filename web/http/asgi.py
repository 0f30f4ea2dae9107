"""The site behind ASGI: the event loop reads a complete request before the site's code runs.

A slow or silent client therefore occupies only a connection.
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

from web.http.news import ClientLeft, app_news
from web.http.requests import MAX_BODY
from web.http.security import REFUSED
from web.http.threads import THREADS, Turns

MAX_HEADERS: Final = 16 * 1024
"""Maximum total length of the names and values of a request's headers, in characters."""

MAX_DISCARDED: Final = 32 * 1024 * 1024
"""Maximum number of bytes of a rejected body that are read, so that the browser sees the response.
"""

BODY_TIMEOUT: Final = 10.0
"""Timeout for a request body after its headers, in seconds."""

# A timeout is divided into this number of pauses. While the process is suspended, at most one of
# the pauses ends.
_POLLS: Final = 20
# Minimum length of a rejected header that is not passed to the app, in characters.
_LONG: Final = 1_000

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
    """A Flask app that an ASGI server can call."""

    def __init__(self, app: flask.Flask, prefix: str = "", *, is_sqlite: bool = False) -> None:
        """Wrap an app whose URLs begin with a prefix.

        PostgreSQL has many writers and may delay one of them for seconds. With PostgreSQL, several
        requests therefore run concurrently, and none of them runs in the event loop.
        """
        width = 1 if is_sqlite else THREADS
        self._turns = Turns(app, prefix, width, uses_loop=is_sqlite)
        self.news = app_news(app, self._turns.pause, prefix)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Read a request and send the response."""
        environ: WSGIEnvironment = {}
        is_last = is_held = False
        try:
            environ = await _environ(scope, receive)
            is_last = REFUSED in environ  # The rest of the body may not have arrived yet.
            is_held = not is_last and await self.news.hold(environ, receive)
            status, headers, body = await self._turns.answer(environ)
        except ClientLeft:
            return
        except Exception:
            # Flask handles errors of the app itself, so this error occurred in the code around the
            # app.
            log.exception("a request failed outside of its view")
            error = exceptions.InternalServerError
            status, headers, body = self._turns.error_page(error, environ)
        closing = [("Connection", "close")] if is_last else []
        applied = [("Preference-Applied", "wait")] if is_held else []
        pairs = [
            (name.encode(), value.encode("latin-1"))
            for name, value in (*headers, *closing, *applied)
        ]
        await send({"type": "http.response.start", "status": status, "headers": pairs})
        await send({"type": "http.response.body", "body": body})


async def _environ(scope: dict[str, Any], receive: Receive) -> WSGIEnvironment:
    """Return a request's WSGI environment, with its body or an error that rejects it."""
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
        # WSGI represents bytes as Latin-1 characters.
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": "HTTP/1.0" if scope["http_version"] == "1" else "HTTP/1.1",
        "SERVER_NAME": scope["server"][0].strip("[]"),
        "SERVER_PORT": str(scope["server"][1]),
        "REMOTE_ADDR": scope["client"][0].strip("[]"),
        "wsgi.url_scheme": scope["scheme"],
        **_SERVER,
    }
    for name, value in scope["headers"]:
        # WSGI would not distinguish a header with an underscore from the header with a dash, which
        # a proxy may have set.
        if b"_" in name:
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ


async def _read(environ: WSGIEnvironment, receive: Receive) -> bytes:
    """Return a request's body.

    The body is empty if the app will reject the request because of its length.

    Raises:
        HTTPException: If the request is rejected, after the allowed part of its body was read.
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
        # A chunked body has no declared length, and the app reads only the declared number of
        # bytes.
        environ["CONTENT_LENGTH"] = str(length)
    # The error is raised only after the body has been read, because a browser that is still sending
    # does not read the response.
    headers = [(name, value) for name, value in environ.items() if name.startswith("HTTP_")]
    if sum(len(name) + len(value) for name, value in headers) > MAX_HEADERS:
        raise exceptions.RequestHeaderFieldsTooLarge
    host = environ.get("HTTP_HOST", "")
    # HTTP/1.1 requires exactly one Host header (RFC 9112, 3.2). If there are two headers, a proxy
    # and an app may use different ones.
    if "," in host or (not host and environ["SERVER_PROTOCOL"] == "HTTP/1.1"):
        environ.pop("HTTP_HOST", None)
        raise exceptions.BadRequest
    return body


async def _read_pieces(receive: Receive) -> tuple[bytes, int]:
    """Return a body and its length. If the length is too large, the body is empty."""
    body, length, more = bytearray(), 0, True
    while more:
        event = await receive()
        if event["type"] != "http.request":  # The client closed the connection too early.
            raise exceptions.BadRequest
        length, more = length + len(event["body"]), event["more_body"]
        if length <= MAX_BODY:
            body += event["body"]
        elif length > MAX_DISCARDED:
            raise exceptions.RequestEntityTooLarge
    return (bytes(body) if length <= MAX_BODY else b""), length
