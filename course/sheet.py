"""``python -m course.sheet`` creates a sheet, or reports the errors of an existing sheet."""

import argparse
import ast
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from course.grading.checks import load_checks
from course.grading.grader import Grader, Result
from course.grading.mistakes import Mistake, read_mistakes, write_solution
from course.grading.modules import has_module
from course.grading.rubric import load_rubric
from course.grading.runner import Limits, Runner
from course.grading.sheets import SLUG, Sheet, SheetError
from course.grading.trial import Outcome, Trial
from course.grading.usage import UsageError, find_sheet, run_action
from course.handouts.files import example, given, starter, write

DESCRIPTION: Final = """\
check PATH says what is wrong with a sheet, a sentence each: whether every requirement has a check,
the solution passes all of them, every mistake loses its own and no other, the starter can be
imported, and a table shows each mistake with its line. Its code is run with your rights.

new NAME makes a folder that passes this, to begin with: a card, a deck and a program.
"""

NO_TABLE: Final = "The table was not tried: that needs the whole project.\n"


def parser() -> argparse.ArgumentParser:
    """Parse the command's arguments."""
    arguments = argparse.ArgumentParser(
        prog="python -m course.sheet",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = arguments.add_subparsers(required=True)
    check = actions.add_parser("check", help="say what is wrong with a sheet")
    check.add_argument("sheet", help="its folder")
    check.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mistakes at once")
    check.set_defaults(act=_check)
    new = actions.add_parser("new", help="make a folder for a sheet")
    new.add_argument("folder", type=Path, help="where; its name is the sheet's, as in high-card")
    new.set_defaults(act=_new)
    return arguments


def main(arguments: Sequence[str] | None = None) -> int:
    """Create or check a sheet.

    Return 1 if the sheet has errors, or 2 if it cannot be used at all.
    """
    options = parser().parse_args(arguments)
    return run_action(lambda: int(options.act(options)))


def _new(asked: argparse.Namespace) -> int:
    slug = asked.folder.resolve().name
    if not SLUG.fullmatch(slug):
        raise UsageError(f"{slug!r} is no name of a sheet: it is like high-card.")
    count = write(example(slug), asked.folder)
    sys.stdout.write(
        f"Wrote {count} files to {asked.folder}: the example of the guide, High card.\n"
    )
    return 0


def _check(asked: argparse.Namespace) -> int:
    sheet = find_sheet(asked.sheet)
    mistakes = read_mistakes(sheet)
    problems = [*_faults(sheet, mistakes, max(1, asked.jobs))]
    has_driver = has_module(sheet, "driver")
    if has_driver and find_spec("course.browser") and find_spec("jinja2"):
        problems += import_module("course.browser.examining").faults(sheet, mistakes)
    elif has_driver:
        sys.stdout.write(NO_TABLE)
    sys.stdout.writelines(f"{problem}\n" for problem in problems)
    if not problems:
        checks, edits = len(sheet.gradable), len(mistakes)
        sys.stdout.write(f"{sheet.title} is sound: {checks} requirements, {edits} mistakes.\n")
    return int(bool(problems))


def _faults(sheet: Sheet, mistakes: Sequence[Mistake], jobs: int) -> Iterator[str]:
    """Yield the errors of a sheet, except those of its table.

    Raises:
        SheetError: If the sheet cannot be used at all.
    """
    load_checks(sheet)
    grader = Grader(sheet, Limits(), load_rubric(sheet))
    if not sheet.solution.is_dir():
        raise SheetError(f"{sheet.slug} has no solution, so nothing of it can be tried.")
    with TemporaryDirectory(prefix="sheet-") as scratch, ThreadPoolExecutor(jobs) as pool:

        def lost_by(mistake: Mistake, number: int) -> list[Result]:
            folder = mistake.write(sheet, Path(scratch, f"{number}"))
            return [result for result in grader.grade(folder).results if not result.passed]

        own_report = pool.submit(grader.grade, write_solution(sheet, Path(scratch, "ours")))
        costly = [mistake for mistake in mistakes if mistake.loses]
        lost = pool.map(lost_by, costly, range(len(costly)))
        unmet = [result for result in own_report.result().results if not result.passed]
        for result in unmet:
            reason = _why(result.outcome)
            yield f"The solution itself does not meet {result.requirement.id}: {reason}."
        for mistake, results in () if unmet else zip(costly, lost, strict=True):
            names = {result.requirement.id for result in results if result.lost}
            if names != {mistake.loses}:
                lost_names = " ".join(sorted(names)) or "nothing"
                yield f"What {mistake.name} loses is {lost_names}, and not {mistake.loses} alone."
        yield from _missing_names(sheet)
        yield from _left_over(sheet)
        if problem := _problem_of_starter(sheet, Path(scratch, "starter")):
            yield f"The starter does not load: {problem}."


def _missing_names(sheet: Sheet) -> Iterator[str]:
    """Yield the names in ``[classes]`` that are missing from the solution."""
    for file in sheet.solution_files:
        tree = ast.parse((sheet.solution / file).read_text(encoding="utf-8"))
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        for name, wanted in sheet.classes_in(file).items():
            if name not in classes:
                yield f"[classes] names {name}, which {file} of the solution does not have."
            elif missing := sorted({*wanted.split()} - _names_in(classes[name], classes)):
                yield f"[classes] names {name}.{missing[0]}, which the solution does not have."


def _names_in(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> set[str]:
    """Return the names that a class defines, inherits or sets as attributes."""
    names = {part.name for part in ast.walk(node) if isinstance(part, ast.FunctionDef)}
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Store):
            names.add(part.id if isinstance(part, ast.Name) else part.attr)
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes and base.id != node.name:
            names |= _names_in(classes[base.id], classes)
    return names


def _left_over(sheet: Sheet) -> Iterator[str]:
    """Yield the files of the solution and the starter that the sheet does not name."""
    known = {"__init__.py", *sheet.solution_files, *(path.name for path in sheet.given)}
    for folder in (sheet.solution, sheet.root / "starter"):
        for path in sorted(folder.glob("*.py")):
            if path.name not in known:
                yield f"{folder.name}/{path.name} is none of the sheet's files."


def _why(outcome: Outcome) -> str:
    if outcome.problem or outcome.unseen:
        return outcome.problem or outcome.unseen
    return f"expected {outcome.expected}, got {outcome.got or 'nothing'}"


def _problem_of_starter(sheet: Sheet, folder: Path) -> str:
    """Return the reason why the starter cannot be imported, or an empty string."""
    write(starter(sheet) | given(sheet), folder)

    def load(trial: Trial) -> None:
        if "def started(" in sheet.own_probes:
            trial.start(sheet.program)
        else:
            trial.load(*(file.removesuffix(".py") for file in sheet.solution_files))

    with Runner(sheet, folder, Limits()) as runner:
        outcome = runner.try_check(load, {})
    return outcome.problem or outcome.got


if __name__ == "__main__":
    sys.exit(main())
