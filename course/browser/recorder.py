"""Records the execution of a student's code: line numbers, and changes of names and objects.

A step is a line before it runs, or a return from a function. A step contains the names of its
frame, and the changes since the previous step in the objects that can be reached from these names.
Therefore the recording of three thousand steps with a deck of 52 cards stays small.
"""

import os
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from linecache import getline
from pathlib import Path
from types import FrameType
from typing import Any, Final

MAX_STEPS: Final = 3_000
"""Maximum number of steps per move."""

MAX_ITEMS: Final = 60
"""Maximum number of recorded items per list, or of recorded names per object."""

MAX_OBJECTS: Final = 400
"""Maximum number of objects that are recorded with their contents."""

MAX_TEXT: Final = 80
"""Maximum number of characters of a string."""

MAX_DEPTH: Final = 12
"""Maximum depth of nested objects."""

MAX_NAME: Final = 20
"""Maximum number of characters of a dictionary's key."""

MAX_BITS: Final = 200
"""Maximum number of bits of an integer that is recorded with its value."""

SEQUENCES: Final[tuple[Any, ...]] = (list, tuple, set, frozenset, deque)

PLAIN: Final = (int, float, bool, type(None))

Step = dict[str, Any]

Place = tuple[str, int]
"""A location in the code: a file and a line."""


