"""The sheets of an instructor, which have the format of our own sheets, in the folder SHEETS.

The operator trusts these sheets as much as the site, because their checks and solutions run when a
sheet is checked. A student's browser gets the checks and the driver, but no part of a private
solution.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import flask

from cardgames import GAMES
from course.grading.sheets import SHEETS, Sheet, SheetError, load_sheet
from course.handouts.files import starter
from course.handouts.tasks import TASKS, Task, sheet_task
from web.settings import BadSetting

LEFT_OUT: Final = ("__pycache__", "handouts", "mistakes.toml")


@dataclass(frozen=True)
class OwnSheet:
    """An instructor's sheet and its archive for browsers."""

    sheet: Sheet

    @cached_property
    def archive(self) -> bytes:
        """A zip archive of the sheet's folder. Identical files have identical archives."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name, data in sorted(_files(self.sheet)):
                zipped.writestr(zipfile.ZipInfo(f"{self.sheet.slug}/{name}"), data)
        return out.getvalue()

    @cached_property
    def digest(self) -> str:
        """A hash that distinguishes this archive from older archives."""
        return hashlib.sha256(self.archive).hexdigest()[:16]


def _files(sheet: Sheet) -> Iterator[tuple[str, bytes]]:
    private = ("solution", "starter") if sheet.is_solution_private else ()
    for path in sheet.root.rglob("*"):
        parts = path.relative_to(sheet.root).parts
        is_kept_back = {*LEFT_OUT} & {*parts} or (parts[0] in private and path not in sheet.given)
        if path.is_file() and not is_kept_back:
            yield "/".join(parts), path.read_bytes()
    if private:  # The browser could not create stubs of the solution.
        yield from ((f"starter/{name}", text.encode()) for name, text in starter(sheet).items())


def register(app: flask.Flask, folder: Path | None) -> None:
    """Read the sheets in a folder, if the setting names a folder.

    Raises:
        BadSetting: If the folder does not exist, or if one of its sheets is invalid.
    """
    app.extensions["own_sheets"] = _read(folder) if folder else {}


def _read(folder: Path) -> dict[str, OwnSheet]:
    if not folder.is_dir():
        raise BadSetting(f"SHEETS {folder} is no folder.")
    sheets: dict[str, OwnSheet] = {}
    problems = []
    for path in sorted(file.parent for file in folder.glob("*/sheet.toml")):
        try:
            sheet = load_sheet(path)
        except SheetError as error:
            problems.append(f"SHEETS: {error}")
            continue
        if sheet.slug in {*SHEETS, *sheets}:
            problems.append(f"SHEETS: {path} is called {sheet.slug}, as another sheet is.")
        sheets[sheet.slug] = OwnSheet(sheet)
    if problems:
        raise BadSetting(*problems)
    return sheets


def own_sheets() -> Mapping[str, OwnSheet]:
    """Return the instructor's sheets, keyed by slug."""
    sheets: Mapping[str, OwnSheet] = flask.current_app.extensions["own_sheets"]
    return sheets


def all_tasks() -> list[Task]:
    """Return the tasks of all sheets, both the site's and the instructor's."""
    return [*TASKS, *(sheet_task(own_sheet.sheet) for own_sheet in own_sheets().values())]


def titles() -> dict[str, str]:
    """Return the names of the sheets.

    If the site has a table for the sheet, the sheet's name is the table's name.
    """
    return {
        task.slug: GAMES[task.slug].info.title if task.slug in SHEETS else task.title
        for task in all_tasks()
    }
