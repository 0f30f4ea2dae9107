"""Keeps programs from disturbing each other in the one interpreter that a browser has.

A process of its own for each would be simpler; a browser has none. So whatever a program changes
that the next one would notice is put back: modules, paths, streams, builtins, the working folder.
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
"""Standard modules in which a program or the grader may replace names."""

OURS: Final = ("cardgames", "course", "jinja2", "markupsafe")

LOOKS_EVERY: Final = 32
"""Number of calls and jumps between two looks at the clock."""

MOST_AT_A_LOOK: Final = 0.005
"""Maximum number of seconds that count between two looks: in longer ones others were at work.

A browser has no clock of processor time, and a program is not to be blamed for a busy machine. What
stays longer in one call of C is ended by the page, which expects messages.
"""


class TimeIsUp(BaseException):
    """A program takes longer than it may; no ``except Exception`` of a student's catches it."""


class EndedItself(BaseException):
    """A program has asked for the end of the process it is in."""


class Program:
    """What a program has left: its modules, by name, and how it ended itself, if it did."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.modules: dict[str, ModuleType] = {}
        self.ended = ""

    def end(self, code: int = 0) -> NoReturn:
        """Stand in for ``os._exit``, by an exception: there is one process, and it goes on."""
        self.ended = f"it ended the process with code {code}"
        raise EndedItself(self.ended)


@contextmanager
def kept_apart() -> Iterator[Program]:
    """Let a program run meanwhile: afterwards the interpreter is as it was before."""
    scratch, here = mkdtemp(prefix="scratch-"), Path.cwd()
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
        # First: a trace function that the program has set would see all that follows.
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
        os.chdir(here)
        rmtree(scratch, ignore_errors=True)


def _is_ours_or_pythons(name: str) -> bool:
    """Say whether a module is of the standard library or of ours, and may stay imported."""
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or top in OURS


class Late(list[Any]):
    """What was noted when time was up: nothing until then."""

    spent = 0.0
    """Seconds that have counted so far."""

    soon = math.inf
    """When a program is stopped that might end by itself, so that what it has shown is kept."""

    def end_within(self, seconds: float) -> None:
        """Let the program have this time, unless it ends."""
        self.soon = self.spent + seconds


@contextmanager
def time_limit(seconds: float, note: Callable[[], Any] = lambda: None) -> Iterator[Late]:
    """Raise :class:`TimeIsUp` in whatever runs longer.

    Args:
        seconds: the time, of which :data:`MOST_AT_A_LOOK` counts at once.
        note: is asked when time is up, before anything unwinds.

    Yields:
        a list, which is empty until then and has what was noted afterwards.
    """
    late = Late()
    watch: Any = getattr(sys, "monitoring", None)
    if watch is None:  # before Python 3.12, which no browser has
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
            raise TimeIsUp
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
