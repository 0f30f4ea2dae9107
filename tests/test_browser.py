"""A real browser at a served table: Debian's Chromium, with and without JavaScript."""

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from cardgames.cards import FULL_DECK
from tests.conftest import CHROMIUM
from tools.benchmarks.serving import Server

pytestmark = pytest.mark.xdist_group("browser")
DECK = Path(__file__).parent / "decks" / "shuffledDeck.txt"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with Server(tmp_path_factory.mktemp("browser")) as server:
        yield f"http://127.0.0.1:{server.port}"


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


def scripted(page: Page) -> bool:
    """Say whether our script runs on the page: it adds a region for what is announced."""
    return page.locator("body > p[role=status]").count() == 1


def press(page: Page, button: str) -> None:
    """Press a button and wait for the page that answers, or for its content."""
    element = page.get_by_role("button", name=button)
    if not scripted(page):
        with page.expect_navigation():
            element.click()
        return
    old = page.locator("main").element_handle()
    element.click()
    page.wait_for_function(
        "old => !old.isConnected && !document.querySelector('[aria-busy]')", arg=old
    )


def deal_own_deck(page: Page) -> None:
    page.get_by_text("Play your own deck").click()
    page.get_by_label("Deck file").set_input_files(DECK)
    press(page, "Deal")


def test_two_rounds_with_the_sheets_deck(page: Page, address: str) -> None:
    """KS JH QS AH | QH 6D 5H TS …: 20 against 21, then 16 and a bust with 6C … (by hand)."""
    main = page.locator("main")
    page.goto(address)
    page.get_by_role("link", name="Simple 21").click()
    deal_own_deck(page)
    assert cards(page, "Dealer") == ["jack of hearts", "face-down card"]
    assert cards(page, "You") == ["king of spades", "queen of spades"]
    expect(page.get_by_text("Hit or stay?")).to_be_visible()

    press(page, "Stay")
    # The dealer turns the ace (11), takes QH (21).
    assert cards(page, "Dealer") == ["jack of hearts", "ace of hearts", "queen of hearts"]
    expect(main.get_by_text("You 20, dealer 21: the dealer wins")).to_be_visible()

    press(page, "Deal")
    # Next are 6D 5H TS KC: you 6 and 10, the dealer 5 and face down.
    assert cards(page, "You") == ["six of diamonds", "ten of spades"]
    assert cards(page, "Dealer") == ["five of hearts", "face-down card"]
    press(page, "Hit")  # TH: 26
    assert cards(page, "You") == ["six of diamonds", "ten of spades", "ten of hearts"]
    assert cards(page, "Dealer") == ["five of hearts", "face-down card"]
    expect(main.get_by_text("You 26: bust, the dealer wins")).to_be_visible()


