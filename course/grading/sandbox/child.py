"""The process that runs a student's code: ``python -m course.grading.sandbox.child``.

The process executes the requests of the checks, and responds with values. The process contains no
checks, expected values or verdicts. Checks and verdicts are in the grader's process
(:mod:`course.grading.trial`), so a program that inspects this process cannot find anything that
earns points.

Each request and each response is one line of JSON. :class:`Executor` handles requests without a
process, for environments that isolate the student's code by other means, such as a browser.
"""

import gc
import json
import os
import random
import re
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from types import ModuleType, SimpleNamespace
from typing import Any, Final, NamedTuple, NoReturn

from course.grading.sandbox import probes
from course.grading.sandbox.ahead import compile_ahead
from course.grading.sandbox.terminal import Events, Terminal

MAX_REQUEST: Final = 1_000_000
"""Maximum size of a request in bytes. Only the grader sends requests."""

MAX_TEXT: Final = 1_500
"""Maximum number of characters of a value in a report."""

MAX_FILE: Final = 10_000_000
"""Maximum size of a file that a student's code writes, in bytes."""

MAX_PROCESSES: Final = 64
"""Maximum number of processes of the user, in case a check starts further processes. This limit
does not apply to root.
"""

ENDS_WITHIN: Final = 0.1
"""Processor time for which a program may run after the last typed line, in seconds."""

SEED: Final = 21
"""Seed of the random numbers of each check, so that grading twice gives the same points."""

KIT: Final = "__kit__"
"""The name of :mod:`course.grading.sandbox.probes` in the checks' expressions."""

PLAIN_TYPES: Final = (bool, int, float, str, list, tuple, set, frozenset, dict)
"""Classes that are encoded as values, as in ``type(cards)``."""

Answer = dict[str, Any]


CHECK: Final = "<check>"
"""The file name of a check's own code in a traceback."""

PROBES: Final = "<probes>"
"""The file name of a sheet's own probes in a traceback."""


class Limits(NamedTuple):
    """The limits of a check: seconds of processor time, and megabytes."""

    seconds: int
    megabytes: int


class Stopped(BaseException):
    """An error raised when a program prints too much, or reads past the end of its input."""


def stop(reason: str) -> NoReturn:
    """Stop a program in this process by raising an exception."""
    raise Stopped(reason)


class Executor:
    """Executes a check's requests in this process.

    The student's files are on the import path.
    """

    def __init__(
        self,
        folder: Path,
        given: Sequence[Path],
        own_probes: str = "",
        stop: Callable[[str], NoReturn] = stop,
    ) -> None:
        """Seed the random numbers, and make the student's and course's files importable.

        ``own_probes`` is Python code: the sheet's own probes, in addition to the probes for all
        sheets.
        """
        restrict_imports(folder, given)
        random.seed(SEED)
        self.stop = stop
        self._kit = load_probes(own_probes)
        self._names: dict[str, Any] = {KIT: self._kit}
        self.events: Events = []
        """The output and the typed lines of the running code so far."""
        self.after_last: Callable[[], object] = lambda: None
        """A function that is called when the last line is typed."""

    @property
    def compiled(self) -> Callable[[str, str], object] | None:
        """The sheet's own function for compiling a program and storing its code, or None."""
        compiled: Callable[[str, str], object] | None = getattr(self._kit, "compiled", None)
        return compiled

    def ask(self, code: str, mode: str, typed: Sequence[str] = (), kind: str = "") -> Answer:
        """Run code, and return its value or exception, its output and the typed lines.

        Args:
            code: Python code that may use the names of the loaded modules.
            mode: ``exec`` for statements, ``eval`` for an expression, or ``names`` for an
                expression whose value becomes the dictionary of names.
            typed: The lines that are typed as input.
            kind: An expression whose value is a class. The response says whether the exception is
                an instance of this class.
        """
        terminal = Terminal(typed, self.stop, self.after_last)
        self.events = terminal.events
        answer: Answer = {"events": terminal.events}
        try:
            with terminal.connected():
                answer["value"] = self._run(code, mode)
        except Stopped as stopped:
            answer["stopped"] = str(stopped)
        except BaseException as error:  # noqa: BLE001 - a student's code can raise anything
            answer |= {"error": described(error), "asked": isinstance(error, EOFError)}
            answer["ours"] = is_of_probes(error)
            with suppress(BaseException):  # inspecting the student's class may raise an exception
                if kind:
                    answer["is_kind"] = isinstance(error, eval(kind, self._names))  # noqa: S307 - the code of a check
                    answer["arguments"] = encoded(list(error.args))
        return answer

    def _run(self, code: str, mode: str) -> Any:
        python = compile(code, CHECK, "exec" if mode == "exec" else "eval")
        value = eval(python, self._names)  # noqa: S307 - the purpose of this function
        if mode != "names":
            return encoded(value)
        self._names = value  # the dictionary is not copied, because the program continues to use it
        self._names[KIT] = self._kit
        return None


