"""The lab in a browser: it is watched without reloading, clicked without script, and legible."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.browser import accessibility_faults, box_of

LONG = 600_000
"""Milliseconds that a run may take where others are at work."""

BOXES = """
    () => [...document.querySelectorAll(".area text, .barchart text")].map((text) => {
        const box = text.getBoundingClientRect();
        return {
            kind: text.getAttribute("class").split(" ")[0],
            chart: [...document.querySelectorAll(".area, .barchart")].indexOf(text.closest("svg")),
            left: box.left, right: box.right, top: box.top, bottom: box.bottom,
            size: parseFloat(getComputedStyle(text).fontSize), words: text.textContent,
        };
    })
"""


def open_page(browser: Browser, **options: Any) -> Page:
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(LONG)
    return page


def run(page: Page, site: str, games: str, kind: str = "war") -> None:
    """Ask for a run by the form, as a player would."""
    page.goto(f"{site}/lab?experiment={kind}")
    page.locator("[name=games]").fill(games)
    page.locator("[name=seed]").fill("5")
    page.locator(".experiment > button").click()
    page.wait_for_url(re.compile(r"/lab/\d+$"))


@pytest.fixture(scope="module")
def finished(browser: Browser, site: str) -> list[str]:
    """The addresses of two runs that are over: whoever has one can look at it."""
    page = open_page(browser)
    addresses = []
    for kind in ("war", "bingo"):
        run(page, site, "1000", kind)
        expect(page.locator("#conclusion")).to_be_visible(timeout=LONG)
        addresses.append(page.url)
    page.context.close()
    return addresses


@pytest.mark.slow
def test_a_run_is_watched_without_loading_its_page_again(browser: Browser, site: str) -> None:
    page = open_page(browser)
    looked: list[bool] = []

    def hold(route: Route) -> None:
        """Say that a third is played until it has been looked at: a run may be over too soon."""
        if looked:
            route.continue_()
        else:
            route.fulfill(json={"phase": "running", "done": 37, "steps": 100})

    page.route("**/status", hold)
    run(page, site, "30000")
    loaded: list[str] = []
    asked: list[str] = []
    page.on("framenavigated", lambda frame: loaded.append(frame.url))
    page.on("response", lambda answer: asked.append(answer.url))
    expect(page.locator("[data-share]")).to_have_text("37%", timeout=LONG)
    expect(page).to_have_title(re.compile("^37% \N{EN DASH} War"))
    looked.append(True)
    expect(page.locator("#conclusion")).to_contain_text("Games take", timeout=LONG)
    expect(page).to_have_title(re.compile("^War"))
    expect(page.locator("body > [role=status]")).to_contain_text("Games take")
    assert loaded == []
    assert sum(address.endswith("/status") for address in asked) >= 1
    page.get_by_text("The same in numbers").first.click()  # what came in works
    expect(page.get_by_role("rowheader", name="Player 1")).to_be_visible()


@pytest.mark.slow
def test_without_script_the_page_refreshes_by_itself(browser: Browser, site: str) -> None:
    page = open_page(browser, java_script_enabled=False)
    run(page, site, "6000")
    expect(page.get_by_role("link", name="Ask now")).to_be_visible()
    expect(page.locator("#conclusion")).to_contain_text("Games take", timeout=LONG)


def test_a_strategy_is_clicked_without_script(browser: Browser, site: str) -> None:
    page = open_page(browser, java_script_enabled=False, viewport={"width": 320, "height": 568})
    page.goto(f"{site}/lab?experiment=twentyone")
    grid = page.locator(".decisions-grid")
    expect(grid).to_be_hidden()
    page.get_by_text("My own").click()
    expect(grid).to_be_visible()
    field = page.get_by_label("Hit hard 16 against 10", exact=True)
    expect(field).to_be_checked()
    box = box_of(field)
    assert min(box["width"], box["height"]) >= 23  # and one from the next: 24 from middle to middle
    field.click()
    expect(field).not_to_be_checked()
    field.press("Space")
    expect(field).to_be_checked()
    page.get_by_label("Hit hard 12 against A", exact=True).click()
    page.locator("[name=games]").fill("10")
    page.get_by_role("button", name="Play").click()
    page.get_by_text("The strategy").click()
    expect(page.locator("pre.strategy")).to_contain_text("hard 12 SHHSSSHHHH")
    expect(page.locator("pre.strategy")).to_contain_text("hard 16 HSSSSSHHHH")


@pytest.mark.parametrize(
    ("width", "locale", "scheme"),
    [
        (320, "de", "dark"),
        (1280, "en", "light"),
        pytest.param(320, "de", "light", marks=pytest.mark.slow),
        pytest.param(390, "en", "light", marks=pytest.mark.slow),
        pytest.param(390, "en", "dark", marks=pytest.mark.slow),
        pytest.param(1280, "en", "dark", marks=pytest.mark.slow),
    ],
)
def test_charts_are_legible_on_every_screen(
    browser: Browser, finished: list[str], width: int, locale: str, scheme: Any
) -> None:
    page = open_page(
        browser, viewport={"width": width, "height": 800}, color_scheme=scheme, locale=locale
    )
    for address in finished:
        page.goto(address)
        expect(page.locator("#conclusion")).to_be_visible()
        boxes = page.evaluate(BOXES)
        assert {box["kind"] for box in boxes} >= {"x", "y", "label"}
        for box in boxes:
            assert box["size"] >= 12
            assert 0 <= box["left"] < box["right"] <= width
        for one in boxes:
            for other in boxes:
                if one is not other and one["chart"] == other["chart"]:
                    beside = one["right"] <= other["left"] or other["right"] <= one["left"]
                    below = one["bottom"] <= other["top"] + 4 or other["bottom"] <= one["top"] + 4
                    assert beside or below, (one["words"], other["words"])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert accessibility_faults(page) == []
