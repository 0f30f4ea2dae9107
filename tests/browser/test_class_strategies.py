"""Strategy charts in a real browser: by keyboard, without a script, on the smallest phone."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.test_looks import looked_over
from tests.support.served_class import ServedClass

SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"
SMALL_FIELDS = """() => [...document.querySelectorAll(".decisions-grid input")]
    .filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect())
    .filter(e => e.width < 23.9 || e.height < 23.9).length"""
WAITS = 240_000
"""In milliseconds: the chart is worked out by a process that steps back behind all others."""


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
    page.context.close()


@pytest.mark.slow
def test_without_a_script_too_and_every_page_can_be_reached_and_pressed(
    browser: Browser, room: ServedClass
) -> None:
    boss, student = room.boss, room.phones[0]
    page = room.open(browser, "/strategies?new=one-deck", student, script=False)
    page.get_by_label("Or its lines").fill("hard 16 HSSSSSHHHH")
    page.get_by_role("button", name="Hand in this text").click()
    expect(page.locator("#conclusion")).to_contain_text("A first round is worth", timeout=WAITS)
    page.context.close()
    seen = [
        ("/strategies?table=one-deck", student),
        ("/strategies?new=blackjack", student),
        ("/strategies?new=simple-21", student),
        ("/strategies?chart=1", student),
        ("/strategies?chart=1&with=dealer", boss),
        ("/strategies?table=one-deck", boss),
    ]
    wrong = {}
    for path, player in seen:
        page = room.open(browser, path, player, width=1280, height=720)
        if faults := list(looked_over(page)):
            wrong[path] = faults
        page.context.close()
        page = room.open(browser, path, player, width=320, height=568, language="de")
        found = page.evaluate(SIDEWAYS), page.evaluate(SMALL_FIELDS)
        if found != (0, 0):
            wrong[f"{path} at 320"] = [str(found)]
        page.context.close()
    for width in (320, 1280):
        page = room.context(browser, boss, width=width, height=720).new_page()
        page.goto("/class/guide")
        if faults := list(looked_over(page)):
            wrong[f"the guide at {width}"] = faults
        page.context.close()
    assert not wrong, "\n\n".join(
        f"{path}: {one}" for path, faults in wrong.items() for one in faults
    )