def load_probes(own_probes: str) -> SimpleNamespace:
    """Return the probes for all sheets, and the probes of one sheet."""
    module = ModuleType("own probes")
    # The file name is not real, so that an error in a probe is not attributed to the student's
    # code.
    exec(compile(own_probes, PROBES, "exec"), vars(module))  # noqa: S102 - the sheet's own code
    return SimpleNamespace(**vars(probes) | vars(module))


def restrict_imports(folder: Path, given: Sequence[Path]) -> None:
    """Make the student's files and the modules of the course importable."""
    sys.argv = ["program"]
    sys.dont_write_bytecode = True
    for path in given:
        spec = spec_from_file_location(path.stem, path)
        if not spec or not spec.loader:
            raise ImportError(f"{path} is not a file of Python")
        sys.modules[path.stem] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[path.stem])
    # Our own folders are removed from the path, so that a file that the student did not submit is
    # not found there.
    folders = {"", ".", str(Path(__file__).parents[3]), str(Path.cwd())}
    folders |= {str(path.parent) for path in given}
    sys.path[:] = [str(folder), *(entry for entry in sys.path if entry not in folders)]


# Values


def encoded(value: Any, depth: int = 6) -> Any:
    """Return a value as JSON, or a description if JSON cannot represent the value.

    Numbers and strings are unchanged. Every other value becomes a list of its type and the value.
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if depth and kind in (list, tuple, set, frozenset):
        return [kind.__name__, [encoded(item, depth - 1) for item in value]]
    if depth and kind is dict:
        items = [[encoded(k, depth - 1), encoded(v, depth - 1)] for k, v in value.items()]
        return ["dict", items]
    if any(value is plain_type for plain_type in PLAIN_TYPES):
        return ["type", value.__name__]
    return ["thing", [id(value), kind.__name__, shown(value)]]


def shown(value: object) -> str:
    """Return a value in the format for reports, even if ``__repr__`` raises."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - a student's code can raise anything
        text = f"<a {type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]} ..."


def described(error: BaseException) -> str:
    """Return an exception as one line, including the student's line that raised it."""
    if isinstance(error, SystemExit):
        return f"it left with sys.exit({error.code!r})"
    if isinstance(error, MemoryError):
        return "it wanted more memory than a check may have"
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} in {Path(error.filename or '').name}, line {error.lineno}"
    text = shown(error)[:300] if error.args else f"{type(error).__name__}()"
    text = re.sub(r"[\w.]+\.<locals>\.", "", text)  # removes the prefix of nested functions
    own_folder, place = str(Path(__file__).parent), ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        folder, name = os.path.split(frame.f_code.co_filename)
        if name[:1] != "<" and folder != own_folder:
            place = f" in {name}, line {line}"
    return text + place


def is_of_probes(error: BaseException) -> bool:
    """Return whether one of our probes failed, rather than the student's code.

    The traceback then has no line of the student.

    Missing names, keys and arguments do not count, because they are faults of the student's code.
    """
    frames = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    probe_files = {PROBES, probes.__file__}
    is_alone = frames[-1] in probe_files and {*frames} <= {*probe_files, __file__, CHECK}
    return is_alone and isinstance(error, IndexError | ValueError | ArithmeticError)


# Processes


def limit_process(limits: Limits) -> None:
    """Limit this process's time, memory and file sizes if the system can."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    memory = limits.megabytes << 20
    for kind, soft, hard in (
        (resource.RLIMIT_CPU, limits.seconds, limits.seconds + 2),
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_FSIZE, MAX_FILE, MAX_FILE),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NPROC, MAX_PROCESSES, MAX_PROCESSES),
    ):
        with suppress(ValueError, OSError):  # macOS does not support this limit
            resource.setrlimit(kind, (soft, hard))


def limit_seconds(seconds: int) -> None:
    """Limit this process's time from now on. The hard limit is unchanged."""
    import resource  # noqa: PLC0415 - not on every system

    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def read_messages(connection: socket.socket) -> Iterator[dict[str, Any]]:
    """Yield the requests of a check until its connection is closed."""
    reader = connection.makefile("rb")
    for line in iter(lambda: reader.readline(MAX_REQUEST), b""):
        yield json.loads(line)


