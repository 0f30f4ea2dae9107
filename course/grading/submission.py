"""The graded copy of a student's files, which are read by :mod:`course.grading.files`."""

import ast
import shutil
from pathlib import Path
from typing import Final

from course.grading.files import Read, printable, read_folder, read_text
from course.grading.notebooks import notebook_source
from course.grading.programs import belong_to, candidates, chosen_by_name, chosen_in
from course.grading.sheets import Sheet
from course.grading.syntax import NOT_PYTHON, parsed


def read_submission(folder: Path, sheet: Sheet) -> Read:
    """Read a student's files for a sheet, without identifying the program among them."""
    names = {*sheet.files} | {_notebook_name(name) for name in sheet.files if sheet.notebook}
    return read_folder(folder, names)


def copy_submission(folder: Path, sheet: Sheet, target: Path, program: str = "") -> list[str]:
    """Copy a student's files to another folder, and return notes about the changes.

    The copies are encoded in UTF-8, and have the original names of the files. A notebook becomes a
    module with the notebook's name.

    Args:
        folder: The student's files.
        sheet: The sheet that names the files to submit.
        target: An empty folder.
        program: The program's file, if the instructor named one.
    """
    texts, notes = read_submission(folder, sheet)
    for name, text in texts.items():
        (target / name).write_text(text, encoding="utf-8", errors="replace", newline="")
    notes += _choose(sheet, target, program)
    if sheet.notebook:
        notes += _define_only(target, sheet.files[0])
    for notebook in target.glob("*.ipynb"):
        notebook.unlink()
    return notes


def _choose(sheet: Sheet, folder: Path, program: str) -> list[str]:
    """Copy files to the names in the sheet, and remove other programs.

    Return a note about each file.
    """
    if program and not (folder / program).is_file():
        return [f"There is no file {printable(program)} among these."]
    named = chosen_by_name(sheet, folder, program) if program else None
    chosen = [named] if named else chosen_in(sheet, folder)
    for candidate in chosen:
        if candidate.wanted:
            wanted = candidate.wanted
            if candidate.file.suffix == ".ipynb":  # the notebook that becomes the module
                (folder / wanted).unlink(missing_ok=True)
                wanted = f"{wanted.removesuffix('.py')}.ipynb"
            if candidate.file.name != wanted:
                shutil.copyfile(candidate.file, folder / wanted)
            continue
        files = belong_to(candidate.file)
        for file in candidates(sheet, folder):
            if file.name not in files:
                file.unlink()
    return [program.note for program in chosen]


DEFINING: Final = ("collections", "enum", "functools", "itertools", "math", "string", "typing")
"""Modules whose functions may be called in the definition of a constant."""


def _notebook_name(module: str) -> str:
    return f"{module.removesuffix('.py')}.ipynb"


def _define_only(folder: Path, file: str) -> list[str]:
    """Reduce a module to its definitions, because a notebook may play many games."""
    module, notes = folder / file, []
    notebooks = sorted(folder.glob("*.ipynb"))
    named = [path for path in notebooks if path.name.lower() == _notebook_name(file)]
    if not module.exists() and (named or len(notebooks) == 1):
        (notebook, *_) = named or notebooks
        name = printable(notebook.name)
        source = notebook_source(read_text(notebook), file)
        if source.text is None:
            return [f"{name} was not used: it is no notebook that Jupyter could open."]
        module.write_text(source.text, encoding="utf-8")
        notes += [f"{name} was graded: its cells, one after the other.", *source.notes]
    if module.exists():
        module.write_text(find_definitions(read_text(module)), encoding="utf-8", newline="")
    return notes


def find_definitions(source: str) -> str:
    r"""Return a module with only its imports, classes, functions and constants.

    Line numbers stay the same. A text that is not valid Python is returned unchanged, and raises an
    exception when it is imported.

    >>> find_definitions("def f(): pass\nx = 1\ny = f()\nz = y + 1\nprint(x)").split("\n")
    ['def f(): pass', 'x = 1', '', '', '']
    """
    try:
        tree = parsed(source)
    except NOT_PYTHON:
        return source
    names = {
        statement.name
        for statement in tree.body
        if isinstance(statement, ast.FunctionDef | ast.ClassDef)
    }
    imported = [
        alias
        for statement in tree.body
        if isinstance(statement, ast.Import)
        for alias in statement.names
    ]
    names |= {
        (alias.asname or alias.name).partition(".")[0]
        for alias in imported
        if alias.name not in DEFINING
    }
    results: set[str] = set()
    lines = source.split("\n")
    for node in tree.body:
        if not _defines(node, names, results):
            results |= {
                name.id
                for name in ast.walk(node)
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
            }
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    return "\n".join(lines)


def _defines(node: ast.stmt, own_names: set[str], results: set[str]) -> bool:
    """Return whether a statement only defines a name.

    The result is false if the statement calls one of the module's own classes or functions, calls
    ``print`` or ``input``, or uses the ``results`` of such calls.
    """
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Try):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For):
        return False
    called = {
        name.id
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        for name in ast.walk(call.func)
        if isinstance(name, ast.Name)
    }
    used = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    return not called & {*own_names, "print", "input"} and not used & results
