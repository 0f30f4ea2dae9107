"""Fixtures for the tests of the course kit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.course.support import command

collect_ignore = ["holdout", "solutions"]
"""Students' files that the tests grade. The files contain no tests of this project."""


@pytest.fixture
def export(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that exports hand-outs into an empty folder."""

    def export(slug: str, *options: object) -> Path:
        folder = tmp_path / f"{slug}{'-stubs' * ('--stubs' in options)}"
        done = command("course.export", slug, folder, *options)
        assert (done.returncode, done.stderr) == (0, "")
        return folder

    return export
