"""Checks of every request, headers of every response, and trusted proxies."""

import logging
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from socket import gethostname
from typing import Final
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import flask
from werkzeug import exceptions
from werkzeug.middleware.proxy_fix import ProxyFix

from cardgames.text import Text
from web.data_dir import create_private
from web.http.requests import MAX_BODY, is_too_long
from web.http.sessions import LOGIN
from web.settings import Network, Settings

REFUSED: Final = "cardgames.refused"
"""The key of the HTTP error in the environment of a rejected request."""

_CONTENT_SECURITY: Final = (
    "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

VARY: Final = "Accept, Accept-Encoding, Accept-Language, Cookie, Prefer"
"""The request headers on which a response depends."""

HEADERS: Final = (
    ("Content-Security-Policy", _CONTENT_SECURITY),
    ("X-Content-Type-Options", "nosniff"),
    # With no-referrer, browsers would send "Origin: null" on plain HTTP, and every form would be
    # rejected.
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)

REFUSED_FORMS: Final = "refused-forms"
"""The file in the data directory that records that a form was rejected because of its origin."""

OTHER_HOST: Final = (
    "A form was refused because the browser sent it to another host than the one in the request. "
    "If the site is behind a proxy, the proxy must pass the name and the port on: in nginx "
    "'proxy_set_header Host $http_host', and with TRUSTED_PROXIES also X-Forwarded-Host and "
    "X-Forwarded-Proto. Otherwise another site's page sent the form."
)

_HEALTH: Final = "/healthz"
"""The URL for monitors, which may know only the server's IP address."""

_SAFE: Final = ("GET", "HEAD", "OPTIONS")
"""The methods of requests that change nothing."""

_LOCAL: Final = ("localhost", "local")
"""Top-level domains of names that exist only on this machine or on the local network."""

MAX_LOGIN: Final = 80
"""Maximum length of a login, the same as for a real name."""

# Visible ASCII without comma and semicolon, because these separate repeated headers and multiple
# values.
_is_login: Final = re.compile(f"[!-+\\--:<-~]{{1,{MAX_LOGIN}}}").fullmatch

log = logging.getLogger("cardgames.guard")


class TooManyAtOnce(exceptions.ServiceUnavailable):
    """Raised if the request would have to wait too long."""

    sentence = Text(
        "Too many requests at the same time. Nothing has changed: try again in a moment."
    )


class UnknownHost(exceptions.BadRequest):
    """Raised if the request's host name may belong to someone else."""

    sentence = Text(
        "This site is not set up for that host name. The site's operator can add the name to "
        "ALLOWED_HOSTS; until then, use the IP address."
    )


class OutsidePrefix(exceptions.NotFound):
    """Raised if the URL is outside of URL_PREFIX."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self.sentence = Text(
            "There is nothing at this address: the site begins at {prefix}/.", prefix=prefix
        )


class BadLogin(exceptions.BadRequest):
    """Raised if a trusted proxy has sent an invalid login or several logins."""

    sentence = Text(
        "The sign-on service sent no usable login. A login must have up to {most} visible "
        "characters, without commas or semicolons. Tell the site's operator.",
        most=MAX_LOGIN,
    )


def register(app: flask.Flask, settings: Settings) -> None:
    """Register the app's guards and response headers."""
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY
    app.before_request(_guard(settings))
    app.after_request(add_headers)


def reset(settings: Settings) -> None:
    """Delete the file in which an earlier run of the site recorded a rejected form."""
    (settings.data_dir / REFUSED_FORMS).unlink(missing_ok=True)


def add_headers(response: flask.Response) -> flask.Response:
    """Add the headers to a response."""
    response.headers.extend(HEADERS)
    response.headers.setdefault("Cache-Control", "no-store")
    response.headers["Vary"] = VARY
    return response


# ---- Guards --------------------------------------------------------------------------------------


def _guard(settings: Settings) -> Callable[[], None]:
    """Return the function that checks each request before its view.

    Args:
        settings: The settings with the site's names, its proxies and its data directory.
    """
    allowed, public_name = settings.allowed_hosts, settings.public_name
    # A trusted proxy checks the host names itself.
    checks_names = bool(allowed) or not settings.proxy_count
    note = settings.data_dir / REFUSED_FORMS

    def check_request() -> None:
        request = flask.request
        # The ASGI server or the sign-on middleware rejected the request, for example because the
        # body was late or incomplete, or because there were too many requests.
        if rejected := request.environ.get(REFUSED):
            raise rejected
        # A long query is slow to parse, so its length is checked first.
        if is_too_long(request):
            raise exceptions.RequestURITooLarge
        # No page reads the body of a GET, and some proxies interpret such a body as another request
        # (request smuggling).
        if request.content_length and request.method in ("GET", "HEAD"):
            raise exceptions.BadRequest
        # After decompression, a body could exceed any limit on its compressed size.
        if request.content_length and request.content_encoding:
            raise exceptions.UnsupportedMediaType
        # A page on the internet can resolve its own name to this machine (DNS rebinding). Monitors
        # may know only the server's IP address.
        is_named = not checks_names or is_site_name(request.host, allowed, public_name)
        if not is_named and request.path != _HEALTH:
            _log_unknown_name()
            raise UnknownHost
        # Another site's page can send forms with its visitor's cookies (CSRF).
        if request.method not in _SAFE and not is_same_origin(request):
            if "Sec-Fetch-Site" not in request.headers:
                _log_other_host(note)
            raise exceptions.Forbidden

    return check_request


def is_site_name(host: str, allowed: Collection[str], public_name: str) -> bool:
    """Return whether a request's host is one of the site's names.

    The port is ignored. Without ``ALLOWED_HOSTS``, the site's names are the name in ``PUBLIC_URL``
    and all names that cannot be registered on the internet.

    >>> sent = "Cards.example.edu:8000", "10.1.2.3"
    >>> [is_site_name(host, ("cards.example.edu",), "") for host in sent]
    [True, False]
    >>> [is_site_name(host, (), "") for host in (*sent, "cards:8000", "[::1]:80")]
    [False, True, True, True]
    """
    name = _name(host)
    if allowed:
        return name in allowed
    if name == public_name:
        return True
    bare = name.strip("[]")
    last = bare.rpartition(".")[2]  # Only an IP address has digits in its last part.
    return "." not in bare or last.isdigit() or last in _LOCAL or bare == gethostname().lower()


def _name(host: str) -> str:
    """Return the host of a ``Host`` header without its port.

    >>> _name("Cards:8000"), _name("[::1]:8000"), _name("[::1]"), _name("10.1.2.3")
    ('cards', '[::1]', '[::1]', '10.1.2.3')
    """
    before, _, port = host.lower().rpartition(":")
    return before if before and port.isdigit() else host.lower()


def is_same_origin(request: flask.Request) -> bool:
    """Return whether a request comes from a page of this site, or from no page.

    A browser sends the origin of a form in ``Sec-Fetch-Site`` on secure connections, and otherwise
    in ``Origin``. A client that sends neither header is not a browser, so no other site's page can
    make the client send its cookie.
    """
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        return site in ("same-origin", "none")
    return origin is None or origin.partition("://")[2] == request.host


@cache
def _log_unknown_name() -> None:
    log.warning("called by a name that is not known here: set ALLOWED_HOSTS to its names")


@cache
def _log_other_host(note: Path) -> None:
    """Log the first form from another origin.

    The rejection is recorded for the command ``check``. If a proxy changes the host, all forms seem
    to come from another origin.
    """
    log.warning("%s", OTHER_HOST)
    with suppress(OSError):  # The warning is logged even if the file cannot be created.
        create_private(note)


# ---- Proxies -------------------------------------------------------------------------------------


def below_prefix(prefix: str, site: WSGIApplication, pages: WSGIApplication) -> WSGIApplication:
    """Return an app that serves a site below a prefix.

    All other URLs have an error page.

    Args:
        prefix: The path of the site, such as ``/cards``.
        site: The complete site.
        pages: The site without static files, for error pages and ``/healthz``.
    """

    @cache
    def warn() -> None:
        log.warning(
            "a request came outside of URL_PREFIX %s: a proxy in front must pass the prefix on",
            prefix,
        )

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path == prefix or path.startswith(f"{prefix}/"):
            below = {"SCRIPT_NAME": prefix, "PATH_INFO": path.removeprefix(prefix)}
            return site({**environ, **below}, start_response)
        if path != _HEALTH:
            warn()
            environ.setdefault(REFUSED, OutsidePrefix(prefix))
        return pages({**environ, "SCRIPT_NAME": prefix}, start_response)

    return call


def trust_proxies(app: flask.Flask, settings: Settings) -> None:
    """Make an app trust its proxies' headers for client, host, scheme and login."""
    plain, hops = app.wsgi_app, settings.proxy_count
    if not hops:
        return
    behind: WSGIApplication = ProxyFix(plain, x_for=hops, x_proto=hops, x_host=hops)
    if networks := settings.proxy_networks:
        behind = _by_peer(behind, plain, networks, settings.trusted_user_header)
    app.wsgi_app = behind  # type: ignore[method-assign, assignment]


def _by_peer(
    behind: WSGIApplication, plain: WSGIApplication, networks: Iterable[Network], header: str
) -> WSGIApplication:
    """Return an app that calls ``behind`` for peers in networks, otherwise ``plain``.

    Neither app sees the header with the login, because a trusted login is in the WSGI environment.
    """
    key = f"HTTP_{header.upper().replace('-', '_')}"

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        sent = environ.pop(key, "") if header else ""
        # The peer's address must be read before the forwarded headers are applied.
        if not is_in_networks(environ.get("REMOTE_ADDR", ""), networks):
            return plain(environ, start_response)
        if sent and _is_login(sent):
            environ[LOGIN] = sent
        elif sent:
            environ.setdefault(REFUSED, BadLogin())
        return behind(environ, start_response)

    return call


def is_in_networks(address: str, networks: Iterable[Network]) -> bool:
    """Return whether an address is in one of the given networks.

    >>> from ipaddress import ip_network
    >>> ours = [ip_network("10.0.0.0/8"), ip_network("::1")]
    >>> [is_in_networks(each, ours) for each in ("::ffff:10.1.2.3", "::1", "11.0.0.1", "")]
    [True, True, False, False]
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    peer = getattr(parsed, "ipv4_mapped", None) or parsed
    return any(peer in network for network in networks)
