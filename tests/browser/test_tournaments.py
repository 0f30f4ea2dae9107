"""A student plays a tournament in a browser: by buttons alone, and without a script."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.support.served_class import ServedClass

DEALS = 3
STAND = re.compile("Stand")


def stand_at(page: Page, deal: int) -> None:
    """Stand at once, unless the round was over with the deal."""
    strip = page.get_by_role("region", name="Tournament")
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
    page.get_by_role("link", name="See your place").click()
    place = page.get_by_text("Place 1", exact=True)
    for _ in range(240):
        if place.count():
            break
        page.wait_for_timeout(250)  # it is worked out beside the server
        page.reload()
    expect(place).to_be_visible()
    expect(page.get_by_text("of 1 who have finished")).to_be_visible()
