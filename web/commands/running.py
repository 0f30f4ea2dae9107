"""The addresses of the running server, which are saved for commands in a second terminal."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Final

import msgspec

from web.commands.health import status_at
from web.data_dir import write_private
from web.settings import Settings

FILE: Final = "running.json"
"""The file in the data directory that contains the addresses. It is deleted when the server stops.
"""


class Running(msgspec.Struct, frozen=True):
    """The settings from which the addresses of a running server are derived."""

    host: str
    port: int
    url_prefix: str
    public_url: str
    allowed_hosts: tuple[str, ...]
    proxies: int


@contextmanager
def saved(settings: Settings) -> Iterator[None]:
    """Save the addresses of the server while it runs."""
    path = settings.data_dir / FILE
    running = Running(
        settings.host,
        settings.port,
        settings.url_prefix,
        settings.public_url,
        settings.allowed_hosts,
        settings.proxy_count,
    )
    with suppress(OSError):  # If PostgreSQL and SECRET_KEY are used, the folder may be read-only.
        write_private(path, msgspec.json.encode(running))
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def running_settings(settings: Settings) -> Settings | None:
    """Return settings with the addresses of the running server, or None.

    The running server uses the same data directory. The file of a killed server is not deleted, so
    the function also checks that the site responds.
    """
    try:
        text = (settings.data_dir / FILE).read_bytes()
        running = msgspec.json.decode(text, type=Running)
    except (OSError, msgspec.MsgspecError):
        return None
    found = replace(
        settings,
        host=running.host,
        port=running.port,
        url_prefix=running.url_prefix,
        public_url=running.public_url,
        allowed_hosts=running.allowed_hosts,
        trusted_proxies=settings.trusted_proxies or running.proxies,
    )
    return found if status_at(found.host, found) else None
