"""The page on which students' own classes are checked and deal a table, in their own browser.

Nothing that is chosen there is sent: the page runs it with CPython for browsers, which
``tools/setup/browser_python`` has put beside the project. It is served below an address with its
hash, so that a browser keeps it, and with a policy of its own: a worker may compile WebAssembly,
and connect to nothing at all.
"""

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

import flask
from werkzeug.exceptions import NotFound

from web.http.static_files import with_files
from web.settings import ROOT, Settings
from web.sheets import own

FOLDER: Final = ROOT / ".browser"
"""Where the set-up puts CPython for browsers and the package that runs in it."""

SERVED: Final = ("python.wasm", "python_stdlib.zip", "package.zip", "worker.js", "NOTICE.txt")

HEADERS: Final = (
    # What the worker may do. What it needs it is given by the page, so no student's program can
    # ask the site for anything in the name of the student who runs it.
    ("Content-Security-Policy", "default-src 'none'; script-src 'wasm-unsafe-eval'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)

blueprint = flask.Blueprint("own_classes", __name__)


@dataclass(frozen=True)
class Runtime:
    """What the set-up has made."""

    hash: str = ""
    """Empty where it has not."""
    sizes: dict[str, int] = field(default_factory=dict)
    """The bytes of each file that the page loads."""


@cache
def find_runtime(folder: Path = FOLDER) -> Runtime:
    """Return what a folder has; the set-up writes the manifest last."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text())
        return Runtime(manifest["hash"], manifest["sizes"])
    except (OSError, ValueError, KeyError):
        return Runtime()


def register(app: flask.Flask, settings: Settings) -> None:
    """Serve the page, and the runtime if it is there.

    Around everything else: the site's own headers would forbid WebAssembly, and let each answer
    depend on a cookie.
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
        files.add_file_to_dictionary(address, str(FOLDER / name))
    app.wsgi_app = files  # type: ignore[method-assign]  # as in web.http.static_files


# What answers there stands around the app (:func:`register`); pages ask for the address.
blueprint.add_url_rule("/sheets/python/<digest>/", endpoint="python", build_only=True)


@blueprint.get("/sheets/<slug>/try")
def show(slug: str) -> str:
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
    """Send what a browser needs of a sheet from outside."""
    found = own.own_sheets().get(slug)
    if not found or found.digest != digest:
        raise NotFound
    answer = flask.Response(found.archive, mimetype="application/zip")
    answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return answer
