"""The process of a student's program: ``python -m cardgames.strategies.runner FILE``.

The process loads the file, and then reads one view per line and writes one decision per line, both
as JSON. The process receives only the views of the tables. An error is reported as one message, and
ends the process. The file's own output is discarded, because standard output is used for the
decisions.
"""

import json
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Final

DECISIONS: Final = ("hit", "stay")

MAX_FILE: Final = 10_000_000
"""Maximum size of a file that a program writes, in bytes."""

MAX_PROCESSES: Final = 64
"""Maximum number of the user's processes, in case a program starts others."""

Decide = Callable[[dict[str, Any]], object]


class Refused(Exception):
    """An error raised if the file or one of its decisions is invalid."""


def main() -> None:
    """Load the given file, and make decisions until the input ends."""
    path, seconds, megabytes = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    views = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # The file's own output and input must not mix with the views and decisions.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)

    def say(**answer: str) -> None:
        answers.write(f"{json.dumps(answer)}\n")
        answers.flush()

    limit_process(seconds, megabytes)
    try:
        decide = load(path)
        say(ready=path.name)
        for line in views:
            say(decision=checked(decide(json.loads(line))))
    except Refused as refused:
        say(problem=str(refused))
    except BaseException as error:  # noqa: BLE001 - a student's code can raise anything
        say(problem=described(error))


def limit_process(seconds: int, megabytes: int) -> None:
    """Limit this process's time, memory and file sizes if the system can."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    memory = megabytes << 20
    for kind, soft, hard in (
        (resource.RLIMIT_CPU, seconds, seconds + 1),
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_FSIZE, MAX_FILE, MAX_FILE),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NPROC, MAX_PROCESSES, MAX_PROCESSES),
    ):
        with suppress(ValueError, OSError):  # macOS does not support this limit
            resource.setrlimit(kind, (soft, hard))


def load(path: Path) -> Decide:
    """Run a file, and return its function ``decide``.

    Raises:
        Refused: If the file has no function ``decide``.
    """
    sys.argv = [path.name]
    sys.path.insert(0, str(path.parent))
    spec = spec_from_file_location(path.stem, path)
    if not spec or not spec.loader:
        raise Refused("it is not a file of Python")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    decide: Decide | None = getattr(module, "decide", None)
    if not callable(decide):
        raise Refused("it has no function decide(view)")
    return decide


def checked(decision: object) -> str:
    """Return a decision after checking that it is ``hit`` or ``stay``.

    Raises:
        Refused: If the decision is neither ``hit`` nor ``stay``.
    """
    if type(decision) is str and decision in DECISIONS:
        return decision
    raise Refused(f"decide returned {shown(decision)[:100]} and not 'hit' or 'stay'")


def shown(value: object) -> str:
    """Return the ``repr`` of a value, even if a student's own ``__repr__`` raises."""
    try:
        return repr(value)
    except Exception as error:  # noqa: BLE001 - a student's code can raise anything
        return f"<a {type(value).__name__} whose repr raises {type(error).__name__}>"


def described(error: BaseException) -> str:
    """Return an exception as one line, with the line number in the student's file."""
    if isinstance(error, SystemExit):
        return f"it left with sys.exit({error.code!r})"
    if isinstance(error, MemoryError):
        return "it wanted more memory than a program may have"
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} in {Path(error.filename or '').name}, line {error.lineno}"
    text = shown(error)[:300] if error.args else f"{type(error).__name__}()"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename[:1] != "<" and frame.filename != __file__
    ]
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return text + place


if __name__ == "__main__":
    main()
