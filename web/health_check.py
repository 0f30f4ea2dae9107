"""``python -m web.health_check`` asks the site on this machine whether it is well."""

import sys
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException

from web.settings import Settings


def main() -> int:
    """Return 0 when the site says that it is well."""
    settings = Settings.from_environment()
    connection = HTTPConnection("127.0.0.1", settings.port, timeout=3)
    try:
        connection.request("GET", f"{settings.url_prefix}/healthz")
        status = connection.getresponse().status
    except (OSError, HTTPException):
        return 1
    finally:
        connection.close()
    return int(status != HTTPStatus.OK)


if __name__ == "__main__":
    sys.exit(main())
