"""``python -m course.check``: for students, before they hand a file in."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from course.grading.form import findings
from course.grading.grader import Grader, Result
from course.grading.notebooks import module_of
from course.grading.programs import source_of
from course.grading.report import Line, cause, write
from course.grading.roster import progress
from course.grading.runner import Limits
from course.grading.sheets import Sheet
from course.grading.submission import definitions_of
from course.grading.swap import SwapResult, absent_from, swap_tests
from course.grading.usage import UsageError, parser_of, run_command

DESCRIPTION: Final = """\
Looks over one file before it is handed in: are the public names the sheet's, are attributes
private, is anything imported or used that the sheet forbids, and does the file work with the
solution's other files as well as with your own? If not, it depends on something that the sheet
does not name.

Your file is run, as you, with limits of time and memory. It is not graded: course.grade does.
"""

MAX_SHOWN: Final = 6
"""Maximum number of lines that show how something failed."""


def parser() -> argparse.ArgumentParser:
    """Return the command's arguments."""
    made = parser_of("check", DESCRIPTION)
    made.add_argument("file", type=Path, help="the file")
    made.add_argument("--no-mixing", action="store_true", help="read the file only, run nothing")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a file: 0 if nothing was found, 1 if something was, 2 if it cannot be checked."""
    return run_command(parser(), arguments, _check, "and nothing can be checked without them")


def _check(sheet: Sheet, asked: argparse.Namespace) -> int:
    if problem := _problem(sheet, asked.file):
        raise UsageError(problem)
    with TemporaryDirectory(prefix="notebook-") as made:
        path, lines = _module(sheet, asked.file.resolve(), Path(made))
        form = [*_form(sheet, path)]
        lines += form
        wrong = any(style for style, _ in form)
        if asked.no_mixing:
            lines.append(("", f"{path.name} was read, and nothing was run"))
        else:
            parts = _mixed(sheet, path)
            wrong = wrong or any(part.dependent or part.wrong for part in parts)
            lines += [*_dependencies(parts), *_seen(sheet, path, parts, wrong=wrong)]
    write(lines, sys.stdout)
    sys.stdout.flush()
    return int(wrong)


def _problem(sheet: Sheet, file: Path) -> str:
    if not file.is_file():
        return f"There is no file {file}."
    if file.name in {given.name for given in sheet.given}:
        return f"{file.name} is the course's own: there is nothing to check in it."
    notebook = sheet.notebook and file.suffix == ".ipynb"
    if sheet.files and file.name not in sheet.files and not notebook:
        return f"{file.name} is no file of {sheet.title}: it has {', '.join(sheet.files)}."
    return ""


def _module(sheet: Sheet, path: Path, folder: Path) -> tuple[Path, list[Line]]:
    """Return a file, or the module that is made of a notebook, and what was left out of that."""
    if path.suffix != ".ipynb":
        return path, []
    made = module_of(path)
    module = folder / sheet.files[0]
    module.write_text(definitions_of(made.text), encoding="utf-8")
    return module, [("", note) for note in made.notes]


def _form(sheet: Sheet, path: Path) -> Iterator[Line]:
    source = source_of(sheet, path)
    absent = absent_from(sheet, path)
    for name in absent:
        yield "", f"{path.name} has no class {name} yet: the solution's stands in for it"
    for finding in findings(sheet, path.name, source):
        place = f"{path.name}:{finding.line}" if finding.line else path.name
        if finding.text not in [f"there is no class {name}" for name in absent]:
            yield "bold red", f"{place}: {finding.text}"


def _mixed(sheet: Sheet, path: Path) -> list[SwapResult]:
    """Run the file, or its classes, among the solution's; show how far that is to who looks on."""
    grader = Grader(sheet, Limits())
    if not sys.stderr.isatty():
        return swap_tests(sheet, path, grader, lambda: None)
    parts = max(1, sum(len(names) for names in sheet.classes.values()))
    runs = 1 if len(sheet.files) > 1 else parts
    with progress(runs * len(sheet.gradable), sys.stderr) as advance:
        return swap_tests(sheet, path, grader, advance)


def _dependencies(parts: Iterable[SwapResult]) -> Iterator[Line]:
    """Yield what works with the solution's other files, and what does not."""
    for part in parts:
        if not part.dependent:
            yield "", f"{part.part} works with the solution's other files"
            continue
        yield "bold red", f"{part.part} does not work with the solution's other files:"
        for got, results in _by_cause(part.dependent).items():
            numbers = " ".join(result.requirement.id for result in results)
            yield "", f"  {got}"
            yield from (("", f"      {line}") for line in [*cause(results[0])][-MAX_SHOWN:])
            yield "", f"      and so fails {numbers}"


def _seen(sheet: Sheet, path: Path, parts: list[SwapResult], *, wrong: bool) -> Iterator[Line]:
    """Yield what is not met anyway, how much could be seen, and how the rest can be."""
    mistakes = {each.requirement: each for part in parts for each in part.wrong}
    for requirement, result in sorted(mistakes.items()):
        yield "bold red", f"{requirement.id} is not met: {requirement.text}"
        yield from (("", f"      {line}") for line in [*cause(result)][-MAX_SHOWN:])
    seen = {number for part in parts for number in part.seen}
    total = len(sheet.gradable)
    rest = "" if len(seen) == total else "; run the program to see the rest"
    yield "", f"{len(seen)} of {total} requirements can be seen from {path.name}{rest}:"
    yield "", f"    python -m course.grade {sheet.argument} FOLDER"
    if not wrong:
        yield "green", f"In these nothing was found that {sheet.title} asks otherwise."


def _by_cause(failed: Iterable[Result]) -> dict[str, list[Result]]:
    """Return results by what came instead, without the place where it did."""
    causes: dict[str, list[Result]] = {}
    for result in failed:
        got = (result.outcome.got or result.outcome.problem).removeprefix("it ended with: ")
        causes.setdefault(got.partition(" in ")[0], []).append(result)
    return causes


if __name__ == "__main__":
    sys.exit(main())