def prepared() -> tuple[Executor, Limits]:
    """Import the course's modules that ``start.json`` names.

    The student's code does not run yet.
    """
    start = json.loads(Path("start.json").read_text(encoding="utf-8"))
    given = [*map(Path, start["given"])]
    executor = Executor(Path(start["folder"]), given, start["own_probes"])
    return executor, Limits(start["seconds"], start["megabytes"])


def serve(connection: socket.socket, executor: Executor, limits: Limits) -> NoReturn:
    """Respond to the requests of one check, and exit."""

    def send(answer: Answer) -> None:
        connection.sendall(f"{json.dumps(answer)}\n".encode())

    def exit_process(reason: str) -> NoReturn:
        """End this process, because a program may catch an exception and continue."""
        send({"stopped": reason, "events": executor.events, "gone": True})
        os._exit(0)

    def on_timeout(number: int, _: object) -> NoReturn:
        """Stop a program that does not end.

        If the program catches the exception, end this process.
        """
        if number == signal.SIGPROF and not late:
            late.append(number)
            limit_seconds(limits.seconds + 1)  # the check may run another program
            signal.setitimer(signal.ITIMER_PROF, ENDS_WITHIN)
            raise Stopped("it did not end after the last line")
        exit_process(f"it did not end within {limits.seconds:g} seconds of processor time")

    close_standard_streams()
    executor.stop = exit_process
    limit_process(limits)
    late: list[int] = []
    if timed := hasattr(signal, "setitimer"):
        signal.signal(signal.SIGXCPU, on_timeout)
        signal.signal(signal.SIGPROF, on_timeout)

        def after_last() -> None:
            signal.setitimer(signal.ITIMER_PROF, ENDS_WITHIN)

    for request in read_messages(connection):
        if timed and request["code"].startswith(f"{KIT}.play("):
            executor.after_last = after_last
        answer = executor.ask(**request)
        if timed:
            signal.setitimer(signal.ITIMER_PROF, 0)
        late.clear()
        send(answer)
    os._exit(0)  # this ends the process even if the program left threads or exit handlers behind


def serve_forked(control: socket.socket, *, alone: bool) -> None:
    """Fork a child for each received socket.

    The child is killed at the end of its check.

    Args:
        control: The socket that receives ``c`` with a new socket at the start of each check, and
            ``e`` at its end.
        alone: Whether all other processes in the sandbox were started by a child, and are killed
            with the child.
    """
    child, scratch = 0, ""
    executor, limits = prepared()
    compile_ahead(Path(sys.path[0]), lambda: limit_process(limits), executor.compiled)
    # Without freezing, the first garbage collection of a child would copy all memory that the child
    # shares with this process.
    gc.freeze()
    control.sendall(b"r")
    while True:
        message, files, *_ = socket.recv_fds(control, 1, 1)
        if message == b"c":
            scratch = mkdtemp(prefix="grading-")
            child = os.fork()
            if child == 0:
                control.close()
                run_child(files[0], scratch, executor, limits)
            os.close(files[0])
            continue
        if child:
            status = end_child(child, alone=alone)
            rmtree(scratch, ignore_errors=True)
            child = 0
        if message != b"e":
            return
        control.sendall(f"{status:6}".encode())


def run_child(file: int, scratch: str, executor: Executor, limits: Limits) -> NoReturn:
    """Serve one check in a forked process, and never return to the parent's code."""
    try:
        random.seed(SEED)  # otherwise each fork has different random numbers
        os.setsid()
        os.chdir(scratch)
        serve(socket.socket(fileno=file), executor, limits)
    finally:
        os._exit(0)


def end_child(child: int, *, alone: bool) -> int:
    """Kill a child and its descendants.

    Return the status of the child in the format of ``os.wait``.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if alone:  # only if alone, because this kills every process that the user is allowed to kill
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    return status


def close_standard_streams() -> None:
    """Close the standard streams with which this process was started."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)


def main() -> None:
    """Serve checks whose sockets arrive with ``--fork``, or a single check."""
    if "--fork" in sys.argv:
        with socket.socket(fileno=os.dup(0)) as control:
            close_standard_streams()
            serve_forked(control, alone="--alone" in sys.argv)
    else:
        scratch, port = sys.argv[1:]
        executor, limits = prepared()
        os.chdir(scratch)
        serve(socket.create_connection(("127.0.0.1", int(port))), executor, limits)


if __name__ == "__main__":
    main()
