"""What a student can begin with: a sheet's starter files, and puzzles.

A puzzle is a method of our own solution whose lines are to be put in order. An order is right if
the sheet's checks find nothing wrong with it, so lines may change places where that changes
nothing.
"""

import ast
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from course.browser.checking import Known, LocalGrader
from course.grading.runner import Limits
from course.grading.sheets import Sheet
from course.handouts.files import solution

CLASSES: Final = ("Card", "Deck", "Hand")
"""The classes that most sheets have; where one has none of them, its functions are taken."""

MIN_LINES: Final = 4
"""Minimum number of lines of a puzzle, the first one with ``def`` included."""

MAX_LINES: Final = 12
"""Maximum number of lines of a puzzle."""

LIMITS: Final = Limits(seconds=2)


class Puzzle(NamedTuple):
    """A method, by its lines in the order in which we have written them."""

    file: str
    name: str
    says: str
    """What it is for."""
    lines: tuple[str, ...]
    node: ast.FunctionDef

    def shuffled(self) -> list[str]:
        """Return the lines in another order, always the same one."""
        mixed = [*self.lines]
        luck = random.Random(self.name)
        while mixed == [*self.lines]:
            luck.shuffle(mixed)
        return mixed


class Wrong(Exception):
    """A requirement that is not met, as the grader reports it."""


def puzzles(sheet: Sheet) -> list[Puzzle]:
    """Return the puzzles of a sheet."""
    trees = {file: ast.parse(source) for file, source in solution(sheet).items()}
    classes = [
        (file, node)
        for file, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name in CLASSES
    ]
    holders: list[tuple[str, Any]] = [*classes] or [*trees.items()]
    return [puzzle for file, holder in holders for puzzle in _puzzles_in(file, holder)]


def _puzzles_in(file: str, holder: ast.ClassDef | ast.Module) -> Iterator[Puzzle]:
    prefix = f"{holder.name}." if isinstance(holder, ast.ClassDef) else ""
    for node in holder.body:
        if isinstance(node, ast.FunctionDef):
            lines = _lines(node)
            if MIN_LINES <= len(lines) <= MAX_LINES:
                says = ast.get_docstring(node) or ""
                yield Puzzle(file, prefix + node.name, says, lines, node)


def _lines(node: ast.FunctionDef) -> tuple[str, ...]:
    """Return a function's lines without what it says of itself, and without types."""
    made: Any = _Plain().visit(ast.parse(ast.unparse(node)))
    body = made.body[0].body
    if ast.get_docstring(node) and len(body) > 1:
        del body[0]
    return tuple(ast.unparse(ast.fix_missing_locations(made)).split("\n"))


class _Plain(ast.NodeTransformer):
    """Takes the types away."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        value = node.value or ast.Constant(None)
        return ast.Assign(targets=[node.target], value=value)


def solve(sheet: Sheet, name: str, lines: Sequence[str], folder: Path) -> list[str]:
    """Run our solution with the lines of a method in this order.

    Args:
        sheet: the sheet.
        name: the puzzle's.
        lines: its lines.
        folder: an empty one, to run it in.

    Returns:
        what the grader says of the first requirement that is not met; nothing if all are.

    Raises:
        ValueError: these are not the lines of the puzzle.
    """
    puzzle = next((each for each in puzzles(sheet) if each.name == name), None)
    if puzzle is None or sorted(lines) != sorted(puzzle.lines):
        raise ValueError(f"these are not the lines of {name!r}")
    if lines[0] != puzzle.lines[0]:  # it would belong to whatever stands above it
        return [f"expected  {puzzle.lines[0]}", f"got       {lines[0]}"]
    for file, source in solution(sheet).items():
        text = _replaced(source, puzzle, lines) if file == puzzle.file else source
        (folder / file).write_text(text, encoding="utf-8")

    def stop_at_first(kind: str, **what: Any) -> None:
        if kind == "result" and not what["passed"]:
            raise Wrong(f"{what['id']}: {what['text']}", *what["lines"])

    try:
        LocalGrader(sheet, LIMITS, stop_at_first, Known()).grade(folder)
    except Wrong as wrong:
        return [*map(str, wrong.args)]
    return []


def _replaced(source: str, puzzle: Puzzle, lines: Sequence[str]) -> str:
    """Return a file with other lines for a method."""
    node, old = puzzle.node, source.split("\n")
    first = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
    indent = " " * node.col_offset
    said = [f"    {puzzle.says!r}"] if puzzle.says else []
    new = [indent + line for line in (*lines[:1], *said, *lines[1:])]
    return "\n".join([*old[:first], *new, *old[node.end_lineno :]])
