"""The number of examples per test: a few in the default run, and all in the slow run."""

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet


def few_or_all(name: str, few: object, everything: object) -> pytest.MarkDecorator:
    """Run a test with few values by default, and with all values in the slow run.

    Args:
        name: Name of the test's parameter.
        few: Values of the default run. They must suffice to make the test fail for the same
            defects.
        everything: Values of the slow run.
    """
    whole = pytest.param(everything, id="all", marks=pytest.mark.slow)
    return pytest.mark.parametrize(name, [pytest.param(few, id="few"), whole])


def slow_but(values: Iterable[str], *usual: str) -> list[ParameterSet]:
    """Return values as pytest parameters, and mark values that only the slow run uses."""
    return [
        pytest.param(value, marks=() if value in usual else pytest.mark.slow) for value in values
    ]
