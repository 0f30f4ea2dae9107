"""Isolates programs from each other in the only interpreter that a browser has.

One process per program would be simpler, but a browser cannot start processes. Therefore any global
state that a program changes is restored: modules, paths, streams, builtins and the working folder.
"""

import builtins
import io
import math
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from types import ModuleType
from typing import Any, Final, NoReturn

from course.grading.sandbox.child import Stopped

CHANGEABLE: Final = (builtins, io, os, random, time)
"""Standard modules whose names a program or the grader may replace."""

OURS: Final = ("cardgames", "course", "jinja2", "markupsafe")

LOOKS_EVERY: Final = 32
"""Number of calls and jumps between two readings of the clock."""

MOST_AT_A_LOOK: Final = 0.005
"""Maximum number of seconds counted between two readings of the clock.

A browser has no clock for processor time, and a program must not fail because the machine is busy.
The page expects regular messages, and terminates the worker during longer calls of C functions.
"""


class TimeLimitExceeded(BaseException):
    """An error raised when a program exceeds its time limit.

    A student's ``except Exception`` does not catch this error.
    """


class ExitRequested(BaseException):
    """An error raised when a program tries to end its process."""


class Program:
    """The effects of a program: its modules, and any attempt to end the process."""

    def __init__(self) -> None:
        self.modules: dict[str, ModuleType] = {}
        self.ended = ""

    def end(self, code: int = 0) -> NoReturn:
        """Raise instead of calling ``os._exit``, because the only process must continue."""
        self.ended = f"it ended the process with code {code}"
        raise ExitRequested(self.ended)


@contextmanager
def isolate() -> Iterator[Program]:
    """Run a program in the ``with`` block, and restore the interpreter afterwards."""
    scratch, previous = mkdtemp(prefix="scratch-"), Path.cwd()
    modules, path, argv = dict(sys.modules), [*sys.path], [*sys.argv]
    streams, depth = (sys.stdin, sys.stdout, sys.stderr), sys.getrecursionlimit()
    names = [(module, dict(vars(module))) for module in CHANGEABLE]
    environment, state = dict(os.environ), random.getstate()
    program = Program()
    os.chdir(scratch)
    os._exit = program.end  # type: ignore[assignment]
    try:
        yield program
    finally:
        # The trace function is removed first, because a program's trace function would also run in
        # the following statements.
        sys.settrace(None)
        for name in {*sys.modules} - {*modules}:
            if not _is_ours_or_pythons(name):
                program.modules[name] = sys.modules.pop(name)
        sys.modules.update(modules)
        sys.path[:], sys.argv[:] = path, argv
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.setrecursionlimit(depth)
        for module, before in names:
            for name in {*vars(module)} - {*before}:
                del vars(module)[name]
            vars(module).update(before)
        random.setstate(state)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(previous)
        rmtree(scratch, ignore_errors=True)


def _is_ours_or_pythons(name: str) -> bool:
    """Return whether a module belongs to Python or to this project.

    Such a module may stay imported.
    """
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or top in OURS


class Late(list[Any]):
    """A list that contains the note about an expired time limit, or is empty."""

    spent = 0.0
    """The number of seconds counted so far."""

    soon = math.inf
    """A deadline before the time limit, at which the program is stopped without losing its output.
    """

    def end_within(self, seconds: float) -> None:
        """Stop the program at this deadline, unless it ends earlier."""
        self.soon = self.spent + seconds


@contextmanager
def time_limit(seconds: float, note: Callable[[], Any] = lambda: None) -> Iterator[Late]:
    """Raise :class:`TimeLimitExceeded` if the ``with`` block takes too long.

    Args:
        seconds: The time limit. Between two readings of the clock, at most :data:`MOST_AT_A_LOOK`
            seconds are counted.
        note: Function that returns the note. It is called when the time expires, before the stack
            unwinds.

    Yields:
        A list that is initially empty, and contains the note once the time has expired.
    """
    late = Late()
    watch: Any = getattr(sys, "monitoring", None)
    if watch is None:  # Python versions before 3.12, which the browser's Pyodide does not use
        yield late
        return
    clock, tool = time.monotonic, watch.PROFILER_ID
    last, count = clock(), 0

    def look(*_: object) -> None:
        nonlocal last, count
        count += 1
        if count % LOOKS_EVERY:
            return
        now = clock()
        late.spent += min(now - last, MOST_AT_A_LOOK)
        last = now
        if late.spent > seconds:
            late.append(note())
            raise TimeLimitExceeded
        if late.spent > late.soon:
            late.soon = math.inf
            raise Stopped("it did not end after the last line")

    events = (watch.events.JUMP, watch.events.PY_START)
    watch.use_tool_id(tool, "time limit")
    for event in events:
        watch.register_callback(tool, event, look)
    watch.set_events(tool, sum(events))
    try:
        yield late
    finally:
        watch.set_events(tool, 0)
        watch.free_tool_id(tool)
