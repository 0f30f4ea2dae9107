"""Addresses of this site: paths as they are written in them, and numbers that they ask for."""

from typing import Final
from urllib.parse import quote, urlsplit

import flask


def safe_redirect(text: str) -> str:
    """Return a path of this site with its query, whatever was sent for one.

    One slash, and nothing behind it that a browser could read as a host.

    >>> safe_redirect("/simple-21"), safe_redirect("//evil.example/x"), safe_redirect("https://evil.example")
    ('/simple-21', '/x', '/')
    >>> safe_redirect("////evil.example"), safe_redirect("/x/..//evil.example")
    ('/evil.example', '/x/..//evil.example')
    >>> safe_redirect("/replay/x?step=3")
    '/replay/x?step=3'
    """
    try:
        sent = urlsplit(text)
    except ValueError:  # a bracket where a host should be
        return "/"
    query = f"?{quote(sent.query, safe=_SIGNS + '&%+')}" if sent.query else ""
    return quote_path("/" + sent.path.lstrip("/\\")) + query


def site_address(text: str) -> str:
    """Return the address of the page that a form or a link has named by its path on this site."""
    return flask.request.script_root + safe_redirect(text)


def path_on_site(address: str) -> str:
    """Return an address of this site without the prefix that all of them have behind a proxy."""
    return address.removeprefix(flask.request.script_root)


def quote_path(path: str) -> str:
    """Return a path as it is written in an address, and in a field of one.

    The signs of a record stay as they are: in percent code, ``=`` and ``,`` look like cards.

    >>> quote_path("/replay/war_1_deal:players=2 +")
    '/replay/war_1_deal:players=2%20%2B'
    """
    return quote(path, safe=_SIGNS)


def number_in(text: str) -> int | None:
    """Return a text as a number; None where it is not one, or a very long one.

    >>> number_in("17"), number_in(""), number_in("-1"), number_in("1" * 10)
    (17, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


def asked_number(name: str, default: int) -> int:
    """Return a number that the query of this request asks for.

    Args:
        name: the number's name.
        default: what is returned where it is missing or not a number.
    """
    found = number_in(flask.request.args.get(name, ""))
    return default if found is None else found


_DIGITS: Final = 9  # no number of ours has more

_SIGNS: Final = "/:=,*~"
