"""Functions that inspect a student's objects, in the student's process.

The functions search, count and arrange objects. The expected results are only in the checks.
"""

import builtins
import importlib
import io
import runpy
import sys
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, Final


def load(name: str, names: dict[str, Any]) -> None:
    """Import a student's module, and add its public names to the dictionary ``names``."""
    module = importlib.import_module(name)
    names |= {key: value for key, value in vars(module).items() if key[:2] != "__"}
    names[name] = module


def play(file: str) -> None:
    """Run a student's file as a program."""
    with suppress(SystemExit):
        runpy.run_path(str(Path(sys.path[0], file)), run_name="__main__")


def write(name: str, text: str) -> None:
    """Write a file that the student's code will read."""
    Path(name).write_text(text, encoding="utf-8", newline="")


def attributes(thing: object) -> dict[str, Any]:
    """Return the attributes in an object's dictionary and slots, keyed by name."""
    values = dict(getattr(thing, "__dict__", {}))
    for kind in type(thing).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            full = f"_{kind.__name__}{name}" if name[:2] == "__" else name
            if hasattr(thing, full):
                values[full] = getattr(thing, full)
    return values


def public_names(kind: object) -> list[str] | None:
    """Return the public names of a class and its bases, or None without a class."""
    if not isinstance(kind, type):
        return None
    return [name for name in dir(kind) if not name.startswith("_")]


def cards_within(root: object, kind: type) -> list[Any]:
    """Return the distinct instances of a class that can be reached from an object."""
    cards: dict[int, Any] = {}
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, str | int | type | ModuleType):
            continue
        seen.add(id(thing))
        if isinstance(thing, kind):
            cards[id(thing)] = thing
        elif isinstance(thing, dict):
            waiting += [*thing.keys(), *thing.values()]
        elif isinstance(thing, list | tuple | set | frozenset) or hasattr(thing, "popleft"):
            waiting += list(thing)  # type: ignore[call-overload]
        else:
            waiting += attributes(thing).values()
    return list(cards.values())


def queue_of(deck: object) -> Any:
    """Return the queue in a deck, or None."""
    queues = [value for value in attributes(deck).values() if hasattr(value, "dequeue")]
    return queues[0] if queues else None


def lines_run(statement: str, names: dict[str, Any]) -> int:
    """Return the number of executed lines, to distinguish O(1) from O(n)."""
    code = compile(statement, "<check>", "exec")
    count = 0

    def trace(_frame: object, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        exec(code, names)  # noqa: S102 - the purpose of this function
    finally:
        sys.settrace(None)
    return count


OPENED: Final[list[Any]] = []
OPEN: Final = builtins.open


def watch_files() -> None:
    """Start recording which files are opened."""

    def remembering(*arguments: Any, **named: Any) -> Any:
        OPENED.append(OPEN(*arguments, **named))
        return OPENED[-1]

    OPENED.clear()
    builtins.open = io.open = remembering


def files_left_open() -> int:
    """Return the number of recorded files that are still open, and stop recording."""
    builtins.open = io.open = OPEN
    return sum(not file.closed for file in OPENED)
