"""URLs of this site: safe redirects, quoted paths and numbers in queries."""

from typing import Final
from urllib.parse import quote, urlsplit

import flask


def safe_redirect(text: str) -> str:
    """Return a path of this site and its query, for any string that a client sent.

    The path begins with exactly one slash, so that no browser interprets a part of the path as a
    host.

    >>> safe_redirect("/simple-21"), safe_redirect("//evil.example/x"), safe_redirect("https://evil.example")
    ('/simple-21', '/x', '/')
    >>> safe_redirect("////evil.example"), safe_redirect("/x/..//evil.example")
    ('/evil.example', '/x/..//evil.example')
    >>> safe_redirect("/replay/x?step=3")
    '/replay/x?step=3'
    """
    try:
        sent = urlsplit(text)
    except ValueError:  # The host in the brackets is invalid.
        return "/"
    query = f"?{quote(sent.query, safe=_SIGNS + '&%+')}" if sent.query else ""
    return quote_path("/" + sent.path.lstrip("/\\")) + query


def site_address(text: str) -> str:
    """Return the URL of a page, from the page's path in a form or a link."""
    return flask.request.script_root + safe_redirect(text)


def path_on_site(address: str) -> str:
    """Return a URL of this site without the prefix ``URL_PREFIX``."""
    return address.removeprefix(flask.request.script_root)


def quote_path(path: str) -> str:
    """Return a path quoted for a URL.

    The punctuation of a record is not quoted, because ``%3D`` and ``%2C`` look like cards.

    >>> quote_path("/replay/war_1_deal:players=2 +")
    '/replay/war_1_deal:players=2%20%2B'
    """
    return quote(path, safe=_SIGNS)


def parse_int(text: str) -> int | None:
    """Return the number in a string, or None if it is invalid or has too many digits.

    >>> parse_int("17"), parse_int(""), parse_int("-1"), parse_int("1" * 10)
    (17, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None


def query_int(name: str, default: int) -> int:
    """Return a number from the current request's query.

    Args:
        name: The name of the parameter.
        default: The default if the parameter is missing or not a number.
    """
    number = parse_int(flask.request.args.get(name, ""))
    return default if number is None else number


_DIGITS: Final = 9  # No number in the site's URLs has more digits.

_SIGNS: Final = "/:=,*~"
