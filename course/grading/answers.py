"""The answers of a student's process: values, references to its objects, and its output."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from course.grading.sandbox.child import PLAIN_TYPES
from course.grading.sandbox.terminal import Events


class ProcessEnded(Exception):
    """The student's code does not answer any more, and why, in words."""


class RemoteObject(NamedTuple):
    """An object that stays with the student's code."""

    number: int
    """The same for the same object."""
    kind: str
    text: str

    def __repr__(self) -> str:
        """Return the object's own ``repr``."""
        return self.text


_TYPES: Final[dict[str, type]] = {each.__name__: each for each in PLAIN_TYPES}


def decoded(value: Any) -> Any:
    """Return a value that :func:`course.grading.sandbox.child.encoded` has written.

    Raises:
        Ended: it was not written by that function.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    try:
        kind, inside = value
        if kind == "thing":
            return RemoteObject(int(inside[0]), str(inside[1]), str(inside[2]))
        if kind == "type":
            return _TYPES[inside]
        if kind == "dict":
            return {decoded(key): decoded(each) for key, each in inside}
        decoded_value: Any = _TYPES[kind]
        return decoded_value(decoded(each) for each in inside)
    except (TypeError, ValueError, KeyError, IndexError, RecursionError):
        raise ProcessEnded("its process has answered what is no value") from None


def strictly_equal(got: object, expected: object) -> bool:
    """Return whether a value equals the expected one and has its type: 1 is not True."""
    if expected is None or isinstance(expected, bool):
        return got is expected
    if isinstance(expected, int | str):
        return type(got) is type(expected) and got == expected
    return bool(got == expected)


def events_of(answer: Mapping[str, Any]) -> Events:
    """Return the output and the typed lines of an answer."""
    return [(str(kind), str(text)) for kind, text in answer.get("events", ())]
