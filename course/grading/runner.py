"""The process of a student's code: ``python -m course.grading.runner``.

It runs what the checks ask for, and answers with values. It knows no check, no expected value and
no verdict: those are in the process that asks (:mod:`course.grading.server`), so a program that
takes this one apart finds nothing there that is worth a point. It is started in a folder that has
this file, what it imports, what the course gives and the student's files, and nothing else.

Where the system can fork (``--fork``) it loads nothing of a student's itself: for each check it
receives a socket, and a child that is forked for it serves the check. ``--alone`` says that the
process tree is its own, so that whatever a check has started can be ended.
"""

import importlib
import json
import os
import random
import runpy
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, BinaryIO, Final, NoReturn

from course.grading import probes
from course.grading.limits import limit_process
from course.grading.terminal import Terminal

MAX_REQUEST: Final = 1_000_000
"""Maximum number of bytes in a request; only the grader sends any."""

MAX_TEXT: Final = 1_500
"""Maximum number of characters of a value that a report shows."""

SEED: Final = 21
"""Where the luck of every check begins, so that grading twice gives the same points."""

KIT: Final = "__kit__"
"""The name by which the checks' expressions reach :mod:`course.grading.probes`."""

PLAIN_TYPES: Final = (bool, int, float, str, list, tuple, set, frozenset, dict)
"""Types that are values too, as in ``type(cards)``."""

Answer = dict[str, Any]


class Session:
    """One check's requests, answered in this process."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        """Begin; the first request says what is there, and how much it may take."""
        self._reader = reader
        self._writer = writer
        self.names: dict[str, Any] = {KIT: probes}
        self._folder = Path()

    def serve(self) -> None:
        """Answer requests until there are no more."""
        start = json.loads(self._reader.readline(MAX_REQUEST))
        self._folder = Path(start["folder"])
        use_only(self._folder, [Path(path) for path in start["given"]])
        random.seed(SEED)
        limit_process(start["seconds"], start["megabytes"])
        acts: dict[str, Callable[..., Answer]] = {
            "load": self._load, "run": self._run, "raises": self._raises,
            "play": self._play, "file": self._file, "start": self._start,
        }  # fmt: skip
        while line := self._reader.readline(MAX_REQUEST):
            request = json.loads(line)
            self._send(acts[request.pop("act")](**request))

    def _send(self, answer: Answer) -> None:
        self._writer.write(f"{json.dumps(answer)}\n".encode())
        self._writer.flush()

    def _stop(self, reason: str) -> NoReturn:
        """End the check: a program floods, or asks for ever."""
        self._send({"stopped": reason})
        os._exit(0)

    def _file(self, name: str, text: str) -> Answer:
        Path(name).write_text(text, encoding="utf-8", newline="")
        return {}

    def _load(self, name: str) -> Answer:
        def load() -> None:
            module = importlib.import_module(name)
            public = {key: value for key, value in vars(module).items() if key[:2] != "__"}
            self.names |= public | {name: module}

        return self._at_a_terminal((), load)

    def _run(self, code: str, mode: str, typed: list[str]) -> Answer:
        """Run code as statements (``exec``), an expression (``eval``), or to count ``lines``."""

        def run() -> Any:
            if mode == "eval":
                return eval(code, self.names)  # noqa: S307 - that is what it is for
            if mode == "lines":
                return probes.lines_run(lambda: exec(code, self.names))  # noqa: S102
            exec(code, self.names)  # noqa: S102
            return None

        return self._at_a_terminal(typed, run)

    def _at_a_terminal(self, typed: list[str] | tuple[()], act: Callable[[], Any]) -> Answer:
        """Do something with the student's code; return its value, or what it raised."""
        terminal = Terminal(typed, self._stop)
        answer: Answer = {}
        try:
            with terminal.connected():
                answer["value"] = encoded(act())
        except EOFError:
            answer["asked"] = True
        except BaseException as error:  # noqa: BLE001 - whatever a student's code raises
            answer["error"] = described(error)
        return answer | {"events": terminal.events}

    def _raises(self, code: str, kind: str, typed: list[str]) -> Answer:
        """Run statements that should raise an exception of a kind, an expression."""
        terminal = Terminal(typed, self._stop)
        answer: Answer = {"events": terminal.events}
        try:
            with terminal.connected():
                exec(code, self.names)  # noqa: S102
        except BaseException as error:  # noqa: BLE001 - whatever a student's code raises
            answer["error"] = described(error)
            with suppress(BaseException):
                is_kind = isinstance(error, eval(kind, self.names))  # noqa: S307
                answer |= {"is_kind": is_kind, "arguments": encoded(list(error.args))}
        return answer

    def _play(self, file: str, typed: list[str]) -> Answer:
        """Run a file as a program."""
        terminal = Terminal(typed, self._stop)
        answer: Answer = {"events": terminal.events}
        try:
            with terminal.connected():
                runpy.run_path(str(self._folder / file), run_name="__main__")
        except SystemExit:
            pass
        except BaseException as error:  # noqa: BLE001 - whatever a student's program raises
            answer["error"] = described(error)
        return answer

    def _start(self, file: str) -> Answer:
        """Run a program for CodeSkulptor; its names are then the check's, and its frame is kept."""

        def start() -> None:
            self.names = probes.started(self._folder / file)  # the program goes on to use them
            self.names[KIT] = probes

        return self._at_a_terminal((), start)


