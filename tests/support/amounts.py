"""The number of examples per test: few in the default run, all in the slow run."""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet


def few_or_all(name: str, few: object, everything: object) -> pytest.MarkDecorator:
    """Run a test on little by default, and as a slow one on everything.

    Args:
        name: the test's parameter.
        few: what it is by default: enough for the test to fail of the same defects.
        everything: what it is in the slow run.
    """
    whole = pytest.param(everything, id="all", marks=pytest.mark.slow)
    return pytest.mark.parametrize(name, [pytest.param(few, id="few"), whole])


def slow_but(values: Iterable[str], *usual: str) -> list[ParameterSet]:
    """Return values as parameters of a test: the usual ones of the default run, others slow."""
    return [
        pytest.param(value, marks=() if value in usual else pytest.mark.slow) for value in values
    ]
