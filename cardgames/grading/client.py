"""Has checks run by a server in another process, and answers for one that does not."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final, Self

from cardgames.grading.limits import Limits, unfinished

SERVER: Final = [sys.executable, "-X", "utf8", "-m", "cardgames.grading.server"]


class Client:
    """Runs checks one after the other; each is a fresh process."""

    def __init__(self, limits: Limits, *, can_fork: bool = hasattr(os, "fork")) -> None:
        """Start nothing yet.

        Args:
            limits: those of every check.
            can_fork: whether the server forks; otherwise each check gets a server of its own, and
                memory is not limited.

        """
        self.limits = limits
        self._can_fork = can_fork
        self._server: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        """Begin to use it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the server."""
        if self._server:
            self._server.kill()
            self._server.communicate()
            self._server = None

    def run(
        self, sheet: str, check: str, folder: Path, unloadable: Mapping[str, str]
    ) -> dict[str, Any]:
        """Run one check on the files of a folder, and return its outcome."""
        job = {
            "sheet": sheet,
            "check": check,
            "folder": str(folder),
            "unloadable": dict(unloadable),
            "seconds": self.limits.seconds,
            "wall": self.limits.wall,
            "megabytes": self.limits.megabytes,
        }
        answer = self._asked(job) if self._can_fork else self._run_alone(job)
        outcome: dict[str, Any] = json.loads(answer)
        return outcome

    def _asked(self, job: dict[str, Any]) -> str:
        """Ask the server, which keeps the limits."""
        server = self._server or self._started()
        if not server.stdin or not server.stdout:  # it was started with both
            return _gone("the process that checks cannot be asked")
        server.stdin.write(f"{json.dumps(job)}\n")
        server.stdin.flush()
        return server.stdout.readline() or _gone("the process that checks has ended")

    def _started(self) -> subprocess.Popen[str]:
        self._server = subprocess.Popen(  # noqa: S603 - our own module
            SERVER,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        return self._server

    def _run_alone(self, job: dict[str, Any]) -> str:
        """Run one check in a server of its own, and end it when its time is over."""
        with TemporaryDirectory(prefix="grading-", ignore_cleanup_errors=True) as scratch:
            try:
                done = subprocess.run(  # noqa: S603 - our own module
                    [*SERVER, "--once"],
                    env=environment(),
                    input=f"{json.dumps(job | {'scratch': scratch})}\n",
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    encoding="utf-8",
                    timeout=self.limits.wall,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return _gone(f"it did not end within {self.limits.wall:g} seconds")
        return done.stdout or _gone(f"it ended the process with code {done.returncode}")


def environment() -> dict[str, str]:
    """Return the environment of a server: it finds this package, and sets in a fixed order."""
    ours = str(Path(__file__).parents[2])
    return os.environ | {"PYTHONPATH": ours, "PYTHONHASHSEED": "0"}


def _gone(problem: str) -> str:
    return json.dumps(unfinished(problem))
