"""Transcripts of the sheets' programs on a terminal, including the typed lines."""

import runpy
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import NoReturn

from course.grading.sandbox.terminal import TYPED, Terminal
from course.grading.sheets import Sheet
from course.run import fresh_imports

Answer = Callable[[str], str | None]
"""Returns the next answer for the text on the terminal, or None at the end of the input."""


class Player(Terminal):
    """A terminal on which the typed answers depend on the output."""

    def __init__(self, answer: Answer) -> None:
        """Prepare a terminal.

        Args:
            answer: Function that receives the complete output and returns the next answer, or None
                to end the input.
        """
        super().__init__((), _too_much)
        self._answer = answer

    def read(self) -> str:
        line = self._answer(self.transcript.shown)
        if line is None:
            return super().read()
        self.events.append((TYPED, line))
        return f"{line}\n"


def _too_much(reason: str) -> NoReturn:
    raise RuntimeError(f"The program does not end: {reason}.")


def transcript(sheet: Sheet, folder: Path, answer: Answer) -> str:
    """Run a sheet's program in a folder, and return the text on the terminal."""
    player = Player(answer)
    with chdir(folder), player.connected(), fresh_imports(sheet.solution):
        runpy.run_path(str(sheet.solution / sheet.program), run_name="__main__")
    return player.transcript.on_a_terminal()


def typing(*lines: str) -> Answer:
    """Return an answer function that types these lines at any prompt."""
    left = list(lines)
    return lambda _: left.pop(0) if left else None
