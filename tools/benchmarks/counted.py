"""Makes moves in one process, for ``tools.benchmarks.moves``, which has valgrind count them.

It is run by its path, so that ``PYTHONPATH`` decides whose site is counted: that of this checkout
or of another. Every run has the same luck, so both play the same rounds.
"""

import hashlib
import importlib
import io
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from wsgiref.types import WSGIApplication

TABLE = "/simple-21"
WARM_UP = 60
FORM = "application/x-www-form-urlencoded"
KINDS = {"page": "text/html", "page in one trip": "text/html", "JSON": "application/json"}
Ask = Callable[[str, dict[str, str], dict[str, str]], tuple[int, str]]
"""Sends a request: its method, form and headers; returns the status and the text."""


def same_luck() -> Callable[[int], bytes]:
    """Return what stands in for the operating system's randomness: the same bytes in each run."""
    numbers = itertools.count()
    return lambda size: hashlib.shake_128(b"%d" % next(numbers)).digest(size)


class Moves:
    """Moves at a table by a fixed pattern: deal, and of three decisions two are hits."""

    def __init__(self, ask: Ask, kind: str) -> None:
        """Look at the table, to make moves of one of :data:`KINDS`."""
        self._ask, self._is_json = ask, kind == "JSON"
        self._headers = {"Accept": KINDS[kind]}
        if kind == "page in one trip":
            self._headers["Prefer"] = "return=representation"
        self._numbers = itertools.count()
        self._text = ask("GET", {}, self._headers)[1]

    def make(self) -> None:
        """Make the next move, and look at the table where the answer leads there."""
        step = re.search(r'(?:"step": ?|name="step" value=")(\d+)', self._text)
        before = r'"name": ?' if self._is_json else r'name="move" value='
        names = re.findall(before + r'"(deal|hit|stay)"', self._text)
        if step is None:
            raise ValueError(self._text)
        stays = next(self._numbers) % 3 == 0 and "stay" in names
        form = {"move": "stay" if stays else names[0], "step": step[1]}
        status, self._text = self._ask("POST", form, self._headers)
        if status == 303:
            status, self._text = self._ask("GET", {}, self._headers)
        if status != 200:
            raise RuntimeError(self._text)


class Browser:
    """A client of a WSGI app, with a cookie."""

    def __init__(self, app: WSGIApplication) -> None:
        """Prepare to ask."""
        self._app, self._cookie = app, ""

    def ask(self, method: str, form: dict[str, str], headers: dict[str, str]) -> tuple[int, str]:
        """Send a request; return the status and the text of the answer."""
        started: list[Any] = []
        body = urlencode(form).encode()
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method, "SCRIPT_NAME": "", "PATH_INFO": TABLE, "QUERY_STRING": "",
            "SERVER_NAME": "localhost", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "localhost", "HTTP_COOKIE": self._cookie,
            "CONTENT_TYPE": FORM, "CONTENT_LENGTH": str(len(body)), "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(body), "wsgi.errors": sys.stderr,
            "wsgi.input_terminated": True, "wsgi.multithread": False, "wsgi.multiprocess": False,
            "wsgi.run_once": False, **{f"HTTP_{name.upper()}": headers[name] for name in headers},
        }  # fmt: skip
        start: Any = lambda *given: started.extend(given[:2])  # noqa: E731 - what WSGI calls
        result = self._app(environ, start)
        text = b"".join(result).decode()
        if close := getattr(result, "close", None):
            close()
        status, headers_sent = started
        self._cookie = dict(headers_sent).get("Set-Cookie", self._cookie).partition(";")[0]
        return int(status[:3]), text


def site(store: str) -> WSGIApplication:
    """Return the site that is found first, or the ordinary app."""
    folder = Path(tempfile.mkdtemp())
    if store == "ordinary":
        ordinary: Any = importlib.import_module("ordinary")  # it stands beside this file
        made: WSGIApplication = ordinary.create_app(folder / "tables.db")
        return made
    from app import create_app  # noqa: PLC0415 - after the luck is settled
    from web.settings import Settings  # noqa: PLC0415 - likewise

    return create_app(Settings(data_dir=folder, session_store=store))


def count_instructions(switch: str) -> None:
    """Have valgrind count this process's instructions, or no longer."""
    subprocess.run(
        ["callgrind_control", "-i", switch, str(os.getpid())], check=True, stdout=subprocess.DEVNULL
    )


def main(kind: str, moves: int, store: str) -> None:
    """Make moves, the first of them uncounted."""
    os.urandom = same_luck()
    made = Moves(Browser(site(store)).ask, kind)
    for number in range(WARM_UP + moves):
        if number == WARM_UP:
            count_instructions("on")
        made.make()
    count_instructions("off")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
