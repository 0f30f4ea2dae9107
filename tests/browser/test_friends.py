"""Two friends at a Bingo deal link, each in a separate browser."""

import time
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import OpenPage
from tests.support.bingo import has_bingo
from tests.support.browser import accessibility_faults, box_of
from tests.support.serving import Server

CUT_SECONDS = 10


def wait_for_friend(page: Page, site: str, caller: str) -> str:
    """Create a deal link to a fast round, wait at the link, and return the link."""
    page.goto(f"{site}/deals?table=bingo")
    page.get_by_label("Every card of its rank").check()
    page.get_by_role("button", name="Make the link").click()
    page.get_by_label(caller).check()
    page.get_by_role("button", name="Wait for a friend").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Waiting for your friend")
    return page.get_by_role("textbox", name="The address").input_value()


def join(page: Page, link: str) -> None:
    """Open a link and take Rosa's card."""
    page.goto(link)
    page.get_by_role("button", name="Take Rosa's card").click()
    expect(page.get_by_role("table", name="Your card")).to_be_visible()


def json_of(page: Page) -> dict[str, Any]:
    """Return the JSON of a match, as its player sees the match."""
    address = page.url.partition("?")[0]
    answer = page.request.get(address, headers={"Accept": "application/json"}, max_retries=3)
    document: dict[str, Any] = answer.json()
    return document


def has_won(page: Page) -> bool:
    """Return whether a player's card has BINGO! by the sheet's rules."""
    match = json_of(page)
    return has_bingo(match["card"]["cards"], match["called"], "L", speed=True)


def round_shown(page: Page, number: int) -> None:
    expect(page.locator(".score-line")).to_contain_text(f"Round {number}")
    page.wait_for_load_state()


def call_shown(page: Page, number: int) -> None:
    expect(page.locator(".which").first).to_contain_text(f"Call {number}")


def wait_for_call(page: Page, number: int) -> None:
    """Wait until the clock has called the given number of cards."""
    expect(page.locator("main")).to_have_attribute("data-call", f"1.{number}")


def say_bingo(page: Page) -> None:
    page.get_by_role("button", name="BINGO!").click()
    expect(page.locator(".won-head")).to_contain_text("BINGO!")


def test_two_rounds_of_two(open_page: OpenPage, site: str) -> None:
    """The host calls, and the guest has a small phone.

    Both players cover cards, and either of them can deal again.
    """
    host = open_page(viewport={"width": 1280, "height": 800})
    guest = open_page(viewport={"width": 320, "height": 640}, has_touch=True)
    link = wait_for_friend(host, site, "When I click the button")
    join(guest, link)
    for number, winner in enumerate((host, guest), 1):
        for page in (host, guest):
            round_shown(page, number)
        calls = 0
        while not has_won(winner):
            host.get_by_role("button", name="Call").click()
            calls += 1
            call_shown(host, calls)
        call_shown(guest, calls)
        guest.locator("#place-3 button").tap()
        expect(guest.locator("#place-3 button")).to_have_attribute("aria-pressed", "true")
        say_bingo(winner)
        loser = guest if winner is host else host
        expect(loser.locator(".word")).to_contain_text("Your friend has BINGO!")
        loser.locator("summary", has_text="Your friend's card").click()
        winning = loser.get_by_role("table", name="Your friend's card").locator(".win")
        expect(winning.first).to_be_visible()
        if number == 1:
            assert [accessibility_faults(page) for page in (host, guest)] == [[], []]
        loser.get_by_role("button", name="Play again").click()
    round_shown(host, 3)
    expect(guest.locator(".score-line")).to_contain_text("You 1 · Friend 1")
    assert guest.evaluate("document.documentElement.scrollWidth") <= 320
    assert box_of(guest.locator("#place-3 button"))["width"] >= 44
    guest.get_by_role("button", name="Leave").click()
    expect(host.locator(".word")).to_have_text("Your friend has left.")


