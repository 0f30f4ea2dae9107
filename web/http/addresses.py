"""Paths of this site, as they are written in addresses and come back from them."""

from typing import Final
from urllib.parse import quote, urlsplit


def safe_redirect(text: str) -> str:
    """Return a path of this site with its query, whatever was sent for one.

    One slash, and nothing behind it that a browser could read as a host.

    >>> safe_redirect("/simple-21"), safe_redirect("//evil.example/x"), safe_redirect("https://evil.example")
    ('/simple-21', '/x', '/')
    >>> safe_redirect("/replay/x?step=3")
    '/replay/x?step=3'
    """
    try:
        sent = urlsplit(text)
    except ValueError:  # a bracket where a host should be
        return "/"
    query = f"?{quote(sent.query, safe=_SIGNS + '&%+')}" if sent.query else ""
    return quote_path("/" + sent.path.lstrip("/\\")) + query


def quote_path(path: str) -> str:
    """Return a path as it is written in an address, and in a field of one.

    The signs of a record stay as they are: in percent code, ``=`` and ``,`` look like cards.

    >>> quote_path("/replay/war_1_deal:players=2 +")
    '/replay/war_1_deal:players=2%20%2B'
    """
    return quote(path, safe=_SIGNS)


_SIGNS: Final = "/:=,*~"
