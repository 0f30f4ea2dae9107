"""A real browser at a served table: Debian's Chromium, with and without JavaScript."""

import pytest
from playwright.sync_api import Page, expect

from cardgames import GAMES
from tests.support.amounts import slow_but
from tests.support.browser import ASKS, cards, deal_own_deck, press


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_two_rounds_with_the_sheets_deck(page: Page, site: str) -> None:
    """The deck begins with KS JH QS AH QH 6D 5H TS, and the results are computed by hand."""
    main = page.locator("main")
    page.goto(site)
    page.locator("a.seat[href$=simple-21]").click()
    deal_own_deck(page)
    assert cards(page, "Dealer") == ["jack of hearts", "face-down card"]
    assert cards(page, "You") == ["king of spades", "queen of spades"]
    expect(page.get_by_text("Hit or stay?")).to_be_visible()

    press(page, "Stay")
    # The dealer shows the ace (11) and draws QH (21).
    assert cards(page, "Dealer") == ["jack of hearts", "ace of hearts", "queen of hearts"]
    expect(main.get_by_text("You 20, dealer 21: the dealer wins")).to_be_visible()

    press(page, "Deal")
    # The next cards are 6D 5H TS KC: the player has 6 and 10, the dealer has 5 and a face-down
    # card.
    assert cards(page, "You") == ["six of diamonds", "ten of spades"]
    assert cards(page, "Dealer") == ["five of hearts", "face-down card"]
    press(page, "Hit")  # TH makes 26.
    assert cards(page, "You") == ["six of diamonds", "ten of spades", "ten of hearts"]
    assert cards(page, "Dealer") == ["five of hearts", "face-down card"]
    expect(main.get_by_text("You 26: bust, the dealer wins")).to_be_visible()


def test_back_and_reload_do_not_play_again(page: Page, site: str) -> None:
    page.goto(site)
    page.locator("a.seat[href$=simple-21]").click()
    deal_own_deck(page)
    page.reload()
    assert cards(page, "You") == ["king of spades", "queen of spades"]
    press(page, "Hit")
    page.reload()
    assert len(cards(page, "You")) == 3
    page.go_back()
    while page.url == f"{site}/simple-21":
        assert len(cards(page, "You")) == 3  # The browser's history never shows an outdated table.
        page.go_back()
    expect(page.get_by_role("heading", name="Choose a table")).to_be_visible()
    page.go_forward()
    assert len(cards(page, "You")) == 3


def test_a_double_click_draws_one_card(page: Page, site: str) -> None:
    page.goto(f"{site}/simple-21")
    press(page, "Deal")
    page.get_by_role("button", name="Hit").dblclick()
    expect(page.get_by_role("region", name="You").get_by_role("img")).to_have_count(3)
    page.goto(f"{site}/simple-21")
    assert len(cards(page, "You")) == 3


@pytest.mark.parametrize("slug", slow_but(ASKS, "simple-21", "war", "bingo"))
def test_by_keyboard_alone(page: Page, site: str, slug: str) -> None:
    """The focus is on the only possible move.

    If there are several moves, the focus is before the first move.
    """
    page.goto(f"{site}/{slug}")
    expect(page.get_by_role("button", name="Deal")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_selector(f"text={ASKS[slug]}")
    first = page.locator(".moves button").first
    step = page.locator("[name=step]").first.get_attribute("value")
    if GAMES[slug].advisor:
        # If a decision is open, pressing Enter twice makes no decision.
        expect(page.get_by_role("group", name=ASKS[slug])).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.locator("[name=step]").first.get_attribute("value") == step
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[name=step]").first).not_to_have_value(step or "")
    if not page.locator(".stopped").count():  # a tie at War stops the turn
        expect(page.locator(f"[name=step][value='{step}']")).to_have_count(0)
    expect(page.locator(".moves:focus, .moves button:focus")).to_have_count(1)
    page.keyboard.press("Tab")  # The focus moves to the next element, not to the top of the page.
    expect(page.locator(".skip, .home")).to_have_count(2)
    assert page.locator(".skip:focus, .home:focus").count() == 0
