"""The script's additions: moves on the same page, keys, and pages that work if the script fails."""

from functools import partial
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.browser.conftest import OpenPage
from tests.support.browser import ASKS, accessibility_faults, cards, deal_own_deck, press

# ---- The script's additions ----------------------------------------------------------------


def focused(page: Page) -> str:
    """Return the text of the focused element, without the hint about its key."""
    return str(
        page.evaluate(
            "(document.activeElement.firstChild?.textContent ?? '').trim() "
            "|| document.activeElement.tagName"
        )
    )


def test_a_move_stays_on_the_page(still_page: Page, site: str) -> None:
    """A move sets the focus, and does not load a document, change history or scroll.

    All events are announced in a single region. This region is never replaced.
    """
    page = still_page
    page.goto(f"{site}/simple-21")
    page.evaluate("window.same = true; window.said = document.querySelector('p[role=status]')")
    entries = page.evaluate("history.length")
    said = page.locator("body > p[role=status]")
    expect(said).to_have_text("")
    deal_own_deck(page)
    expect(said).to_have_text(
        "You have the king of spades and the queen of spades: 20. "
        "The dealer shows the jack of hearts."
    )
    expect(page.get_by_role("group", name="Hit or stay?")).to_be_focused()
    press(page, "Stay")
    expect(said).to_contain_text("You 20, dealer 21: the dealer wins")
    assert page.evaluate("window.said.isConnected")
    assert page.evaluate("[window.same, history.length, scrollY]") == [True, entries, 0]
    assert focused(page) == "Deal"
    assert page.title().startswith("You 20, dealer 21: the dealer wins ")


def test_the_end_of_a_deal_link_is_announced_and_has_the_focus(still_page: Page, site: str) -> None:
    """After the last move there is no button, so the result itself gets the focus."""
    page = still_page
    page.goto(f"{site}/deals?table=blackjack")
    page.get_by_role("button", name="Make the link").click()
    page.wait_for_url("**/deal/*/link")
    page.get_by_role("link", name="Play it yourself").click()
    press(page, "Deal")
    press(page, "Stand")
    verdict = page.locator("#verdict")
    expect(verdict).to_be_focused()
    first, _, _ = verdict.inner_text().partition(".")
    expect(page.locator("body > p[role=status]")).to_contain_text(first)


def test_an_open_log_stays_open(still_page: Page, site: str) -> None:
    page = still_page
    page.goto(f"{site}/simple-21")
    deal_own_deck(page)
    page.get_by_text("What happened").click()
    press(page, "Stay")
    expect(
        page.get_by_role("listitem").get_by_text("The dealer takes the queen of hearts: 21.")
    ).to_be_visible()


def test_an_error_is_shown_by_the_browser_itself(still_page: Page, site: str) -> None:
    page = still_page
    fetched: list[str] = []

    def hinder(fault: str, route: Route) -> None:
        if route.request.resource_type != "fetch":
            route.continue_()
            return
        fetched.append(route.request.method)
        if fault == "no page":
            route.fulfill(status=200, content_type="application/json", body="{}")
        else:
            route.fulfill(status=int(fault[-3:]), content_type="text/html", body="<main>no</main>")

    for fault in ("no page", "status 500", "status 403"):
        page.context.clear_cookies()
        page.goto(f"{site}/simple-21")
        page.route("**/simple-21", partial(hinder, fault))
        with page.expect_navigation():
            page.get_by_role("button", name="Deal").click()
        expect(page.get_by_text("Hit or stay?")).to_be_visible()
        page.unroute("**/simple-21")
    assert fetched == ["POST"] * 3


def test_while_an_answer_is_under_way_nothing_else_is_sent(still_page: Page, site: str) -> None:
    page = still_page
    page.goto(f"{site}/simple-21")
    held: list[Route] = []
    page.route("**/simple-21", lambda route: held.append(route))  # noqa: PLW0108 - the page needs a function
    page.get_by_role("button", name="Deal").click()
    expect(page.locator("main")).to_have_attribute("aria-busy", "true")
    page.get_by_role("button", name="Deal").click(force=True)
    page.keyboard.press("d")
    page.keyboard.press("Enter")
    assert len(held) == 1
    held[0].continue_()
    expect(page.get_by_text("Hit or stay?")).to_be_visible()
    assert len(held) == 1