@pytest.mark.slow
def test_round_without_a_script(open_page: OpenPage, site: str) -> None:
    """Pages refresh themselves, and every button is a form."""
    host = open_page(java_script_enabled=False)
    guest = open_page(java_script_enabled=False)
    link = wait_for_friend(host, site, "When I click the button")
    expect(host.locator("noscript meta[http-equiv=refresh]")).to_have_count(1)
    join(guest, link)
    round_shown(host, 1)
    calls = 0
    while not has_won(guest):
        host.get_by_role("button", name="Call").click()
        calls += 1
        call_shown(host, calls)
    call_shown(guest, calls)
    say_bingo(guest)
    expect(host.locator(".word")).to_contain_text("Your friend has BINGO!")
    guest.get_by_role("button", name="Play again").click()
    round_shown(host, 2)


def test_card_by_keyboard(open_page: OpenPage, site: str) -> None:
    host, guest = open_page(), open_page()
    join(guest, wait_for_friend(host, site, "When I click the button"))
    round_shown(host, 1)
    host.keyboard.press("c")
    call_shown(host, 1)
    host.locator("#place-0 button").focus()
    host.keyboard.press("ArrowRight")
    host.keyboard.press("Space")
    expect(host.locator("#place-1 button")).to_have_attribute("aria-pressed", "true")
    host.get_by_role("button", name="BINGO!").press("Enter")
    expect(host.get_by_role("alert")).to_contain_text("Not yet.")


def test_claim_waits_for_a_covered_card(open_page: OpenPage, site: str) -> None:
    """The player clicks BINGO! while the request that covers a card is pending."""
    host, guest = open_page(), open_page()
    join(guest, wait_for_friend(host, site, "When I click the button"))
    round_shown(host, 1)
    waiting: list[Route] = []

    def hold_first_form(route: Route) -> None:
        if route.request.method == "POST" and not waiting:
            waiting.append(route)
        else:
            route.continue_()

    host.route("**/deal/**", hold_first_form)
    host.locator("#place-1 button").click()
    host.get_by_role("button", name="BINGO!").click()
    expect(host.locator("button.pending")).to_have_count(1)
    waiting[0].continue_()
    expect(host.get_by_role("alert")).to_contain_text("Not yet.")


@pytest.mark.slow
def test_clock_goes_on_without_network_and_after_a_kill(
    open_page: OpenPage, tmp_path: Path
) -> None:
    """The guest's network is cut for ten seconds, and then the server is killed."""
    with Server(tmp_path) as server:
        host, guest = open_page(), open_page(has_touch=True)
        join(guest, wait_for_friend(host, f"http://127.0.0.1:{server.port}", "Every 3 s"))
        call_shown(guest, 1)
        guest.context.set_offline(True)
        began = time.monotonic()
        guest.locator("#place-3 button").tap()
        expect(guest.locator("#status:not(.visually-hidden)")).to_contain_text("does not answer")
        guest.wait_for_timeout(max(0, CUT_SECONDS - (time.monotonic() - began)) * 1_000)
        guest.context.set_offline(False)
        calls = len(json_of(host)["called"])
        assert calls >= 1 + CUT_SECONDS // 3
        wait_for_call(host, calls + 1)
        expect(guest.locator("main")).to_have_attribute("data-call", f"1.{calls + 1}")
        expect(guest.locator("#place-3 button")).to_have_attribute("aria-pressed", "true")
        before, card = len(json_of(guest)["called"]), json_of(guest)["card"]
        server.kill()
        server.__enter__()
        expect(guest.locator("main")).not_to_have_attribute("data-call", f"1.{before}")
        assert json_of(guest)["card"] == card
        while not has_won(guest):
            wait_for_call(guest, len(json_of(guest)["called"]) + 1)
        guest.reload()
        say_bingo(guest)
        expect(host.locator(".word")).to_contain_text("Your friend has BINGO!")
        host.get_by_role("button", name="Play again").click()
        round_shown(guest, 2)
