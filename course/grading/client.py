"""Has checks run by a judge in another process, and answers for one that does not."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from threading import Timer
from types import TracebackType
from typing import Any, Final, Self

from course.grading.limits import Limits, unfinished
from course.grading.player import can_box

SERVER: Final = [sys.executable, "-X", "utf8", "-m", "course.grading.server"]

GRACE: Final = 20
"""Seconds that a judge has besides those of the student's code."""


class Client:
    """Runs checks one after the other; each is a fresh process."""

    def __init__(
        self,
        limits: Limits,
        *,
        can_fork: bool = hasattr(os, "fork"),
        boxed: bool | None = None,
    ) -> None:
        """Start nothing yet.

        Args:
            limits: those of every check.
            can_fork: whether the system can fork; otherwise each check starts an interpreter, and
                memory is not limited.
            boxed: whether the student's code runs under bubblewrap; by default where that works.

        """
        self.limits = limits
        self.boxed = can_fork and (can_box() if boxed is None else boxed)
        self._can_fork = can_fork
        self._secret = token_hex()
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
        """Stop the judge: it ends what it has started once it has nothing more to read."""
        if self._server:
            with suppress(OSError, subprocess.TimeoutExpired):
                self._server.communicate(timeout=GRACE)
            self._stop()

    def run(
        self, sheet: str, check: str, folder: Path, unloadable: Mapping[str, str]
    ) -> dict[str, Any]:
        """Run one check on the files of a folder, and return its outcome."""
        job = {
            "sheet": sheet,
            "check": check,
            "folder": str(folder),
            "unloadable": dict(unloadable),
            "limits": self.limits._asdict(),
            "can_fork": self._can_fork,
            "boxed": self.boxed,
            "secret": self._secret,
        }
        server = self._server or self._started()
        timer = Timer(self.limits.wall + GRACE, server.kill)
        timer.daemon = True
        timer.start()
        try:
            return self._outcome(server, job)
        finally:
            timer.cancel()

    def _outcome(self, server: subprocess.Popen[str], job: dict[str, Any]) -> dict[str, Any]:
        """Have a judge do a job; one that is killed or stopped meanwhile costs this job alone."""
        if server.stdin and server.stdout:  # it was started with both
            with suppress(OSError, ValueError):
                server.stdin.write(f"{json.dumps(job)}\n")
                server.stdin.flush()
                for line in server.stdout:
                    outcome: dict[str, Any] = json.loads(line)
                    if outcome.get("secret") == self._secret:
                        return outcome
        self._stop()
        return unfinished("it has ended or stopped the process that checks")

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

    def _stop(self) -> None:
        if self._server:
            self._server.kill()
            with suppress(OSError, ValueError):
                self._server.communicate()
            self._server = None


def environment() -> dict[str, str]:
    """Return the environment of a server: it finds this package, and sets in a fixed order."""
    ours = str(Path(__file__).parents[2])
    return os.environ | {"PYTHONPATH": ours, "PYTHONHASHSEED": "0"}
