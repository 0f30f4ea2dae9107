"""Runs checks on one student's files, each in a fresh process with limits.

The process starts in a folder that contains only the student's files and the course's modules. With
bubblewrap, the process has no access to other folders, to the network or to other processes.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, Self

from course.grading.answers import ProcessEnded
from course.grading.checks import load_checks
from course.grading.checks.tools import Check
from course.grading.recordings import Recorded, Recordings
from course.grading.sheets import Sheet
from course.grading.trial import NO_ANSWER, Outcome, Trial, run_outcome

MAX_ANSWER: Final = 4_000_000
"""Maximum size of one response of a student's process, in bytes."""

MAX_SCRATCH: Final = 64 << 20
"""Maximum number of bytes that a check can write, under bubblewrap."""

ENDS_WITHIN: Final = 5
"""Timeout for a process to end a check when requested, in seconds."""

STARTS_WITHIN: Final = 30
"""Timeout for a process to start, in seconds. The time to start does not count towards the
student's limit.
"""

PARTS: Final = ("ahead", "child", "probes", "terminal")
"""The modules that the student's process needs."""

SYSTEM: Final = ("/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache")
"""The system folders that Python needs."""

CAN_FORK: Final = hasattr(os, "fork")


class Limits(NamedTuple):
    """The limits for one check, and for all checks of one student."""

    seconds: int = 2
    """Processor time of a check, in seconds."""
    wall: float = 10
    """Wall-clock time of a check, in seconds, for a program that waits."""
    megabytes: int = 512
    """Memory of a check, in megabytes."""
    budget: float = 180
    """Wall-clock time limit for all checks of one student, in seconds."""


