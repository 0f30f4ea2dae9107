"""A cookie whose presence shows whether a browser stores cookies."""

from typing import Final

import flask

PROBE: Final = "cardgames-join"
"""The name of the cookie."""

PROBE_SECONDS: Final = 3_600


def with_probe(answer: flask.Response) -> flask.Response:
    """Return a form's page.

    The response sets the cookie if the browser sent no cookie.
    """
    if not flask.request.cookies:
        answer.set_cookie(PROBE, "1", max_age=PROBE_SECONDS, httponly=True, samesite="Lax")
    return answer


def stores_cookies() -> bool:
    """Return whether the browser stores cookies.

    The request of such a browser contains a cookie.
    """
    return bool(flask.request.cookies)
