"""A notebook as a module: its cells one after the other, without those that are not Python."""

import ast
import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

NOT_PYTHON: Final = (SyntaxError, ValueError, MemoryError, RecursionError)
"""What ``ast.parse`` raises: the last three for null bytes, and for what is nested too deeply."""

MAGIC: Final = re.compile(r"^(\s*)(?:%|!|\?|[\w.]+\s*=\s*[%!]|[\w.*]+\?\??\s*$)")
"""A line that is for the notebook itself: ``%time``, ``!ls``, ``x = !ls``, ``?Deck``, ``Deck?``."""


class Module(NamedTuple):
    """The text of a module, and what was left out of its notebook."""

    text: str
    notes: list[str]


def module_of(notebook: Path) -> Module:
    """Return the code cells of a notebook; a cell that cannot be used is skipped and named."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError):
        return Module(f"raise ValueError('{notebook.name} is not a notebook')\n", [])
    kept, notes = [], []
    for number, source in enumerate(sources, start=1):
        code = "" if source.lstrip().startswith("%%") else _without_magic(source)
        try:
            missing = _missing_imports(ast.parse(code))
        except NOT_PYTHON as error:
            said = error.msg if isinstance(error, SyntaxError) else str(error)
            notes.append(f"Code cell {number} was left out: it is no Python ({said}).")
            continue
        for name, lines in missing.items():
            notes.append(f"Code cell {number} imports {name}, which is not here: left out.")
            rows = code.split("\n")
            code = "\n".join("" if at in lines else row for at, row in enumerate(rows, start=1))
        kept.append(code)
    return Module("\n\n".join(kept), notes)


def _without_magic(source: str) -> str:
    """Return a cell with ``pass`` for each line that is for the notebook itself."""
    lines = source.split("\n")
    try:
        ast.parse(source)
    except NOT_PYTHON:
        return "\n".join(f"{m[1]}pass" if (m := MAGIC.match(line)) else line for line in lines)
    return source


def _missing_imports(tree: ast.Module) -> dict[str, set[int]]:
    """Return the modules that are imported and are not installed, each with its lines."""
    found: dict[str, set[int]] = {}
    for node in tree.body:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        module = getattr(node, "module", None) or node.names[0].name
        if not find_spec(module.partition(".")[0]):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            found.setdefault(module, set()).update(lines)
    return found