def test_back_and_reload_do_not_play_again(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("link", name="Simple 21").click()
    deal_own_deck(page)
    page.reload()
    assert cards(page, "You") == ["king of spades", "queen of spades"]
    press(page, "Hit")
    page.reload()
    assert len(cards(page, "You")) == 3
    page.go_back()
    while page.url == f"{address}/simple-21":
        assert len(cards(page, "You")) == 3  # never a table that is no more
        page.go_back()
    expect(page.get_by_role("heading", name="Choose a table")).to_be_visible()
    page.go_forward()
    assert len(cards(page, "You")) == 3


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


ASKS = {
    "simple-21": "Hit or stay?",
    "blackjack": "Hit or stand?",
    "one-deck": "Hit or stand?",
    "war": "How far?",
    "bingo": "Call how many cards?",
}
"""What each table asks once cards are dealt."""


@pytest.mark.parametrize("slug", ASKS)
def test_by_keyboard_alone(page: Page, address: str, slug: str) -> None:
    """Focus waits on the first move, so Enter deals and Enter plays on."""
    page.goto(f"{address}/{slug}")
    expect(page.get_by_role("button", name="Deal")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_selector(f"text={ASKS[slug]}")
    first = page.locator(".moves button").first
    expect(first).to_be_focused()
    step = page.locator("[name=step]").first.get_attribute("value")
    page.keyboard.press("Enter")
    expect(page.locator(f"[name=step][value='{step}']")).to_have_count(0)
    expect(page.locator(".moves button").first).to_be_focused()
    page.keyboard.press("Tab")  # and from there on to the next thing, not to the page's beginning
    expect(page.locator(".skip, .home")).to_have_count(2)
    assert page.locator(".skip:focus, .home:focus").count() == 0


def test_tab_leads_to_the_second_move(page: Page, address: str) -> None:
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
    expect(page.locator("main").get_by_text("with all 52 cards after")).to_be_visible()
    expect(page.get_by_role("img", name="Cards in each hand")).to_be_visible()
    assert page.get_by_label("Names").input_value() == "Amy, Brad, Carl"
    press(page, "Deal")
    expect(page.locator("main").get_by_text("games won: 1")).to_have_count(1)  # the tally goes on


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
    expect(page.locator("main")).to_contain_text("BINGO! Player A has a line after 6 calls")
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
    for path in ("/", "/nowhere", "/simple-21/rules", "/war/rules", "/lab", "/look"):
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
        page.goto(f"{address}/{slug}/odds")
        yield f"{slug} odds"
        page.goto(f"{address}/{slug}")
        press(page, choose)
        yield f"{slug} round over"
        for path in ("seals", "history", "history/1"):
            page.goto(f"{address}/{slug}/{path}")
            yield f"{slug} {path}"
        page.get_by_role("link", name="Forward").click()
        page.wait_for_url("**step=2")
        yield f"{slug} replayed"
    # Blackjack's decks are done with when the round is over, so this one can be played on.
    page.goto(f"{address}/blackjack/history/1")
    page.get_by_role("link", name="What if?").click()
    page.wait_for_url("**/what-if/**")
    yield "what if"
    for slug, buttons in (("war", ("1 turn", "To the end")), ("bingo", ("5 cards", "until"))):
        page.goto(f"{address}/{slug}")
        yield f"{slug} ready"
        page.locator("summary", has_text="own").first.click()
        page.locator("textarea").first.fill("KS\nKS")
        press(page, "Deal")
        expect(page.get_by_role("alert")).to_contain_text("line 2 is the card of line 1 again")
        yield f"{slug} refused"
        page.locator("textarea").first.fill("")
        press(page, "Deal")
        yield f"{slug} playing"
        for button in buttons:
            press(page, button)
            yield f"{slug} {button}"
        for path in ("seals", "history", "history/1?step=2"):
            page.goto(f"{address}/{slug}/{path}")
            yield f"{slug} {path}"


@pytest.mark.parametrize("forced", ["none", "active"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    browser: Browser,
    address: str,
    scheme: Literal["light", "dark"],
    forced: Literal["none", "active"],
) -> None:
    page = browser.new_page(color_scheme=scheme, forced_colors=forced)
    for state in every_state(page, address):
        found = Axe().run(page)
        assert found.violations_count == 0, f"{state}: {found.generate_report()}"
    page.close()


TOO_LOW = """() => [...document.querySelectorAll("button, summary, a, label:has(input), [rows]")]
    .filter(e => e.checkVisibility())
    .filter(e => !e.closest("p, dd, dt, h2, li:not(:has(.seat)), .skip"))
    .filter(e => e.getBoundingClientRect().height < 43.9)
    .map(e => e.outerHTML)"""
"""Whatever is pressed and is no 44 pixels high; links within a text are excepted, as in WCAG."""


@pytest.mark.parametrize(("width", "text"), [(320, 100), (360, 100), (640, 200), (1280, 100)])
def test_everything_fits_and_can_be_pressed(
    browser: Browser, address: str, width: int, text: int
) -> None:
    """No sideways scrolling, with the text twice as large either, and targets of 44 pixels."""
    page = browser.new_page(viewport={"width": width, "height": 700})
    for state in every_state(page, address):
        page.evaluate("size => document.documentElement.style.fontSize = size", f"{text}%")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state
        assert page.evaluate(TOO_LOW) == [], state
    page.close()


# ---- What the script adds ------------------------------------------------------------------


@pytest.fixture
def scripted_page(browser: Browser) -> Iterator[Page]:
    """A page of 1280 by 720 without motion, so that what is measured stands still."""
    page = browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    yield page
    page.close()


def focused(page: Page) -> str:
    """Return the text of the element that has the focus, without the hint of its key."""
    return str(
        page.evaluate(
            "(document.activeElement.firstChild?.textContent ?? '').trim() "
            "|| document.activeElement.tagName"
        )
    )


def test_a_move_stays_on_the_page(scripted_page: Page, address: str) -> None:
    """No new document, no entry in the history, no jump, and the focus where play goes on."""
    page = scripted_page
    page.goto(f"{address}/simple-21")
    page.evaluate("window.same = true")
    entries = page.evaluate("history.length")
    deal_own_deck(page)
    assert focused(page) == "Hit"
    page.mouse.wheel(0, 60)
    page.wait_for_timeout(100)
    before = page.evaluate("scrollY")
    press(page, "Stay")
    assert page.evaluate("[window.same, history.length, scrollY]") == [True, entries, before]
    assert focused(page) == "Deal"
    assert page.title().startswith("You 20, dealer 21: the dealer wins ")
    expect(page.get_by_text("Dealer wins round 1!").first).to_be_visible()


def test_what_has_happened_is_announced(scripted_page: Page, address: str) -> None:
    page = scripted_page
    page.goto(f"{address}/simple-21")
    said = page.locator("body > p[role=status]")
    expect(said).to_have_text("")
    region = said.element_handle()
    deal_own_deck(page)
    expect(said).to_have_text(
        "You total 20 king of spades, queen of spades. "
        "Dealer total unknown jack of hearts, face-down card."
    )
    press(page, "Stay")
    expect(said).to_contain_text("You 20, dealer 21: the dealer wins")
    assert region
    assert region.evaluate("e => e.isConnected")  # one region, never replaced


def test_the_end_of_a_deal_link_is_announced_and_has_the_focus(
    scripted_page: Page, address: str
) -> None:
    """Nothing is left to press there, so the result itself takes the focus."""
    page = scripted_page
    page.goto(f"{address}/deals?table=blackjack")
    page.get_by_role("button", name="Make the link").click()
    page.wait_for_url("**/deal/*")
    press(page, "Deal")
    press(page, "Stand")
    verdict = page.locator("#verdict")
    expect(verdict).to_be_focused()
    first, _, _ = verdict.inner_text().partition(".")
    expect(page.locator("body > p[role=status]")).to_contain_text(first)


def test_an_open_log_stays_open(scripted_page: Page, address: str) -> None:
    page = scripted_page
    page.goto(f"{address}/simple-21")
    deal_own_deck(page)
    page.get_by_text("What happened").click()
    press(page, "Stay")
    expect(page.get_by_role("listitem").get_by_text("Dealer has a natural 21!")).to_be_visible()


@pytest.mark.parametrize("fault", ["no network", "no page", "status 500", "status 403"])
def test_what_fails_is_sent_as_a_plain_form(scripted_page: Page, address: str, fault: str) -> None:
    page = scripted_page
    page.goto(f"{address}/simple-21")
    fetched: list[str] = []

    def hinder(route: Route) -> None:
        if route.request.resource_type != "fetch":
            route.continue_()
            return
        fetched.append(route.request.method)
        if fault == "no network":
            route.abort()
        elif fault == "no page":
            route.fulfill(status=200, content_type="application/json", body="{}")
        else:
            route.fulfill(status=int(fault[-3:]), content_type="text/html", body="<main>no</main>")

    page.route("**/simple-21", hinder)
    with page.expect_navigation():
        page.get_by_role("button", name="Deal").click()
    expect(page.get_by_text("Hit or stay?")).to_be_visible()
    assert fetched == ["POST"]


def test_while_an_answer_is_under_way_nothing_else_is_sent(
    scripted_page: Page, address: str
) -> None:
    page = scripted_page
    page.goto(f"{address}/simple-21")
    held: list[Route] = []
    page.route("**/simple-21", lambda route: held.append(route))  # noqa: PLW0108 - a function
    page.get_by_role("button", name="Deal").click()
    expect(page.locator("main")).to_have_attribute("aria-busy", "true")
    page.get_by_role("button", name="Deal").click()
    page.keyboard.press("d")
    page.keyboard.press("Enter")
    assert len(held) == 1
    held[0].continue_()
    expect(page.get_by_text("Hit or stay?")).to_be_visible()
    assert len(held) == 1


def test_the_second_half_of_a_double_click_is_no_move(scripted_page: Page, address: str) -> None:
    """Hit stands where Deal stood: a double click on Deal must not take a card."""
    page = scripted_page
    page.goto(f"{address}/one-deck")
    page.evaluate(
        """() => new MutationObserver((_, watch) => {
        watch.disconnect();
        const second = new MouseEvent("click", {bubbles: true, cancelable: true, detail: 2});
        setTimeout(() => document.querySelector(".hit button").dispatchEvent(second), 20);
        }).observe(document.body, {childList: true})"""
    )
    press(page, "Deal")
    expect(page.get_by_text("Hit or stand?")).to_be_visible()
    page.wait_for_timeout(200)
    page.reload()
    assert len(cards(page, "You")) == 2


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_moves_where_no_motion_is_wanted(
    browser: Browser, address: str, motion: Literal["reduce", "no-preference"]
) -> None:
    context = browser.new_context(reduced_motion=motion)
    page = context.new_page()
    page.add_init_script(
        "window.transitions = 0; const start = document.startViewTransition?.bind(document);"
        "document.startViewTransition = swap => { window.transitions++; return start(swap); }"
    )
    moves = motion != "reduce"
    for slug in ASKS:
        page.goto(f"{address}/{slug}")
        press(page, "Deal")
        assert page.evaluate("window.transitions") == moves, slug
        names = page.locator(".hand li").evaluate_all(
            "all => all.map(one => getComputedStyle(one).viewTransitionName)"
        )
        four = ["dealer-1", "dealer-2", "you-1", "you-2"] if moves else ["none"] * 4
        assert names == (four if slug not in ("war", "bingo") else []), slug
    context.close()


# ---- Keys ----------------------------------------------------------------------------------


def test_keys_play(scripted_page: Page, address: str) -> None:
    page = scripted_page
    page.goto(f"{address}/simple-21")
    expect(page.get_by_role("button", name="Deal")).to_have_attribute("aria-keyshortcuts", "D")
    page.keyboard.press("d")
    expect(page.get_by_text("Hit or stay?")).to_be_visible()
    page.keyboard.press("Control+s")
    page.keyboard.press("Alt+h")
    page.keyboard.press("Shift+H")
    assert len(cards(page, "You")) == 2
    page.keyboard.press("h")
    expect(page.get_by_role("region", name="You").get_by_role("img")).to_have_count(3)
    if page.get_by_text("Hit or stay?").count():
        page.keyboard.press("s")
        expect(page.get_by_text("New deal?")).to_be_visible()


def test_the_new_key_only_asks(scripted_page: Page, address: str) -> None:
    page = scripted_page
    page.goto(f"{address}/simple-21")
    deal_own_deck(page)
    page.keyboard.press("n")
    expect(page.get_by_text("This throws away the game in progress")).to_be_visible()
    assert focused(page) == "Start over"
    assert len(cards(page, "You")) == 2
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert len(cards(page, "You")) == 2
    page.keyboard.press("Enter")
    expect(page.get_by_text("Ready when you are.")).to_be_visible()


def test_keys_at_war_and_bingo(scripted_page: Page, address: str) -> None:
    page = scripted_page
    page.goto(f"{address}/war")
    page.get_by_label("Names").fill("")
    page.keyboard.type("Dana, Ted")  # letters in a field are letters
    expect(page.get_by_label("Names")).to_have_value("Dana, Ted")
    page.get_by_label("2 players").focus()
    page.keyboard.press("d")
    expect(page.get_by_text("How far?")).to_be_visible()
    page.keyboard.press("t")
    expect(page.get_by_role("heading", name="The battle of turn 1")).to_be_visible()
    page.goto(f"{address}/bingo")
    page.keyboard.press("d")
    expect(page.get_by_role("heading", name="Nothing called yet")).to_be_visible()
    page.keyboard.press("c")
    expect(page.get_by_text("Called so far: 1, 51 left")).to_be_visible()


def test_a_question_mark_shows_the_keys(scripted_page: Page, address: str) -> None:
    page = scripted_page
    page.goto(f"{address}/simple-21")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="The keys")
    expect(dialog).to_contain_text("Stay or stand")
    assert Axe().run(page).violations_count == 0
    page.keyboard.press("d")  # not while the dialog is open
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("Ready when you are.")).to_be_visible()


def test_keys_can_be_switched_off(scripted_page: Page, address: str) -> None:
    page = scripted_page
    page.goto(f"{address}/simple-21")
    page.get_by_role("link", name="Settings and keys").click()
    page.get_by_role("group", name="Single letters as keys").get_by_label("Off").check()
    page.get_by_role("button", name="Keep this").click()
    expect(page.get_by_role("heading", name="Simple 21")).to_be_visible()  # back at the table
    assert page.locator("kbd").count() == 0
    for key in "dn?":
        page.keyboard.press(key)
    page.wait_for_timeout(200)
    expect(page.get_by_text("Ready when you are.")).to_be_visible()
    assert page.locator("dialog").count() == 0
    press(page, "Deal")  # the rest of the script goes on


# ---- On a phone, in the dark, with colours of the system's own ------------------------------


def test_the_moves_are_at_the_foot_of_a_phone_in_every_phase(
    browser: Browser, address: str
) -> None:
    """Always in the same place, 44 pixels high or more, and nothing focused hides behind them."""
    page = browser.new_page(viewport={"width": 360, "height": 740}, reduced_motion="reduce")
    page.goto(f"{address}/simple-21")
    places = []
    for button in ("Deal", "Stay", "Deal", "Stay"):
        box = page.locator(".moves button.primary").bounding_box()
        assert box
        places.append((box["x"], box["y"] + box["height"]))
        press(page, button)
    assert len(set(places)) == 1
    assert 680 < places[0][1] <= 740
    page.close()


def test_focus_is_never_hidden_behind_the_moves(browser: Browser, address: str) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 640}, reduced_motion="reduce")
    for state in every_state(page, address):
        page.evaluate("scrollTo(0, 0); document.activeElement?.blur()")
        for _ in range(80):
            page.keyboard.press("Tab")
            hidden = page.evaluate(
                """() => {
                const e = document.activeElement, bar = document.querySelector(".play");
                if (e === document.body) return "end";
                if (!bar || bar.contains(e)) return "";
                const a = e.getBoundingClientRect(), b = bar.getBoundingClientRect();
                return a.top >= b.top && a.bottom <= b.bottom ? e.outerHTML : "";
                }"""
            )
            if hidden == "end":
                break
            assert not hidden, state
    page.close()


