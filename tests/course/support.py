"""How the tests of the course kit grade files, write broken ones and run commands."""

import io
import shutil
import sys
import tomllib
from collections.abc import Callable, Collection
from contextlib import chdir, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path

from course.grading.grader import Grader, Report
from course.grading.runner import CAN_FORK, Limits
from course.grading.sheets import SHEETS, Sheet
from tests.support.commands import ROOT, Done, python, run

SOLUTIONS = Path(__file__).parent / "solutions"
MUTANTS: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("mutants.toml").read_text(encoding="utf-8")
)
"""By the requirement that is lost: in which file what is replaced, and by what."""

STUDENTS = [f"{folder.parent.name}/{folder.name}" for folder in sorted(SOLUTIONS.glob("*/*"))]

SHORT = Limits(seconds=1, wall=30, megabytes=256, budget=600)
"""Limits for programs that are broken."""


Grade = Callable[..., Report]


def grading(limits: Limits = SHORT, *, can_fork: bool = CAN_FORK) -> Grade:
    """Return a function that grades a folder."""
    graders = {slug: Grader(sheet, limits, can_fork=can_fork) for slug, sheet in SHEETS.items()}

    def grade(slug: str, folder: Path, only: Collection[str] = ()) -> Report:
        return graders[slug].grade(folder, only=only)

    return grade


def lost(report: Report) -> list[str]:
    return [result.requirement.id for result in report.results if result.lost]


def why(report: Report) -> str:
    """What a failing test shows: what was lost, and how."""
    return "\n".join(
        f"{result.requirement.id}: {result.outcome.called[-3:]} {result.outcome.problem} "
        f"expected {result.outcome.expected!r} got {result.outcome.got!r}"
        for result in report.results
        if not result.passed
    )


def copy_of(sheet: Sheet, folder: Path) -> Path:
    """Our solution's files in a folder of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sheet.solution_files:
        shutil.copy(sheet.solution / name, folder)
    return folder


def slug_of(mutant: str) -> str:
    """Return the sheet of a mutant."""
    return [*SHEETS][int(mutant[1])]


def mutated(mutant: str, folder: Path) -> Path:
    """Our solution's files in a folder of their own, with one mistake."""
    copy_of(SHEETS[slug_of(mutant)], folder)
    change = MUTANTS[mutant]
    file = folder / change["file"]
    text = file.read_text(encoding="utf-8")
    assert text.count(change["find"]) == 1
    file.write_text(text.replace(change["find"], change["replace"]), encoding="utf-8")
    return folder


def command(module: str, *arguments: object, cwd: Path = ROOT) -> Done:
    """Call a command's ``main`` as ``python -m`` would, in this process: that is quicker."""
    out, err = io.StringIO(), io.StringIO()
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        try:
            code = import_module(module).main([*map(str, arguments)])
        except SystemExit as stop:
            code = stop.code or 0
    return Done(code, out.getvalue(), err.getvalue())


def process(module: str, *arguments: object, cwd: Path = ROOT) -> Done:
    """Run ``python -m`` something."""
    return python("-W", "error", "-m", module, *arguments, cwd=cwd, PYTHONPATH=str(ROOT))


def run_alone(folder: Path, program: str, typed: str = "") -> str:
    """Run a program with nothing but the folder and Python: no path of this project, no site."""
    start = (
        "import runpy, sys; sys.path.insert(0, '.'); sys.argv = ['x'];"
        f"runpy.run_path({program!r}, run_name='__main__')"
    )
    bare = [sys.executable, "-I", "-S", "-B", "-W", "error", "-c", start]
    done = run(*bare, cwd=folder, env={"PATH": ""}, typed=typed)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
