"""Whether the site answers; ``python -m web.commands.health`` asks it, for a container."""

import sys
from contextlib import closing, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Final

from web.settings import Settings

_LOOPBACK: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - to compare with
_TIMEOUT: Final = 5.0  # seconds for which an answer is awaited


def status_at(host: str, settings: Settings) -> int | None:
    """Return with which status the site says how it is; None where it does not answer.

    Args:
        host: an address of this machine, or what the site listens on.
        settings: the port, and the prefix of its addresses.
    """
    address = _LOOPBACK.get(host, host)
    with (
        suppress(OSError, HTTPException),
        closing(HTTPConnection(address, settings.port, timeout=_TIMEOUT)) as connection,
    ):
        connection.request("GET", f"{settings.url_prefix}/healthz")
        answer = connection.getresponse()
        if "X-Request-Id" in answer.headers:  # any other program may have taken the port
            return answer.status
    return None


if __name__ == "__main__":
    asked = Settings.from_environment()
    sys.exit(status_at(asked.host, asked) != HTTPStatus.OK)