ELEVEN = "AC 9S AD 8S AH AS 2C 2D 2H 2S 3C 3D 3H"
"""Two cards each in turn, and nine hits: eleven cards that make 21."""


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_eleven_cards_fit_in_a_row_with_their_indices_free(
    browser: Browser, address: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 700}, reduced_motion="reduce")
    page.goto(f"{address}/simple-21")
    first = ELEVEN.split()
    page.get_by_text("Play your own deck").click()
    rest = [card for card in FULL_DECK if card not in first]
    page.locator("textarea").fill("\n".join([*first, *rest]))
    press(page, "Deal")
    for _ in range(9):
        press(page, "Hit")
    boxes = (
        page.get_by_role("region", name="You")
        .get_by_role("img")
        .evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")
    )
    assert len(boxes) == 11
    assert len({box["top"] for box in boxes}) == 1
    for left, right in pairwise(boxes):
        assert right["left"] - left["left"] >= 0.26 * left["width"]  # the index is 65 of 250 wide
    assert boxes[-1]["right"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_the_readers_own_theme_and_suits(browser: Browser, address: str) -> None:
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(f"{address}/simple-21")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("link", name="Settings and keys").click()
    page.get_by_label("Dark").check()
    page.get_by_label("Four colours").check()
    page.get_by_role("button", name="Keep this").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    press(page, "Deal")
    pictures = page.locator(".hand img[src*='#four']")
    assert pictures.count() == 3  # all but the one that lies face down
    context.close()


@pytest.mark.parametrize(("suit", "colour"), [("D", (26, 79, 180)), ("C", (11, 107, 58))])
def test_a_served_picture_shows_the_fourth_colour(
    browser: Browser, address: str, suit: str, colour: tuple[int, int, int]
) -> None:
    """Drawn on a canvas of the page itself: the policy of the site lets the picture's rule be."""
    page = browser.new_page()
    page.goto(f"{address}/simple-21")
    static = page.locator("link[rel=stylesheet]").get_attribute("href")
    assert static
    source = static.replace("site.css", f"cards/A{suit}.svg#four")
    pixel = page.evaluate(
        """async source => {
        const image = new Image(250, 350);
        image.src = source;
        await image.decode();
        const canvas = Object.assign(document.createElement("canvas"), {width: 250, height: 350});
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0, 250, 350);
        return [...context.getImageData(125, 165, 1, 1).data];
        }""",
        source,
    )
    assert tuple(pixel[:3]) == colour
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours_keep_everything_visible(
    browser: Browser, address: str, scheme: Literal["light", "dark"]
) -> None:
    """Backgrounds are gone there: felt, badges and banner need borders, lines the system's ink."""
    page = browser.new_page(forced_colors="active", color_scheme=scheme)
    page.goto(f"{address}/simple-21")
    deal_own_deck(page)
    press(page, "Stay")
    canvas = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for selector in (".felt", ".total", ".verdict", ".counts div", ".moves button"):
        style = page.locator(selector).first.evaluate(
            "e => { const s = getComputedStyle(e); return [s.borderTopWidth, s.borderTopColor] }"
        )
        assert float(style[0].removesuffix("px")) >= 1, selector
        assert style[1] != canvas, selector
    for picture in page.locator(".hand img").all():
        assert picture.evaluate("e => e.naturalWidth > 0 && e.checkVisibility()")
    for line in page.locator(".course path").all():
        assert line.evaluate("e => getComputedStyle(e).stroke") != canvas
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineColor")
    assert outline != canvas
    page.close()


def test_ci_never_skips_the_browser() -> None:
    assert not os.environ.get("CI") or Path(CHROMIUM).exists()
