"""How the tests of the course kit grade files, write broken ones and run commands."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from cardgames.grading.client import Client
from cardgames.grading.grader import Grader, Report
from cardgames.grading.limits import Limits
from cardgames.grading.sheets import SHEETS, Sheet

ROOT = Path(__file__).parents[2]
SOLUTIONS = Path(__file__).parent / "solutions"
MUTANTS = Path(__file__).parent / "mutants"
STUDENTS = [f"{folder.parent.name}/{folder.name}" for folder in sorted(SOLUTIONS.glob("*/*"))]

SHORT = Limits(seconds=1, wall=30, megabytes=256, budget=600)
"""Limits for programs that are broken."""


Grade = Callable[..., Report]


@contextmanager
def grading(limits: Limits = SHORT) -> Iterator[Grade]:
    """Give a function that grades a folder; all its checks are forked from one server."""
    with Client(limits) as client:

        def grade(slug: str, folder: Path, only: Collection[str] = ()) -> Report:
            return Grader(SHEETS[slug], client).grade(folder, only=only)

        yield grade


def lost(report: Report) -> list[str]:
    return [result.requirement.id for result in report.results if not result.passed]


def why(report: Report) -> str:
    """What a failing test shows: what was lost, and how."""
    return "\n".join(
        f"{result.requirement.id}: {result.called[-3:]} {result.problem} "
        f"expected {result.expected!r} got {result.got!r}"
        for result in report.results
        if not result.passed
    )


def copy_of(sheet: Sheet, folder: Path) -> Path:
    """Our solution's files in a folder of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sheet.files or ("blackjack.py",):
        shutil.copy(sheet.solution / name, folder)
    return folder


def apply(patch: Path, folder: Path) -> None:
    """Apply a patch to the files of a folder; it must fit."""
    subprocess.run(
        ["git", "apply", "-p1", str(patch)],
        cwd=folder,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)},
        check=True,
        capture_output=True,
        timeout=20,
    )


def command(
    *arguments: object, cwd: Path = ROOT, stdin: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m`` something; what it shows is text."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
