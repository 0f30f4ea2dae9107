"""Code for the tests of the course kit: grading, faulty files and commands."""

import ast
import io
import sys
from collections.abc import Callable, Collection
from contextlib import chdir, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path

from course.grading.grader import Grader, Report
from course.grading.mistakes import read_mistakes, write_solution
from course.grading.runner import CAN_FORK, Limits
from course.grading.sheets import SHEETS
from tests.support.commands import ROOT, Done, python, run

SOLUTIONS = Path(__file__).parent / "solutions"
MISTAKES = {slug: read_mistakes(sheet) for slug, sheet in SHEETS.items()}
MUTANTS = {each.loses: each for found in MISTAKES.values() for each in found if each.loses}
"""Mistakes that the grader must find, keyed by the requirement that each mistake fails."""

STUDENTS = [f"{folder.parent.name}/{folder.name}" for folder in sorted(SOLUTIONS.glob("*/*"))]

SHORT = Limits(seconds=1, wall=30, megabytes=256, budget=600)
"""Limits for programs that do not end or do not work."""


Grade = Callable[..., Report]

copy_of = write_solution
"""A function that writes our solution's files into a folder."""


def grading(limits: Limits = SHORT, *, can_fork: bool = CAN_FORK) -> Grade:
    """Return a function that grades a folder."""
    graders = {slug: Grader(sheet, limits, can_fork=can_fork) for slug, sheet in SHEETS.items()}

    def grade(slug: str, folder: Path, only: Collection[str] = ()) -> Report:
        return graders[slug].grade(folder, only=only)

    return grade


def lost(report: Report) -> list[str]:
    return [result.requirement.id for result in report.results if result.lost]


def unmet(report: Report) -> list[str]:
    """Return the requirements that are not met: lost, not observed, or hidden."""
    return [result.requirement.id for result in report.results if not result.passed]


def why(report: Report) -> str:
    """Return the message of a failing test: the lost requirements and their reasons."""
    return "\n".join(
        f"{result.requirement.id}: {result.outcome.called[-3:]} {result.outcome.problem} "
        f"expected {result.outcome.expected!r} got {result.outcome.got!r}"
        for result in report.results
        if not result.passed
    )


def slug_of(mutant: str) -> str:
    """Return the slug of a mutant's sheet."""
    return [*SHEETS][int(mutant[1])]


def mutated(mutant: str, folder: Path) -> Path:
    """Write our solution's files, with one deliberate mistake, to a folder."""
    return MUTANTS[mutant].write(SHEETS[slug_of(mutant)], folder)


def command(module: str, *arguments: object, cwd: Path = ROOT) -> Done:
    """Call a command's ``main`` in this process. This is faster than ``python -m``."""
    out, err = io.StringIO(), io.StringIO()
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        try:
            code = import_module(module).main([*map(str, arguments)])
        except SystemExit as stop:
            code = stop.code or 0
    return Done(code, out.getvalue(), err.getvalue())


def process(module: str, *arguments: object, cwd: Path = ROOT) -> Done:
    """Run a module with ``python -m``."""
    return python("-W", "error", "-m", module, *arguments, cwd=cwd, PYTHONPATH=str(ROOT))


def run_alone(folder: Path, *programs: str, typed: str = "") -> str:
    """Run programs that can import only the standard library and the folder's files.

    The paths of this project and of the site's packages are missing. The programs run one after the
    other, in one process.
    """
    start = "import runpy, sys; sys.path.insert(0, '.'); sys.argv = ['x']\n"
    start += "".join(f"runpy.run_path({name!r}, run_name='__main__')\n" for name in programs)
    bare = [sys.executable, "-I", "-S", "-B", "-W", "error", "-c", start]
    done = run(*bare, cwd=folder, env={"PATH": ""}, typed=typed)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def outdented(text: str) -> list[str]:
    """Return the lines of docstrings that have less indentation than their code."""
    lines = text.split("\n")
    kinds = ast.ClassDef | ast.FunctionDef
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    return [
        line
        for said in (node.body[0] for node in nodes if ast.get_docstring(node))
        for line in lines[said.lineno : said.end_lineno]
        if line.strip() and not line.startswith(" " * said.col_offset)
    ]
