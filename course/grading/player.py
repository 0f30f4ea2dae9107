"""The process that runs a student's code, as the checks see it: started, asked, and ended.

It is started in a folder that has nothing of ours but what the course gives. Where there is
``bubblewrap`` it sees no other folder either, has no network and no processes but its own.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import IO, Any, Final, NamedTuple

from course.grading.limits import Limits
from course.grading.sheets import SOLUTIONS, Sheet

MAX_ANSWER: Final = 4_000_000
"""Maximum number of bytes in one answer of a student's process."""

ENDS_WITHIN: Final = 5
"""Seconds in which a process that is asked to end a check must have done so."""

STARTS_WITHIN: Final = 30
"""Seconds in which a process that forks must be ready; they are not the student's."""

PARTS: Final = ("runner", "probes", "limits", "terminal")
"""The modules of this package that the student's process needs."""

MAX_SCRATCH: Final = 64 << 20
"""Maximum number of bytes that a check can write, under bubblewrap."""

SYSTEM: Final = ("/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache")
"""What a Python needs of the system."""


class Ended(Exception):
    """The student's process answers no more, and why, in words."""


class Thing(NamedTuple):
    """An object that stays in the student's process."""

    number: int
    """The same for the same object."""
    kind: str
    text: str

    def __repr__(self) -> str:
        """Return what the object's own ``repr`` is."""
        return self.text


