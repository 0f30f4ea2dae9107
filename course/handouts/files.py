"""Files of a sheet that run in an empty folder: the solution, and the course's modules."""

from pathlib import Path

from course.grading.sheets import Sheet
from course.grading.usage import UsageError
from course.handouts.stubs import stub

Texts = dict[str, str]
"""The contents of text files, keyed by name."""


def solution(sheet: Sheet) -> Texts:
    """Return our solution for a sheet.

    The files of the solution contain all code that the sheet does not provide.
    """
    names = sheet.solution_files
    return {name: (sheet.solution / name).read_text(encoding="utf-8") for name in names}


def starter(sheet: Sheet) -> Texts:
    """Return the starter files: the sheet's classes and methods without code.

    The files are generated from our solution, unless they were written by hand.
    """
    by_hand = _texts_in(sheet.root / "starter")
    if not sheet.solution.is_dir():  # a browser does not have our solution
        return by_hand
    stubs = {
        name: stub(text, sheet.classes_in(name), sheet.functions_in(name))
        for name, text in solution(sheet).items()
        if name not in by_hand
    }
    return stubs | by_hand


def given(sheet: Sheet) -> Texts:
    """Return the modules that the course provides with a sheet."""
    return {path.name: path.read_text(encoding="utf-8") for path in sheet.given}


def more_handouts(sheet: Sheet) -> Texts:
    """Return a sheet's additional hand-outs, such as templates for testing a class."""
    return _texts_in(sheet.root / "handouts")


def example(slug: str) -> Texts:
    """Return the initial files of a new sheet."""
    title = slug.replace("-", " ").capitalize()
    texts = _texts_in(Path(__file__).with_name("example"))
    return {name: text.replace("High card", title) for name, text in texts.items()}


def write(texts: Texts, folder: Path) -> int:
    """Write text files into a folder, or raise an error if any of them already exists."""
    for name in texts:
        if (folder / name).exists():
            raise UsageError(f"{folder / name} is there already, so nothing was written.")
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return len(texts)


def _texts_in(folder: Path) -> Texts:
    """Return the text files in a folder and its subfolders.

    Files named ``card.py.txt``, which tools do not read as Python, are returned as ``card.py``.
    """
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [path.relative_to(folder).as_posix().replace(".py.txt", ".py") for path in paths]
    return {
        name: path.read_text(encoding="utf-8")
        for name, path in zip(names, paths, strict=True)
        if "__pycache__" not in path.parts
    }