def use_only(folder: Path, given: list[Path]) -> None:
    """Let imports find the student's files, and of ours what the course gives."""
    sys.argv = ["program"]
    sys.dont_write_bytecode = True
    for path in given:
        spec = spec_from_file_location(path.stem, path)
        if not spec or not spec.loader:
            raise ImportError(f"{path} is not a file of Python")
        sys.modules[path.stem] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[path.stem])
    ours = {"", ".", str(Path(__file__).parents[2]), str(Path.cwd())}
    ours |= {str(path.parent) for path in given}
    sys.path[:] = [str(folder), *(entry for entry in sys.path if entry not in ours)]


# Values


def encoded(value: Any, depth: int = 6) -> Any:
    """Return a value as JSON has it; what it has no form for becomes a description.

    Numbers and texts stay as they are. Others become a list of the kind of thing, then the thing.
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if depth and kind in (list, tuple, set, frozenset):
        return [kind.__name__, [encoded(each, depth - 1) for each in value]]
    if depth and kind is dict:
        items = [[encoded(k, depth - 1), encoded(v, depth - 1)] for k, v in value.items()]
        return ["dict", items]
    if any(value is each for each in PLAIN_TYPES):
        return ["type", value.__name__]
    return ["thing", [id(value), kind.__name__, shown(value)]]


def shown(value: object) -> str:
    """Return a value as a report shows it; a student's ``__repr__`` may do anything."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - whatever a student's code raises
        text = f"<a {type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]} ..."


def described(error: BaseException) -> str:
    """Return an exception in one line, with the student's line that raised it."""
    if isinstance(error, SystemExit):
        return f"it left with sys.exit({error.code!r})"
    if isinstance(error, MemoryError):
        return "it wanted more memory than a check may have"
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} in {Path(error.filename or '').name}, line {error.lineno}"
    text = shown(error)[:300] if error.args else f"{type(error).__name__}()"
    frames = traceback.extract_tb(error.__traceback__)
    ours = Path(__file__).parent
    theirs = [
        frame
        for frame in frames
        if frame.filename[:1] != "<" and Path(frame.filename).parent != ours
    ]
    if not theirs:
        return text
    return f"{text} in {Path(theirs[-1].filename).name}, line {theirs[-1].lineno}"


# Processes


def serve_forked(control: socket.socket, *, alone: bool) -> None:
    """Fork a child for each socket that comes; end it when its check is over."""
    child, scratch = 0, ""
    control.sendall(b"r")
    while True:
        message, files, *_ = socket.recv_fds(control, 1, 1)
        if message == b"c":
            scratch = mkdtemp(prefix="grading-")
            child = os.fork()
            if child == 0:
                control.close()
                run_child(files[0], scratch)
            os.close(files[0])
        elif message == b"e":
            status = end_child(child, alone=alone)
            child = 0
            rmtree(scratch, ignore_errors=True)
            control.sendall(f"{status:6}".encode())
        else:
            if child:
                end_child(child, alone=alone)
            return


def run_child(file: int, scratch: str) -> NoReturn:
    """Serve one check, and never return to what the parent was doing."""
    try:
        os.setsid()
        os.chdir(scratch)
        close_standard_streams()
        with socket.socket(fileno=file) as connection:
            Session(connection.makefile("rb"), connection.makefile("wb")).serve()
    finally:
        os._exit(0)


def end_child(child: int, *, alone: bool) -> int:
    """Kill a child and what it has started; return how it ended, as ``os.wait`` says it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if alone:  # all that is left here was started by the child
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    return status


def close_standard_streams() -> None:
    """Let nothing be read from or written to the streams this process was started with."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)


def main() -> None:
    """Serve one check over the standard streams, or those that come over a socket."""
    if "--fork" in sys.argv:
        with socket.socket(fileno=os.dup(0)) as control:
            close_standard_streams()
            serve_forked(control, alone="--alone" in sys.argv)
        return
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    close_standard_streams()
    os.chdir(sys.argv[1])
    Session(reader, writer).serve()
    os._exit(0)


if __name__ == "__main__":
    main()