def decoded(value: Any) -> Any:
    """Return a value that :func:`course.grading.runner.encoded` has written.

    Raises:
        Ended: it is none.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    try:
        kind, inside = value
        if kind == "thing":
            return Thing(int(inside[0]), str(inside[1]), str(inside[2]))
        if kind == "type":
            return _TYPES[inside]
        if kind == "dict":
            return {decoded(key): decoded(each) for key, each in inside}
        made: Any = _TYPES[kind]
        return made(decoded(each) for each in inside)
    except (TypeError, ValueError, KeyError, IndexError, RecursionError):
        raise Ended("its process has answered what is no value") from None


_TYPES: Final[dict[str, type]] = {
    each.__name__: each for each in (bool, int, float, str, list, tuple, set, frozenset, dict)
}


class Session:
    """One check's conversation with the student's process."""

    def __init__(self, reader: IO[bytes], send: Callable[[bytes], object]) -> None:
        """Begin.

        Args:
            reader: where answers come from, a line each.
            send: passes a request on.
        """
        self._reader = reader
        self._send = send

    def ask(self, act: str, **details: Any) -> dict[str, Any]:
        """Have something done, and return the answer.

        Raises:
            Ended: there is none; without words where the process's end says why.
        """
        self.tell(act=act, **details)
        line = b""
        with suppress(OSError):
            line = self._reader.readline(MAX_ANSWER)
        if not line:
            raise Ended("")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise Ended("its process has answered what is no answer, or too much")
        if isinstance(reason := answer.get("stopped"), str):
            raise Ended(f"stopped: {reason}")
        return answer

    def tell(self, **request: Any) -> None:
        """Send a request, and do not wait for an answer."""
        with suppress(OSError):  # then there is no answer either
            self._send(f"{json.dumps(request)}\n".encode())


class Player:
    """Runs one student's files, with a fresh process for each check."""

    def __init__(
        self, sheet: Sheet, folder: Path, limits: Limits, *, can_fork: bool, boxed: bool
    ) -> None:
        """Start nothing yet.

        Args:
            sheet: the sheet, for what the course gives.
            folder: the student's files; they are copied.
            limits: those of a check.
            can_fork: whether one process forks another for each check; otherwise each is started.
            boxed: whether bubblewrap keeps everything else from it.
        """
        self.folder = folder
        self._limits = limits
        self._can_fork = can_fork
        self._boxed = boxed
        self._stage = TemporaryDirectory(prefix="student-", ignore_cleanup_errors=True)
        self._given = _stage(Path(self._stage.name), sheet, folder)
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def close(self) -> None:
        """End its process, and forget its files."""
        self.end()
        self._stage.cleanup()

    def end(self) -> None:
        """End its process and all that this has started; the next check begins with another."""
        if self._control:
            self._control.close()
        if self._process:
            with suppress(OSError, AttributeError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream:
                    with suppress(OSError):
                        stream.close()
        self._process = self._control = None

    @contextmanager
    def session(self) -> Iterator[Session]:
        """Give a session in a fresh process; when it is over that process is ended.

        Raises:
            Ended: the process has ended early, or its time was over.
        """
        wall = self._limits.wall
        with self._forked() if self._can_fork else self._alone() as (session, hang_up):
            late: list[bool] = []
            timer = Timer(wall, partial(_hang_up, hang_up, late))
            timer.daemon = True
            timer.start()
            ended = False
            try:
                session.tell(
                    folder=str(Path(self._stage.name, "files")),
                    given=self._given,
                    seconds=self._limits.seconds,
                    megabytes=self._limits.megabytes,
                )
                yield session
            except Ended as error:
                ended = True
                if str(error):
                    raise
            finally:
                timer.cancel()
                status = self._over()
        if late:
            raise Ended(f"it did not end within {wall:g} seconds")
        if ended or status is None:
            raise Ended(self._how_it_ended(status))

    def _how_it_ended(self, status: int | None) -> str:
        """Say how a process ended that should have answered."""
        if status is None:
            return "it has ended or stopped the process that runs it"
        if status in (-getattr(signal, "SIGXCPU", 0), -getattr(signal, "SIGKILL", 0)):
            return f"it did not end within {self._limits.seconds:g} seconds of processor time"
        if status < 0:
            return f"it crashed: {signal.strsignal(-status)}"
        return f"it ended the process with code {status}"

    @contextmanager
    def _forked(self) -> Iterator[tuple[Session, Callable[[], object]]]:
        """Give a session over a socket that a forked process serves."""
        control = self._control or self._started()
        ours, theirs = socket.socketpair()
        with ours, theirs:
            with suppress(OSError):  # then nobody answers
                socket.send_fds(control, [b"c"], [theirs.fileno()])
            theirs.close()
            with ours.makefile("rb") as reader:
                yield Session(reader, ours.sendall), partial(_shut, ours)

    def _started(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            options = ["--fork", *(["--alone"] if self._boxed else [])]
            self._process = self._popen(options, stdin=theirs.fileno(), stdout=subprocess.DEVNULL)
        self._control = ours
        ours.settimeout(STARTS_WITHIN)
        with suppress(OSError):  # if it never is ready, the check is lost when it asks
            ours.recv(1)
        ours.settimeout(ENDS_WITHIN)
        return ours

    @contextmanager
    def _alone(self) -> Iterator[tuple[Session, Callable[[], object]]]:
        """Give a session over the standard streams of a process of its own."""
        with TemporaryDirectory(prefix="grading-", ignore_cleanup_errors=True) as scratch:
            self._process = process = self._popen(
                [scratch], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            requests, answers = process.stdin, process.stdout
            if not requests or not answers:  # it was started with both
                raise Ended("its process cannot be asked")

            def send(data: bytes) -> None:
                requests.write(data)
                requests.flush()

            yield Session(answers, send), process.kill

    def _popen(self, options: list[str], **streams: Any) -> subprocess.Popen[bytes]:
        stage = self._stage.name
        command = [sys.executable, "-X", "utf8", "-B", "-m", "course.grading.runner", *options]
        variables = {"PYTHONPATH": stage, "PYTHONHASHSEED": "0", "PATH": os.defpath}
        for name in ("SYSTEMROOT", "TMPDIR", "TEMP", "TMP"):
            if name in os.environ and not self._boxed:
                variables[name] = os.environ[name]
        return subprocess.Popen(  # noqa: S603 - our own module
            [*(box(stage) if self._boxed else []), *command],
            cwd=stage, env=variables, stderr=subprocess.DEVNULL, start_new_session=True, **streams,
        )  # fmt: skip

    def _over(self) -> int | None:
        """End the process of a check; return its exit status, None if it is beyond control."""
        if self._control:
            with suppress(OSError, ValueError):
                self._control.sendall(b"e")
                said = self._control.recv(6, socket.MSG_WAITALL)
                return os.waitstatus_to_exitcode(int(said))
            self.end()
            return None
        status = 0
        if self._process:
            with suppress(subprocess.TimeoutExpired):
                status = self._process.wait(0.5)
            self.end()
        return status


def _hang_up(hang_up: Callable[[], object], late: list[bool]) -> None:
    """End a conversation whose time is over, and note it."""
    late.append(True)
    hang_up()


def _shut(connection: socket.socket) -> None:
    """End a connection that another thread reads from."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _stage(stage: Path, sheet: Sheet, folder: Path) -> list[str]:
    """Copy what a student's process needs into a folder; return the files that the course gives."""
    package = stage / "course" / "grading"
    package.mkdir(parents=True)
    for name in PARTS:
        shutil.copyfile(Path(__file__).with_name(f"{name}.py"), package / f"{name}.py")
    (stage / "given").mkdir()
    given = [stage / "given" / Path(path).name for path in sheet.given]
    for path, copy in zip(sheet.given, given, strict=True):
        shutil.copyfile(SOLUTIONS / path, copy)
    (stage / "files").mkdir()
    for file in folder.iterdir():
        if file.is_file() and not file.is_symlink():
            shutil.copyfile(file, stage / "files" / file.name)
    return [str(path) for path in given]


# bubblewrap


def box(stage: str) -> Sequence[str]:
    """Return the command that gives another one a system with Python and this folder alone."""
    project = Path(__file__).parents[2]
    places = [*SYSTEM, sys.base_prefix, sys.prefix]
    binds = [word for place in places for word in ("--ro-bind-try", place, place)]
    for hidden in (project / name for name in ("cardgames", "course", "tests", "docs")):
        if any(hidden.is_relative_to(place) for place in places) and hidden.is_dir():
            binds += ["--tmpfs", str(hidden)]
    return [
        "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
        "--size", str(MAX_SCRATCH), "--tmpfs", "/tmp",  # noqa: S108 - its own
        *binds, "--proc", "/proc", "--dev", "/dev",  # after /tmp, where Python itself may be
        "--ro-bind", stage, stage, "--chdir", stage, "--",
    ]  # fmt: skip


@cache
def can_box() -> bool:
    """Say whether bubblewrap is there and is allowed to work."""
    if not shutil.which("bwrap"):
        return False
    with TemporaryDirectory(prefix="student-") as stage:
        done = subprocess.run(  # noqa: S603 - our own command
            [*box(stage), sys.executable, "-c", "pass"], capture_output=True, check=False
        )
    return done.returncode == 0
