"""The files of ten students, as course systems, browsers and editors rename and encode them."""

import codecs
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from course.grading.sheets import SHEETS

COMMENT: Final = "# José Müller\n"


def solution(slug: str) -> dict[str, str]:
    sheet = SHEETS[slug]
    return {name: (sheet.solution / name).read_text("utf-8") for name in sheet.solution_files}


def renamed(slug: str, pattern: Callable[[str, str], str]) -> dict[str, bytes]:
    """Return the solution's files, with the given stem and suffix in their names."""
    pairs = ((*name.rsplit(".", 1), text) for name, text in solution(slug).items())
    return {pattern(stem, ending): text.encode() for stem, ending, text in pairs}


def encoded(slug: str, encode: Callable[[str], bytes]) -> dict[str, bytes]:
    return {name: encode(text) for name, text in solution(slug).items()}


def old_notebook() -> dict[str, bytes]:
    """Return a notebook of format 3 with a byte-order mark, as old Jupyter saved it."""
    source = solution("war")["war.py"]
    cells = [
        {"cell_type": "markdown", "source": ["# War"]},
        {
            "cell_type": "code",
            "language": "python",
            "input": "%%time\nimport random\n",
            "outputs": [],
        },
        {"cell_type": "code", "input": f"%%writefile war.py\n{source}".splitlines(keepends=True)},
    ]
    notebook = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {},
        "worksheets": [{"cells": cells}],
    }
    return {"War-Ana.ipynb": codecs.BOM_UTF8 + json.dumps(notebook).encode()}


STUDENTS: Final[dict[str, tuple[str, dict[str, bytes]]]] = {
    "mark": ("simple-21", encoded("simple-21", lambda text: codecs.BOM_UTF8 + text.encode())),
    "coding": (
        "one-deck",
        encoded("one-deck", lambda text: f"# coding: latin-1\n{COMMENT}{text}".encode("latin-1")),
    ),
    "utf16": ("war", encoded("war", lambda text: text.encode("utf-16"))),
    "windows": ("one-deck", encoded("one-deck", lambda text: (COMMENT + text).encode("cp1252"))),
    "again": ("simple-21", renamed("simple-21", lambda stem, ending: f"{stem}-1.{ending}")),
    "download": ("bingo", renamed("bingo", lambda stem, ending: f"{stem} (1).{ending}")),
    "canvas": ("war", renamed("war", lambda *name: "riveraana_LATE_11_202_" + ".".join(name))),
    "endings": (
        "simple-21",
        {
            **renamed("simple-21", lambda stem, ending: f"{stem}.{ending.upper()}"),
            **renamed("simple-21", lambda stem, ending: f"{stem}.{ending}.txt"),
        },
    ),
    "archives": ("war", {}),
    "notebook": ("war", old_notebook()),
}
"""The sheet and the files of each student."""


def write_student(name: str, folder: Path) -> Path:
    """Write a student's files into a folder, and return the folder."""
    folder.mkdir(parents=True)
    for file, data in STUDENTS[name][1].items():
        (folder / file).write_bytes(data)
    if name == "archives":
        for file, year, text in (
            ("hw (1).zip", 2026, solution("war")["war.py"]),
            ("hw.zip", 2025, ""),
        ):
            with zipfile.ZipFile(folder / file, "w") as archive:
                archive.writestr(zipfile.ZipInfo("hw/war.py", (year, 11, 28, 0, 0, 0)), text)
        (folder / "notes.rar").write_bytes(b"Rar!")
    return folder
