"""``.ci/run``, with a fake ``make`` whose failures a test chooses."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).parents[2] / ".ci" / "run"
STEPS = re.findall(r"(?m)^step (\S+) \d+ make (.+)$", RUN.read_text())
SUMMARY = ".pytest_cache/v/cache/lastfailed"


def run(folder: Path, make: str) -> subprocess.CompletedProcess[str]:
    """Run a copy of ``.ci/run`` in a folder, with the given script as ``make``."""
    (folder / ".ci").mkdir()
    shutil.copy(RUN, folder / ".ci")
    (folder / SUMMARY).parent.mkdir(parents=True)
    command = folder / "bin" / "make"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\n{make}\n")
    command.chmod(0o755)
    path = f"{command.parent}:{os.environ['PATH']}"
    return subprocess.run(
        [folder / ".ci" / "run"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_steps_are_found() -> None:
    assert len(STEPS) == 7
    assert RUN.read_text().count("\nstep ") == 7


def test_a_run_without_a_fault_passes(tmp_path: Path) -> None:
    done = run(tmp_path, "exit 0")
    assert done.returncode == 0, done.stdout
    assert "ailed" not in done.stdout


@pytest.mark.parametrize(("name", "command"), STEPS)
def test_a_fault_in_any_step_fails_the_run(name: str, command: str, tmp_path: Path) -> None:
    """The other steps run even if a step failed."""
    arguments = command.replace('"', "")
    done = run(tmp_path, f'[ "$*" != "{arguments}" ] || exit 2')
    assert done.returncode == 1, done.stdout
    assert f"Failed: {name}(2)" in done.stdout
    assert [step for step, _ in STEPS if f"== {step}: " in done.stdout] == [s for s, _ in STEPS]


FAILED_ONCE = f"""
[ "$1" = test-newest ] || exit 0
[ -z "$PYTEST_ADDOPTS" ] || exit $AGAIN
echo '{{"tests/web/test_pages.py::test_home": true}}' > {SUMMARY}
exit 2
"""


@pytest.mark.parametrize(("again", "status"), [(0, 0), (2, 1)])
def test_failed_test_is_repeated_once_and_named(
    again: int, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGAIN", str(again))
    done = run(tmp_path, FAILED_ONCE)
    assert done.returncode == status, done.stdout
    assert "run once more:  tests/web/test_pages.py::test_home" in done.stdout
    assert ("Failed: newest-python(2)" in done.stdout) == bool(status)
