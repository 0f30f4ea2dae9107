"""Static files: the style sheet and the card images.

The URLs depend on the contents of the files.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final
from wsgiref.headers import Headers
from wsgiref.types import WSGIApplication

import flask
from whitenoise import WhiteNoise

from web.http.security import HEADERS
from web.settings import ROOT

FOLDER: Final = ROOT / "static"


def fingerprint(folder: Path = FOLDER) -> str:
    """Return a short hash of the names and contents of all files in a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".gz", ".br"):
            digest.update(f"{path.relative_to(folder)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def with_files(
    app: WSGIApplication, headers: Iterable[tuple[str, str]], **options: Any
) -> WhiteNoise:
    """Return an app that also serves static files, which browsers may cache forever."""

    def add_headers(found: Headers, _path: str, _url: str) -> None:
        for name, value in headers:
            found[name] = value

    return WhiteNoise(
        app,
        max_age=WhiteNoise.FOREVER,
        immutable_file_test=lambda _path, _url: True,
        add_headers_function=add_headers,
        **options,
    )


def register(app: flask.Flask, url_prefix: str) -> None:
    """Serve the folder with an unlimited cache lifetime.

    If a file changes, the URLs of all files change. In templates, ``static`` is the URL of the
    folder.
    """
    prefix = f"static/{fingerprint()}"
    files = with_files(app.wsgi_app, HEADERS, root=FOLDER, prefix=prefix)
    app.wsgi_app = files  # type: ignore[method-assign]  # how Flask documents middleware
    app.jinja_env.globals["static"] = f"{url_prefix}/{prefix}"
