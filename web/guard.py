"""What every request passes: forms from other sites are refused, every answer is locked down."""

from collections.abc import Iterable
from typing import IO, Final

import flask
from werkzeug.exceptions import Forbidden

MAX_BODY: Final = 256 * 1024
"""The largest body that is read as a form, in bytes."""

_MAX_DRAIN: Final = 32 * 1024 * 1024
_CHUNK: Final = 64 * 1024

_CONTENT_SECURITY: Final = (
    "default-src 'none'; img-src 'self'; style-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

HEADERS: Final = (
    ("Content-Security-Policy", _CONTENT_SECURITY),
    ("X-Content-Type-Options", "nosniff"),
    # Not no-referrer: browsers then send "Origin: null" on plain HTTP, which refuses everybody.
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)


def init(app: flask.Flask) -> None:
    """Guard an app."""
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    app.before_request(refuse_other_sites)
    app.after_request(_locked_down)
    app.after_request(_drained)


def refuse_other_sites() -> None:
    """Refuse a form that another site's page has sent.

    A browser says where a form comes from: ``Sec-Fetch-Site`` on secure connections, ``Origin``
    otherwise. Who sends neither is no browser and carries nobody's cookie unknowingly.
    """
    request = flask.request
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        allowed = site in ("same-origin", "none")
    else:
        origin = request.headers.get("Origin")
        allowed = origin is None or origin.partition("://")[2] == request.host
    if not allowed:
        raise Forbidden


def _locked_down(response: flask.Response) -> flask.Response:
    response.headers.extend(HEADERS)
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def _drained(response: flask.Response) -> flask.Response:
    """Read what is left of the body before answering.

    The server would otherwise break the kept-alive connection, and a refused browser would show
    its own error instead of ours. Past a bound the connection is given up.
    """
    request = flask.request
    if request.content_length or "Transfer-Encoding" in request.headers:
        left = sum(map(len, _chunks(request.environ["wsgi.input"])))
        if left >= _MAX_DRAIN:
            response.headers["Connection"] = "close"
    return response


def _chunks(stream: IO[bytes]) -> Iterable[bytes]:
    for _ in range(_MAX_DRAIN // _CHUNK):
        chunk = stream.read(_CHUNK)
        if not chunk:
            return
        yield chunk