def test_the_second_half_of_a_double_click_is_no_move(still_page: Page, site: str) -> None:
    """Hit appears at the position of Deal, so a double click on Deal must not draw a card."""
    page = still_page
    page.goto(f"{site}/one-deck")
    page.evaluate(
        """() => {
        let first = 0; // the hand is quick, however late the answer
        addEventListener("submit", (event) => { first = event.timeStamp; }, true);
        new MutationObserver((_, watch) => {
        watch.disconnect();
        const second = new MouseEvent("click", {bubbles: true, cancelable: true, detail: 2});
        Object.defineProperty(second, "timeStamp", {value: first + 200});
        setTimeout(() => document.querySelector(".hit button").dispatchEvent(second), 20);
        }).observe(document.body, {childList: true}); }"""
    )
    press(page, "Deal")
    expect(page.get_by_text("Hit or stand?")).to_be_visible()
    page.wait_for_timeout(200)
    page.reload()
    assert len(cards(page, "You")) == 2


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_reduced_motion_stops_all_motion(
    open_page: OpenPage, site: str, motion: Literal["reduce", "no-preference"]
) -> None:
    page = open_page(reduced_motion=motion)
    page.add_init_script(
        "window.transitions = 0; const start = document.startViewTransition?.bind(document);"
        "document.startViewTransition = swap => { window.transitions++; return start(swap); }"
    )
    moves = motion != "reduce"
    for slug in ASKS:
        page.goto(f"{site}/{slug}")
        press(page, "Deal")
        assert page.evaluate("window.transitions") == moves, slug
        names = page.locator(".hand .card").evaluate_all(
            "all => all.map(one => getComputedStyle(one).viewTransitionName)"
        )
        dealer = ["hole", "dealer-2"] if slug == "blackjack" else ["dealer-1", "hole"]
        four = [*dealer, "you-1", "you-2"] if moves else ["none"] * 4
        assert names == (four if slug not in ("war", "bingo") else []), slug


# ---- Keys ----------------------------------------------------------------------------------


def test_keys_play(still_page: Page, site: str) -> None:
    page = still_page
    page.goto(f"{site}/simple-21")
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
        expect(page.get_by_text("Deal again?")).to_be_visible()


def test_the_new_key_only_asks(still_page: Page, site: str) -> None:
    page = still_page
    page.goto(f"{site}/simple-21")
    deal_own_deck(page)
    page.keyboard.press("n")
    expect(page.get_by_text("This discards the game in progress")).to_be_visible()
    assert focused(page) == "Start over"
    assert len(cards(page, "You")) == 2
    page.keyboard.press("n")
    page.keyboard.press("n")
    assert len(cards(page, "You")) == 2
    page.keyboard.press("Enter")
    expect(page.get_by_text("Ready when you are.")).to_be_visible()


def test_keys_at_war_and_bingo(still_page: Page, site: str) -> None:
    page = still_page
    page.goto(f"{site}/war")
    page.get_by_label("You", exact=True).fill("")
    page.keyboard.type("Dana, Ted")  # Letters typed into a field do not act as keys.
    expect(page.get_by_label("You", exact=True)).to_have_value("Dana, Ted")
    page.get_by_label("2 players").focus()
    page.keyboard.press("d")
    expect(page.get_by_text("How far?")).to_be_visible()
    page.keyboard.press("t")
    expect(page.get_by_role("heading", name="The battle of turn 1")).to_be_visible()
    page.goto(f"{site}/bingo")
    page.keyboard.press("d")
    expect(page.get_by_role("heading", name="No cards called yet")).to_be_visible()
    page.keyboard.press("c")
    expect(page.get_by_text("Called so far: 1, 51 left")).to_be_visible()


def test_a_question_mark_shows_the_keys(still_page: Page, site: str) -> None:
    page = still_page
    page.goto(f"{site}/simple-21")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="The keys")
    expect(dialog).to_contain_text("Stay / Stand")
    assert accessibility_faults(page) == []
    page.keyboard.press("d")  # the key has no effect while the dialog is open
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("Ready when you are.")).to_be_visible()


# ---- One request per move ------------------------------------------------------------------


def sent_requests(page: Page) -> list[str]:
    """Return a list to which each request of a page adds its method and its path."""
    sent: list[str] = []
    kinds = ("document", "fetch")

    def note(request: Request) -> None:
        if request.resource_type in kinds:
            sent.append(f"{request.method} {urlsplit(request.url).path}")

    page.on("request", note)
    return sent


def test_a_move_is_one_request(still_page: Page, site: str) -> None:
    page = still_page
    page.goto(f"{site}/simple-21")
    sent = sent_requests(page)
    for name in ("Deal", "Stay"):
        press(page, name)
    expect(page.get_by_text("Deal again?")).to_be_visible()
    assert sent == ["POST /simple-21"] * 2


def test_expired_session_shows_a_fresh_table(still_page: Page, site: str) -> None:
    page = still_page
    page.goto(f"{site}/simple-21")
    deal_own_deck(page)
    page.context.clear_cookies()
    page.get_by_role("button", name="Stay").click()
    expect(page.get_by_role("alert")).to_contain_text("sent no cookie")
    expect(page.get_by_role("button", name="Deal")).to_be_visible()


