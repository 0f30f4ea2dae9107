"""Handles the page's requests to read and check files, set up a table and make a move."""

import base64
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import Any, Final

from cardgames import GAMES
from course.browser import felt
from course.browser.table import load_driver
from course.grading.files import read_text
from course.grading.sheets import SHEETS, Sheet, load_sheet
from course.grading.submission import copy_submission, read_submission

HOME: Final = Path(mkdtemp(prefix="student-"))

NOTED_EVERY: Final = 10
"""Number of moves between two progress messages, if one click makes many moves."""

Post = Callable[[str], None]

_files: dict[str, Path] = {}
_tables: list[Any] = []
_sheets: dict[str, Sheet] = {**SHEETS}


def configure(settings: str, sheets: str) -> None:
    """Set the page's settings, given as JSON, and a folder of additional sheets."""
    felt.configure(json.loads(settings))
    for path in Path(sheets).glob("*/sheet.toml"):
        sheet = load_sheet(path.parent)
        _sheets[sheet.slug] = sheet


def answer(request: str, post: Post) -> None:
    """Handle a request, given as JSON, by sending one or more messages."""
    message: dict[str, Any] = json.loads(request)

    def report(kind: str, **details: Any) -> None:
        post(felt.dumps({"kind": kind, **details}))

    acts = {
        "read": _read, "check": _check, "sit": _sit, "play": _play, "odds": _odds,
        "starter": _starter,
    }  # fmt: skip
    acts[message["kind"]](message, report)


def _read(asked: Mapping[str, Any], report: Callable[..., None]) -> None:
    """Read the uploaded files in the same way as the grader.

    Each file is encoded in base64. If the page did not load a file, the request contains only its
    name.
    """
    folder = _emptied("chosen")
    for name, data in asked["files"].items():
        parts = [part for part in PurePosixPath(name).parts if part not in ("/", "..")]
        path = folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(data or ""))
    texts, notes = read_submission(folder, _sheets[asked["sheet"]])
    report("read", files=texts, notes=notes)


def _check(asked: Mapping[str, Any], report: Callable[..., None]) -> None:
    from course.browser import checking  # noqa: PLC0415 - tables start faster without it
    from course.grading.trial import Outcome  # noqa: PLC0415 - as above

    endless = {
        check: Outcome(problem, running=running)
        for check, (problem, running) in asked["endless"].items()
    }
    known = checking.Known(frozenset(asked["reported"]), endless)
    checking.check(_sheets[asked["sheet"]], _keep(asked["files"]), report, known)


def _sit(asked: Mapping[str, Any], report: Callable[..., None]) -> None:
    sheet, seed = _sheets[asked["sheet"]], int(asked["seed"])
    folder = _emptied("table")
    copy_submission(_keep(asked["files"]), sheet, folder)
    _tables[:] = [load_driver(sheet)(sheet, folder, seed)]
    for name, _ in _tables[0].moves()[:1]:
        _tables[0].play(name)
    sources = {path.name: read_text(path) for path in folder.glob("*.py")}
    report("table", **_tables[0].report(), sources=sources)


def _play(asked: Mapping[str, Any], report: Callable[..., None]) -> None:
    def note(moves_made: int) -> None:
        """Report progress, because the page terminates a worker without recent messages."""
        if moves_made and moves_made % NOTED_EVERY == 0:
            report("made", moves=moves_made)

    _tables[0].play(asked["move"], note)
    report("table", **_tables[0].report())


def _odds(_: Mapping[str, Any], report: Callable[..., None]) -> None:
    odds = _tables[0].odds()
    report("odds", html=odds and felt.drawn_odds(odds, GAMES[_tables[0].game].advisor))


def _starter(asked: Mapping[str, Any], report: Callable[..., None]) -> None:
    from course.handouts.files import starter  # noqa: PLC0415 - used only here

    report("starter", files=starter(_sheets[asked["sheet"]]))


def _emptied(name: str) -> Path:
    folder = HOME / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _keep(files: Mapping[str, str]) -> Path:
    """Write a student's files into an empty folder, and return the folder."""
    folder = _emptied("files")
    for name, text in files.items():
        (folder / Path(name).name).write_text(text, encoding="utf-8", newline="")
    return folder
