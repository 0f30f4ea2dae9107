"""A real browser at a served table: Debian's Chromium, with and without JavaScript."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from benchmarks.serving import Server

pytestmark = pytest.mark.xdist_group("browser")
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
DECK = Path(__file__).parent / "decks" / "shuffledDeck.txt"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Server(tmp_path_factory.mktemp("browser")) as server:
        yield f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.fail("Chromium is missing: `make test` installs it.")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=quiet)
        yield running
        running.close()


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
    assert [text for text in complaints if "status of 4" not in text] == []


def cards(page: Page, hand: str) -> list[str]:
    images = page.get_by_role("region", name=hand).get_by_role("img")
    return [image.get_attribute("alt") or "" for image in images.all()]


def deal_own_deck(page: Page) -> None:
    page.get_by_text("Play your own deck").click()
    page.get_by_label("Deck file").set_input_files(DECK)
    page.get_by_role("button", name="Deal").click()


def test_two_rounds_with_the_sheets_deck(page: Page, address: str) -> None:
    """KS JH QS AH | QH 6D 5H TS …: 20 against 21, then 16 and a bust with 6C … (by hand)."""
    page.goto(address)
    page.get_by_role("link", name="Simple 21").click()
    deal_own_deck(page)
    assert cards(page, "Dealer") == ["jack of hearts", "face-down card"]
    assert cards(page, "You") == ["king of spades", "queen of spades"]
    expect(page.get_by_text("Hit or stay?")).to_be_visible()

    page.get_by_role("button", name="Stay").click()
    # The dealer turns the ace (11), takes QH (21).
    assert cards(page, "Dealer") == ["jack of hearts", "ace of hearts", "queen of hearts"]
    expect(page.get_by_text("You 20, dealer 21: the dealer wins")).to_be_visible()

    page.get_by_role("button", name="Deal").click()
    # Next are 6D 5H TS KC: you 6 and 10, the dealer 5 and face down.
    assert cards(page, "You") == ["six of diamonds", "ten of spades"]
    assert cards(page, "Dealer") == ["five of hearts", "face-down card"]
    page.get_by_role("button", name="Hit").click()  # TH: 26
    assert cards(page, "You") == ["six of diamonds", "ten of spades", "ten of hearts"]
    assert cards(page, "Dealer") == ["five of hearts", "face-down card"]
    expect(page.get_by_text("You 26: bust, the dealer wins")).to_be_visible()


def test_back_and_reload_do_not_play_again(page: Page, address: str) -> None:
    page.goto(f"{address}/simple-21")
    deal_own_deck(page)
    page.reload()
    assert cards(page, "You") == ["king of spades", "queen of spades"]
    page.get_by_role("button", name="Hit").click()
    page.reload()
    assert len(cards(page, "You")) == 3
    page.go_back()
    assert len(cards(page, "You")) == 3  # never a table that is no more


def test_an_old_tab_is_told_so(context: BrowserContext, page: Page, address: str) -> None:
    page.goto(f"{address}/simple-21")
    deal_own_deck(page)
    other = context.new_page()
    other.goto(f"{address}/simple-21")
    other.get_by_role("button", name="Hit").click()
    page.get_by_role("button", name="Hit").click()
    expect(page.get_by_role("alert")).to_contain_text("out of date")
    assert len(cards(page, "You")) == 3
    other.close()


def test_a_double_click_draws_one_card(page: Page, address: str) -> None:
    page.goto(f"{address}/simple-21")
    page.get_by_role("button", name="Deal").click()
    page.get_by_role("button", name="Hit").dblclick()
    expect(page.get_by_role("region", name="You").get_by_role("img")).to_have_count(3)
    page.goto(f"{address}/simple-21")
    assert len(cards(page, "You")) == 3


def test_a_wrong_file_is_explained(page: Page, address: str, tmp_path: Path) -> None:
    wrong = tmp_path / "homework.txt"
    wrong.write_text("KS\nQQ\n")
    page.goto(f"{address}/simple-21")
    page.get_by_text("Play your own deck").click()
    page.get_by_label("Deck file").set_input_files(wrong)
    page.get_by_role("button", name="Deal").click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Cannot populate deck: invalid data in homework.txt")
    expect(alert).to_contain_text("line 2 has the suit 'Q'")


def test_starting_over_asks_first(page: Page, address: str) -> None:
    page.goto(f"{address}/simple-21")
    page.get_by_role("button", name="Deal").click()
    assert not page.get_by_role("button", name="Start over").is_visible()
    page.get_by_text("Start over").first.click()
    page.get_by_role("button", name="Start over").click()
    expect(page.get_by_text("Ready when you are.")).to_be_visible()


def test_by_keyboard_alone(page: Page, address: str) -> None:
    """Focus waits on the first move, so Enter plays on."""
    page.goto(f"{address}/simple-21")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Hit or stay?")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=New deal?")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, address: str, scheme: str) -> None:
    page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")

    def check() -> None:
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()

    for path in ("/", "/simple-21/rules", "/nowhere", "/simple-21"):
        page.goto(address + path)
        check()
    deal_own_deck(page)
    check()
    page.get_by_role("button", name="Stay").click()
    check()
    page.close()


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_nothing_scrolls_sideways(browser: Browser, address: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 700})
    page.goto(f"{address}/simple-21")
    page.get_by_text("Play your own deck").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_label("Deck file").set_input_files(DECK)
    page.get_by_role("button", name="Deal").click()
    page.get_by_role("button", name="Stay").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_ci_never_skips_the_browser() -> None:
    assert not os.environ.get("CI") or Path(CHROMIUM).exists()
