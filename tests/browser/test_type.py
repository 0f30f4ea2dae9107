"""Text in seven sizes, and a header that has the same position on every page."""

from typing import Final

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import OpenPage
from tests.support.browser import TEXT_SIZES, box_of, text_sizes
from tests.support.served_class import ServedClass

PAGES: Final = (
    *("/", "/practise", "/daily", "/daily/yesterday", "/puzzles", "/lab", "/deals", "/history"),
    *("/sheets", "/sheets/simple-21/try", "/settings", "/nowhere", "/class", "/class/guide"),
    *("/simple-21", "/simple-21/rules", "/blackjack/history", "/one-deck", "/war", "/bingo"),
)

CLASS_PAGES: Final = ("", "/dashboard", "/insight", "/tournaments", "/votes", "/roster")
"""The pages of a class for its instructor."""

SLOW_SIZES: Final = [
    pytest.param(*size, marks=pytest.mark.slow) for size in ((1280, 800), (1920, 1080))
]


def header(page: Page) -> tuple[float, float, float]:
    """Return the left edge and the width of the header, and the left edge of the logo."""
    box = box_of(page.locator("header.bar"))
    return box["x"], box["width"], box_of(page.locator(".bar .home"))["x"]


@pytest.mark.parametrize(("width", "height"), [(390, 844), *SLOW_SIZES])
def test_header_keeps_its_place_and_text_its_sizes(
    open_page: OpenPage, browser: Browser, site: str, room: ServedClass, width: int, height: int
) -> None:
    """test_looks.py checks the text in all other states of these pages."""
    page = open_page(viewport={"width": width, "height": height})
    places, odd_sizes = {}, {}
    for path in PAGES:
        page.goto(site + path)
        places[path] = header(page)
        odd_sizes[path] = text_sizes(page) - TEXT_SIZES
    assert not any(odd_sizes.values()), odd_sizes
    for path in CLASS_PAGES:
        boss = room.open(browser, path, room.boss, width=width, height=height)
        places[f"class{path}"] = header(boss)
    assert set(places.values()) == {places["/"]}, places
    assert places["/"][:2] == (0, width)


WALL_SIZES: Final = frozenset({20.8, 28, 33.6, 43.2, 54.4, 64, 144})
"""The sizes of text on a big screen of 1280 by 720 pixels, in pixels."""

CODE_SIZE: Final = 196.8
"""The size of the join code, which students read from the last row."""


def test_big_screen_has_seven_sizes_of_its_own(browser: Browser, room: ServedClass) -> None:
    sizes = set()
    for show in ("join", "nothing", "standings", "round"):
        page = room.open(browser, f"/projector?show={show}", width=1280, height=720)
        sizes |= text_sizes(page)
    room.move("deal", every="0")
    room.call_until()
    page.reload()
    sizes |= text_sizes(page)
    assert sizes - {CODE_SIZE} <= WALL_SIZES
    assert CODE_SIZE in sizes
