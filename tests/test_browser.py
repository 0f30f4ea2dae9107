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


def press(page: Page, button: str) -> None:
    """Press a button and wait for the page that answers."""
    with page.expect_navigation():
        page.get_by_role("button", name=button).click()


def deal_own_deck(page: Page) -> None:
    page.get_by_text("Play your own deck").click()
    page.get_by_label("Deck file").set_input_files(DECK)
    press(page, "Deal")


def test_two_rounds_with_the_sheets_deck(page: Page, address: str) -> None:
    """KS JH QS AH | QH 6D 5H TS …: 20 against 21, then 16 and a bust with 6C … (by hand)."""
    page.goto(address)
    page.get_by_role("link", name="Simple 21").click()
    deal_own_deck(page)
    assert cards(page, "Dealer") == ["jack of hearts", "face-down card"]
    assert cards(page, "You") == ["king of spades", "queen of spades"]
    expect(page.get_by_text("Hit or stay?")).to_be_visible()

    press(page, "Stay")
    # The dealer turns the ace (11), takes QH (21).
    assert cards(page, "Dealer") == ["jack of hearts", "ace of hearts", "queen of hearts"]
    expect(page.get_by_text("You 20, dealer 21: the dealer wins")).to_be_visible()

    press(page, "Deal")
    # Next are 6D 5H TS KC: you 6 and 10, the dealer 5 and face down.
    assert cards(page, "You") == ["six of diamonds", "ten of spades"]
    assert cards(page, "Dealer") == ["five of hearts", "face-down card"]
    press(page, "Hit")  # TH: 26
    assert cards(page, "You") == ["six of diamonds", "ten of spades", "ten of hearts"]
    assert cards(page, "Dealer") == ["five of hearts", "face-down card"]
    expect(page.get_by_text("You 26: bust, the dealer wins")).to_be_visible()


def test_back_and_reload_do_not_play_again(page: Page, address: str) -> None:
    page.goto(f"{address}/simple-21")
    deal_own_deck(page)
    page.reload()
    assert cards(page, "You") == ["king of spades", "queen of spades"]
    press(page, "Hit")
    page.reload()
    assert len(cards(page, "You")) == 3
    page.go_back()
    assert len(cards(page, "You")) == 3  # never a table that is no more


def test_an_old_tab_is_told_so(context: BrowserContext, page: Page, address: str) -> None:
    page.goto(f"{address}/simple-21")
    deal_own_deck(page)
    other = context.new_page()
    other.goto(f"{address}/simple-21")
    press(other, "Hit")
    press(page, "Hit")
    expect(page.get_by_role("alert")).to_contain_text("out of date")
    assert len(cards(page, "You")) == 3
    other.close()


def test_a_double_click_draws_one_card(page: Page, address: str) -> None:
    page.goto(f"{address}/simple-21")
    press(page, "Deal")
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
    press(page, "Deal")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("Cannot populate deck: invalid data in homework.txt")
    expect(alert).to_contain_text("line 2 has the suit 'Q'")


def test_starting_over_asks_first(page: Page, address: str) -> None:
    page.goto(f"{address}/simple-21")
    press(page, "Deal")
    assert not page.get_by_role("button", name="Start over").is_visible()
    page.get_by_text("Start over").first.click()
    press(page, "Start over")
    expect(page.get_by_text("Ready when you are.")).to_be_visible()


