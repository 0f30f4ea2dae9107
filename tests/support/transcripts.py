"""Transcripts of the sheets' programs on a terminal, with the typed lines."""

import runpy
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import NoReturn

from course.grading.sandbox.terminal import TYPED, Terminal
from course.grading.sheets import Sheet
from course.run import only_files_of

Answer = Callable[[str], str | None]
"""The next answer, given the text on the terminal; None at the end of the input."""


class Player(Terminal):
    """A terminal whose answers depend on its output."""

    def __init__(self, answer: Answer) -> None:
        """Prepare it; ``answer`` is given all that was shown, and gives None to end the input."""
        super().__init__((), _too_much)
        self._answer = answer

    def read(self) -> str:
        """Return the next line."""
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
    with chdir(folder), player.connected(), only_files_of(sheet.solution):
        runpy.run_path(str(sheet.solution / sheet.program), run_name="__main__")
    return player.transcript.on_a_terminal()


def typing(*lines: str) -> Answer:
    """Return an answer that types these lines, whatever is asked."""
    left = list(lines)
    return lambda _: left.pop(0) if left else None
