"""Runs checks, each in a fresh process: ``python -m cardgames.grading.server``.

It reads a job a line, and writes an outcome a line, both as JSON. Where the system can fork, it has
loaded the checks and nothing of a student's, and forks a child for each job; so a fresh process
costs a few milliseconds. Elsewhere a server does one job in its own process, and then ends.
"""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Final, NoReturn

from cardgames.grading.checks import CHECKS
from cardgames.grading.limits import limit_process, unfinished
from cardgames.grading.sheets import ASSIGNMENTS, SHEETS
from cardgames.grading.trial import Failed, Trial, described

MAX_ANSWER: Final = 4_000_000
"""Bytes that a child may say about one check."""

Outcome = dict[str, Any]
Send = Callable[[Outcome], None]


def attempt(job: dict[str, Any], send: Send) -> None:
    """Do one job in this process, and send its outcome.

    Before something is run its name is sent, so that it is known what did not end.
    """
    sheet = SHEETS[job["sheet"]]

    def stop(reason: str) -> NoReturn:
        send(_outcome(trial, problem=f"stopped: {reason}"))
        os._exit(0)

    trial = Trial(
        sheet, Path(job["folder"]), job["unloadable"], stop, lambda what: send({"running": what})
    )
    _use_only(Path(job["folder"]), [ASSIGNMENTS / path for path in sheet.given])
    problem = expected = got = ""
    try:
        CHECKS[job["sheet"]][job["check"]](trial)
    except Failed as failure:
        expected, got = failure.expected, failure.got
    except BaseException as error:  # noqa: BLE001 - the student's objects may raise anywhere
        problem = described(error)
    send(_outcome(trial, problem=problem, expected=expected, got=got))


def _outcome(trial: Trial, *, problem: str = "", expected: str = "", got: str = "") -> Outcome:
    return {
        "passed": not (problem or expected or got),
        "problem": problem,
        "called": trial.called,
        "expected": expected,
        "got": got,
        "notes": trial.notes,
        "transcript": trial.transcript.events if trial.transcript else [],
    }


def _use_only(folder: Path, given: list[Path]) -> None:
    """Let imports find the student's files, and of ours what the course gives."""
    sys.argv = ["program"]
    for path in given:
        spec = spec_from_file_location(path.stem, path)
        if not spec or not spec.loader:
            raise ImportError(f"{path} is not a file of Python")
        sys.modules[path.stem] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[path.stem])
    ours = {"", ".", str(Path(__file__).parents[2]), str(Path.cwd())}
    sys.path[:] = [str(folder), *(entry for entry in sys.path if entry not in ours)]


def run_forked(job: dict[str, Any]) -> Outcome:
    """Do one job in a child of this process, within its limits."""
    scratch = mkdtemp(prefix="grading-")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _be_the_child(job, writing, scratch)
    os.close(writing)
    begun = time.monotonic()
    try:
        said, late = _heard(reading, begun + job["wall"])
    finally:
        os.close(reading)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        rmtree(scratch, ignore_errors=True)
    return _judged(said, status, job, late=late)


def _be_the_child(job: dict[str, Any], writing: int, scratch: str) -> NoReturn:
    """Do the job, and never return to what the parent was doing."""
    try:
        os.setsid()
        os.chdir(scratch)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)
        limit_process(job["seconds"], job["megabytes"])
        attempt(job, lambda outcome: _say(writing, outcome))
    finally:
        os._exit(0)


def _say(writing: int, outcome: Outcome) -> None:
    data = f"{json.dumps(outcome)}\n".encode()
    while data:
        data = data[os.write(writing, data) :]


def _heard(reading: int, deadline: float) -> tuple[list[Outcome], bool]:
    """Return what the child said until it was done, or had no more time."""
    data = b""
    while not _is_done(data):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            return _lines(data), True
        chunk = os.read(reading, 65536)
        if not chunk or len(data) > MAX_ANSWER:
            break
        data += chunk
    return _lines(data), False


def _is_done(data: bytes) -> bool:
    lines = _lines(data)
    return bool(lines) and "passed" in lines[-1]


def _lines(data: bytes) -> list[Outcome]:
    found = []
    for line in data.split(b"\n")[:-1]:
        with suppress(ValueError):
            found.append(json.loads(line))
    return [each for each in found if isinstance(each, dict)]


def _judged(said: list[Outcome], status: int, job: dict[str, Any], *, late: bool) -> Outcome:
    """Return the outcome of a child that may not have lived to tell it."""
    if said and "passed" in said[-1]:
        return said[-1]
    code = os.waitstatus_to_exitcode(status)
    if late:
        problem = f"it did not end within {job['wall']:g} seconds"
    elif code == -signal.SIGXCPU or (code == -signal.SIGKILL and not late):
        problem = f"it did not end within {job['seconds']:g} seconds of processor time"
    elif code < 0:
        problem = f"it crashed: {signal.strsignal(-code)}"
    else:
        problem = f"it ended the process with code {code}"
    return unfinished(problem, said[-1]["running"] if said else "")


def main() -> None:
    """Do jobs until there are none."""
    can_fork = hasattr(os, "fork") and "--once" not in sys.argv
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")

    def send(outcome: Outcome) -> None:
        if "passed" in outcome:
            answers.write(f"{json.dumps(outcome)}\n")
            answers.flush()

    for line in sys.stdin:
        job = json.loads(line)
        if can_fork:
            send(run_forked(job))
        else:
            os.chdir(job["scratch"])
            attempt(job, send)
            os._exit(0)


if __name__ == "__main__":
    main()
