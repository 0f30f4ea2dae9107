"""What every request passes, and every answer is given.

Strange hosts, forms from other sites and sessions that run wild are refused, and every answer is
locked down.
"""

import logging
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from socket import gethostname
from typing import Any, Final
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import flask
from werkzeug.exceptions import (
    BadRequest,
    Forbidden,
    HTTPException,
    RequestURITooLarge,
    ServiceUnavailable,
    TooManyRequests,
    UnsupportedMediaType,
)

from cardgames.text import Text
from web.http.addresses import is_too_long
from web.http.requests import MAX_BODY
from web.sessions import session_as_read
from web.settings import Settings

REFUSED: Final = "cardgames.refused"
"""Where the environment of a request holds the HTTP error that its server refuses it with."""

_CONTENT_SECURITY: Final = (
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

VARY: Final = "Accept, Accept-Encoding, Accept-Language, Cookie, Prefer"
"""What an answer depends on beside its address."""

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
    "A request carried X-Forwarded-For while TRUSTED_PROXIES is 0, so it was not believed. If the "
    "site stands behind a proxy, set TRUSTED_PROXIES=1: without, it knows neither its own name nor "
    "whether the browser is on TLS. If it does not, leave it: anybody can send that header."
)

_ANY_HOST: Final = ("/healthz", "/readyz")
"""What machines ask that know the server only by its address in numbers."""

_LOCAL: Final = ("localhost", "local")
"""The last parts of names that exist on this machine and in this network alone."""

WINDOW: Final = 60.0
"""Number of seconds over which requests of a session are counted."""

MIN_ACTIVE_SESSIONS: Final = 20
"""Minimum number of sessions in a window for one of them to be kept waiting: alone, a student's
notebook may play as fast as it can."""

log = logging.getLogger("cardgames.guard")

Check = Callable[[flask.Request], None]
"""Raises an HTTP error for a request that is refused."""


class TooManyAtOnce(ServiceUnavailable):
    """The request would have to wait too long for its answer."""

    sentence = Text("Too many want something at once. Nothing has changed: try again in a moment.")


class UnknownName(BadRequest):
    """The site was called by a name that may be anybody's."""

    sentence = Text(
        "This site does not know the name that it was called by. Whoever runs it can set "
        "ALLOWED_HOSTS to its names; until then its address in numbers works."
    )


def register(app: flask.Flask, settings: Settings) -> None:
    """Guard an app."""
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    checks: list[Check] = []
    if settings.allowed_hosts:
        checks.append(_require_name_in(settings.allowed_hosts))
    elif not settings.trusted_proxies:
        checks.append(_refuse_foreign_names)
    # Before requests are counted: another site's page must not use up a player's share.
    checks.append(refuse_other_sites)
    if settings.rate_limit:
        checks.append(RateLimiter(settings.rate_limit).check)
    if not settings.trusted_proxies:
        checks.append(_note_proxies(settings.data_dir / NOTE))

    @app.before_request
    def guard() -> None:
        request = flask.request
        refused: HTTPException | None = request.environ.get(REFUSED)
        if refused:  # what the server could not or would not read, in the words of the site
            raise refused
        if is_too_long(request):  # before its query is read
            raise RequestURITooLarge
        if request.content_length and request.method in ("GET", "HEAD"):
            raise BadRequest
        if request.content_length and request.content_encoding:
            raise UnsupportedMediaType
        for check in checks:
            check(request)

    # Around the app instead of after each request: a list that grows is a fifth of the price.
    app.wsgi_app = add_headers(app.wsgi_app)  # type: ignore[method-assign, assignment]


def reset(settings: Settings) -> None:
    """Forget the proxy that was met before the server was started anew."""
    (settings.data_dir / NOTE).unlink(missing_ok=True)


