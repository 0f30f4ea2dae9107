"""A cookie that shows whether a browser stores cookies."""

from typing import Final

import flask

PROBE: Final = "cardgames-join"
"""The name of the cookie."""

PROBE_SECONDS: Final = 3_600


def with_probe(answer: flask.Response) -> flask.Response:
    """Return a form's page, which sets the cookie in a browser that has sent no cookie."""
    if not flask.request.cookies:
        answer.set_cookie(PROBE, "1", max_age=PROBE_SECONDS, httponly=True, samesite="Lax")
    return answer


def stores_cookies() -> bool:
    """Return whether the browser stores cookies, because its request has one."""
    return bool(flask.request.cookies)
