"""The number of files and functions that a hit and its page use, as a measure of complexity."""

import re

import pytest

from tests.support.commands import python

MAX_FILES = 32
MAX_FUNCTIONS = 141


@pytest.mark.slow
def test_hit_and_its_page_pass_through_few_files() -> None:
    done = python("tools/benchmarks/walks.py")
    assert done.returncode == 0, done.stderr
    first, *others = done.stdout.splitlines()
    found = re.fullmatch(
        r"a hit and its page +(\d+) files +\d+ changes of file +(\d+) functions", first
    )
    assert found, done.stdout
    assert int(found[1]) <= MAX_FILES
    assert int(found[2]) <= MAX_FUNCTIONS
    assert len(others) == 4
