"""Insight and drills in a browser: on small phones, with a screen reader and in dark mode."""

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from cardgames.advice import Situation
from tests.browser.test_class_looks import SIDEWAYS
from tests.browser.test_looks import looked_over
from tests.support.insight import played
from tests.support.served_class import Seen, ServedClass
from tests.support.serving import Server

WEEK: Final = 7 * 86_400
TABLES: Final = ("simple-21", "blackjack", "one-deck")
QUESTIONS: Final = ("10 6", "9 7", "A 7", "8 8", "5 7", "A 6", "10 2", "9 3")


def habit(number: int) -> Any:
    """Return the habits of a student.

    Each habit has three students, and some students have two habits.
    """

    def chosen(one: Situation) -> str:
        stiff = not one.soft and 12 <= one.total <= 16
        if one.total >= 17 and not one.soft and one.total < 20:
            return "hit" if number % 2 else ""
        if one.soft and one.total < 18:
            return "stay" if number % 3 else ""
        return "stay" if (stiff or one.total < 12) and number % 4 else ""

    return chosen


def teach(room: ServedClass) -> None:
    """Play with every student at three tables, a week ago and today."""
    for table in TABLES:
        for lesson, at in enumerate((time.time() - WEEK, time.time())):
            rounds = {
                student: [
                    played(
                        table, f"{lesson:08x}{student:08x}{number:016x}", habit(student + lesson)
                    )
                    for number in range(15)
                ]
                for student in range(1, len(room.phones) + 1)
            }
            room.teach(rounds, at)


def fill(room: ServedClass) -> None:
    """Create more votes on one day than the page lists."""
    for hand in QUESTIONS:
        room.vote("ask", table="one-deck", hand=hand, upcard="6")
        number = room.boss.json("/votes")["vote"]["number"]
        for phone in room.phones:
            phone.post("/vote", vote=number, ballot=1, choice="hit", sure=1)
        room.vote("close-vote")
        room.vote("second")
        for phone in room.phones:
            phone.post("/vote", vote=number, ballot=2, choice="stay", sure=3)
        room.vote("close-vote")
        room.vote("solve")
    for number in range(8):
        room.make_tournament(deals="1", title=f"A tournament with a long enough title {number}")
        room.move("deal", every="0", speed="Y")
        room.call_until()
        room.move("end")


@pytest.fixture(scope="module")
def taught(class_server: Server) -> Iterator[ServedClass]:
    """A class of eight with everything that its pages can show."""
    with closing(ServedClass(class_server)) as room:
        room.join(8)
        teach(room)
        fill(room)
        sent: dict[str, Any] = {"move": "drill", "table": "blackjack", "habit": "hits-hard-17"}
        drilled = room.boss.post("/insight", step=room.desk()["step"], **sent)
        assert drilled.status_code == 200, drilled.text
        yield room


def pages(room: ServedClass) -> Iterator[Seen]:
    for table in TABLES:
        yield "insight", f"/insight?table={table}", room.boss
    yield "tournaments", "/tournaments", room.boss
    yield "a student", "", room.phones[0]


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_of_its_pages_can_be_seen_reached_and_pressed(
    browser: Browser, taught: ServedClass, theme: str
) -> None:
    how = {"width": 1280, "height": 720, "scheme": theme}
    assert taught.look_at(browser, pages(taught), looked_over, **how) == {}


@pytest.mark.slow
def test_smallest_phone_in_german_never_scrolls_sideways(
    browser: Browser, taught: ServedClass, script: bool
) -> None:
    small = {"width": 320, "height": 568, "language": "de", "script": script}
    found = taught.look_at(browser, pages(taught), lambda page: page.evaluate(SIDEWAYS), **small)
    assert found == {}


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).first.click()


@pytest.mark.slow
def test_from_a_misconception_to_a_drill_and_a_tournament(
    browser: Browser, taught: ServedClass, script: bool
) -> None:
    page = taught.open(browser, "/insight?table=one-deck", taught.boss, script=script)
    press(page, "End the drill")
    expect(page.get_by_role("button", name="End the drill")).to_have_count(0)
    row = page.get_by_role("listitem").filter(has_text="Hits hard 17 or more")
    row.get_by_role("button", name="Drill these hands").click()
    expect(page.get_by_text("The class is drilling Hard 17 or more")).to_be_visible()
    assert "table=one-deck" in page.url
    student = taught.open(browser, "", taught.phones[1 + script], script=script)
    student.get_by_role("link", name="Practise").click()
    press(student, "Begin")
    press(student, "Stand")
    expect(student.locator("#advice")).to_contain_text("You stood.")
    row.get_by_role("button", name="Homework").click()
    expect(page.get_by_role("heading", name="Hard 17 or more").first).to_be_visible()
