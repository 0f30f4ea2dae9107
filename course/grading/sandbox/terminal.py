"""A simulated terminal that types the given lines and records input and output.

The terminal replaces standard input and output while a student's code runs, so a program may use
``input()`` or read ``sys.stdin``.
"""

import io
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NoReturn

COLOUR: Final = re.compile(r"\x1b\[[\d;]*m")
"""Matches the escape sequences that colour text on a terminal."""

SHOWN: Final = "shown"
TYPED: Final = "typed"

MAX_SHOWN: Final = 200_000
"""Maximum number of characters that a program may print in one check."""

MAX_ASKED_IN_VAIN: Final = 50
"""Maximum number of reads by a program after the end of its input."""

Events = list[tuple[str, str]]
"""Output and typed lines, in order."""


class Transcript:
    """The output and the typed lines of a run."""

    def __init__(self, events: Events, fault: str = "", *, stopped: bool = False) -> None:
        """Create a transcript from events. Consecutive output is joined.

        ``fault`` describes how the program failed after the last typed line. The program's process
        may have been stopped because of that failure.
        """
        self.events: Events = []
        self.fault = fault
        self.stopped = stopped
        for kind, raw in events:
            text = COLOUR.sub("", raw)
            if self.events and kind == SHOWN == self.events[-1][0]:
                text = self.events.pop()[1] + text
            self.events.append((kind, text))

    @property
    def shown(self) -> str:
        """The complete output, without the typed lines."""
        return "".join(text for kind, text in self.events if kind == SHOWN)

    @property
    def parts(self) -> list[str]:
        """The output before each typed line, and after the last typed line.

        >>> Transcript([(SHOWN, "Hit? "), (TYPED, "h"), (TYPED, "s"), (SHOWN, "Bye")]).parts
        ['Hit? ', '', 'Bye']
        """
        parts = [""]
        for kind, text in self.events:
            if kind == SHOWN:
                parts[-1] += text
            else:
                parts.append("")
        return parts

    @property
    def typed(self) -> list[str]:
        """The lines that were typed."""
        return [text for kind, text in self.events if kind == TYPED]

    def on_a_terminal(self) -> str:
        r"""Return the text as a terminal shows it, with each typed line after the prompt.

        >>> Transcript([(SHOWN, "Hit? "), (TYPED, "h"), (SHOWN, "Bye")]).on_a_terminal()
        'Hit? h\nBye'
        """
        return "".join(text if kind == SHOWN else f"{text}\n" for kind, text in self.events)


class Terminal:
    """A simulated terminal that types a line at each read and records the output."""

    def __init__(
        self,
        typed: Sequence[str],
        stop: Callable[[str], NoReturn],
        after_last: Callable[[], object] = lambda: None,
    ) -> None:
        """Create a terminal that types these lines and then closes the input.

        A program that writes or reads endlessly is stopped. ``after_last`` is called when the last
        line is typed.
        """
        self.events: Events = []
        self.left = list(typed)
        """The lines that have not been typed yet."""
        self._stop = stop
        self._after_last = after_last
        self._room = MAX_SHOWN
        self._in_vain = 0

    @property
    def transcript(self) -> Transcript:
        """The output and the typed lines so far."""
        return Transcript(self.events)

    def show(self, text: str) -> None:
        """Record output."""
        self.events.append((SHOWN, text[: self._room]))
        self._room -= len(text)
        if self._room < 0:
            self._stop(f"it showed more than {MAX_SHOWN:,} characters")

    def read(self) -> str:
        """Return the next typed line with its newline, or an empty string at the end."""
        if not self.left:
            self._in_vain += 1
            if self._in_vain > MAX_ASKED_IN_VAIN:
                self._stop("it asked again and again after its input had ended")
            return ""
        line = self.left.pop(0)
        self.events.append((TYPED, line))
        if not self.left:
            self._after_last()
        return f"{line}\n"

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Replace the standard input and output of this process."""
        before = sys.stdin, sys.stdout, sys.stderr
        sys.stdin, sys.stdout, sys.stderr = _Input(self), _Output(self), io.StringIO()
        try:
            yield
        finally:
            sys.stdin, sys.stdout, sys.stderr = before


class _Input(io.TextIOBase):
    """The standard input of a program at this terminal."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    @property
    def lines_left(self) -> int:
        return len(self._terminal.left)

    def readable(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # noqa: ARG002 - io's
        return self._terminal.read()

    def read(self, size: int | None = -1, /) -> str:  # noqa: ARG002 - io's
        return "".join(iter(self._terminal.read, ""))


class _Output(io.TextIOBase):
    """The standard output of a program at this terminal."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):
            raise TypeError("write() argument must be str")
        self._terminal.show(text)
        return len(text)