def test_by_keyboard_alone(page: Page, address: str) -> None:
    """Focus waits on the first move, so Enter plays on."""
    page.goto(f"{address}/simple-21")
    expect(page.get_by_role("button", name="Deal")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_selector("text=Hit or stay?")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=New deal?")


def test_blackjack_deals_in_the_middle_of_a_round_at_a_price(page: Page, address: str) -> None:
    page.goto(f"{address}/blackjack")
    expect(page.get_by_text("The dealer wins ties.")).to_be_visible()
    press(page, "Deal")
    assert cards(page, "Dealer")[0] == "face-down card"
    expect(page.get_by_text("Hit or stand?")).to_be_visible()
    expect(page.get_by_text("Dealing now loses this round: one point.")).to_be_visible()
    page.get_by_role("button", name="Deal").dblclick()
    expect(page.get_by_role("heading", name="Round 2")).to_be_visible()
    expect(page.get_by_role("definition").nth(1)).to_have_text("1")  # the dealer won
    page.wait_for_load_state()
    press(page, "Stand")
    expect(page.get_by_text("New deal?")).to_be_visible()
    assert "face-down card" not in cards(page, "Dealer")


def test_one_deck_ends_with_its_three_counts(page: Page, address: str) -> None:
    """At least four cards a round: thirteen rounds at most (S2-35)."""
    page.goto(f"{address}/one-deck")
    for _ in range(14):
        if page.get_by_role("button", name="Deal").count():
            press(page, "Deal")
        if page.get_by_role("button", name="Stand").count():
            press(page, "Stand")
        if page.get_by_text("The deck is finished").count():
            break
    expect(page.get_by_text("The deck is finished: you won")).to_be_visible()
    press(page, "Start over")
    expect(page.get_by_text("Ready when you are.")).to_be_visible()


def test_war_to_the_end_and_again(page: Page, address: str) -> None:
    page.goto(f"{address}/war")
    page.get_by_label("3 players").check()
    page.get_by_label("Names").fill("Amy, Brad, Carl")
    press(page, "Deal")
    press(page, "1 turn")
    expect(page.get_by_role("heading", name="The battle of turn 1")).to_be_visible()
    press(page, "10 turns")
    press(page, "To the end")
    expect(page.get_by_text("with all 52 cards after")).to_be_visible()
    expect(page.get_by_role("img", name="Cards in each hand")).to_be_visible()
    assert page.get_by_label("Names").input_value() == "Amy, Brad, Carl"
    press(page, "Deal")
    expect(page.get_by_text("games won: 1")).to_have_count(1)  # the tally goes on


def test_bingo_with_the_sheets_decks(page: Page, address: str) -> None:
    page.goto(f"{address}/bingo")
    decks = {"bingo_deck": "bingoDeck.txt", "calling_deck": "callingDeck_line_Awins.txt"}
    for field, name in decks.items():
        page.locator(f"details:has([name={field}]) > summary").click()
        page.locator(f"input[type=file][name={field}]").set_input_files(DECK.parent / name)
    press(page, "Deal")
    press(page, "5 cards")
    expect(page.get_by_text("Called so far: 5, 47 left")).to_be_visible()
    assert page.get_by_role("img", name="free centre, face down").count() == 2
    press(page, "until BINGO!")
    expect(page.get_by_text("BINGO! Player A has a line after 6 calls")).to_be_visible()
    assert page.locator(".winning").count() == 5


def test_the_coach_opens_and_goes(page: Page, address: str) -> None:
    page.goto(f"{address}/simple-21")
    press(page, "Deal")
    press(page, "What are my chances?")
    expect(page.get_by_text("The best play is to")).to_be_visible()
    press(page, "Send the coach away")
    expect(page.get_by_text("The best play is to")).to_have_count(0)


def every_state(page: Page, address: str) -> Iterator[str]:
    """Walk through every table, and stop at each of its states."""
    for path in ("/", "/nowhere", "/simple-21/rules", "/war/rules", "/lab"):
        page.goto(address + path)
        # Every page wears the style sheet: its body has no margin.
        assert page.evaluate("getComputedStyle(document.body).margin") == "0px", path
        yield path
    for slug, choose in (("simple-21", "Stay"), ("blackjack", "Stand"), ("one-deck", "Stand")):
        page.goto(f"{address}/{slug}")
        yield f"{slug} ready"
        page.get_by_text("Play your own deck").click()
        page.get_by_label("Deck file").set_input_files(DECK)
        press(page, "Deal")
        yield f"{slug} playing"
        if page.get_by_role("button", name="What are my chances?").count():
            press(page, "What are my chances?")
        yield f"{slug} with the coach"
        press(page, choose)
        yield f"{slug} round over"
    for slug, buttons in (("war", ("1 turn", "To the end")), ("bingo", ("5 cards", "until"))):
        page.goto(f"{address}/{slug}")
        yield f"{slug} ready"
        press(page, "Deal")
        yield f"{slug} playing"
        for button in buttons:
            press(page, button)
            yield f"{slug} {button}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, address: str, scheme: str) -> None:
    page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")
    for state in every_state(page, address):
        found = Axe().run(page)
        assert found.violations_count == 0, f"{state}: {found.generate_report()}"
    page.close()


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_nothing_scrolls_sideways(browser: Browser, address: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 700})
    for state in every_state(page, address):
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
    page.close()


def test_ci_never_skips_the_browser() -> None:
    assert not os.environ.get("CI") or Path(CHROMIUM).exists()