class Recorder:
    """Records the steps of the files in one folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder.rstrip(os.sep) + os.sep
        self.steps: list[Step] = []
        self.is_cut = False
        self._states: dict[int, Any] = {}
        self._frames: dict[int, int] = {}
        self._alive: list[Any] = []  # an ID identifies an object only while the object exists

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record the calls in the ``with`` block."""
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(None)

    def begin_here(self) -> None:
        """Start recording, including calls that are already running."""
        self.steps, self.is_cut, self._states, self._alive = [], False, {}, []
        self._frames = {}
        sys.settrace(self._call)
        frame = sys._getframe().f_back  # noqa: SLF001 - there is no other way
        while frame is not None:
            frame.f_trace = self._call(frame, "call", None)
            frame = frame.f_back

    def place_of_caller(self, *, outermost: bool = False) -> Place | None:
        """Return the student's innermost running line, or the outermost one."""
        frame: FrameType | None = sys._getframe()  # noqa: SLF001 - there is no other way
        place = None
        while frame is not None and (outermost or not place):
            if frame.f_code.co_filename.startswith(self._folder):
                place = frame.f_code.co_filename.removeprefix(self._folder), frame.f_lineno
            frame = frame.f_back
        return place

    def _call(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        return self._step if frame.f_code.co_filename.startswith(self._folder) else None

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if len(self.steps) >= MAX_STEPS:
            self.is_cut = True
            sys.settrace(None)
            return None
        changed: dict[int, Any] = {}
        step = {
            "file": frame.f_code.co_filename.removeprefix(self._folder),
            "line": frame.f_lineno,
            "function": frame.f_code.co_qualname,
            "frame": self._number(frame),
            "depth": self._depth(frame),
            "names": {
                name: self._value(value, changed)
                for name, value in [*_names(frame)][:MAX_ITEMS]
                if name[:2] != "__" and not callable(value) and type(value).__name__ != "module"
            },
        }
        if event == "return":
            step["returns"] = self._value(argument, changed)
        if event == "exception":
            step["raises"] = type(argument[1]).__name__
        if changed:
            step["changed"] = changed
        self.steps.append(step)
        return self._step

    def _depth(self, frame: FrameType) -> int:
        """Return the number of the student's calls that enclose this one."""
        depth, above = 0, frame.f_back
        while above is not None:
            depth += above.f_code.co_filename.startswith(self._folder)
            above = above.f_back
        return depth

    def _number(self, frame: FrameType) -> int:
        """Return a number that identifies a call in all its steps."""
        if id(frame) not in self._frames:
            self._alive.append(frame)
        return self._frames.setdefault(id(frame), len(self._frames))

    def _value(self, value: Any, changed: dict[int, Any], depth: int = 0) -> Any:
        """Return a value as text, or an object as its number.

        An object's state is stored in ``changed``.
        """
        if type(value) in PLAIN:
            return _text(value)
        if type(value) is str:
            return repr(value[:MAX_TEXT])
        number, is_new = id(value), id(value) not in self._states
        if number in changed:
            return number
        if depth > MAX_DEPTH or (is_new and len(self._states) >= MAX_OBJECTS):
            return f"<{type(value).__name__}>"
        before = self._states.get(number)
        if is_new:
            self._alive.append(value)
        changed[number] = self._states[number] = None  # an object may contain itself
        state = self._state(value, changed, depth + 1)
        self._states[number] = changed[number] = state
        if state == before:
            del changed[number]
        return number

    def _state(self, value: Any, changed: dict[int, Any], depth: int) -> list[Any]:
        """Return the type of an object, and its contents."""
        kind = type(value).__name__
        if isinstance(value, dict):
            items = [*dict.items(value)][:MAX_ITEMS]
            named = {str(k)[:MAX_NAME]: v for k, v in items if type(k) in (str, *PLAIN)}
            return [kind, {k: self._value(v, changed, depth) for k, v in named.items()}]
        for base in SEQUENCES:
            if isinstance(value, base):  # the base class's method, not the student's
                inside = [*islice(base.__iter__(value), MAX_ITEMS)]
                return [kind, [self._value(item, changed, depth) for item in inside]]
        try:
            fields = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return [kind, {}]
        prefix = f"_{kind}__"
        items = [*fields.items()][:MAX_ITEMS]
        return [kind, {k.removeprefix(prefix): self._value(v, changed, depth) for k, v in items}]


def _names(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """Yield the local names of a call, and the global variables that it uses.

    Constants are omitted.
    """
    yield from [*frame.f_locals.items()]
    if frame.f_locals is not frame.f_globals:
        for name in frame.f_code.co_names:
            if name in frame.f_globals and name not in frame.f_locals and not name.isupper():
                yield name, frame.f_globals[name]


def _text(value: object) -> str:
    """Return a plain value as text, or the size of a number that is too long."""
    if type(value) is int and value.bit_length() > MAX_BITS:
        return f"<a number of {value.bit_length()} bits>"
    return repr(value)


# The steps that may have caused a wrong table

ANY: Final = object()
"""Represents any value."""


def value_line(steps: list[Step], function: str, value: object = ANY) -> Place | None:
    """Return the line that computed the value that a function last returned.

    The result is the line after which one of the function's names had the value, or the line that
    returns the value.
    """
    for at in range(len(steps) - 1, -1, -1):
        step = steps[at]
        text = step.get("returns") if value is ANY else repr(value)
        if _name(step) == function and "returns" in step and step["returns"] == text:
            earlier_steps = [earlier for earlier in steps[:at] if earlier["frame"] == step["frame"]]
            for name, current in step["names"].items():
                if current == text:
                    before = [
                        earlier for earlier in earlier_steps if earlier["names"].get(name) != text
                    ]
                    return _place(before[-1]) if before else _place(step)
            return _place(step)
    return None


def change_line(steps: list[Step], text: str) -> Place | None:
    """Return the line that last assigned this value (in Python's notation) to a name."""
    for before, after in zip(steps[-2::-1], steps[:0:-1], strict=True):
        changed = [name for name, value in after["names"].items() if value == text]
        if any(before["names"].get(name) != text for name in changed):
            return _place(before)
    return None


def last_line(steps: list[Step], functions: tuple[str, ...]) -> Place | None:
    """Return the last executed line in the first of these functions that was called."""
    for function in functions:
        lines = [step for step in steps if _name(step) == function]
        if lines:
            return _place(lines[-1])
    return None


def decision_line(steps: list[Step], folder: Path, functions: tuple[str, ...] = ()) -> Place | None:
    """Return the line that last branched on a number that a function returned.

    Lines of loops are preferred, because they determine the number of repetitions. The second
    choice is a line in one of ``functions``.
    """
    places: list[Place] = []
    own_places: list[Place] = []
    above: dict[int, Step] = {}
    for step in steps:
        caller = above.get(step["depth"] - 1)
        if str(step.get("returns", "")).isdigit() and caller:
            places.append(_place(caller))
            own_places += places[-1:] if _name(caller) in functions else []
        above[step["depth"]] = step
    loops = [
        (file, line) for file, line in places
        if getline(str(folder / file), line).lstrip().startswith("while")
    ]  # fmt: skip
    return next(iter(loops[-1:] or own_places[-1:] or places[-1:]), None)


def call_line(
    steps: list[Step], callee: str, number: int, callers: tuple[str, ...]
) -> Place | None:
    """Return the line at which a caller makes the nth call (from 0) of a function.

    The call may be indirect.
    """
    lines: dict[int, Step] = {}
    begun: set[int] = set()
    for step in steps:
        if _name(step) == callee and step["frame"] not in begun:
            begun.add(step["frame"])
            above = (lines[depth] for depth in range(step["depth"] - 1, -1, -1) if depth in lines)
            caller = next((frame for frame in above if _name(frame) in callers), None)
            if caller:
                if number == 0:
                    return _place(caller)
                number -= 1
        lines[step["depth"]] = step
    return None


def _name(step: Step) -> str:
    return str(step["function"]).rpartition(".")[2]


def _place(step: Step) -> Place:
    return str(step["file"]), int(step["line"])
