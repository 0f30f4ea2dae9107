"""The process of a student's code: ``python -m course.grading.sandbox.child``.

It executes the requests of the checks, and answers with values. It knows no check, no expected
value and no verdict. Those are in the grader's process (:mod:`course.grading.trial`), so a program
that takes this process apart finds nothing that is worth a point.

Each request and each answer is one line of JSON. :class:`Executor` answers them without a process,
for a system that isolates the student's code by other means, such as a browser.
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
"""Maximum size of a request in bytes; only the grader sends any."""

MAX_TEXT: Final = 1_500
"""Maximum number of characters of a value that a report shows."""

MAX_FILE: Final = 10_000_000
"""Maximum size of a file that a student's code may write, in bytes."""

MAX_PROCESSES: Final = 64
"""Maximum number of the user's processes, for a check that starts another; root has no limit."""

ENDS_WITHIN: Final = 0.1
"""Seconds of processor time that a program may take after the last line that is typed."""

SEED: Final = 21
"""Seed of the random numbers of each check, so that grading twice gives the same points."""

KIT: Final = "__kit__"
"""The name of :mod:`course.grading.sandbox.probes` in the checks' expressions."""

PLAIN_TYPES: Final = (bool, int, float, str, list, tuple, set, frozenset, dict)
"""Types that are values too, as in ``type(cards)``."""

Answer = dict[str, Any]


CHECK: Final = "<check>"
"""The file of a check's own code in a traceback."""

PROBES: Final = "<probes>"
"""The file of a sheet's own probes in a traceback."""


class Limits(NamedTuple):
    """Those of a check: seconds of processor time, and megabytes."""

    seconds: int
    megabytes: int


class Stopped(BaseException):
    """A program prints too much, or reads again and again after the end of its input."""


def stop(reason: str) -> NoReturn:
    """Stop a program in this process, by an exception."""
    raise Stopped(reason)


class Executor:
    """Executes a check's requests in this process, with the student's files on the import path."""

    def __init__(
        self,
        folder: Path,
        given: Sequence[Path],
        own_probes: str = "",
        stop: Callable[[str], NoReturn] = stop,
    ) -> None:
        """Prepare imports of the given files, in order, and random numbers; run nothing.

        ``own_probes`` is Python: the sheet's own probes, in addition to those of all sheets.
        """
        restrict_imports(folder, given)
        random.seed(SEED)
        self.stop = stop
        self._kit = load_probes(own_probes)
        self._names: dict[str, Any] = {KIT: self._kit}
        self.events: Events = []
        """The output and the typed lines of the running code so far."""
        self.after_last: Callable[[], object] = lambda: None
        """Is called when the last line is typed."""

    @property
    def compiled(self) -> Callable[[str, str], object] | None:
        """Compiles a program in the sheet's own way and stores its code, if the sheet has one."""
        compiled: Callable[[str, str], object] | None = getattr(self._kit, "compiled", None)
        return compiled

    def ask(self, code: str, mode: str, typed: Sequence[str] = (), kind: str = "") -> Answer:
        """Run code, and return its value or exception, its output and the typed lines.

        Args:
            code: Python code that may use the names of the loaded modules.
            mode: ``exec`` for statements, ``eval`` for an expression, ``names`` for an expression
                whose value is the dictionary of names from then on.
            typed: The lines of input.
            kind: An expression for a class. The answer says whether the exception is one of it.
        """
        terminal = Terminal(typed, self.stop, self.after_last)
        self.events = terminal.events
        answer: Answer = {"events": terminal.events}
        try:
            with terminal.connected():
                answer["value"] = self._run(code, mode)
        except Stopped as stopped:
            answer["stopped"] = str(stopped)
        except BaseException as error:  # noqa: BLE001 - whatever a student's code raises
            answer |= {"error": described(error), "asked": isinstance(error, EOFError)}
            answer["ours"] = is_of_probes(error)
            with suppress(BaseException):  # the student's class may refuse to be looked at
                if kind:
                    answer["is_kind"] = isinstance(error, eval(kind, self._names))  # noqa: S307 - a check's
                    answer["arguments"] = encoded(list(error.args))
        return answer

    def _run(self, code: str, mode: str) -> Any:
        python = compile(code, CHECK, "exec" if mode == "exec" else "eval")
        value = eval(python, self._names)  # noqa: S307 - its purpose
        if mode != "names":
            return encoded(value)
        self._names = value  # no copy, because the program continues to use it
        self._names[KIT] = self._kit
        return None


def load_probes(own_probes: str) -> SimpleNamespace:
    """Return the probes of all sheets, and those of one."""
    own = ModuleType("own probes")
    # Not the name of a file, so that an error in them is not taken for a line of the student's.
    exec(compile(own_probes, PROBES, "exec"), vars(own))  # noqa: S102 - the sheet's own
    return SimpleNamespace(**vars(probes) | vars(own))


