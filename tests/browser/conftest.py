"""Fixtures for tests in a browser: pages, and a running copy of the site with seven games."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.browser import chromium
from tests.support.served_class import ServedClass
from tests.support.serving import Server


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all test files, because each browser start takes half a second."""
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def class_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A site with seven games, on which everyone may create classes."""
    folder = tmp_path_factory.mktemp("browser")
    with Server(folder, "-m", "tests.support.served", CLASSES="open") as running:
        yield running


@pytest.fixture(scope="session")
def site(class_server: Server) -> str:
    """The URL of the site."""
    return f"http://127.0.0.1:{class_server.port}"


@pytest.fixture
def students() -> int:
    """Number of students in the class."""
    return 2


@pytest.fixture
def room(class_server: Server, students: int) -> Iterator[ServedClass]:
    """A class for a single test."""
    served = ServedClass(class_server)
    served.join(students)
    yield served
    served.close()


OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """A function that opens pages, each in a separate browser context.

    The contexts are closed at the end of the test.
    """
    opened: list[BrowserContext] = []

    def new_page(**how: Any) -> Page:
        opened.append(browser.new_context(**how))
        return opened[-1].new_page()

    yield new_page
    for context in opened:
        context.close()


@pytest.fixture(
    params=[
        pytest.param(True, id="with script"),
        pytest.param(False, id="without script", marks=pytest.mark.slow),
    ]
)
def script(request: pytest.FixtureRequest) -> bool:
    """Whether scripts run.

    Without a script, a browser sends the same forms as the test client in ``tests/web``.
    """
    return bool(request.param)


@pytest.fixture
def page(open_page: OpenPage, script: bool) -> Iterator[Page]:
    """A page that fails the test on a console error or a failed resource."""
    page = open_page(java_script_enabled=script)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "requestfailed",
        # An image that is still loading at the next navigation is not a fault.
        lambda request: request.failure == "net::ERR_ABORTED" or complaints.append(request.url),
    )
    yield page
    # A busy browser may abandon a transition between two pages. The new page is still shown.
    known = ("status of 4", "Transition was aborted because of invalid state")
    assert [text for text in complaints if not any(part in text for part in known)] == []


@pytest.fixture
def still_page(open_page: OpenPage) -> Page:
    """A page of 1280 by 720 pixels without motion, so that no measured element moves."""
    return open_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
