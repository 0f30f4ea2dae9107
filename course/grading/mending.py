"""Patches one fault in a student's files, to find the failures that the fault caused."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from course.grading.causes import failed_in, group_by_error
from course.grading.files import read_text
from course.grading.programs import program_in, read_source
from course.grading.sheets import Sheet
from course.grading.syntax import NOT_PYTHON, parsed
from course.grading.trial import PLACE, Outcome


class PatchedFiles(NamedTuple):
    """A student's files after one fault was patched."""

    files: dict[str, str]
    """The text of the files, keyed by name."""
    base: str
    """The requirement that is not met because of the fault."""
    again: list[str]
    """The checks to run again. The checks that failed because of the fault, so they pass now."""
    is_line: bool = False
    """Whether the fault is a line that raises an exception."""


def patch_variants(
    sheet: Sheet, folder: Path, outcomes: Mapping[str, Outcome]
) -> Iterator[PatchedFiles]:
    """Yield patched files to try, given the outcomes of a student's checks."""
    failed = {name: outcome for name, outcome in failed_in(outcomes).items() if not outcome.stuck}
    yield from _without_lines(sheet, folder, outcomes)
    program = program_in(sheet, folder)
    for names, file in sheet.mends.items():
        base = next((name for name in failed if name in names), "")
        again = [name for name in failed if name != base]
        if base and again and program:
            yield PatchedFiles(
                {program.name: f"{read_text(program)}\n{read_text(file)}"}, base, again
            )
    yield from _with_our_files(sheet, failed)


def _without_lines(
    sheet: Sheet, folder: Path, outcomes: Mapping[str, Outcome]
) -> Iterator[PatchedFiles]:
    """Yield files in which a line that fails several checks no longer raises an error."""
    for names in group_by_error(outcomes):
        places = {match[0] for name in names if (match := PLACE.search(outcomes[name].cause))}
        place = PLACE.search(outcomes[names[0]].cause)
        hidden = [name for name, outcome in outcomes.items() if outcome.because in names]
        again = [*names, *hidden]
        if len(again) > 1 == len(places) and place and (folder / place[1]).is_file():
            file = folder / place[1]
            before = read_text(file)
            text = wrap_in_try(before, read_source(sheet, file), int(place[2]))
            if text != before:
                yield PatchedFiles({file.name: text}, names[0], again, is_line=True)


def _with_our_files(sheet: Sheet, failed: Mapping[str, Outcome]) -> Iterator[PatchedFiles]:
    """Yield files with the sheet's first modules replaced by our own modules."""
    if not sheet.solution.is_dir():  # a browser does not have our solution
        return
    for number in range(1, len(sheet.files)):
        first, later = sheet.files[:number], sheet.files[number:]
        is_own = {
            name: _uses(outcome, first) and not _uses(outcome, later)
            for name, outcome in failed.items()
        }
        base = next((name for name in failed if is_own[name]), "")
        again = [name for name in failed if not is_own[name]]
        if base and again:
            yield PatchedFiles(
                {name: read_text(sheet.solution / name) for name in first}, base, again
            )


def _uses(outcome: Outcome, files: Iterable[str]) -> bool:
    """Return whether a check imported or ran one of these files."""
    called = "\n".join(outcome.called)
    words = (f"from {file.removesuffix('.py')} import|python {re.escape(file)}" for file in files)
    return re.search("|".join(words), called) is not None


def wrap_in_try(text: str, python3: str, line: int) -> str:
    r"""Return a program with a ``try`` around the statement at a line.

    Without such a statement, the program is returned unchanged.

    Args:
        text: The program, for Python 2 or 3.
        python3: The program converted to Python 3, with the same line numbers.
        line: The number of the line.

    >>> print(wrap_in_try("def f():\n    g()", "def f():\n    g()", 2))
    def f():
        try:
         g()
        except Exception: pass
    """
    first, last = _statement_at(python3, line)
    if not first:
        return text
    lines = text.split("\n")
    indent = _indent(lines[first - 1])
    inside = [
        f"{indent} {line.removeprefix(indent)}" if line.startswith(indent) else line
        for line in lines[first - 1 : last]
    ]
    lines[first - 1 : last] = [f"{indent}try:", *inside, f"{indent}except Exception: pass"]
    return "\n".join(lines)


def _statement_at(source: str, line: int) -> tuple[int, int]:
    """Return the first and last line of the smallest statement that starts at a line.

    ``raise`` statements are excluded, because an unfinished part is not a fault to patch.
    """
    lines = source.split("\n")
    try:
        nodes = [node for node in ast.walk(parsed(source)) if isinstance(node, ast.stmt)]
        if any(isinstance(node, ast.Raise) and node.lineno == line for node in nodes):
            return 0, 0
    except NOT_PYTHON:
        return 0, 0
    around = [
        (node.lineno, node.end_lineno or node.lineno)
        for node in nodes
        if node.lineno <= line <= (node.end_lineno or node.lineno)
        and not isinstance(node, ast.FunctionDef | ast.ClassDef)
        and node.col_offset == len(_indent(lines[node.lineno - 1]))
    ]
    return max(around, key=lambda span: (span[0], -span[1]), default=(0, 0))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
