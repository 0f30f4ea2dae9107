"""Expected transcripts: what a sheet's program shows on a terminal, and what is typed into it."""

import re
import runpy
import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Final, NoReturn

from course.grading.sandbox.terminal import TYPED, Terminal
from course.grading.sheets import Sheet

PROGRAMS: Final = {"simple-21": "assignment2", "bingo": "bingo"}
"""The programs that read deck files."""

HIT_BELOW: Final = 15
ENOUGH_CARDS: Final = 30
"""Number of cards seen after which no further round begins, so that the deck is not refilled."""


class Player(Terminal):
    """A terminal whose answers depend on what it has shown."""

    def __init__(self, answer: Callable[[str], str | None]) -> None:
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


def transcript(sheet: Sheet, folder: Path, answer: Callable[[str], str | None]) -> str:
    """Run a sheet's program in a folder, and return what then stands on the terminal."""
    player = Player(answer)
    module = f"course.sheets.{sheet.folder}.solution.{PROGRAMS[sheet.slug]}"
    sys.modules.pop(module, None)  # it is run anew, also where it was imported before
    with chdir(folder), player.connected():
        runpy.run_module(module, run_name="__main__")
    return player.transcript.on_a_terminal()


def typing(*lines: str) -> Callable[[str], str | None]:
    """Return an answer that types these lines, whatever is asked."""
    left = list(lines)
    return lambda _: left.pop(0) if left else None


def playing_21(file: str) -> Callable[[str], str | None]:
    """Return an answer that plays Simple 21: hits below 15, and plays while there are cards."""

    def answer(shown: str) -> str | None:
        if shown.endswith("deck of cards: "):
            return file
        if shown.endswith("(Y/N)? >> "):
            seen = {*re.findall(r"\[ (\w\w) \]", shown)}
            return "y" if len(seen) < ENOUGH_CARDS else "n"
        mine = re.findall(r"Player's hand:.*value = (\d+)", shown)[-1]
        return "h" if int(mine) < HIT_BELOW else "s"

    return answer
