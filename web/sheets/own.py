"""The sheets of an instructor: folders like those of our own, below the one that SHEETS names.

They are trusted as the site is: their checks and their solutions run where a sheet is checked. To
a student's browser goes what checks and deals there; of a solution that is private nothing.
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
from course.handouts.tasks import TASKS, Task, task_of
from web.settings import BadSetting

LEFT_OUT: Final = ("__pycache__", "handouts", "mistakes.toml")


@dataclass(frozen=True)
class OwnSheet:
    """A sheet from outside, and what a browser is given of it."""

    sheet: Sheet

    @cached_property
    def archive(self) -> bytes:
        """A zip of its folder, always the same bytes for the same files."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
            for name, data in sorted(_files(self.sheet)):
                made.writestr(zipfile.ZipInfo(f"{self.sheet.slug}/{name}"), data)
        return out.getvalue()

    @cached_property
    def digest(self) -> str:
        """What tells this archive from an older one."""
        return hashlib.sha256(self.archive).hexdigest()[:16]


def _files(sheet: Sheet) -> Iterator[tuple[str, bytes]]:
    private = ("solution", "starter") if sheet.is_solution_private else ()
    for path in sheet.root.rglob("*"):
        parts = path.relative_to(sheet.root).parts
        is_kept_back = {*LEFT_OUT} & {*parts} or (parts[0] in private and path not in sheet.given)
        if path.is_file() and not is_kept_back:
            yield "/".join(parts), path.read_bytes()
    if private:  # the browser could not make stubs of the solution
        yield from ((f"starter/{name}", text.encode()) for name, text in starter(sheet).items())


def register(app: flask.Flask, folder: Path | None) -> None:
    """Read the sheets in a folder, if there is one.

    Raises:
        BadSetting: there is no such folder, or a sheet in it cannot be used.
    """
    app.extensions["own_sheets"] = _read(folder) if folder else {}


def _read(folder: Path) -> dict[str, OwnSheet]:
    if not folder.is_dir():
        raise BadSetting(f"SHEETS {folder} is no folder.")
    found: dict[str, OwnSheet] = {}
    problems = []
    for path in sorted(each.parent for each in folder.glob("*/sheet.toml")):
        try:
            sheet = load_sheet(path)
        except SheetError as error:
            problems.append(f"SHEETS: {error}")
            continue
        if sheet.slug in {*SHEETS, *found}:
            problems.append(f"SHEETS: {path} is called {sheet.slug}, as another sheet is.")
        found[sheet.slug] = OwnSheet(sheet)
    if problems:
        raise BadSetting(*problems)
    return found


def own_sheets() -> Mapping[str, OwnSheet]:
    """Return the sheets from outside, by their slugs."""
    found: Mapping[str, OwnSheet] = flask.current_app.extensions["own_sheets"]
    return found


def all_tasks() -> list[Task]:
    """Return what is shown of each sheet, ours and those from outside."""
    return [*TASKS, *(task_of(one.sheet) for one in own_sheets().values())]


def titles() -> dict[str, str]:
    """Return what each sheet is called: as our table is, where it has one."""
    return {
        task.slug: GAMES[task.slug].info.title if task.slug in SHEETS else task.title
        for task in all_tasks()
    }
