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
from wsgiref.types import WSGIApplication

TABLE = "/simple-21"
WARM_UP = 60
FORM = "application/x-www-form-urlencoded"
KINDS = {"page": "text/html", "page in one trip": "text/html", "JSON": "application/json"}


def same_luck() -> Callable[[int], bytes]:
    """Return what stands in for the operating system's randomness: the same bytes in each run."""
    numbers = itertools.count()
    return lambda size: hashlib.shake_128(b"%d" % next(numbers)).digest(size)


class Browser:
    """A client of a WSGI app, with a cookie."""

    def __init__(self, app: WSGIApplication, kind: str) -> None:
        """Prepare to make moves of one of :data:`KINDS`."""
        self._app, self._cookie = app, ""
        self._accept, self._prefers = KINDS[kind], kind == "page in one trip"
        self._is_json = kind == "JSON"
        self._numbers = itertools.count()
        self._text = self.ask("GET")[1]

    def ask(self, method: str, body: bytes = b"") -> tuple[int, str]:
        """Send a request; return the status and the text of the answer."""
        started: list[Any] = []
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method, "SCRIPT_NAME": "", "PATH_INFO": TABLE, "QUERY_STRING": "",
            "SERVER_NAME": "localhost", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "localhost", "HTTP_ACCEPT": self._accept, "HTTP_COOKIE": self._cookie,
            "CONTENT_TYPE": FORM, "CONTENT_LENGTH": str(len(body)), "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(body), "wsgi.errors": sys.stderr,
            "wsgi.input_terminated": True, "wsgi.multithread": False, "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }  # fmt: skip
        if self._prefers and method == "POST":
            environ["HTTP_PREFER"] = "return=representation"
        start: Any = lambda *given: started.extend(given[:2])  # noqa: E731 - what WSGI calls
        result = self._app(environ, start)
        text = b"".join(result).decode()
        if close := getattr(result, "close", None):
            close()
        status, headers = started
        self._cookie = dict(headers).get("Set-Cookie", self._cookie).partition(";")[0]
        return int(status[:3]), text

    def move(self) -> None:
        """Make the next move: deal, hit or stay, by a fixed pattern."""
        step, names = next_step(self._text, is_json=self._is_json)
        status, self._text = self.ask(
            "POST", f"move={chosen(names, next(self._numbers))}&step={step}".encode()
        )
        if status == 303:
            status, self._text = self.ask("GET")
        if status != 200:
            raise RuntimeError(self._text)


def next_step(text: str, *, is_json: bool) -> tuple[str, list[str]]:
    """Return the step at which a table stands, and the names of its moves."""
    step = re.search(r'"step": ?(\d+)' if is_json else r'name="step" value="(\d+)"', text)
    pattern = r'"name": ?"(deal|hit|stay)"' if is_json else r'name="move" value="(deal|hit|stay)"'
    if step is None:
        raise ValueError(text)
    return step[1], re.findall(pattern, text)


def chosen(names: list[str], number: int) -> str:
    """Return a move: of three decisions two are hits."""
    return "stay" if "stay" in names and number % 3 == 0 else names[0]


def site(store: str) -> WSGIApplication:
    """Return the site that is found first, or the ordinary app."""
    folder = Path(tempfile.mkdtemp())
    if store == "ordinary":
        ordinary: Any = importlib.import_module("ordinary")  # it stands beside this file
        made: WSGIApplication = ordinary.create_app(folder / "tables.db")
        return made
    from app import create_app  # noqa: PLC0415 - after the luck is settled
    from web.settings import Settings  # noqa: PLC0415

    return create_app(Settings(data_dir=folder, session_store=store))


def count_instructions(switch: str) -> None:
    """Have valgrind count this process's instructions, or no longer."""
    subprocess.run(
        ["callgrind_control", "-i", switch, str(os.getpid())], check=True, stdout=subprocess.DEVNULL
    )


def main(kind: str, moves: int, store: str) -> None:
    """Make moves, the first of them uncounted."""
    os.urandom = same_luck()
    browser = Browser(site(store), kind)
    for number in range(WARM_UP + moves):
        if number == WARM_UP:
            count_instructions("on")
        browser.move()
    count_instructions("off")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
