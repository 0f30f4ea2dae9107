"""Strategy charts in a real browser: by keyboard, without a script, on the smallest phone."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.test_class_looks import SIDEWAYS
from tests.browser.test_looks import looked_over
from tests.support.served_class import ServedClass

SMALL_FIELDS = """() => [...document.querySelectorAll(".decisions-grid input")]
    .filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect())
    .filter(e => e.width < 23.9 || e.height < 23.9).length"""
WAITS = 600_000
"""In milliseconds: the chart is worked out by a process that steps back behind all others."""


@pytest.mark.slow
def test_a_chart_is_handed_in_by_keyboard_and_rated(browser: Browser, room: ServedClass) -> None:
    """From the class's page on; the page of the chart says by itself when it is done."""
    page = room.open(browser, "", room.phones[0], width=320, height=568)
    page.get_by_role("link", name="Strategy charts").click()
    page.get_by_role("link", name="Hand in a chart").click()
    first = page.get_by_role("checkbox", name="Hit hard 16 against 10", exact=True)
    first.focus()
    page.keyboard.press("Space")
    expect(first).not_to_be_checked()
    for key in ("ArrowLeft", "ArrowDown", "ArrowUp", "ArrowUp"):  # against a 9: 16, 17, 16, 15
        page.keyboard.press(key)
    fifteen = page.get_by_role("checkbox", name="Hit hard 15 against 9", exact=True)
    expect(fifteen).to_be_focused()
    page.keyboard.press("Space")
    assert page.evaluate(SIDEWAYS) == 0
    page.get_by_role("button", name="Hand in this grid").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#conclusion")).to_contain_text("points a round", timeout=WAITS)
    expect(page.locator("body > [role=status]")).to_contain_text("points a round")
    data = room.phones[0].json("/strategies?chart=1")
    assert "hard 15   HHHHHHHHSH" in data["rows"]
    assert "hard 16   HHHHHHHHHS" in data["rows"]


@pytest.mark.slow
def test_without_a_script_too_and_every_page_can_be_reached_and_pressed(
    browser: Browser, room: ServedClass
) -> None:
    boss, student = room.boss, room.phones[0]
    page = room.open(browser, "/strategies?new=one-deck", student, script=False)
    page.get_by_label("Or its lines").fill("hard 16 HSSSSSHHHH")
    page.get_by_role("button", name="Hand in this text").click()
    expect(page.locator("#conclusion")).to_contain_text("A first round is worth", timeout=WAITS)
    seen = [
        ("charts", "/strategies?table=one-deck", student),
        ("charts", "/strategies?new=blackjack", student),
        ("charts", "/strategies?new=simple-21", student),
        ("charts", "/strategies?chart=1", student),
        ("charts", "/strategies?chart=1&with=dealer", boss),
        ("charts", "/strategies?table=one-deck", boss),
    ]
    wide, small = {"width": 1280, "height": 720}, {"width": 320, "height": 568, "language": "de"}
    guide = [("the guide", "/class/guide", boss)]
    assert room.look_at(browser, [*seen, *guide], looked_over, **wide) == {}
    for script in (SIDEWAYS, SMALL_FIELDS):
        found = room.look_at(browser, seen, lambda page, it=script: page.evaluate(it), **small)
        assert found == {}
    assert room.look_at(browser, guide, looked_over, width=320, height=720) == {}
