"""A term in a browser: a class that goes on, and dashboards that are handed on and taken back."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_looks import looked_over
from tests.support.served_class import Seen, ServedClass


@pytest.fixture
def students() -> int:
    return 3


def test_a_class_goes_on_and_its_student_comes_along(
    browser: Browser, room: ServedClass, script: bool
) -> None:
    student = room.phones[0]
    desk = room.open(browser, "/dashboard", room.boss, script=script)
    desk.get_by_text("Next week: go on in a new class").click()
    desk.get_by_label("Title").fill("CS1, week 2")
    desk.get_by_role("button", name="Go on in a new class").click()
    expect(desk.get_by_role("heading", level=1)).to_have_text("CS1, week 2")
    phone = room.open(browser, "", student, script=script)
    phone.get_by_role("link", name="On to CS1, week 2").click()
    phone.get_by_role("button", name=f"Come along as {student.name}").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("CS1, week 2")
    expect(phone.get_by_text(student.rejoin, exact=True)).to_be_visible()


def test_an_open_tab_is_told_that_its_dashboard_was_taken_back(
    browser: Browser, room: ServedClass
) -> None:
    desk = room.open(browser, "/dashboard", room.boss, width=1280, height=800)
    desk.get_by_label("For whom (optional)").fill("Ada")
    desk.get_by_role("button", name="Hand on the dashboard").click()
    address = desk.get_by_label("Address").input_value()
    context = room.context(browser, width=1280, height=800)
    tab = context.new_page()
    tab.goto(address.replace("localhost", "127.0.0.1"))
    tab.get_by_role("button", name="Open the dashboard").click()
    expect(tab.get_by_role("heading", name="Deal round 1")).to_be_visible()
    desk.goto(f"{room.base}/dashboard")
    desk.get_by_role("button", name="Take it back Ada").click()
    expect(desk.get_by_text("Ada")).to_have_count(0)
    expect(tab.get_by_text("This browser holds no dashboard of this class")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_page_of_a_term_can_be_seen_reached_and_pressed(
    browser: Browser, room: ServedClass, language: str
) -> None:
    for label in ("Ada Lovelace-Augusta-von-der-Byron-Kingman", ""):
        assert room.try_move("hand-on", label=label[:40]).status_code == 200

    def look(page: Page) -> list[str]:
        page.locator("#next").evaluate_all("all => all.forEach(one => { one.open = true; })")
        return looked_over(page)

    assert room.look_at(browser, of_a_term(room), look, language=language) == {}


def of_a_term(room: ServedClass) -> Iterator[Seen]:
    """Have a class go on, and yield what there is to see."""
    yield "before", "/dashboard", room.boss
    new = room.next_week("Data Structures and Algorithms 2")
    yield "after", "/dashboard", room.boss
    yield "after", "", room.phones[0]
    yield "the new class", f"/class/{new.code}", room.phones[0]
