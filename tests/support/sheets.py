"""Shared code of the sheets' tests: loading files, running programs, fixing shuffles."""

import errno
import os
import pty
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from select import select
from types import ModuleType
from typing import Any

import pytest

from cardgames import GAMES
from cardgames.shuffling import SaltedRandom
from cardgames.table import Table

ROOT = Path(__file__).parent.parent.parent
SHEETS_ROOT = ROOT / "course" / "sheets"
DECKS = ROOT / "tests" / "decks"
either_way = pytest.mark.parametrize("how", ["file", "module"])
"""The ways to run a program: by file name in its folder, and as a module of the package."""

mostly_by_file = pytest.mark.parametrize(
    "how", ["file", pytest.param("module", marks=pytest.mark.slow)]
)
"""The ways to run a program that another test covers: by file name and, in the slow run, as a
module.
"""

PATIENCE = 60
"""Timeout, in seconds, for a program's expected output."""


@contextmanager
def sheet(name: str, **stand_ins: ModuleType) -> Iterator[Callable[[str], ModuleType]]:
    """Return a function that imports a sheet's files by bare names.

    Some of the files may be replaced.

    The function imports the modules again, even if they were loaded before. At the end, the modules
    that were loaded before are restored.
    """
    files = [*SHEETS_ROOT.glob("*/solution/*.py")]
    names = {file.stem for file in files}
    names |= {f"course.sheets.{file.parts[-3]}.solution.{file.stem}" for file in files}
    path, before = sys.path[:], {name: sys.modules.pop(name, None) for name in names}
    sys.path[:0] = [str(SHEETS_ROOT / name / "solution"), str(ROOT)]
    sys.modules.update(stand_ins)
    try:
        yield import_module
    finally:
        sys.path[:] = path
        for known, module in before.items():
            sys.modules.pop(known, None)
            if module is not None:
                sys.modules[known] = module


def loader(name: str) -> Any:
    """The import function of :func:`sheet`, as a fixture with function scope."""

    @pytest.fixture
    def load() -> Iterator[Callable[[str], ModuleType]]:
        with sheet(name) as load:
            yield load

    return load


def command(name: str, module: str, how: str) -> tuple[list[str], Path]:
    """Return the command that runs a sheet's program, and the folder in which it runs."""
    python = [sys.executable, "-W", "error"]
    if how == "file":
        return [*python, f"{module}.py"], SHEETS_ROOT / name / "solution"
    return [*python, "-m", f"course.sheets.{name}.solution.{module}"], ROOT


def arranged(name: str, module: str, how: str, key: str) -> list[str]:
    """Return the command that runs a sheet's program with known shuffles.

    Args:
        name: The sheet's folder.
        module: The program.
        how: ``file`` or ``module``.
        key: Python expression for the sort key of a card, which is named ``card``.
    """
    folder = SHEETS_ROOT / name / "solution"
    start = {
        "file": f"sys.path.insert(0, {str(folder)!r});"
        f"runpy.run_path({str(folder / module)!r} + '.py', run_name='__main__')",
        "module": f"sys.path.insert(0, {str(ROOT)!r});"
        f"runpy.run_module('course.sheets.{name}.solution.{module}', run_name='__main__')",
    }
    shuffle = f"random.shuffle = lambda cards: cards.sort(key=lambda card: {key})"
    lines = ("import random, runpy, sys", shuffle, start[how])
    return [sys.executable, "-W", "error", "-c", "\n".join(lines)]


