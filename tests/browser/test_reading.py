"""The pages in forced colours, at 400% zoom and on a wide screen."""

from base64 import b64encode
from random import Random
from typing import Final, Literal

import pytest
from playwright.sync_api import Browser, Locator, Page

from cardgames.cards import FULL_DECK, shuffled
from tests.browser.conftest import OpenPage
from tests.support.amounts import slow_but
from tests.support.browser import ASKS, box_of, fill_in_deck, press
from tests.support.served_class import ServedClass
from tests.support.site import stacked


@pytest.fixture
def students() -> int:
    return 4


# ---- Forced colours ------------------------------------------------------------------------

schemes = pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.slow)])
Scheme = Literal["light", "dark"]
MOVES: Final = ("Hit", "Stay")

COMMONEST: Final = """async picture => {
    const data = await fetch(`data:image/png;base64,${picture}`);
    const image = await createImageBitmap(await data.blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    const {data: bytes} = context.getImageData(0, 0, image.width, image.height);
    const pixels = new Uint32Array(bytes.buffer);
    const counts = new Map();
    for (const one of pixels) counts.set(one, (counts.get(one) ?? 0) + 1);
    return Math.max(...counts.values()) / pixels.length;
}"""
"""The proportion of an image's pixels that have the most common colour."""

WORD: Final = """e => {
    const range = document.createRange();
    range.selectNodeContents(document.createTreeWalker(e, NodeFilter.SHOW_TEXT).nextNode());
    return range.getBoundingClientRect().toJSON();
}"""
"""The bounding box of an element's first text node."""


def commonest_colour(element: Locator, blank: Page) -> float:
    """Return the proportion of an element's pixels that have the most common colour."""
    for _ in range(100):  # An element has no position while it is being replaced.
        box = element.evaluate(WORD)
        if box["width"]:
            break
        element.page.wait_for_timeout(50)
    clip = {side: box[side] for side in ("x", "y", "width", "height")}
    picture = b64encode(element.page.screenshot(clip=clip)).decode()  # type: ignore[arg-type]
    share: float = blank.evaluate(COMMONEST, picture)
    return share


@schemes
def test_words_on_filled_places_are_no_blocks_in_forced_colours(
    browser: Browser, open_page: OpenPage, site: str, room: ServedClass, scheme: Scheme
) -> None:
    blank = open_page()
    page = open_page(forced_colors="active", color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"{site}/war")
    shares = [commonest_colour(page.locator(".options label:has(:checked) span"), blank)]
    page.goto(f"{site}/simple-21")
    fill_in_deck(page, stacked("TC 9S 2D 8S AH AS 2C"))
    press(page, "Deal")
    shares += [commonest_colour(page.get_by_role("button", name=move), blank) for move in MOVES]
    room.make_tournament()
    page = room.context(browser, room.phones[0], scheme=scheme).new_page()
    page.emulate_media(forced_colors="active")
    page.goto(f"{room.base}/tournament/1")
    shares.append(commonest_colour(page.locator(".on-now strong"), blank))
    assert len(shares) == 4
    assert max(shares) < 0.9, shares


# ---- At 400% ------------------------------------------------------------------------------

ZOOMED: Final = {"width": 320, "height": 256}
"""A window of 1280 by 1024 pixels at 400% zoom."""

ENDS_IN_A_WAR: Final = "\n".join(map(str, shuffled(FULL_DECK, Random(87))))
"""A deck of War whose first turn is a war. The 810th turn is also a war. This war ends the game."""

FAULTS: Final = """pieces => {
    const found = [], name = e => e.textContent.trim();
    if (document.documentElement.scrollWidth > innerWidth) found.push("it scrolls sideways");
    for (const e of document.querySelectorAll(pieces)) {
        const {width, height} = e.getBoundingClientRect();
        const size = parseFloat(getComputedStyle(e).fontSize);
        if (size < 15) found.push(`${name(e)} has letters of ${size} pixels`);
        if (Math.min(width, height) < 40) found.push(`${name(e)}: ${width} by ${height}`);
    }
    for (const e of document.querySelectorAll(".hands .card, .war .card")) {
        const {width} = e.getBoundingClientRect();
        if (width < 44) found.push(`a card is ${width} pixels wide`);
    }
    for (const e of document.querySelectorAll("main button, main .moves a")) {
        if (!e.checkVisibility() || e.closest("details:not([open])")) continue;
        e.scrollIntoView({block: "center"});
        const {left, top, width, height} = e.getBoundingClientRect();
        if (height < 43.9) found.push(`${name(e)} is ${height} high`);
        const there = document.elementFromPoint(left + width / 2, top + height / 2);
        if (!e.contains(there)) found.push(`${name(e)} lies under ${there?.className}`);
    }
    scrollTo(0, 0);
    const felt = document.querySelector(".felt")?.getBoundingClientRect();
    for (const e of document.querySelectorAll(".felt :is(.card, .chip, .total, .verdict)")) {
        const {left, top, right, bottom} = e.getBoundingClientRect();
        if (top < felt.top - 1 || bottom > felt.bottom + 1) found.push(`${e.className} is cut off`);
        if (left < -1 || right > innerWidth + 1) found.push(`${e.className} is off the side`);
    }
    return [...new Set(found)];
}"""


@pytest.mark.parametrize("slug", slow_but(ASKS, "simple-21", "bingo"))
def test_a_table_can_be_read_and_played_at_400_percent(
    open_page: OpenPage, site: str, slug: str
) -> None:
    """Until the round has ended, each move takes a single click and no scrolling to the button."""
    page = open_page(viewport=ZOOMED, reduced_motion="reduce")
    page.goto(f"{site}/{slug}")
    assert page.evaluate(FAULTS, ".chip") == []
    if slug == "bingo":
        press(page, "Automatic")
    else:
        fill_in_deck(page, ENDS_IN_A_WAR if slug == "war" else stacked("TC 9S 2D 8S AH AS 2C"))
    press(page, "Deal")
    presses = {"war": ["1 turn", "To the end"], "bingo": ["Call", "until"]}
    for button in presses.get(slug, ["Hit", "Stay" if slug == "simple-21" else "Stand"]):
        assert page.evaluate(FAULTS, ".chip") == [], button
        box = box_of(page.get_by_role("button", name=button))
        assert box["y"] + box["height"] <= ZOOMED["height"], button
        press(page, button)
    assert page.evaluate(FAULTS, ".chip") == []
    assert page.locator(".verdict").count() == 1


def test_a_class_can_be_read_and_played_at_400_percent(browser: Browser, room: ServedClass) -> None:
    for by_hand in ("Y", "N"):
        room.move("deal", mode="L", speed="N", by_hand=by_hand, every="0")
        room.call(5)
        student = room.open(browser, "/bingo", room.phones[0], **ZOOMED)
        assert student.evaluate(FAULTS, ".tile") == []
        if by_hand == "Y":
            desk = room.open(browser, "/dashboard", room.boss, **ZOOMED)
            assert desk.evaluate(FAULTS, ".call-now") == []
            room.move("void", reason="once more")
    screen = room.open(browser, "/projector?show=round", **ZOOMED)
    assert screen.evaluate("document.documentElement.scrollWidth") <= ZOOMED["width"]
