"""A trial: what a check may do with a student's files, and how it says what went wrong.

A check is a function of a :class:`Trial`. What it calls is written as the student would write it,
so that a failure can show it::

    def s0_22(trial):
        trial.load("playingCards")
        trial.equal("Card('2S', True).getValue()", 2)

It passes by returning. The names of the modules it has loaded are the names it can use.
"""

import ast
import importlib
import random
import runpy
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NoReturn

from cardgames.grading.sheets import Sheet
from cardgames.grading.terminal import Terminal, Transcript

LONGEST: Final = 1_500
"""Characters of a value that a report shows."""

SEED: Final = 21
"""Where the luck of every check begins, so that grading twice gives the same points."""


class Failed(Exception):
    """The student's files do not do what a requirement asks."""

    def __init__(self, expected: str, got: str) -> None:
        """Say what was expected, and what came."""
        super().__init__(expected, got)
        self.expected = expected
        self.got = got


class Trial:
    """One check at work on one student's files, in a process of its own."""

    def __init__(
        self,
        sheet: Sheet,
        folder: Path,
        unloadable: Mapping[str, str],
        stop: Callable[[str], NoReturn],
        running: Callable[[str], None],
    ) -> None:
        """Begin.

        Args:
            sheet: the sheet that is graded.
            folder: the student's files.
            unloadable: what did not end in earlier checks, and why: a file that was imported, or
                a program, as in ``python bingo.py``.
            stop: ends the process with a reason.
            running: is told what is about to be run, and the empty text when it is over.

        """
        self.sheet = sheet
        self.folder = folder
        self.names: dict[str, Any] = {}
        self.called: list[str] = []
        self.notes: list[str] = []
        self.transcript: Transcript | None = None
        self.seen = Transcript([])
        """What the last call showed, and what was typed into it."""
        self._unloadable = unloadable
        self._stop = stop
        self._tell = running
        random.seed(SEED)

    # Files

    def source(self, file: str) -> str:
        """Return the text of a student's file."""
        path = self.folder / file
        if not path.is_file():
            raise Failed(f"a file {file}", "there is no such file")
        return path.read_text(encoding="utf-8", errors="replace")

    def file(self, name: str, content: str | Sequence[str]) -> str:
        """Write a file for the student's code to read, a text or lines; return its name."""
        text = content if isinstance(content, str) else "\n".join(content) + "\n"
        Path(name).write_text(text, encoding="utf-8", newline="")
        return name

    # Calls

    def load(self, *modules: str) -> None:
        """Import modules of the student's; their names are then the check's."""
        for name in modules:
            self._note_call(f"from {name} import *")
            module = self._imported(name)
            public = {key: value for key, value in vars(module).items() if key[:2] != "__"}
            self.names |= public | {name: module}

    def do(self, statement: str, *typed: str) -> str:
        """Run statements, typing lines where they ask; return what they showed."""
        terminal = Terminal(typed, self._stop)
        self._note_call(statement, *typed)
        with terminal.connected():
            self._guarded(statement, lambda: exec(statement, self.names))  # noqa: S102
        self.seen = terminal.transcript
        return self.seen.shown

    def value(self, expression: str, *typed: str) -> Any:
        """Return the value of an expression, typing lines where it asks."""
        terminal = Terminal(typed, self._stop)
        self._note_call(expression, *typed)
        with terminal.connected():
            value = self._guarded(expression, lambda: eval(expression, self.names))  # noqa: S307
        self.seen = terminal.transcript
        return value

    def equal(self, expression: str, expected: object, *typed: str) -> None:
        """Fail unless an expression has this value; True, False and None are not only like it."""
        got = self.value(expression, *typed)
        if not same(got, expected):
            raise Failed(shown(expected), shown(got))

    def raises(
        self,
        statement: str,
        kind: type[BaseException],
        argument: str | None = None,
        *typed: str,
    ) -> None:
        """Fail unless a statement raises this, with this argument if one is given."""
        expected = kind.__name__ if argument is None else f"{kind.__name__}({argument!r})"
        self._note_call(statement, *typed)
        try:
            with Terminal(typed, self._stop).connected():
                exec(statement, self.names)  # noqa: S102
        except kind as error:
            if argument is not None and error.args != (argument,):
                raise Failed(expected, described(error)) from None
        except BaseException as error:  # noqa: BLE001 - whatever a student's code raises
            raise Failed(expected, described(error)) from None
        else:
            raise Failed(expected, "nothing was raised")

    def play(self, file: str, *typed: str) -> Transcript:
        """Run a file as a program, typing these lines; return all that was shown and typed.

        A program that is not over when its input ends has asked too often, and fails.
        """
        terminal = Terminal(typed, self._stop)
        command = f"python {file}"
        self._note_call(command, *typed)
        error = ""
        try:
            with self.running(command, *self._files_of(file)), terminal.connected():
                runpy.run_path(str(self.folder / file), run_name="__main__")
        except Failed:
            raise
        except SystemExit:
            pass
        except BaseException as raised:  # noqa: BLE001 - whatever a student's program raises
            error = described(raised)
            terminal.show(f"\n{error}\n")
        self.transcript = terminal.transcript
        if error:
            raise Failed("the program ends by itself", f"it ended with: {error}")
        return self.transcript

    def _files_of(self, file: str) -> list[str]:
        """Return a file and the student's files that it imports, directly or not."""
        files = [file]
        for each in files:
            try:
                tree = ast.parse(self.source(each))
            except SyntaxError:
                continue  # running it says what is wrong
            for node in ast.walk(tree):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                mine = (f"{name}.py" for name in names)
                files += [n for n in mine if n not in files and (self.folder / n).is_file()]
        return files

    def _imported(self, name: str) -> ModuleType:
        file = f"{name}.py"
        if file in self.sheet.files:
            self.source(file)
        with self.running(file), Terminal((), self._stop).connected():
            module: ModuleType = self._guarded(
                f"import {name}", lambda: importlib.import_module(name)
            )
        return module

    @contextmanager
    def running(self, what: str, *files: str) -> Iterator[None]:
        """Tell what is about to be run; fail if it, or a file it needs, did not end before."""
        for name in (what, *files):
            if name in self._unloadable:
                raise Failed(f"{what} ends by itself", f"{name}: {self._unloadable[name]}")
        self._tell(what)
        try:
            yield
        finally:
            self._tell("")

    def _guarded(self, what: str, act: Callable[[], Any]) -> Any:
        """Do something with the student's code; what it raises is a failure."""
        try:
            return act()
        except EOFError:
            raise Failed(f"{what} asks for no more input", "it asked for another line") from None
        except BaseException as error:  # noqa: BLE001 - whatever a student's code raises
            raise Failed("no error", described(error)) from None

    def _note_call(self, what: str, *typed: str) -> None:
        self.called.append(what)
        self.called += [f"typed: {line}" for line in typed]

    # Verdicts

    def expect(self, holds: object, expected: str, got: object = "") -> None:
        """Fail unless something holds, with what was expected in words, and what came."""
        if not holds:
            raise Failed(expected, got if isinstance(got, str) else shown(got))

    def accept(self, note: str) -> None:
        """Note something that differs from our own solution, and that the sheet leaves open."""
        if note not in self.notes:
            self.notes.append(note)


def same(got: object, expected: object) -> bool:
    """Say whether a value is the one expected, of the same kind: 1 is not True."""
    if expected is None or isinstance(expected, bool):
        return got is expected
    if isinstance(expected, int | str):
        return type(got) is type(expected) and got == expected
    return bool(got == expected)


def shown(value: object) -> str:
    """Return a value as a report shows it; a student's ``__repr__`` may do anything."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - whatever a student's code raises
        text = f"<a {type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def described(error: BaseException) -> str:
    """Return an exception in one line, with the student's line that raised it."""
    if isinstance(error, SystemExit):
        return f"it left with sys.exit({error.code!r})"
    if isinstance(error, MemoryError):
        return "it wanted more memory than a check may have"
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} in {Path(error.filename or '').name}, line {error.lineno}"
    text = shown(error)[:300] if error.args else f"{type(error).__name__}()"
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if "cardgames" not in Path(frame.filename).parts]
    theirs = [frame for frame in theirs if frame.filename[:1] != "<"]
    if not theirs:
        return text
    return f"{text} in {Path(theirs[-1].filename).name}, line {theirs[-1].lineno}"
