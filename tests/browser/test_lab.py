"""The lab in a browser: without a script on a small phone, and legible in all modes."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import PATIENCE, accessibility_faults, box_of

BOXES = """
    () => [...document.querySelectorAll(".area text")].map((text) => {
        const box = text.getBoundingClientRect();
        return {
            kind: text.getAttribute("class").split(" ")[0], words: text.textContent,
            left: box.left, right: box.right, top: box.top, bottom: box.bottom,
            size: parseFloat(getComputedStyle(text).fontSize),
        };
    })
"""

RESULTS = (
    "/lab?game=war&players=2&rounds=1000&seed=5",
    "/lab?game=bingo&mode=C&speed=N&rounds=1000&seed=5",
    "/lab?game=one-deck&strategy=never-bust&rounds=1000&seed=5",
)


def open_page(browser: Browser, **options: Any) -> Page:
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(PATIENCE)
    return page


def test_a_run_is_asked_for_by_keyboard_and_without_script(browser: Browser, site: str) -> None:
    page = open_page(browser, java_script_enabled=False, viewport={"width": 320, "height": 568})
    page.goto(f"{site}/lab?game=blackjack")
    page.get_by_role("radio", name="Stand on 17, as the dealer").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Never risk a bust")).to_be_checked()
    page.get_by_label("Rounds").fill("200")
    page.get_by_label("Seed").fill("5")
    page.keyboard.press("Enter")
    expect(page.locator("#conclusion")).to_contain_text("This strategy loses")
    expect(page).to_have_url(re.compile(r"strategy=never-bust&rounds=200&seed=5#result$"))
    assert box_of(page.locator("#found"))["y"] < 568  # The result is on the screen.
    page.get_by_text("The same in numbers").click()
    expect(page.get_by_role("rowheader", name="Lose")).to_be_visible()
    page.get_by_role("button", name="Play").click()  # the second run, with a different seed
    expect(page.get_by_text("Seed: 5.")).to_have_count(0)
    expect(page.locator("#conclusion")).to_contain_text("This strategy ")


@pytest.mark.parametrize(
    ("width", "locale", "scheme"),
    [
        (320, "de", "dark"),
        pytest.param(1280, "en", "light", marks=pytest.mark.slow),
        pytest.param(320, "de", "light", marks=pytest.mark.slow),
        pytest.param(390, "en", "light", marks=pytest.mark.slow),
        pytest.param(390, "en", "dark", marks=pytest.mark.slow),
        pytest.param(1280, "en", "dark", marks=pytest.mark.slow),
    ],
)
def test_charts_are_legible_on_every_screen(
    browser: Browser, site: str, width: int, locale: str, scheme: Any
) -> None:
    page = open_page(
        browser, viewport={"width": width, "height": 800}, color_scheme=scheme, locale=locale
    )
    for address in RESULTS:
        page.goto(f"{site}{address}")
        expect(page.locator("#conclusion")).to_be_visible()
        boxes = page.evaluate(BOXES)
        assert {box["kind"] for box in boxes} == {"x", "y", "title"}
        for box in boxes:
            assert box["size"] >= 12
            assert 0 <= box["left"] < box["right"] <= width
        for one in boxes:
            for other in boxes:
                if one is not other:
                    beside = one["right"] <= other["left"] or other["right"] <= one["left"]
                    below = one["bottom"] <= other["top"] + 4 or other["bottom"] <= one["top"] + 4
                    assert beside or below, (one["words"], other["words"])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert accessibility_faults(page) == []