class Connection:
    """A check's connection to the student's process, over its own socket.

    No other check uses that socket, so a process left over from an earlier check cannot respond
    here.
    """

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        """Use a socket. The connection times out after the given number of seconds."""
        self._socket = connection
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._received = b""

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request, and return the response.

        Raises:
            Ended: If no response arrives in time, or the response is malformed.
        """
        with suppress(OSError):  # a failed write shows up as a missing response
            self._socket.settimeout(self._left())
            self._socket.sendall(f"{json.dumps(request)}\n".encode())
        line = self._read_line()
        if not line:
            raise ProcessEnded(NO_ANSWER)
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise ProcessEnded("its process has answered what is no answer, or too much")
        return answer

    def _read_line(self) -> bytes:
        """Return the next line, or an empty string at the end.

        A line that is too long is truncated.
        """
        while b"\n" not in self._received and len(self._received) < MAX_ANSWER:
            try:
                self._socket.settimeout(self._left())
                received = self._socket.recv(1 << 16)
            except TimeoutError:
                raise ProcessEnded(f"it did not end within {self._seconds:g} seconds") from None
            except OSError:
                return b""
            if not received:
                return b""
            self._received += received
        line, _, self._received = self._received.partition(b"\n")
        return line

    def _left(self) -> float:
        """Return the remaining seconds, but never 0.

        A timeout of 0 makes a socket non-blocking.
        """
        return max(0.001, self._deadline - time.monotonic())


class Runner:
    """Runs one student's files, with a fresh process for each check."""

    def __init__(
        self, sheet: Sheet, folder: Path, limits: Limits, *, can_fork: bool = CAN_FORK
    ) -> None:
        """Copy the files, without starting a process.

        If the system cannot fork processes, each check starts a new interpreter, without a memory
        limit.
        """
        self._sheet = sheet
        self._folder = folder
        self._limits = limits
        self._can_fork = can_fork
        self._boxed = can_fork and has_bubblewrap()
        self._stage = TemporaryDirectory(prefix="student-", ignore_cleanup_errors=True)
        _stage(Path(self._stage.name), sheet, folder, limits)
        self._recordings = Recordings(lambda scenario: self.try_check(scenario, {}))
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def __enter__(self) -> Self:
        """Return the runner itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the process, and delete the files."""
        self._end()
        self._stage.cleanup()

    def run(self, check: str, unfinished: Mapping[str, str]) -> Outcome:
        """Run the check of a requirement, and return its outcome.

        Args:
            check: The ID of the requirement.
            unfinished: The files and programs that did not end in earlier checks, with the reason.
        """
        checks = load_checks(self._sheet)[check]
        if isinstance(checks, Recorded):
            return checks.outcome(self._recordings)
        return self.try_check(checks, unfinished)

    def try_check(self, check: Check, unfinished: Mapping[str, str]) -> Outcome:
        """Run a check in a fresh process, and return its outcome."""
        with self._forked() if self._can_fork else self._started() as connection:
            ask = Connection(connection, self._limits.wall).ask
            trial = Trial(self._sheet, self._folder, ask, unfinished)
            outcome = run_outcome(check, trial)
        # The exit status distinguishes a limit, a crash and an exit code, so it is more precise
        # than "no answer".
        status = self._end_check()
        if status is None or outcome.problem == NO_ANSWER:
            return outcome.lost(self._how_it_ended(status))
        return outcome

    def _how_it_ended(self, status: int | None) -> str:
        if status is None:
            return "it has ended or stopped the process that runs it"
        if status in (-getattr(signal, "SIGXCPU", 0), -getattr(signal, "SIGKILL", 0)):
            return f"it did not end within {self._limits.seconds:g} seconds of processor time"
        if status < 0:
            return f"it crashed: {signal.strsignal(-status)}"
        return f"it ended the process with code {status}"

    @contextmanager
    def _forked(self) -> Iterator[socket.socket]:
        """Fork a child for a check, and yield the socket that is connected to the child."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs, suppress(OSError):  # a failed write shows up as a missing response
                socket.send_fds(self._control or self._start(), [b"c"], [theirs.fileno()])
            yield ours

    def _start(self) -> socket.socket:
        """Start the process that forks, and return the socket that controls it."""
        self._control, theirs = socket.socketpair()
        with theirs:
            options = ["--fork", *(["--alone"] if self._boxed else [])]
            self._process = self._popen(options, stdin=theirs.fileno())
        self._control.settimeout(STARTS_WITHIN)
        with suppress(OSError):  # If the process does not start, the first request fails.
            self._control.recv(1)
        self._control.settimeout(ENDS_WITHIN)
        return self._control

    @contextmanager
    def _started(self) -> Iterator[socket.socket]:
        """Start an interpreter for a check, and yield the socket connected to its process."""
        with (
            TemporaryDirectory(prefix="grading-", ignore_cleanup_errors=True) as scratch,
            socket.create_server(("127.0.0.1", 0)) as server,
        ):
            port = server.getsockname()[1]
            self._process = self._popen([scratch, str(port)], stdin=subprocess.DEVNULL)
            server.settimeout(STARTS_WITHIN)
            with server.accept()[0] as ours:
                yield ours

    def _popen(self, options: list[str], *, stdin: int) -> subprocess.Popen[bytes]:
        stage = self._stage.name
        command = [
            sys.executable,
            "-X",
            "utf8",
            "-B",
            "-m",
            "course.grading.sandbox.child",
            *options,
        ]
        # A fixed hash seed fixes the iteration order of sets, so that grading twice gives the same
        # result.
        variables = {"PYTHONPATH": stage, "PYTHONHASHSEED": "0", "PATH": os.defpath}
        for name in ("SYSTEMROOT", "TMPDIR", "TEMP", "TMP"):
            if name in os.environ and not self._boxed:
                variables[name] = os.environ[name]
        return subprocess.Popen(  # noqa: S603 - our own module
            [*(bubblewrap_command(stage) if self._boxed else []), *command],
            cwd=stage, env=variables, start_new_session=True,  # a new session, to kill its children
            stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def _end_check(self) -> int | None:
        """Kill a check's process, and return its exit status.

        Return None if the process cannot be controlled.
        """
        status = None
        if self._control:
            with suppress(OSError, ValueError):
                self._control.sendall(b"e")
                reply = self._control.recv(6, socket.MSG_WAITALL)
                return os.waitstatus_to_exitcode(int(reply))
        elif self._process:
            status = 0
            with suppress(subprocess.TimeoutExpired):
                status = self._process.wait(0.5)
        self._end()
        return status

    def _end(self) -> None:
        """Kill the process and all processes that it started.

        The next check starts a new process.
        """
        if self._control:
            self._control.close()
        if self._process:
            with suppress(OSError, AttributeError):
                # Kill the complete session, because a program may have started further processes.
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            self._process.wait()
        self._process = self._control = None


def _stage(stage: Path, sheet: Sheet, folder: Path, limits: Limits) -> None:
    """Copy the files for a student's process into a folder, and list the files."""
    package = stage / "course" / "grading" / "sandbox"
    package.mkdir(parents=True)
    for name in PARTS:
        shutil.copyfile(Path(__file__).parent / "sandbox" / f"{name}.py", package / f"{name}.py")
    (stage / "given").mkdir()
    given = [stage / "given" / path.name for path in sheet.given]
    for path, copy in zip(sheet.given, given, strict=True):
        shutil.copyfile(path, copy)
    (stage / "files").mkdir()
    for file in folder.iterdir():
        if file.is_file() and not file.is_symlink():
            shutil.copyfile(file, stage / "files" / file.name)
    start = {
        "folder": str(stage / "files"),
        "given": [str(path) for path in given],
        "own_probes": sheet.own_probes,
        "seconds": limits.seconds,
        "megabytes": limits.megabytes,
    }
    (stage / "start.json").write_text(json.dumps(start), encoding="utf-8")


# bubblewrap


def bubblewrap_command(stage: str) -> list[str]:
    """Return a bubblewrap prefix that exposes only Python and this folder."""
    project = Path(__file__).parents[2]
    places = [*SYSTEM, sys.base_prefix, sys.prefix]
    binds = [word for place in places for word in ("--ro-bind-try", place, place)]
    for hidden in (project / name for name in ("cardgames", "course", "tests", "docs")):
        if any(hidden.is_relative_to(place) for place in places) and hidden.is_dir():
            binds += ["--tmpfs", str(hidden)]
    return [
        "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--size", str(MAX_SCRATCH), "--tmpfs", "/tmp",  # noqa: S108 - the sandbox's own /tmp
        *binds, "--proc", "/proc", "--dev", "/dev",  # mounted after /tmp, which may contain Python
        "--ro-bind", stage, stage, "--chdir", stage, "--",
    ]  # fmt: skip


@cache
def has_bubblewrap() -> bool:
    """Return whether bubblewrap is installed and can create a sandbox."""
    if not shutil.which("bwrap"):
        return False
    with TemporaryDirectory(prefix="student-") as stage:
        result = subprocess.run(  # noqa: S603 - our own command
            [*bubblewrap_command(stage), sys.executable, "-c", "pass"],
            capture_output=True,
            check=False,
        )
    return result.returncode == 0
