"""A running copy of the site for benchmarks and tests."""

import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import psutil

ROOT: Final = Path(__file__).parents[2]
_STARTS_WITHIN: Final = 120.0
_AT_THE_START: Final = Path(__file__).with_name("server_start")
"""A folder with the module ``sitecustomize``, which Python imports when a server starts."""


def free_port() -> int:
    """Return a free port that the system does not use for outgoing connections."""
    while True:
        port = 10_240 + secrets.randbelow(20_000)  # The system itself assigns ports from 32,768.
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def python_of(root: Path) -> str:
    """Return the Python of a checkout's virtual environment, or the current Python."""
    own = root / ".venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


class Server:
    """A server in separate processes, which is stopped at the end of a ``with`` block."""

    def __init__(
        self,
        data_dir: Path,
        *command: str,
        port: int = 0,
        root: Path = ROOT,
        **environment: str,
    ) -> None:
        """Prepare a server. The default command starts the site in this checkout."""
        self.port = port or free_port()
        self.data_dir = data_dir
        self.root = root
        self._command = command or ("app.py",)
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start the server and wait until it answers."""
        environment = {
            **os.environ,
            "PORT": str(self.port),
            "DATA_DIR": str(self.data_dir),
            "PYTHONPATH": os.pathsep.join((str(self.root), str(_AT_THE_START))),
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
        """Stop the server as an instructor would, and kill it if it does not end."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()

    def log(self) -> str:
        return (self.data_dir / "server.log").read_text()

    def processes(self) -> list[psutil.Process]:
        """Return the server's processes, the parent first."""
        if self._process is None:
            return []
        with suppress(psutil.NoSuchProcess):  # The process has ended.
            parent = psutil.Process(self._process.pid)
            return [parent, *parent.children(recursive=True)]
        return []

    def workers(self) -> list[psutil.Process]:
        """Return the child processes that listen on the server's port."""
        found = []
        for process in self.processes()[1:]:
            with suppress(psutil.NoSuchProcess):
                ports = {
                    connection.laddr.port
                    for connection in process.net_connections("tcp")
                    if connection.laddr
                }
                found += [process] * (self.port in ports)
        return found

    def kill(self) -> None:
        """Kill every process immediately, without cleanup."""
        if self._process is None:
            return
        for process in self.processes():
            with suppress(psutil.NoSuchProcess):  # Workers end when their parent ends.
                process.kill()
        self._process.wait()
        self._process = None

    def cpu(self) -> float:
        """Return the processor time, in seconds, that all processes have used so far."""
        return processor_seconds(self.processes())


def processor_seconds(processes: Iterable[psutil.Process]) -> float:
    """Return the processor time, in seconds, that processes have used so far."""
    times = [process.cpu_times() for process in processes]
    return float(sum(spent.user + spent.system for spent in times))


def listens(port: int) -> bool:
    """Return whether a process listens on a port of this machine."""
    try:
        with socket.create_connection(("127.0.0.1", port), 0.2):
            return True
    except OSError:
        return False
