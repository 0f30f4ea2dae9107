"""How the tests of the Bingo sheet load its files."""

import builtins
import contextlib
import io
import itertools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.sheets import loader

load = loader("bingo")


@pytest.fixture
def bingo(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("bingo")


@pytest.fixture
def deck_file(tmp_path: Path) -> Callable[..., str]:
    """Write a deck file, and return its name."""
    numbers = itertools.count()

    def write(content: str | Sequence[str]) -> str:
        file = tmp_path / f"deck{next(numbers)}.txt"
        text = content if isinstance(content, str) else "\n".join(content)
        file.write_bytes(text.encode())
        return str(file)

    return write


@pytest.fixture
def run(bingo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Run the program with these answers; returns what it prints to a file."""

    def run(*answers: str) -> str:
        left, out = list(answers), io.StringIO()

        def typed(prompt: str = "") -> str:
            sys.stdout.write(prompt)
            if not left:
                raise EOFError
            return left.pop(0)

        monkeypatch.setattr(builtins, "input", typed)
        with contextlib.redirect_stdout(out):
            bingo.main()
        assert left == []
        return out.getvalue()

    return run
