"""A served copy of the site for benchmarks and tests, and a client that plays through it.

The client is the standard library's: it costs the server nothing, and what is measured is the
processor time of the server's processes alone.
"""

import http.client
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPMessage
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self
from urllib.parse import urlencode

import psutil

ROOT: Final = Path(__file__).parents[2]
_STARTS_WITHIN: Final = 120.0
_IDLE: Final = 10.0
"""Seconds after which a client opens a new connection: the server hangs up idle ones."""


def free_port() -> int:
    """Return a port of this machine that nobody listens on, and that no connection is given."""
    while True:
        port = 10_240 + secrets.randbelow(20_000)  # the system gives out those from 32,768 on
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def python_of(root: Path) -> str:
    """Return the Python of a checkout's own virtual environment, or this one where it has none."""
    own = root / ".venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


class Server:
    """A server in processes of its own, stopped at the end of a ``with`` block."""

    def __init__(
        self,
        data_dir: Path,
        *command: str,
        port: int = 0,
        root: Path = ROOT,
        **environment: str,
    ) -> None:
        """Prepare a server; the command is the site's own by default, in this checkout."""
        self.port = port or free_port()
        self.data_dir = data_dir
        self.root = root
        self._command = command or ("app.py",)
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start it, and wait until it answers."""
        environment = {
            **os.environ,
            "PORT": str(self.port),
            "DATA_DIR": str(self.data_dir),
            "PYTHONPATH": str(self.root),
            **self._environment,
        }
        with (self.data_dir / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [python_of(self.root), *self._command],
                cwd=self.root,
                env=environment,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + _STARTS_WITHIN
        while not listens(self.port):
            if time.monotonic() > deadline or self._process.poll() is not None:
                self.kill()
                raise RuntimeError(self.log())
            time.sleep(0.05)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop it as an instructor would, and the hard way if it does not listen."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()

    def log(self) -> str:
        """Return what the server has written."""
        return (self.data_dir / "server.log").read_text()

    def processes(self) -> list[psutil.Process]:
        """Return the server's processes, the parent first."""
        if self._process is None:
            return []
        with suppress(psutil.NoSuchProcess):  # it has ended
            parent = psutil.Process(self._process.pid)
            return [parent, *parent.children(recursive=True)]
        return []

    def workers(self) -> list[psutil.Process]:
        """Return the children that hold the server's port: it has others too."""
        found = []
        for process in self.processes()[1:]:
            with suppress(psutil.NoSuchProcess):
                ports = {one.laddr.port for one in process.net_connections("tcp") if one.laddr}
                found += [process] * (self.port in ports)
        return found

    def kill(self) -> None:
        """Kill every process at once, without a chance to tidy up."""
        if self._process is None:
            return
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):  # workers leave without their parent
                process.kill()
        self._process.wait()
        self._process = None

    def cpu(self) -> float:
        """Return the processor seconds that all processes have used so far."""
        times = [process.cpu_times() for process in self.processes()]
        return float(sum(spent.user + spent.system for spent in times))


def listens(port: int) -> bool:
    """Say whether somebody listens on a port of this machine."""
    try:
        with socket.create_connection(("127.0.0.1", port), 0.2):
            return True
    except OSError:
        return False


class Answered(NamedTuple):
    """An answer, asked as a test client's is."""

    status_code: int
    headers: HTTPMessage
    text: str

    def get_json(self) -> Any:
        """Return the body, read as JSON."""
        return json.loads(self.text)


class Player:
    """A browser's part: one kept-alive connection, one cookie, forms and redirects."""

    def __init__(self, port: int, prefix: str = "") -> None:
        """Sit down at a server."""
        self.prefix = prefix
        self.cookie = ""
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._last = time.monotonic()

    def request(
        self,
        method: str,
        path: str,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[http.client.HTTPResponse, str]:
        """Send one request and return the answer and its text."""
        now, last = time.monotonic(), self._last
        self._last = now
        if now - last > _IDLE:
            self._connection.close()
        sent = {"Cookie": self.cookie} if self.cookie else {}
        body = None
        if form is not None:
            body = urlencode(form)
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        self._connection.request(
            method, f"{self.prefix}{path}", body=body, headers={**sent, **(headers or {})}
        )
        response = self._connection.getresponse()
        text = response.read().decode()
        if cookie := response.headers.get("Set-Cookie"):
            self.cookie = cookie.partition(";")[0]
        return response, text

    def json(self, path: str, form: Mapping[str, str] | None = None) -> tuple[int, dict[str, Any]]:
        """Ask in JSON: a GET, or a POST of a form; return the status and the answer."""
        method = "GET" if form is None else "POST"
        response, text = self.request(method, path, form, {"Accept": "application/json"})
        return response.status, json.loads(text)

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answered:
        """Look at an address, as a test client does."""
        response, text = self.request("GET", path, None, headers)
        return Answered(response.status, response.headers, text)

    def post(
        self, path: str, data: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> Answered:
        """Send a form, as a test client does."""
        response, text = self.request("POST", path, data, headers)
        return Answered(response.status, response.headers, text)

    def close(self) -> None:
        """Stand up."""
        self._connection.close()
