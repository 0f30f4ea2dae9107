"""The responses of a student's process: values, references to its objects, and output."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from course.grading.sandbox.child import PLAIN_TYPES
from course.grading.sandbox.terminal import Events


class ProcessEnded(Exception):
    """An error raised when the process of the student's code no longer responds.

    The message states the reason.
    """


class RemoteObject(NamedTuple):
    """An object that stays in the student's process."""

    number: int
    """A number that identifies the object."""
    kind: str
    text: str

    def __repr__(self) -> str:
        """Return the ``repr`` of the object itself."""
        return self.text


_TYPES: Final[dict[str, type]] = {plain_type.__name__: plain_type for plain_type in PLAIN_TYPES}


def decoded(value: Any) -> Any:
    """Decode a value that :func:`course.grading.sandbox.child.encoded` encoded.

    Raises:
        Ended: If :func:`course.grading.sandbox.child.encoded` cannot have written the value.
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
        return decoded_value(decoded(item) for item in inside)
    except (TypeError, ValueError, KeyError, IndexError, RecursionError):
        raise ProcessEnded("its process has answered what is no value") from None


def strictly_equal(got: object, expected: object) -> bool:
    """Return whether a value equals the expected value and has the same type.

    For example, 1 does not match True.
    """
    if expected is None or isinstance(expected, bool):
        return got is expected
    if isinstance(expected, int | str):
        return type(got) is type(expected) and got == expected
    return bool(got == expected)


def parse_events(answer: Mapping[str, Any]) -> Events:
    """Return the output and the typed lines in a response."""
    return [(str(kind), str(text)) for kind, text in answer.get("events", ())]
