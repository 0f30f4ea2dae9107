"""Fixtures: the served site with CPython for browsers, and a page on which files are chosen."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar, Final
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page

from tests.support.serving import ROOT, Server

PATIENCE: Final = 120
"""Timeout, in seconds, for a step that takes two seconds on an idle machine."""


@pytest.fixture(scope="session")
def runtime() -> Path:
    """The folder with CPython for browsers, built from the current sources."""
    folder = ROOT / ".browser"
    if not (folder / "runtime").is_dir():
        pytest.skip("CPython for browsers is not here: `make setup` fetches it")
    tool = ROOT / "tools" / "setup" / "browser_python"
    subprocess.run([sys.executable, str(tool), str(folder)], check=True, timeout=300)
    return folder


@pytest.fixture(scope="session")
def own_site(runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the site."""
    assert runtime.is_dir()
    with Server(tmp_path_factory.mktemp("own")) as server:
        yield f"http://127.0.0.1:{server.port}"


_KEPT: Final = """() => new Promise((resolve, reject) => {
    const opening = indexedDB.open("cardgames-own");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
        const database = opening.result;
        const sheet = document.getElementById("own").dataset.sheet;
        const asked = database.transaction("files").objectStore("files").get(sheet);
        asked.onsuccess = () => { database.close(); resolve(asked.result ?? {}); };
        asked.onerror = () => reject(asked.error);
    };
})"""


class Own:
    """The page of a sheet, with methods for the actions of a student."""

    def __init__(self, page: Page, site: str, slug: str) -> None:
        self.page = page
        self.requests: list[str] = []
        page.goto(f"{site}/sheets/{slug}/try")

    def choose(self, folder: Path) -> None:
        files = [path for path in folder.iterdir() if path.suffix in (".py", ".txt", ".ipynb")]
        names = {path.name for path in files}
        self.page.set_input_files("#files", files)
        self.until(lambda: names <= set(self.names()) and self.status() == "Python is ready.")

    def status(self) -> str:
        """The status of Python on the page."""
        return self.page.inner_text("#python-status")

    def names(self) -> list[str]:
        """The file names in the page's list."""
        return self.page.locator("#chosen li button:first-child").all_inner_texts()

    def kept(self) -> dict[str, str]:
        """The files for this sheet that the browser has stored."""
        files: dict[str, str] = self.page.evaluate(_KEPT)
        return files

    def press(self, button: str) -> None:
        """Click a button and wait until Python has finished."""
        self.page.click(button)
        self.until(lambda: not self.is_busy())

    def is_busy(self) -> bool:
        """Return whether Python is working."""
        return self.page.get_attribute("#own", "aria-busy") is not None

    def until(self, holds: Callable[[], object]) -> None:
        """Wait by polling, because the page's CSP forbids the evaluation of strings."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, self.status()
            self.page.wait_for_timeout(50)

    def unmet(self) -> list[str]:
        """The requirements that are not met."""
        items = self.page.locator("#results .unmet").all()
        return [str(item.get_attribute("data-check")) for item in items]

    def points(self) -> str:
        return f"{self.page.inner_text('#points')} {self.page.inner_text('#worth')}"


class _Noting(BaseHTTPRequestHandler):
    """A proxy that records each requested host.

    Only requests to this machine are forwarded.
    """

    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.seen.append(self.path)
        if not self.path.startswith("http://127.0.0.1:"):
            return self.send_error(502)
        kept = {"Accept", "Accept-Encoding", "Accept-Language", "Cookie", "Host", "Range"}
        headers = {name: value for name, value in self.headers.items() if name in kept}
        address = urlsplit(self.path)
        upstream = HTTPConnection(address.netloc, timeout=PATIENCE)
        upstream.request("GET", address._replace(scheme="", netloc="").geturl(), headers=headers)
        answer = upstream.getresponse()
        body = answer.read()
        upstream.close()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None

    def do_CONNECT(self) -> None:
        self.seen.append(self.path)
        self.send_error(502)

    do_POST = do_HEAD = do_OPTIONS = do_CONNECT  # noqa: N815 - names of the base class

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture
def noting_proxy() -> Iterator[tuple[str, list[str]]]:
    """A proxy's address, and the list of the requests to the proxy."""
    _Noting.seen.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Noting)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", _Noting.seen
    server.shutdown()
    server.server_close()


@pytest.fixture
def own(browser: Browser, own_site: str) -> Iterator[Callable[..., Own]]:
    """Open the page of a sheet. The page may report only the expected errors."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def opened(slug: str) -> Own:
        return Own(page, own_site, slug)

    yield opened
    context.close()
    assert complaints == []
