"""A cookie that shows whether a browser stores cookies, and the check of any request for one."""

from typing import Final

import flask

PROBE: Final = "cardgames-join"
"""The name of the cookie."""

PROBE_SECONDS: Final = 3_600


def with_probe(answer: flask.Response) -> flask.Response:
    """Return the page of a form, which sets the cookie in a browser that has sent none."""
    if not flask.request.cookies:
        answer.set_cookie(PROBE, "1", max_age=PROBE_SECONDS, httponly=True, samesite="Lax")
    return answer


def stores_cookies() -> bool:
    """Return whether the browser of the request stores cookies: it has sent one."""
    return bool(flask.request.cookies)