def _require_name_in(allowed: tuple[str, ...]) -> Check:
    """Return a check that the site is called by one of its names, whatever the port."""

    def refuse_other_names(request: flask.Request) -> None:
        host = request.host.lower()
        known = host in allowed or host.rpartition(":")[0] in allowed
        if not known and request.path not in _ANY_HOST:
            raise BadRequest

    return refuse_other_names


def _refuse_foreign_names(request: flask.Request) -> None:
    """Refuse a name by which somebody on the internet can have called the site.

    A page on the internet can point a name of its own at this machine, and let the browsers of a
    class send whatever it likes here. What it can give is a name with a dot. Behind a trusted proxy
    it is the proxy that knows the names.
    """
    if not _is_own(hostname(request.host)) and request.path not in _ANY_HOST:
        log.warning("called by a name that is not known here: set ALLOWED_HOSTS to its names")
        raise UnknownName


def _is_own(name: str) -> bool:
    """Say whether nobody on the internet can have given the site a name."""
    last = name.rpartition(".")[2]  # of an address in numbers it is one too, and of no name
    return "." not in name or last.isdigit() or last in _LOCAL or name == gethostname().lower()


def _note_proxies(note: Path) -> Check:
    """Return a look-out for proxies that no setting names: one log line, and one note on disk."""
    known: list[bool] = []

    def look_out(request: flask.Request) -> None:
        if not known and "HTTP_X_FORWARDED_FOR" in request.environ:
            known.append(True)
            log.warning("%s", UNTRUSTED)
            with suppress(OSError):  # the log line has said it
                note.touch(mode=0o600)

    return look_out


class RateLimiter:
    """Counts the requests of each session in this minute, in this worker.

    By session, never by address: a whole class sits behind one. A visitor without a session is not
    counted: one count for all of them would let anybody shut the door on everybody, and what they
    can do is bounded otherwise. Looking writes nothing, and a first move makes them a session.
    """

    def __init__(self, limit: int) -> None:
        """Allow a session this number of requests a minute."""
        self._limit, self._ends = limit, 0.0
        self._counts: dict[str, int] = {}

    def check(self, _: flask.Request) -> None:
        """Count the request that is being answered.

        Raises:
            TooManyRequests: its session has had its share of this minute.
        """
        session = session_as_read()
        if not session.is_signed:
            return
        now = time.monotonic()
        if now >= self._ends:
            self._counts, self._ends = {}, now + WINDOW
        count = self._counts[session.sid] = self._counts.get(session.sid, 0) + 1
        if count > self._limit and len(self._counts) >= MIN_ACTIVE_SESSIONS:
            raise TooManyRequests(retry_after=max(1, int(self._ends - now)))


def refuse_other_sites(request: flask.Request) -> None:
    """Refuse a form that another site's page has sent.

    A browser says where a form comes from: ``Sec-Fetch-Site`` on secure connections, ``Origin``
    otherwise. A client that sends neither is not a browser, so no cookie is in it unknowingly.
    """
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    site = request.environ.get("HTTP_SEC_FETCH_SITE")
    if site is not None:
        allowed = site in ("same-origin", "none")
    else:
        origin = request.environ.get("HTTP_ORIGIN")
        allowed = origin is None or origin.partition("://")[2] == request.host
    if not allowed:
        raise Forbidden


def hostname(host: str) -> str:
    """Return the name in a ``Host`` header, without its port.

    >>> hostname("Cards.example.edu:8000"), hostname("[::1]:8000"), hostname("::1")
    ('cards.example.edu', '::1', '::1')
    """
    name = host.lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0] if name.count(":") == 1 else name


def add_headers(inner: WSGIApplication) -> WSGIApplication:
    """Give an app's answers the headers: they are this player's, now, in the language asked for."""

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *failed: Any) -> Any:
            headers.extend(HEADERS)
            headers.append(("Vary", VARY))
            if "Cache-Control" not in dict(headers):
                headers.append(("Cache-Control", "no-store"))
            return start_response(status, headers, *failed)

        return inner(environ, start)

    return call
