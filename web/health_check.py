"""``python -m web.health_check`` asks the site on this machine whether it is well."""

import sys
from http import HTTPStatus

from web.running import RunningServer
from web.settings import Settings


def main() -> int:
    """Return 0 when the site says that it is well."""
    answer = RunningServer.of(Settings.from_environment()).ask("/healthz")
    return int(answer is None or answer[0] != HTTPStatus.OK)


if __name__ == "__main__":
    sys.exit(main())