def restrict_imports(folder: Path, given: Sequence[Path]) -> None:
    """Make the student's files importable, and the modules that the course provides."""
    sys.argv = ["program"]
    sys.dont_write_bytecode = True
    for path in given:
        spec = spec_from_file_location(path.stem, path)
        if not spec or not spec.loader:
            raise ImportError(f"{path} is not a file of Python")
        sys.modules[path.stem] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[path.stem])
    # A file that a student lacks must not be found among ours.
    ours = {"", ".", str(Path(__file__).parents[3]), str(Path.cwd())}
    ours |= {str(path.parent) for path in given}
    sys.path[:] = [str(folder), *(entry for entry in sys.path if entry not in ours)]


# Values


def encoded(value: Any, depth: int = 6) -> Any:
    """Return a value for JSON, or a description if JSON has no form for it.

    Numbers and strings are unchanged. Other values become a list of their type and the value.
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
    text = re.sub(r"[\w.]+\.<locals>\.", "", text)  # a function in a function has no other name
    ours, place = str(Path(__file__).parent), ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        folder, name = os.path.split(frame.f_code.co_filename)
        if name[:1] != "<" and folder != ours:
            place = f" in {name}, line {line}"
    return text + place


def is_of_probes(error: BaseException) -> bool:
    """Return whether one of our probes failed, and no line of the student's took part in it.

    Names, keys and arguments are not counted: a probe that misses these has met the student's code.
    """
    frames = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    probe_files = {PROBES, probes.__file__}
    is_alone = frames[-1] in probe_files and {*frames} <= {*probe_files, __file__, CHECK}
    return is_alone and isinstance(error, IndexError | ValueError | ArithmeticError)


# Processes


def limit_process(limits: Limits) -> None:
    """Limit this process's time, memory and files, as far as the system does."""
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
        with suppress(ValueError, OSError):  # macOS knows no limit of addresses
            resource.setrlimit(kind, (soft, hard))


def limit_seconds(seconds: int) -> None:
    """Limit this process's time from now on; the hard limit is unchanged."""
    import resource  # noqa: PLC0415 - not on every system

    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def read_messages(connection: socket.socket) -> Iterator[dict[str, Any]]:
    """Yield the requests of a check until there are no more."""
    reader = connection.makefile("rb")
    for line in iter(lambda: reader.readline(MAX_REQUEST), b""):
        yield json.loads(line)


def prepared() -> tuple[Executor, Limits]:
    """Import the course's modules that ``start.json`` names; run nothing of the student's."""
    start = json.loads(Path("start.json").read_text(encoding="utf-8"))
    given = [*map(Path, start["given"])]
    executor = Executor(Path(start["folder"]), given, start["own_probes"])
    return executor, Limits(start["seconds"], start["megabytes"])


def serve(connection: socket.socket, executor: Executor, limits: Limits) -> NoReturn:
    """Answer the requests of one check, and leave."""

    def send(answer: Answer) -> None:
        connection.sendall(f"{json.dumps(answer)}\n".encode())

    def exit_process(reason: str) -> NoReturn:
        """End this process, since a program may catch an exception and go on."""
        send({"stopped": reason, "events": executor.events, "gone": True})
        os._exit(0)

    def on_timeout(number: int, _: object) -> NoReturn:
        """Stop a program that does not end; if it catches that, end this process."""
        if number == signal.SIGPROF and not late:
            late.append(number)
            limit_seconds(limits.seconds + 1)  # which other programs of this check may need
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
    os._exit(0)  # even if the program left threads and exit handlers


def serve_forked(control: socket.socket, *, alone: bool) -> None:
    """Fork a child for each socket that arrives; kill it at the end of its check.

    Args:
        control: Sends ``c`` with a socket for each check, and ``e`` at the end of it.
        alone: Whether all other processes here were started by a child, and are killed with it.
    """
    child, scratch = 0, ""
    executor, limits = prepared()
    compile_ahead(Path(sys.path[0]), lambda: limit_process(limits), executor.compiled)
    gc.freeze()  # or a child's first collection would copy all that it shares with this process
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
        random.seed(SEED)  # a forked process has random numbers of its own otherwise
        os.setsid()
        os.chdir(scratch)
        serve(socket.socket(fileno=file), executor, limits)
    finally:
        os._exit(0)


def end_child(child: int, *, alone: bool) -> int:
    """Kill a child and its descendants; return its status in the form of ``os.wait``."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if alone:  # only then: it ends every process that this user may end
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    return status


def close_standard_streams() -> None:
    """Detach the streams with which this process was started."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)


def main() -> None:
    """Serve the checks that come in a socket, with ``--fork``, or one check: ``SCRATCH PORT``."""
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
