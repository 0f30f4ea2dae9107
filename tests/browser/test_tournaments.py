"""A student plays a tournament in a browser, using only buttons and no script."""

import re

from playwright.sync_api import Browser, Page, expect

from tests.support import tournaments
from tests.support.served_class import ServedClass

DEALS = 3
STAND = re.compile("Stand")


def stand_at(page: Page, deal: int) -> None:
    """Stand immediately, unless the deal itself ended the round."""
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
    """A student needs one click per deal in addition to the clicks for decisions."""
    room.make_tournament(deals=str(DEALS))
    page = room.open(browser, "", room.phones[0], script=script)
    page.get_by_role("main").get_by_role("link", name="Ten for Friday").first.click()
    page.get_by_role("button", name="Play deal 1").click()
    for deal in range(1, DEALS + 1):
        stand_at(page, deal)
        if deal < DEALS:
            page.get_by_role("button", name=f"Deal {deal + 1} of {DEALS}").click()
    page.get_by_role("link", name="Back to the homework").click()
    expect(page.get_by_text("Points and places appear when the homework ends.")).to_be_visible()
    tournaments.try_move(room, "end")
    page.reload()
    expect(page.get_by_text("Place 1", exact=True)).to_be_visible()
    expect(page.get_by_text("of 1 who have finished")).to_be_visible()


def test_instructor_poses_hands_and_student_answers_them(
    browser: Browser, room: ServedClass, script: bool
) -> None:
    """The message names the wrong line, the typed text remains, and costs appear at the end."""
    desk = room.open(browser, "/tournaments", room.boss, script=script, width=1280)
    desk.get_by_role("link", name="Puzzles").click()
    hands = desk.get_by_label("My own hands, one per line")
    hands.fill("10 6 / Q\n7 5")
    desk.get_by_role("button", name="Make the homework").click()
    expect(desk.get_by_role("alert")).to_contain_text("Line 2: Add the dealer's card")
    expect(hands).to_have_value("10 6 / Q\n7 5")
    hands.fill("10 6 / Q\n7 5 / 3")
    desk.get_by_role("button", name="Make the homework").click()
    expect(desk.get_by_role("heading", name="Puzzle 1: 16 against a queen")).to_be_visible()

    page = room.open(browser, "", room.phones[0], script=script)
    page.get_by_role("main").get_by_role("link", name="Homework 1").first.click()
    page.get_by_role("link", name="Answer puzzle 1").click()
    page.get_by_role("button", name="Hit").click()
    expect(page.get_by_text("Puzzle 2 of 2", exact=True)).to_be_visible()
    page.get_by_role("button", name=STAND).click()
    expect(page.get_by_text("2 of 2 answered")).to_be_visible()
    expect(page.get_by_text("points given away")).to_have_count(0)
    tournaments.try_move(room, "end")
    page.reload()
    expect(page.get_by_text("You gave away 2.5 points.")).to_be_visible()
    page.get_by_role("link", name="Why").first.click()
    expect(page.get_by_text("Not the best play: 2.5 points given away.")).to_be_visible()
    desk.reload()
    expect(desk.get_by_text("1 of 1, 100%").first).to_be_visible()


def test_puzzle_is_answered_by_keys(browser: Browser, room: ServedClass) -> None:
    tournaments.pose(room, hands="10 6 / Q\n7 5 / 3")
    page = room.open(browser, "/tournament/1/deal/1", room.phones[0], width=1280)
    page.keyboard.press("h")
    expect(page.get_by_text("Puzzle 2 of 2", exact=True)).to_be_visible()
    page.keyboard.press("s")
    expect(page.get_by_text("2 of 2 answered")).to_be_visible()
