"""The served site with CPython for browsers, and a page on which students' files are chosen."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.support.serving import ROOT, Server

PATIENCE = 120
"""Seconds that a machine under load may need for what takes two."""


@pytest.fixture(scope="session")
def runtime() -> Path:
    """What the set-up makes, from the sources as they are now."""
    folder = ROOT / ".browser"
    if not (folder / "runtime").is_dir():
        pytest.skip("CPython for browsers is not here: `make browser-python` fetches it")
    tool = ROOT / "tools" / "setup" / "browser_python"
    subprocess.run([sys.executable, str(tool), str(folder)], check=True, timeout=300)
    return folder


@pytest.fixture(scope="session")
def own_site(runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the site is."""
    assert runtime.is_dir()
    with Server(tmp_path_factory.mktemp("own")) as server:
        yield f"http://127.0.0.1:{server.port}"


class Own:
    """The page of a sheet, used as a student does."""

    def __init__(self, page: Page, site: str, slug: str) -> None:
        self.page = page
        self.requests: list[str] = []
        page.goto(f"{site}/sheets/{slug}/try")

    def choose(self, folder: Path) -> None:
        files = [path for path in folder.iterdir() if path.suffix in (".py", ".txt", ".ipynb")]
        self.page.set_input_files("#files", files)
        self.until(lambda: self.page.inner_text("#status") == "Python is ready.")

    def press(self, button: str) -> None:
        """Press a button, and wait until Python has nothing more to say."""
        self.page.click(button)
        self.until(lambda: self.page.get_attribute("#own", "aria-busy") is None)

    def until(self, holds: Callable[[], object]) -> None:
        """Wait: by asking again, as the page's policy lets no text be evaluated."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, self.page.inner_text("#status")
            self.page.wait_for_timeout(50)

    def unmet(self) -> list[str]:
        """The requirements that are not met."""
        items = self.page.locator("#results .unmet").all()
        return [str(item.get_attribute("data-check")) for item in items]

    def points(self) -> str:
        return f"{self.page.inner_text('#points')} {self.page.inner_text('#worth')}"


@pytest.fixture
def own(browser: Browser, own_site: str) -> Iterator[Callable[..., Own]]:
    """Open the page of a sheet; nothing may fail on it that is not expected."""
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def opened(slug: str) -> Own:
        return Own(page, own_site, slug)

    yield opened
    context.close()
    assert complaints == []
