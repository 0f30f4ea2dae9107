"""Converts a notebook into a module that consists of its Python cells in order."""

import ast
import json
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from course.grading.syntax import NOT_PYTHON, parsed

MAGIC: Final = re.compile(r"^(\s*)(?:%|!|\?|[\w.]+\s*=\s*[%!]|[\w.*]+\?\??\s*$)")
"""Matches a line that only notebooks understand: ``%time``, ``!ls``, ``x = !ls``, ``?Deck``,
``Deck?``.
"""


TRANSPARENT: Final = re.compile(r"%%(time|capture|prun|python3?)\b.*")
"""Matches the first line of a cell whose remaining lines are Python."""

WRITTEN: Final = re.compile(r"%%(?:writefile|file)\s+(?:-a\s+)?(\S+)\s*$")
"""Matches the first line of a cell that is written to a file."""


class Module(NamedTuple):
    """The text of a module, and notes about the omitted parts of its notebook."""

    text: str | None
    """The text, or None if the file is not a notebook."""
    notes: list[str]


def notebook_source(text: str, module: str) -> Module:
    """Return the code cells of a notebook, with a note for each unusable cell.

    Notebooks of format 3 and older have their cells in worksheets. A cell that writes the module's
    own file is included.

    Args:
        text: The notebook's JSON.
        module: The file that the notebook replaces.
    """
    try:
        sources = [*_code_cells(json.loads(text))]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Module(None, [])
    code_lines, notes = [], []
    for number, source in enumerate(sources, start=1):
        code = _as_python(source, module)
        try:
            missing = _missing_imports(parsed(code))
        except NOT_PYTHON as error:
            message = error.msg if isinstance(error, SyntaxError) else str(error)
            notes.append(f"Code cell {number} was left out: it is no Python ({message}).")
            continue
        for missed, lines in missing.items():
            notes.append(f"Code cell {number} imports {missed}, which is not here: left out.")
            rows = code.split("\n")
            code = "\n".join("" if at in lines else row for at, row in enumerate(rows, start=1))
        code_lines.append(code)
    return Module("\n\n".join(code_lines), notes)


def _code_cells(notebook: Any) -> Iterator[str]:
    sheets = [notebook] if "cells" in notebook else notebook["worksheets"]
    cells = [cell for sheet in sheets for cell in sheet["cells"]]
    for cell in cells:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"] if "source" in cell else cell["input"])


def _as_python(source: str, module: str) -> str:
    """Return the Python part of a cell, or an empty string for other languages."""
    head, _, rest = source.lstrip().partition("\n")
    if not head.startswith("%%"):
        return _without_magic(source)
    written = WRITTEN.fullmatch(head.rstrip())
    if TRANSPARENT.fullmatch(head.rstrip()) or (written and Path(written[1]).name == module):
        return "\n" + _without_magic(rest)
    return ""


def _without_magic(source: str) -> str:
    """Return a cell in which ``pass`` replaces each line that only notebooks run."""
    lines = source.split("\n")
    try:
        parsed(source)
    except NOT_PYTHON:
        return "\n".join(f"{m[1]}pass" if (m := MAGIC.match(line)) else line for line in lines)
    return source


def _missing_imports(tree: ast.Module) -> dict[str, set[int]]:
    """Return the missing modules, each with the line that imports it."""
    missing: dict[str, set[int]] = {}
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        module = getattr(node, "module", None) or node.names[0].name
        if not find_spec(module.partition(".")[0]):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            missing.setdefault(module, set()).update(lines)
    return missing
