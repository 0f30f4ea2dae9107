"""What every request passes, and every answer is given.

Strange hosts and forms from other sites are refused, a session keeps pace with its class, and
every answer is locked down.
"""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import flask
from werkzeug.exceptions import BadRequest, Forbidden, HTTPException

from web.http.rate_limit import RateLimiter
from web.settings import Settings

MAX_BODY: Final = 256 * 1024
"""The largest body that is read as a form, in bytes."""

REFUSED: Final = "cardgames.refused"
"""Where the environment of a request holds the HTTP error that its server refuses it with."""

_CONTENT_SECURITY: Final = (
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS: Final = (
    ("Content-Security-Policy", _CONTENT_SECURITY),
    ("X-Content-Type-Options", "nosniff"),
    # Not no-referrer: browsers then send "Origin: null" on plain HTTP, which refuses everybody.
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)


NOTE: Final = "untrusted-proxy"
"""A file in the data directory: a proxy was met that the settings do not trust."""

UNTRUSTED: Final = (
    "Requests come through a proxy (they carry X-Forwarded-For), but TRUSTED_PROXIES is 0: the "
    "site cannot know its own name nor whether the browser is on TLS. Set TRUSTED_PROXIES=1."
)

_ANY_HOST: Final = ("/healthz", "/readyz")
"""What a machine asks that knows the server by its number only."""

log = logging.getLogger("cardgames.guard")


def register(app: flask.Flask, settings: Settings) -> None:
    """Guard an app."""
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    app.before_request(_refuse_with_the_server)
    if settings.allowed_hosts:
        app.before_request(_refusing_hosts(settings.allowed_hosts))
    app.before_request(refuse_other_sites)
    if settings.rate_limit:
        app.before_request(RateLimiter(settings.rate_limit).check)
    if not settings.trusted_proxies:
        app.before_request(_noting_a_proxy(settings.data_dir / NOTE))
    # Around the app instead of after each request: a list that grows is a fifth of the price.
    app.wsgi_app = _add_security_headers(app.wsgi_app)  # type: ignore[method-assign, assignment]


def reset(settings: Settings) -> None:
    """Forget the proxy that was met before the server was started anew."""
    (settings.data_dir / NOTE).unlink(missing_ok=True)


def _refuse_with_the_server() -> None:
    """Answer what the server could not or would not read, in the words of the site."""
    error: HTTPException | None = flask.request.environ.get(REFUSED)
    if error:
        raise error


def _refusing_hosts(allowed: tuple[str, ...]) -> Callable[[], None]:
    """Return a check that the site is called by one of its names, whatever the port."""

    def refuse_other_hosts() -> None:
        request = flask.request
        host = request.host.lower()
        known = host in allowed or host.rpartition(":")[0] in allowed
        if not known and request.path not in _ANY_HOST:
            raise BadRequest

    return refuse_other_hosts


def _noting_a_proxy(note: Path) -> Callable[[], None]:
    """Return a look-out for a proxy that nobody told us of: one log line, and one note on disk."""
    known: list[bool] = []

    def look_out() -> None:
        if not known and "HTTP_X_FORWARDED_FOR" in flask.request.environ:
            known.append(True)
            log.warning("%s", UNTRUSTED)
            with suppress(OSError):  # the log line has said it
                note.touch(mode=0o600)

    return look_out


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


def _add_security_headers(inner: WSGIApplication) -> WSGIApplication:
    """Give every answer the headers; it is this player's, now, in the language that was asked."""

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *failed: Any) -> Any:
            headers.extend(HEADERS)
            headers.append(("Vary", "Accept, Accept-Encoding, Accept-Language, Cookie"))
            if not any(name == "Cache-Control" for name, _ in headers):
                headers.append(("Cache-Control", "no-store"))
            return start_response(status, headers, *failed)

        return inner(environ, start)

    return call
