"""Programs written from the sheets only, with lists of faults made before grading."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.course.support import Grade, grading, lost, why
from tests.support.amounts import few_or_all

FOLDER = Path(__file__).with_name("holdout")
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "expected.toml").read_text())
MAX_UNNOTICED = 2
"""Maximum number of violated requirements that the grader may miss in all these programs."""


@pytest.fixture(scope="module")
def grade() -> Grade:
    return grading()


@few_or_all("names", [*EXPECTED][::4], [*EXPECTED])
def test_nothing_is_lost_that_is_not_violated(grade: Grade, names: Sequence[str]) -> None:
    """The grader detects nearly all violated requirements, and awards no point for an unmet one."""
    unnoticed = []
    for name in names:
        expected = EXPECTED[name]
        report = grade(name.partition("/")[0], FOLDER / name)
        wrong = {*lost(report)} - {*expected["not_met"], *expected["may_also"]}
        assert not wrong, (name, why(report))
        assert not expected["not_met"] or lost(report), name
        met = [each.requirement.id for each in report.results if each.passed]
        unnoticed += [(name, number) for number in met if number in expected["not_met"]]
        assert report.points == len(met), name
    assert len(unnoticed) <= MAX_UNNOTICED, unnoticed


def test_empty_template_has_hardly_a_point(grade: Grade) -> None:
    assert grade("blackjack", FOLDER / "blackjack" / "02-empty-template").points <= 4
