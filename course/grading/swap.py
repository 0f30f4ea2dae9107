"""A student's file, or one class of it, put among our own.

What works with their other files only depends on something that the sheet does not name.
"""

import ast
import shutil
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from course.grading.grader import Grader, Result
from course.grading.notebooks import NOT_PYTHON
from course.grading.sheets import Sheet


def source_of(sheet: Sheet, path: Path) -> str:
    """Return the text of a file; a program for CodeSkulptor, which may be Python 2, as Python 3."""
    source = path.read_text(encoding="utf-8", errors="replace")
    if sheet.files:
        return source
    from course.sheets.blackjack.python2 import as_python3  # noqa: PLC0415 - may be deleted

    try:
        return as_python3(source)
    except SyntaxError:
        return source


ANNOTATED: Final = "from __future__ import annotations"
"""Annotations may then name a class that stands further below."""


class SwapResult(NamedTuple):
    """A part of the student's that was put among our own, and the requirements that failed."""

    part: str
    failed: tuple[Result, ...]


def swap_tests(sheet: Sheet, path: Path, grader: Grader) -> list[SwapResult]:
    """Put a student's file among our own, or each of its classes into our one file, and grade it.

    What the student's own files fail too is left out: it is a mistake, and no dependency.
    """
    found = []
    for what, folder in _prepared(sheet, path):
        with folder as mixed:
            failed = [each for each in _failed(grader, mixed) if not _is_test(sheet, each)]
        if failed and _is_whole(sheet, path):
            again = {each.requirement.id for each in failed}
            known = {each.requirement.id for each in _failed(grader, path.parent, again)}
            failed = [each for each in failed if each.requirement.id not in known]
        found.append(SwapResult(what, tuple(failed)))
    return found


def _failed(grader: Grader, folder: Path, only: Collection[str] = ()) -> list[Result]:
    return [each for each in grader.grade(folder, only=only).results if not each.passed]


def _is_test(sheet: Sheet, result: Result) -> bool:
    """Say whether a check ran the file of tests: ours are about our own solution."""
    return bool(sheet.tests) and f"python {sheet.tests}" in result.outcome.called


def _is_whole(sheet: Sheet, path: Path) -> bool:
    """Say whether all files of a sheet lie beside this one."""
    return all((path.parent / name).is_file() for name in sheet.files)


def _prepared(sheet: Sheet, path: Path) -> Iterator[tuple[str, AbstractContextManager[Path]]]:
    """Yield each part that is the student's, and a folder with it among our files."""
    if len(sheet.files) > 1 or not sheet.interfaces:
        yield path.name, _folder_with(sheet, path)
        return
    source = source_of(sheet, path)
    (file,) = sheet.files or ("blackjack.py",)
    ours = (sheet.solution / file).read_text(encoding="utf-8")
    for name in _class_names(sheet, source):
        yield f"the class {name}", _folder_of(file, _with_class(ours, source, name))


@contextmanager
def _folder_with(sheet: Sheet, path: Path) -> Iterator[Path]:
    """Give a folder with our files, but for the student's one and what only they have."""
    with TemporaryDirectory(prefix="swap-") as folder:
        for name in sheet.files:
            shutil.copyfile(sheet.solution / name, Path(folder, name))
        for other in path.parent.glob("*.py"):
            if other.name not in sheet.files:
                shutil.copyfile(other, Path(folder, other.name))
        shutil.copyfile(path, Path(folder, path.name))
        yield Path(folder)


@contextmanager
def _folder_of(file: str, source: str) -> Iterator[Path]:
    """Give a folder with one file."""
    with TemporaryDirectory(prefix="swap-") as folder:
        Path(folder, file).write_text(source, encoding="utf-8")
        yield Path(folder)


def _class_names(sheet: Sheet, source: str) -> list[str]:
    """Return the sheet's classes that a file defines."""
    (names,) = sheet.interfaces.values()
    try:
        tree = ast.parse(source)
    except NOT_PYTHON:
        return []  # reading the file says what is wrong
    there = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    return [name for name in names if name in there]


def _with_class(ours: str, theirs: str, name: str) -> str:
    """Return our file with a class of theirs in the place of ours.

    What their class may need stands in front: their imports, constants and functions.
    """
    lines = theirs.split("\n")
    tree = ast.parse(theirs)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    front = [
        "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in tree.body
        if (isinstance(node, ast.ImportFrom) and node.module != "__future__")
        or isinstance(node, ast.Import | ast.FunctionDef | ast.Try)
        or (isinstance(node, ast.Assign | ast.AnnAssign) and not _uses(node, {*classes}))
    ]
    mine = next(
        node
        for node in ast.parse(ours).body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    our_lines = ours.split("\n")
    before, after = our_lines[: _first_line(mine) - 1], our_lines[mine.end_lineno :]
    their_class = lines[_first_line(classes[name]) - 1 : classes[name].end_lineno]
    return "\n".join([ANNOTATED, *front, *before, *their_class, *after])


def _first_line(node: ast.ClassDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _uses(node: ast.AST, names: set[str]) -> bool:
    """Say whether a statement uses a class of the file, or makes its window."""
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    used |= {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    return bool(used & (names | {"create_frame", "create_timer"}))
