"""A student's file, or one class of it, put among our own.

What works with their other files only depends on something that the sheet does not name.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from course.grading.grader import Grader, Result
from course.grading.notebooks import NOT_PYTHON
from course.grading.programs import source_of
from course.grading.runner import Limits
from course.grading.sheets import Sheet

ANNOTATED: Final = "from __future__ import annotations"
"""Annotations may then name a class that stands further below."""


class SwapResult(NamedTuple):
    """A part of the student's that was put among our own."""

    part: str
    seen: frozenset[str]
    """The requirements that could be seen: their checks call this part, or run it."""
    dependent: tuple[Result, ...]
    """What failed with our other files, and does not with the student's."""
    wrong: tuple[Result, ...]
    """What failed with both."""


def swap_tests(
    sheet: Sheet, path: Path, grader: Grader, advance: Callable[[], object]
) -> list[SwapResult]:
    """Put a student's file among our own, or each of its classes into our one file, and grade it.

    What the student's own files fail too is a mistake, and no dependency. ``advance`` is called
    after each requirement.
    """
    found = []
    for what, mark, files in _prepared(sheet, path):
        with TemporaryDirectory(prefix="swap-") as mixed:
            for name, content in files.items():
                Path(mixed, name).write_bytes(content)
            results = grader.grade(Path(mixed), advance=advance).results
        absent = absent_from(sheet, path)
        ours = rf"\b({'|'.join(absent)})\b" if absent else ""
        seen = {each.requirement.id for each in results if _shows(each, mark)}
        if len(sheet.files) > 1 and ours:  # what our own class stands in for is not seen
            seen = {each.requirement.id for each in results if each.requirement.id in seen
                    and not _shows(each, ours)}  # fmt: skip
        failed = [
            each
            for each in results
            if each.lost and not _is_test(sheet, each) and not _is_ours(sheet, what, each)
        ]
        known: set[str] = set()
        if failed and _is_whole(sheet, path):
            known = _failed_in(grader, path, failed)
        elif failed:
            failed = [each for each in failed if not (absent and _is_of_form(each))]
            known = {each.requirement.id for each in failed if _is_of(sheet, path, each)}
        dependent = tuple(each for each in failed if each.requirement.id not in known)
        wrong = tuple(each for each in failed if each.requirement.id in known & seen)
        found.append(SwapResult(what, frozenset(seen), dependent, wrong))
    return found


def _shows(result: Result, mark: str) -> bool:
    return re.search(mark, "\n".join(result.outcome.called)) is not None


def _is_test(sheet: Sheet, result: Result) -> bool:
    """Say whether a check ran the file of tests: ours are about our own solution."""
    return bool(sheet.tests) and f"python {sheet.tests}" in result.outcome.called


def _is_ours(sheet: Sheet, part: str, result: Result) -> bool:
    """Say whether our own program has asked a student's class for what the sheet does not name."""
    missing = re.search(r"'(\w+)' object has no attribute '(\w+)'", result.outcome.got)
    if not missing or part != f"the class {missing[1]}":
        return False
    named = " ".join(names.get(missing[1], "") for names in sheet.classes.values())
    return missing[2] not in named.split()


def _failed_in(grader: Grader, path: Path, failed: list[Result]) -> set[str]:
    """Return which requirements the student's own files do not meet either."""
    own = Grader(grader.sheet, Limits(), program=path.name if not grader.sheet.files else "")
    report = own.grade(path.parent, only={each.requirement.id for each in failed})
    return {each.requirement.id for each in report.results if not each.passed}


def _is_of_form(result: Result) -> bool:
    """Say whether a check has only read the files: it would see what our classes brought along."""
    return not any(re.match(r"from \w+ import|python ", each) for each in result.outcome.called)


def _is_of(sheet: Sheet, path: Path, result: Result) -> bool:
    """Say whether a check has used none of the sheet's files behind one, and could begin."""
    later = sheet.files[sheet.files.index(path.name) + 1 :]
    marks = (rf"from {name.removesuffix('.py')} import|python {re.escape(name)}" for name in later)
    return not result.outcome.stuck and not (later and _shows(result, "|".join(marks)))


