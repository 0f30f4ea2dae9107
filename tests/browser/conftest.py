"""A served copy of the site with seven games, and a page in a browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.served_class import ServedClass
from tests.support.serving import Server


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the site is."""
    with Server(tmp_path_factory.mktemp("browser"), "-m", "tests.support.served") as server:
        yield f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="session")
def class_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A site where anybody may open classes."""
    with Server(tmp_path_factory.mktemp("class"), CLASSES="open") as running:
        yield running


@pytest.fixture
def students() -> int:
    """How many students the class has."""
    return 2


@pytest.fixture
def room(class_server: Server, students: int) -> Iterator[ServedClass]:
    """A class of a test's own."""
    served = ServedClass(class_server)
    served.join(students)
    yield served
    served.close()


@pytest.fixture(params=["with script", "without script"])
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    context = browser.new_context(java_script_enabled=request.param == "with script")
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page on which nothing may fail: no console error, no refused resource."""
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "requestfailed",
        # A picture still under way when the next page is asked for is no fault.
        lambda request: request.failure == "net::ERR_ABORTED" or complaints.append(request.url),
    )
    yield page
    # A transition between two pages that a busy browser gives up is no fault: the page is there.
    known = ("status of 4", "Transition was aborted because of invalid state")
    assert [text for text in complaints if not any(part in text for part in known)] == []


@pytest.fixture
def still_page(browser: Browser) -> Iterator[Page]:
    """A page of 1280 by 720 without motion, so that what is measured stands still."""
    page = browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    yield page
    page.close()