AGAIN = "The server does not answer. Nothing is lost. Click the button again."
QUICKLY = (
    "const set = setTimeout; window.setTimeout = (act, ms) => set(act, ms === 10000 ? 400 : ms);"
)
"""Reduces the scripts' response timeout from 10 s to 0.4 s."""


def test_a_move_without_network_keeps_the_page(still_page: Page, site: str) -> None:
    """The same button sends the move again when the network is back."""
    page = still_page
    page.goto(f"{site}/simple-21")
    deal_own_deck(page)
    page.context.set_offline(True)
    bar = page.locator("#status")
    for _ in range(2):
        page.get_by_role("button", name="Hit").click()
        expect(bar).to_have_text(AGAIN)
        assert bar.evaluate("bar => bar.getBoundingClientRect().top") == 0
        expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")
        assert page.url == f"{site}/simple-21"
        assert len(cards(page, "You")) == 2
    page.context.set_offline(False)
    press(page, "Hit")
    expect(bar).not_to_contain_text("does not answer")
    page.reload()
    assert len(cards(page, "You")) == 3


@pytest.mark.parametrize("lost", ["request", "answer"])
def test_a_move_is_sent_again_and_played_once(still_page: Page, site: str, lost: str) -> None:
    """A relay drops the request or the response. The browser stops waiting after a timeout."""
    page, held = still_page, list[Route]()
    page.add_init_script(QUICKLY)
    page.goto(f"{site}/simple-21")

    def swallow(route: Route) -> None:
        if lost == "answer":
            route.fetch()
        held.append(route)

    page.route("**/simple-21", swallow, times=1)
    page.get_by_role("button", name="Deal").click()
    expect(page.locator("#status")).to_have_text(AGAIN)
    page.get_by_role("button", name="Deal").click()
    expect(page.get_by_text("Hit or stay?")).to_be_visible()
    # The move is reported as out of date, because it was played before.
    assert page.get_by_role("alert").count() == (lost == "answer")
    assert len(held) == 1
    assert len(cards(page, "You")) == 2
    assert page.locator("input[name=step]").first.input_value() == "1"


def test_a_slow_answer_shows_on_the_button(still_page: Page, site: str) -> None:
    page, held = still_page, list[Route]()
    page.goto(f"{site}/simple-21")
    page.route("**/simple-21", lambda route: held.append(route))  # noqa: PLW0108 - the page needs a function
    deal = page.get_by_role("button", name="Deal")
    deal.click()
    expect(deal).to_have_attribute("aria-busy", "true")
    assert deal.evaluate("button => getComputedStyle(button).opacity") == "0.55"
    held[0].continue_()
    expect(page.get_by_text("Hit or stay?")).to_be_visible()
    expect(page.locator("[aria-busy]")).to_have_count(0)


def test_form_that_the_browser_sends_is_busy_and_sent_once(still_page: Page, site: str) -> None:
    """The sent form contains the value of its button, which is the language."""
    page, sent = still_page, list[str | None]()
    page.goto(f"{site}/practise")

    def swallow(route: Route) -> None:
        sent.append(route.request.post_data)
        route.fulfill(status=204)  # The page does not change, as if no response had come yet.

    page.route("**/language", swallow)
    button = page.get_by_role("button", name="Deutsch")
    button.click()
    expect(button).to_have_attribute("aria-busy", "true")
    expect(button).to_have_attribute("aria-disabled", "true")
    button.click(force=True)
    assert sent == ["to=%2Fpractise&language=de"]
    page.unroute("**/language")


def test_form_redirect_is_followed(still_page: Page, site: str) -> None:
    """The coach can be switched on at the player's table or on the page of another table."""
    page = still_page
    page.goto(f"{site}/deals?table=war")
    page.get_by_role("button", name="Make the link").click()
    page.wait_for_url("**/deal/*/link")
    page.goto(f"{site}/simple-21")
    page.evaluate(
        "() => { const ask = document.querySelector('form.ask');"
        " ask.elements.table.value = 'one-deck'; ask.querySelector('button').click(); }"
    )
    page.wait_for_url("**/one-deck")
    expect(page.get_by_role("heading", level=1)).to_contain_text("One")


def test_keys_play_on_after_a_card_was_covered(still_page: Page, site: str) -> None:
    """The focus is on a checkbox, into which a letter cannot be typed."""
    still_page.goto(f"{site}/bingo")
    press(still_page, "Deal")
    step = still_page.locator("input[name=step]").first.input_value()
    still_page.locator(".yours input[type=checkbox]").first.check(force=True)
    still_page.keyboard.press("c")
    expect(still_page.locator("input[name=step]").first).not_to_have_value(step)
