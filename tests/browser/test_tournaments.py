"""A student plays a tournament in a browser: by buttons alone, and without a script."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.support import tournaments
from tests.support.served_class import ServedClass

DEALS = 3
STAND = re.compile("Stand")


def stand_at(page: Page, deal: int) -> None:
    """Stand at once, unless the round was over with the deal."""
    strip = page.get_by_role("region", name="Homework")
    expect(strip.get_by_text(f"Deal {deal} of {DEALS}", exact=True)).to_be_visible()
    stand = page.get_by_role("button", name=STAND)
    expect(stand.or_(page.locator("#verdict"))).to_be_visible()
    if stand.count():
        stand.click()
    expect(page.locator("#verdict")).to_be_visible()


def test_one_deal_leads_to_the_next_and_the_last_to_the_place(
    browser: Browser, room: ServedClass, script: bool
) -> None:
    """From the class's page it is one press a deal more than the decisions."""
    room.make_tournament(deals=str(DEALS))
    page = room.open(browser, "", room.phones[0], script=script)
    page.get_by_role("main").get_by_role("link", name="Ten for Friday").first.click()
    page.get_by_role("button", name="Play deal 1").click()
    for deal in range(1, DEALS + 1):
        stand_at(page, deal)
        if deal < DEALS:
            page.get_by_role("button", name=f"Deal {deal + 1} of {DEALS}").click()
    page.get_by_role("link", name="Back to the homework").click()
    expect(page.get_by_text("Points and places appear when it ends.")).to_be_visible()
    tournaments.try_move(room, "end")
    page.reload()
    expect(page.get_by_text("Place 1", exact=True)).to_be_visible()
    expect(page.get_by_text("of 1 who have finished")).to_be_visible()
