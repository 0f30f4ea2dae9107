"""How the tests of the War notebook load its file."""

from collections.abc import Iterator
from types import ModuleType

import pytest

from tests.support.sheets import sheet


@pytest.fixture
def war() -> Iterator[ModuleType]:
    with sheet("war") as load:
        yield load("war")
