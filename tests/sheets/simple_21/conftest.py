"""How the tests of the Simple 21 sheet load its files."""

import builtins
from collections.abc import Callable
from types import ModuleType

import pytest

from tests.support.sheets import loader

load = loader("simple21")


@pytest.fixture
def simple21(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("simple21")


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
