"""Proxies in front of the site: what is believed of them, and of nobody else."""

import re
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Final
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import flask
from werkzeug.exceptions import BadRequest
from werkzeug.middleware.proxy_fix import ProxyFix

from cardgames.text import Text
from web.http.security import REFUSED
from web.sessions import LOGIN
from web.settings import Network, Settings

MAX_LOGIN: Final = 80
"""Maximum number of characters of a login: as many as a real name has."""

# Visible ASCII. A comma or semicolon joins what was sent twice, or an attribute with two values.
_is_login: Final = re.compile(f"[!-+\\--:<-~]{{1,{MAX_LOGIN}}}").fullmatch


class BadLogin(BadRequest):
    """A trusted proxy has sent something that cannot be a login, or two of them."""

    sentence = Text(
        "The sign-on in front of this site has sent no login that can be used: it must be one, of "
        "up to {most} visible characters without comma and semicolon. Tell whoever runs it.",
        most=MAX_LOGIN,
    )


def register(app: flask.Flask, settings: Settings) -> None:
    """Have an app believe its proxies about address, host, TLS and login."""
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
    """Call one app for requests that a proxy of some networks has sent, another for all others.

    The header with the login goes from both: nothing behind can read it but as what is believed.
    """
    key = f"HTTP_{header.upper().replace('-', '_')}"

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        sent = environ.pop(key, "") if header else ""
        # The peer itself, before anything that was forwarded is read.
        if not is_among(environ.get("REMOTE_ADDR", ""), networks):
            return plain(environ, start_response)
        if sent and _is_login(sent):
            environ[LOGIN] = sent
        elif sent:
            environ.setdefault(REFUSED, BadLogin())
        return behind(environ, start_response)

    return call


def is_among(address: str, networks: Iterable[Network]) -> bool:
    """Say whether an address lies in one of some networks.

    >>> from ipaddress import ip_network
    >>> ours = [ip_network("10.0.0.0/8"), ip_network("::1")]
    >>> [is_among(each, ours) for each in ("10.1.2.3", "::ffff:10.1.2.3", "::1", "11.0.0.1", "")]
    [True, True, True, False, False]
    """
    try:
        found = ip_address(address)
    except ValueError:
        return False
    peer = getattr(found, "ipv4_mapped", None) or found
    return any(peer in network for network in networks)
