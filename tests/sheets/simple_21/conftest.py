"""How the tests of the Simple 21 sheet load its files."""

import builtins
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.sheets.simple_21.support import deck_file
from tests.support.sheets import loader

load = loader("simple21")


@pytest.fixture
def cards(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("playingCards")


@pytest.fixture
def simple21(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("simple21")


@pytest.fixture
def queues(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("queues")


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Answer the prompts with these lines; returns the prompts that were shown."""

    def answer(*lines: object) -> list[str]:
        left, prompts = list(map(str, lines)), []

        def typed(prompt: str = "") -> str:
            prompts.append(prompt)
            return left.pop(0)

        monkeypatch.setattr(builtins, "input", typed)
        return prompts

    return answer


@pytest.fixture
def table_with(
    simple21: ModuleType, answer: Callable[..., list[str]], tmp_path: Path
) -> Callable[..., Any]:
    """Make a table whose deck has these cards on top."""

    def make(*codes: str) -> Any:
        answer(deck_file(tmp_path, list(codes)))
        return simple21.Table()

    return make
