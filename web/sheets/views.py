"""The addresses of the sheets. Nothing is written here."""

from pathlib import Path
from typing import Any, Final

import flask
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.text import Text
from course.grading.sheets import SHEETS
from course.handouts.tasks import sample_decks
from web.http.downloads import download
from web.http.requests import wants_json
from web.http.responses import json_response
from web.settings import ROOT
from web.sheets.own import all_tasks, titles

COMMANDS: Final = (
    (
        "python -m course.check SHEET FILE.py",
        Text("checks a file before you hand it in, together with the solution's other files."),
    ),
    (
        "python -m course.grade SHEET FOLDER",
        Text(
            "grades your own files, one line per requirement, with what was expected and what came."
        ),
    ),
    (
        "python -m course.export SHEET FOLDER --stubs",
        Text("writes the classes and methods to be filled in, and what the course gives."),
    ),
)
"""What a student can run on their own machine, and what it does."""

blueprint = flask.Blueprint("sheets", __name__)


@blueprint.get("/sheets")
def show() -> ResponseReturnValue:
    """Show the sheets, ours and an instructor's."""
    if wants_json():
        return json_response(_as_data())
    return flask.render_template(
        "sheets/sheets.html",
        tasks=all_tasks(),
        titles=titles(),
        tables=[slug for slug in GAMES if slug in SHEETS],
        commands=COMMANDS,
        package=_package_address(),
    )


@blueprint.get("/sheets/decks/<name>")
def deck(name: str) -> flask.Response:
    """Send a sample deck as a text file."""
    decks = sample_decks(all_tasks())
    if name not in decks:
        raise NotFound
    return download(name, decks[name], "text/plain")


@blueprint.get("/sheets/<name>.whl")
def package(name: str) -> flask.Response:
    """Send the package that was built last."""
    wheel = newest_wheel()
    if wheel is None or wheel.stem != name:
        raise NotFound
    return download(wheel.name, wheel.read_bytes(), "application/octet-stream")


def newest_wheel(folder: Path = ROOT / "dist") -> Path | None:
    """Return the package that ``make wheel`` has built last; None where it has not."""
    built = [
        (path.stat().st_mtime, path) for path in folder.glob("cardgames_course-*-none-any.whl")
    ]
    return max(built)[1] if built else None  # by time: a version's name sorts 0.10 before 0.9


def _package_address() -> str:
    """Return where the package is, for another machine; empty where none was built."""
    wheel = newest_wheel()
    return flask.url_for(".package", name=wheel.stem, _external=True) if wheel else ""


def _as_data() -> dict[str, Any]:
    return {
        "sheets": [
            {
                "sheet": task.slug,
                "title": titles()[task.slug],
                "pitch": task.pitch,
                "build": task.build,
                "given": task.given,
                "decks": [flask.url_for("sheets.deck", name=name) for name in task.decks],
            }
            for task in all_tasks()
        ],
        "commands": [command for command, _ in COMMANDS],
        "package": _package_address() or None,
    }