def absent_from(sheet: Sheet, path: Path) -> list[str]:
    """Return the sheet's classes of a file that are not in it, if others are: not written yet."""
    names = sheet.classes.get(path.name, sheet.classes.get("", {}))
    there = _class_names(names, source_of(sheet, path))
    return [name for name in names if name not in there] if there else []


def _is_whole(sheet: Sheet, path: Path) -> bool:
    return all((path.parent / name).is_file() for name in sheet.files)


def _prepared(sheet: Sheet, path: Path) -> Iterator[tuple[str, str, dict[str, bytes]]]:
    """Yield each part that is the student's, what names it in calls, and it among our files."""
    ours = {name: (sheet.solution / name).read_bytes() for name in sheet.solution_files}
    if len(sheet.files) > 1 or not sheet.classes:
        mark = rf"from {path.stem} import|\b{re.escape(path.name)}"
        beside = {file.name: file.read_bytes() for file in path.parent.glob("*.py")}
        mine = path.read_bytes()
        if absent := absent_from(sheet, path):
            mine += _rest_of(ours[path.name].decode(), absent).encode()
        yield path.name, mark, beside | ours | {path.name: mine}
        return
    source = source_of(sheet, path)
    ((file, our_source),) = ours.items()
    (names,) = sheet.classes.values()
    for name in _class_names(names, source):
        mixed = _with_class(our_source.decode(), source, name, names).encode()
        yield f"the class {name}", rf"\b{name}\b", {file: mixed}


def _rest_of(ours: str, absent: list[str]) -> str:
    """Return our classes of these names, and our program, to stand behind a student's others.

    What of ours is no class gets names of its own, as theirs may be called the same.
    """
    tree = ast.parse(ours)
    given = (node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
    own = {
        target.id
        for node in given
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    own |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    tree.body = [
        node for node in tree.body if not isinstance(node, ast.ClassDef) or node.name in absent
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in own:
            node.id = f"ours_{node.id}"
        elif isinstance(node, ast.FunctionDef) and node in tree.body:
            node.name = f"ours_{node.name}"
    return f"\n\n{ast.unparse(tree)}\n"


def _class_names(names: Iterable[str], source: str) -> list[str]:
    try:
        tree = ast.parse(source)
    except NOT_PYTHON:
        return []  # reading the file says what is wrong
    there = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    return [name for name in names if name in there]


def _with_class(ours: str, theirs: str, name: str, names: Iterable[str]) -> str:
    """Return our file with a class of theirs in place of ours; all of the sheet's have these names.

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
    our_classes = (node for node in ast.parse(ours).body if isinstance(node, ast.ClassDef))
    mine = next(node for node in our_classes if node.name == name)
    our_lines = ours.split("\n")
    before, after = our_lines[: _first_line(mine) - 1], our_lines[mine.end_lineno :]
    helpers = {each.id for each in classes[name].bases if isinstance(each, ast.Name)}
    their_class = [
        line
        for node in tree.body
        # Of the sheet's other classes ours stay.
        if _makes(node, name, helpers - {*names})
        for line in lines[_first_line(node) - 1 : node.end_lineno]
    ]
    return "\n".join([ANNOTATED, *front, *before, *their_class, *after])


def _makes(node: ast.stmt, name: str, helpers: set[str]) -> bool:
    """Say whether a statement makes a class, gives it another name, or makes what it inherits."""
    if isinstance(node, ast.ClassDef):
        return node.name == name or node.name in helpers
    alias = isinstance(node, ast.Assign) and isinstance(node.value, ast.Name)
    return alias and ast.unparse(node).rpartition(" = ")[2] == name


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def _uses(node: ast.AST, names: set[str]) -> bool:
    """Say whether a statement uses a class of the file, or makes its window."""
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    used |= {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    return bool(used & (names | {"create_frame", "create_timer"}))