def piped(arguments: Sequence[str], cwd: Path, stdin: str, **variables: str) -> str:
    """Run a program with piped input, and return its output.

    The exit status must be 0.
    """
    environment = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1", **variables}
    run = subprocess.run(
        arguments,
        cwd=cwd,
        env=environment,
        input=stdin.encode(),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.stderr.decode() == ""
    assert run.returncode == 0
    return run.stdout.decode()


TAKE_TERMINAL = (
    "import fcntl, os, signal, sys, termios;"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "signal.signal(signal.SIGINT, signal.SIG_DFL);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)
"""Makes the terminal the controlling terminal of the program, and delivers Ctrl-C to the program
under any user.
"""

EOF = "\x04"
INTERRUPT = "\x03"


def in_terminal(arguments: Sequence[str], cwd: Path, answers: Sequence[tuple[str, str]]) -> str:
    """Run a program on a pseudo-terminal. The exit status must be 0.

    Each answer is typed after its prompt. The function returns the text on the terminal, including
    the answers.
    """
    try:
        ours, theirs = pty.openpty()
    except OSError as error:
        pytest.skip(f"a sheet's program is run in a pseudo-terminal, and there is none: {error}")
    process = subprocess.Popen(
        [sys.executable, "-c", TAKE_TERMINAL, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1", "TERM": "dumb"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    screen = Screen(ours)
    try:
        for prompt, answer in answers:
            screen.read_until(prompt)
            if answer == EOF:
                os.write(ours, EOF.encode())
            elif answer == INTERRUPT:
                _interrupt(process, ours)
            else:
                os.write(ours, f"{answer}\n".encode())
                screen.read_until(f"{prompt}{answer}\n")
        screen.read_to_the_end()
        assert process.wait(PATIENCE) == 0, screen.text
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return screen.text


def _interrupt(process: subprocess.Popen[bytes], terminal: int) -> None:
    """Press Ctrl-C repeatedly, because Python may miss a Ctrl-C just before it reads."""
    for _ in range(PATIENCE):
        if process.poll() is None:
            os.write(terminal, INTERRUPT.encode())
            with suppress(subprocess.TimeoutExpired):
                process.wait(1)


class Screen:
    """The output that a program has written to a terminal."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._bytes = b""
        self._seen = 0

    @property
    def text(self) -> str:
        return self._bytes.replace(b"\r\n", b"\n").decode(errors="ignore")

    def read_until(self, words: str) -> None:
        """Read until these words appear after the previously awaited words."""
        while words not in self.text[self._seen :]:
            assert self._read(), f"ended, not waiting for {words!r}, after:\n{self.text}"
        end = self.text.index(words, self._seen) + len(words)
        self._seen = end if words.endswith("\n") else end - len(words)

    def read_to_the_end(self) -> None:
        while self._read():
            pass

    def _read(self) -> bool:
        assert select([self._terminal], [], [], PATIENCE)[0], f"waiting after:\n{self.text}"
        try:
            chunk = os.read(self._terminal, 65536)
        except OSError as error:
            # On Linux, this error means that the other end of the terminal is closed.
            if error.errno != errno.EIO:
                raise
            chunk = b""
        self._bytes += chunk
        return chunk != b""


TYPED = re.compile(r"«(.*?)»\n")


class Transcript:
    """The complete text of a run on a terminal. Typed answers are between « and »."""

    def __init__(self, text: str) -> None:
        self.shown = TYPED.sub(r"\1\n", text)
        self.piped = TYPED.sub("", text)
        prompts = TYPED.split(text)
        self.typed = prompts[1::2]
        self.answers = [
            (before.rpartition("\n")[2], typed)
            for before, typed in zip(prompts[::2], prompts[1::2], strict=False)
        ]

    @property
    def stdin(self) -> str:
        return "".join(f"{line}\n" for line in self.typed)


class Luck:
    """Shuffles that depend only on a seed and a counter, not on the cards' order."""

    def __init__(self, seed: object, code: Callable[[Any], str] = str, top: int = 0) -> None:
        """Shuffle cards with these codes.

        ``top`` is the index of the first card dealt: 0 or -1.
        """
        self.seed = seed
        self.code = code
        self.top = top
        self.count = 0

    def shuffle(self, cards: list[Any]) -> None:
        self.count += 1
        cards.sort(key=self.code)
        random.Random(f"{self.seed}, {self.count}").shuffle(cards)
        if self.top:
            cards.reverse()


class _SharedLuck(SaltedRandom):
    """The random source of one move, derived from the complete test's random source."""

    def __init__(self, luck: Any, draw_count: int) -> None:
        super().__init__(str, "", draw_count)
        self._luck = luck

    def shuffle(self, x: Any) -> None:
        self._luck.shuffle(x)
        self.draw_count += 1
        self.shuffles.append(tuple(x))


class WebTable:
    """The site's table of a game, with the same cards as a sheet's program."""

    def __init__(self, slug: str, luck: Any) -> None:
        """Start with an empty table.

        A :class:`Luck` or a ``random.Random`` shuffles the cards.
        """
        self._table = Table(GAMES[slug])
        self.luck = luck

    def play(self, move: str, **sent: str) -> None:
        """Make a move with the fields of its form."""
        (legal,) = (one for one in self._table.moves() if one.name == move)
        self._table = self._table.after(
            legal.read(sent), lambda _, count: _SharedLuck(self.luck, count)
        ).table

    @property
    def view(self) -> Any:
        return self._table.shown()

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the table."""
        return getattr(self._table, name)
