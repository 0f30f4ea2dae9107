"""A site's health; ``python -m web.commands.health`` is a container health check."""

import sys
from contextlib import closing, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import Final

from web.settings import Settings

_LOOPBACK: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - used only for comparison
_TIMEOUT: Final = 5.0  # seconds


def status_at(host: str, settings: Settings) -> int | None:
    """Return the status of a site's ``/healthz``, or None if no site responds.

    Args:
        host: An address of this machine, or the address on which the site listens.
        settings: The settings with the port and the prefix.
    """
    address = _LOOPBACK.get(host, host)
    with (
        suppress(OSError, HTTPException),
        closing(HTTPConnection(address, settings.port, timeout=_TIMEOUT)) as connection,
    ):
        connection.request("GET", f"{settings.url_prefix}/healthz")
        answer = connection.getresponse()
        # A response without this header is from another program.
        if "X-Request-Id" in answer.headers:
            return answer.status
    return None


if __name__ == "__main__":
    asked = Settings.from_environment()
    sys.exit(status_at(asked.host, asked) != HTTPStatus.OK)
