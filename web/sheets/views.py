"""The pages of the sheets: the tasks, and a page that runs students' Python classes.

The pages save nothing on the server, and the files that are selected on a page stay in the browser.
The page runs students' Python classes with CPython for browsers, which is installed by
``tools/setup/browser_python``. CPython is served with a separate CSP, at a URL that contains its
hash so that browsers can cache it. With this CSP, a worker may compile WebAssembly, but cannot
connect to any server.
"""

import json
from dataclasses import dataclass, field
from functools import cache
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
from web.http.static_files import with_files
from web.reach import public_url
from web.settings import ROOT, Settings
from web.sheets import own

COMMANDS: Final = (
    (
        "python -m course.grade SHEET FOLDER",
        Text("grades your own files: one line per requirement, with expected and actual results."),
    ),
    (
        "python -m course.export SHEET FOLDER --stubs",
        Text("writes the classes and methods to be filled in, and the course's files."),
    ),
)
"""The commands that students can run on their own machines, and their descriptions."""

RUNTIME: Final = ROOT / ".browser"
"""The folder with CPython for browsers and the package that runs in it."""

SERVED: Final = ("python.wasm", "python_stdlib.zip", "package.zip", "worker.js", "NOTICE.txt")

HEADERS: Final = (
    # The worker's CSP. The page sends all files to the worker, so a student's program in the worker
    # cannot send requests to the site in the name of the student who runs it.
    ("Content-Security-Policy", "default-src 'none'; script-src 'wasm-unsafe-eval'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)

blueprint = flask.Blueprint("sheets", __name__)


@blueprint.get("/sheets")
def show() -> ResponseReturnValue:
    """Show the sheets of the site and of the instructor."""
    if wants_json():
        return json_response(_as_data())
    return flask.render_template(
        "sheets/sheets.html",
        tasks=own.all_tasks(),
        titles=own.titles(),
        tables=[slug for slug in GAMES if slug in SHEETS],
        commands=COMMANDS,
        package=_package_address(),
    )


@blueprint.get("/sheets/decks/<name>")
def deck(name: str) -> flask.Response:
    """Send a sample deck as a text file."""
    decks = sample_decks(own.all_tasks())
    if name not in decks:
        raise NotFound
    return download(name, decks[name], "text/plain")


@blueprint.get("/sheets/<name>.whl")
def package(name: str) -> flask.Response:
    """Send the newest built package."""
    wheel = newest_wheel()
    if wheel is None or wheel.stem != name:
        raise NotFound
    return download(wheel.name, wheel.read_bytes(), "application/octet-stream")


def newest_wheel(folder: Path = ROOT / "dist") -> Path | None:
    """Return the newest package built by ``make wheel``, or None."""
    built = [
        (path.stat().st_mtime, path) for path in folder.glob("cardgames_course-*-none-any.whl")
    ]
    # The packages are sorted by time, because 0.10 would precede 0.9 if sorted by name.
    return max(built)[1] if built else None


def _package_address() -> str:
    """Return the URL of the package for other machines, or an empty string."""
    wheel = newest_wheel()
    return public_url(flask.url_for(".package", name=wheel.stem)) if wheel else ""


def _as_data() -> dict[str, Any]:
    return {
        "sheets": [
            {
                "sheet": task.slug,
                "title": own.titles()[task.slug],
                "pitch": task.pitch,
                "build": task.build,
                "given": task.given,
                "decks": [flask.url_for("sheets.deck", name=name) for name in task.decks],
            }
            for task in own.all_tasks()
        ],
        "commands": [command for command, _ in COMMANDS],
        "package": _package_address() or None,
    }


# ---- Students' own classes ----------------------------------------------------------------------


@dataclass(frozen=True)
class Runtime:
    """The files that the set-up has installed."""

    hash: str = ""
    """The hash of the files, or an empty string if the files are not installed."""
    sizes: dict[str, int] = field(default_factory=dict)
    """The size of each file that the page loads, in bytes."""


@cache
def find_runtime(folder: Path = RUNTIME) -> Runtime:
    """Return the runtime in a folder, or an empty runtime if the manifest is missing."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text())
        return Runtime(manifest["hash"], manifest["sizes"])
    except (OSError, ValueError, KeyError):
        return Runtime()


def register(app: flask.Flask, settings: Settings) -> None:
    """Serve the page and, if it is installed, the runtime.

    The runtime's middleware wraps all other middleware, because the site's own headers would forbid
    WebAssembly and make each response depend on a cookie.
    """
    app.register_blueprint(blueprint)
    own.register(app, settings.sheets)
    runtime = find_runtime()
    if not runtime.hash:
        return
    kinds = {".wasm": "application/wasm", ".zip": "application/zip"}
    files = with_files(app.wsgi_app, HEADERS, mimetypes=kinds)
    for name in SERVED:
        address = f"{settings.url_prefix}/sheets/python/{runtime.hash}/{name}"
        files.add_file_to_dictionary(address, str(RUNTIME / name))
    app.wsgi_app = files  # type: ignore[method-assign]  # as in web.http.static_files


# The middleware responds at this URL (:func:`register`), but pages need the route to build the URL.
blueprint.add_url_rule("/sheets/python/<digest>/", endpoint="python", build_only=True)


@blueprint.get("/sheets/<slug>/try")
def try_classes(slug: str) -> str:
    """Show the page of a sheet."""
    tasks = {task.slug: task for task in own.all_tasks()}
    if slug not in tasks:
        raise NotFound
    return flask.render_template(
        "sheets/try.html",
        title=own.titles()[slug],
        task=tasks[slug],
        runtime=find_runtime(),
        own=own.own_sheets().get(slug),
    )


@blueprint.get("/sheets/<slug>/<digest>.zip")
def archive(slug: str, digest: str) -> flask.Response:
    """Send an instructor's sheet to a browser."""
    sheet = own.own_sheets().get(slug)
    if not sheet or sheet.digest != digest:
        raise NotFound
    answer = flask.Response(sheet.archive, mimetype="application/zip")
    answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return answer
