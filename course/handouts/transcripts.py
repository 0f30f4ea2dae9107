"""Expected transcripts: what a sheet's program shows on a terminal, and what is typed into it."""

import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import NoReturn

from course.grading.sandbox.terminal import TYPED, Terminal
from course.grading.sheets import Sheet

Answer = Callable[[str], str | None]
"""What is typed next, given all that was shown; None where the input ends."""


class Player(Terminal):
    """A terminal whose answers depend on what it has shown."""

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
    """Run a sheet's program in a folder, and return what then stands on the terminal."""
    player = Player(answer)
    with chdir(folder), player.connected(), only_files_of(sheet.solution):
        runpy.run_path(str(sheet.solution / sheet.program), run_name="__main__")
    return player.transcript.on_a_terminal()


@contextmanager
def only_files_of(folder: Path) -> Iterator[None]:
    """Let bare names mean the files of a folder, which are imported anew."""
    names = {path.stem for path in folder.glob("*.py")}
    path, before = [*sys.path], {name: sys.modules.pop(name, None) for name in names}
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path[:] = path
        for name, module in before.items():
            sys.modules.pop(name, None)
            sys.modules |= {name: module} if module else {}


def typing(*lines: str) -> Answer:
    """Return an answer that types these lines, whatever is asked."""
    left = list(lines)
    return lambda _: left.pop(0) if left else None
