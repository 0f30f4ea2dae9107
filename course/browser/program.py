"""Runs a student's program or our solution at a table, isolated and recorded."""

import importlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any, Final

from cardgames.text import Text
from course.browser.isolation import isolate, time_limit
from course.browser.luck import SeededShuffles
from course.browser.recorder import Place, Recorder, Step
from course.grading.sandbox.child import described, restrict_imports, stop
from course.grading.sandbox.terminal import Terminal, Transcript
from course.grading.sheets import Sheet

MAX_SECONDS: Final = 3
"""Maximum duration of a move, in seconds."""


class ProgramError(Exception):
    """The error of a program that cannot continue, and the program's line if known."""

    def __init__(self, why: str, place: Place | None = None) -> None:
        super().__init__(why)
        self.why, self.place = why, place


class Program:
    """A program in a folder, including the output and the recording of its last move."""

    def __init__(self, sheet: Sheet, folder: Path, seed: int, *, is_recorded: bool = True) -> None:
        """Prepare the program without running any of its code."""
        self._is_recorded = is_recorded
        self.sheet, self.folder = sheet, folder.resolve()
        self.luck = SeededShuffles(seed)
        self.recorder = Recorder(str(self.folder))
        self.seen = Transcript([])
        self._modules: dict[str, ModuleType] = {}

    def begin_move(self) -> None:
        """Restart the recording, and change the order in which cards are shuffled."""
        self.luck.begin_move()
        self.recorder = Recorder(str(self.folder))

    def run(self, act: Callable[[], Any], *typed: str, quiet: bool = False) -> Any:
        """Call a function with the program's code, and return its value.

        Args:
            act: The function to call while the program's modules and files are in place.
            typed: The lines that are typed as input.
            quiet: Whether the call is not recorded.

        Raises:
            Broken: If the function raises an exception or does not end.
        """
        return self.run_at(Terminal(typed, stop), lambda: self._recorded(act, quiet=quiet))

    def traced(self, act: Callable[[], Any]) -> tuple[Any, list[Step]]:
        """Call a function like :meth:`run`, and return its value and the recorded steps."""
        seen, recorder = self.seen, self.recorder
        self.recorder = Recorder(str(self.folder))
        try:
            return self.run(act), self.recorder.steps
        finally:
            self.seen, self.recorder = seen, recorder

    def run_at(self, terminal: Terminal, act: Callable[[], Any]) -> Any:
        """Call a function of the program at a terminal, and return its value.

        Raises:
            Broken: If the function raises an exception or does not end.
        """
        value, error = None, None
        with isolate() as folder, time_limit(MAX_SECONDS) as late:
            try:
                self._enter()
                with terminal.connected():
                    value = act()
            except BaseException as raised:  # noqa: BLE001 - a student's code can raise anything
                error = raised
        self._modules |= folder.modules
        self.seen = terminal.transcript
        if late:
            raise ProgramError(Text("it did not end within {seconds} seconds", seconds=MAX_SECONDS))
        if folder.ended:
            raise ProgramError(folder.ended)
        if error:
            raise self._broken_by(error) from error
        return value

    def load(self, *names: str, classes: Iterable[str]) -> dict[str, Any]:
        """Import modules, and return their public names.

        Raises:
            Broken: If a file or one of these classes is missing, or the import fails.
        """
        for name in names:
            if not (self.folder / f"{name}.py").exists():
                raise ProgramError(Text("there is no {file} among the files", file=f"{name}.py"))

        def load() -> dict[str, Any]:
            namespace: dict[str, Any] = {}
            for name in names:
                namespace |= vars(importlib.import_module(name))
            return namespace

        names_of: dict[str, Any] = self.run(load)
        for name in classes:
            if name not in names_of:
                raise ProgramError(Text("there is no class {name} in the files", name=name))
        return names_of

    def _broken_by(self, error: BaseException) -> ProgramError:
        """Return an exception's message with only the student's traceback lines."""
        place = self._error_place(error)
        why = described(error.with_traceback(None))
        if place and not isinstance(error, SyntaxError):
            why += f" in {place[0]}, line {place[1]}"
        return ProgramError(why, place)

    def _error_place(self, error: BaseException) -> Place | None:
        lines = [(frame.filename, frame.lineno) for frame in extract_tb(error.__traceback__)]
        if isinstance(error, SyntaxError):
            lines.append((error.filename or "", error.lineno))
        for name, line in reversed(lines):
            if line and Path(name).parent == self.folder:
                return Path(name).name, line
        return None

    def _recorded(self, act: Callable[[], Any], *, quiet: bool) -> Any:
        if quiet or not self._is_recorded:
            return act()
        with self.recorder.recording():
            return act()

    def _enter(self) -> None:
        """Make the program's modules and our deterministic shuffles available."""
        if self._modules:
            sys.modules.update(self._modules)
            sys.path.insert(0, str(self.folder))
        else:
            restrict_imports(self.folder, self.sheet.given)
        self.luck.connect()
