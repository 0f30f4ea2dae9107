"""The file by which commands of this machine find the server that is running."""

import logging
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from web.settings import Settings, write_private

FILE: Final = "server.json"
"""In the data directory, for the owner alone."""

log = logging.getLogger("cardgames.running")

_LOOPBACK: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - to compare with
_TIMEOUT: Final = 5.0  # seconds for which an answer is awaited


class RunningServer(msgspec.Struct, frozen=True):
    """A server of this machine, as its file describes it."""

    pid: int
    address: str
    """Where this machine reaches it."""

    port: int
    prefix: str
    """Where the site begins behind a proxy."""

    name: str
    """One of the host names that the site allows."""

    token: str
    """Shows that a command can read the data directory."""

    @classmethod
    def of(cls, settings: Settings) -> "RunningServer":
        """Describe the server of this process."""
        return cls(
            pid=os.getpid(),
            address=_LOOPBACK.get(settings.host, settings.host),
            port=settings.port,
            prefix=settings.url_prefix,
            name=settings.allowed_hosts[0] if settings.allowed_hosts else "localhost",
            token=secrets.token_urlsafe(32),
        )

    def ask(
        self, path: str, fields: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, Any]] | None:
        """Return the status and the JSON of an answer; None where this site does not answer.

        Args:
            path: below the site's beginning.
            fields: what is sent as a form; None to ask whether it answers.
        """
        method, body = ("GET", None) if fields is None else ("POST", urlencode(fields))
        headers = {
            "Host": self.name,
            "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        with (
            suppress(OSError, HTTPException, msgspec.MsgspecError),
            closing(HTTPConnection(self.address, self.port, timeout=_TIMEOUT)) as connection,
        ):
            connection.request(method, self.prefix + path, body, headers)
            response = connection.getresponse()
            if "X-Request-Id" in response.headers:  # any other program may have taken the port
                answer = response.read() if fields is not None else b"{}"
                return response.status, msgspec.json.decode(answer, type=dict[str, Any])
        return None

    @property
    def answers(self) -> bool:
        """Whether it is this site that answers there."""
        return self.ask("/healthz") is not None


@contextmanager
def announced(settings: Settings) -> Iterator[None]:
    """Keep the file that describes this server for as long as the block lasts.

    Where it cannot be written, on a full disk for example, the server serves all the same.
    """
    path, server = settings.data_dir / FILE, RunningServer.of(settings)
    try:
        write_private(path, msgspec.json.encode(server))
    except OSError as error:
        log.warning("%s: %s: make instructor-link will not find this server", path, error.strerror)
    try:
        yield
    finally:
        if running_server(settings.data_dir) == server:  # and not one that was started later
            path.unlink(missing_ok=True)


def running_server(data_dir: Path) -> RunningServer | None:
    """Return the server whose file was written last; it may have been killed since."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode((data_dir / FILE).read_bytes(), type=RunningServer)
    return None
