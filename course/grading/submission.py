"""A student's files as they are graded: a copy, found wherever they lie in the folder."""

import ast
import shutil
import zipfile
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final

from course.grading.notebooks import NOT_PYTHON, module_of
from course.grading.programs import (
    belong_to,
    candidates,
    chosen_by_name,
    chosen_in,
    printable,
)
from course.grading.sheets import Sheet

MAX_FILE: Final = 20 << 20
"""Maximum number of bytes of a file that is graded; a notebook may have pictures."""

MAX_FILES: Final = 1_000
"""Maximum number of files in a zip."""

MAX_UNPACKED: Final = 50 << 20
"""Maximum number of bytes in a zip's files together."""


def copy_submission(folder: Path, sheet: Sheet, target: Path, program: str = "") -> list[str]:
    """Copy a student's files to another folder, and say what was done to them.

    The files may lie in a folder inside the one given, or in a zip that is all there is. A link
    that leads out of the folder is refused, and so is a zip with such files. A notebook becomes
    the module that it is about.

    Args:
        folder: the student's files.
        sheet: the sheet.
        target: an empty folder.
        program: the file that is the program, where somebody knows better.
    """
    archives = [*folder.glob("*.zip")]
    if len(archives) == 1 and not any(folder.rglob("*.py")):
        with TemporaryDirectory(prefix="unpacked-") as unpacked:
            if problem := _unpack(archives[0], Path(unpacked)):
                return [f"{printable(archives[0].name)} was refused: {problem}."]
            notes = copy_submission(Path(unpacked), sheet, target, program)
            return [f"{printable(archives[0].name)} was unpacked.", *notes]
    found = _found(folder, sheet)
    place = found.relative_to(folder)
    notes = [] if found == folder else [f"The files were found in {printable(str(place))}."]
    notes += [f"The folder {printable(path.name)} was not looked at." for path in _left(folder)]
    for file in sorted(found.iterdir()):
        if file.suffix not in (".py", ".txt", ".ipynb"):
            continue
        if not file.resolve().is_relative_to(folder.resolve()):
            name = printable(file.name)
            notes.append(f"{name} was refused: it is a link to a file outside of the folder.")
        elif file.is_file() and file.stat().st_size < MAX_FILE:
            shutil.copyfile(file, target / file.name)
    notes += _choose(sheet, target, program)
    if sheet.notebook:
        notes += _define_only(target, sheet.files[0])
    for notebook in target.glob("*.ipynb"):
        notebook.unlink()
    return notes


def _choose(sheet: Sheet, folder: Path, program: str) -> list[str]:
    """Put files where the sheet wants them, and leave other programs aside; say which and why."""
    if program and not (folder / program).is_file():
        return [f"There is no file {printable(program)} among these."]
    named = chosen_by_name(sheet, folder, program) if program else None
    chosen = [named] if named else chosen_in(sheet, folder)
    for each in chosen:
        if each.wanted:
            wanted = each.wanted
            if each.file.suffix == ".ipynb":  # which is made into the module
                (folder / wanted).unlink(missing_ok=True)
                wanted = f"{wanted.removesuffix('.py')}.ipynb"
            if each.file.name != wanted:
                shutil.copyfile(each.file, folder / wanted)
            continue
        kept = belong_to(each.file)
        for file in candidates(sheet, folder):
            if file.name not in kept:
                file.unlink()
    return [each.note for each in chosen]


def _unpack(archive: Path, target: Path) -> str:
    """Unpack a zip; return what is wrong with it, if anything is."""
    try:
        with zipfile.ZipFile(archive) as content:
            members = content.infolist()
            if len(members) > MAX_FILES or sum(each.file_size for each in members) > MAX_UNPACKED:
                return "it has too much in it"
            for each in members:
                path = PurePosixPath(each.filename.replace("\\", "/"))
                if path.is_absolute() or ".." in path.parts or ":" in each.filename:
                    return "it has a file that would lie outside of its folder"
            content.extractall(target)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError):
        return "it cannot be unpacked"
    return ""


def is_left_by_systems(folder: Path) -> bool:
    """Say whether a folder is none of a student's: ``__MACOSX``, ``.git``."""
    return folder.name.startswith((".", "__"))


def _left(folder: Path) -> list[Path]:
    """Return the folders with programs that are not looked at."""
    inside = [path for path in sorted(folder.rglob("*")) if path.is_dir()]
    return [path for path in inside if is_left_by_systems(path) and any(path.glob("*.py"))]


def _found(folder: Path, sheet: Sheet) -> Path:
    """Return the folder that has most of the sheet's files; of several the outermost."""
    names = {*sheet.files} | {_notebook_of(name) for name in sheet.files if sheet.notebook}
    inside = [each for each in sorted(folder.rglob("*")) if each.is_dir() and not each.is_symlink()]
    inside = [path for path in inside if not is_left_by_systems(path)]

    def worth(place: Path) -> int:
        there = {path.name for path in place.iterdir() if path.is_file()}
        return len(names & there) if names else int(any(name.endswith(".py") for name in there))

    return max([folder, *inside], key=worth)


DEFINING: Final = ("collections", "enum", "functools", "itertools", "math", "string", "typing")
"""Modules whose functions make constants."""


def _notebook_of(module: str) -> str:
    return f"{module.removesuffix('.py')}.ipynb"


def _define_only(folder: Path, file: str) -> list[str]:
    """Leave what a module defines, and drop what it tries out: a notebook plays many games."""
    module, notes = folder / file, []
    notebooks = sorted(folder.glob("*.ipynb"))
    named = [each for each in notebooks if each.name.lower() == _notebook_of(file)]
    if not module.exists() and (named or len(notebooks) == 1):
        (notebook, *_) = named or notebooks
        made = module_of(notebook)
        module.write_text(made.text, encoding="utf-8")
        name = printable(notebook.name)
        notes += [f"{name} was graded: its cells, one after the other.", *made.notes]
    if module.exists():
        source = module.read_text(encoding="utf-8", errors="replace")
        module.write_text(definitions_of(source), encoding="utf-8")
    return notes


def definitions_of(source: str) -> str:
    r"""Return a module with its imports, classes, functions and constants, and nothing that plays.

    Lines keep their numbers. What is not Python stays as it is: importing it says what is wrong.

    >>> definitions_of("def f(): pass\nx = 1\ny = f()\nz = y + 1\nprint(x)").split("\n")
    ['def f(): pass', 'x = 1', '', '', '']
    """
    try:
        tree = ast.parse(source)
    except NOT_PYTHON:
        return source
    own = {each.name for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    imported = [alias for each in tree.body if isinstance(each, ast.Import) for alias in each.names]
    own |= {
        (each.asname or each.name).partition(".")[0]
        for each in imported
        if each.name not in DEFINING
    }
    results: set[str] = set()
    lines = source.split("\n")
    for node in tree.body:
        if not _defines(node, own, results):
            results |= {
                each.id
                for each in ast.walk(node)
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    return "\n".join(lines)


def _defines(node: ast.stmt, own: set[str], results: set[str]) -> bool:
    """Say whether a statement only defines something.

    What calls the module's ``own`` classes and functions, or a module that does things, plays; so
    does what uses the ``results`` of playing.
    """
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom | ast.Try):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For):
        return False
    called = {
        each.id
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        for each in ast.walk(call.func)
        if isinstance(each, ast.Name)
    }
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return not called & {*own, "print", "input"} and not used & results
