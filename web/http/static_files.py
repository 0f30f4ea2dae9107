"""The style sheet and the card pictures, at addresses that change with what is in them."""

import hashlib
from pathlib import Path
from typing import Final
from wsgiref.headers import Headers

import flask
from whitenoise import WhiteNoise

from web.http.security import HEADERS
from web.settings import ROOT

FOLDER: Final = ROOT / "static"


def fingerprint(folder: Path = FOLDER) -> str:
    """Return a short hash over every file of the folder, names and contents."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".gz", ".br"):
            digest.update(f"{path.relative_to(folder)}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def _lock_down(headers: Headers, _path: str, _url: str) -> None:
    for name, value in HEADERS:
        headers[name] = value


def register(app: flask.Flask) -> None:
    """Serve the folder, cached for ever: a changed file gives every file a new address."""
    prefix = f"static/{fingerprint()}"
    app.wsgi_app = WhiteNoise(  # type: ignore[method-assign]  # how Flask documents middleware
        app.wsgi_app,
        root=FOLDER,
        prefix=prefix,
        max_age=WhiteNoise.FOREVER,
        immutable_file_test=lambda _path, _url: True,
        add_headers_function=_lock_down,
    )
    app.config["STATIC"] = prefix
