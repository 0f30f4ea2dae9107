"""The layout and accessibility of the pages: on a phone, in dark mode and in forced colours."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.test_fits import STATES
from tests.browser.test_friends import join, wait_for_friend
from tests.support.browser import (
    ASKS,
    TEXT_SIZES,
    accessibility_faults,
    box_of,
    deal_own_deck,
    fill_in_deck,
    forced_colour_faults,
    press,
    text_sizes,
)
from tests.support.site import stacked

# ---- Every state of every page -------------------------------------------------------------

MODES: Final = (("dark", "none"), ("light", "active"), ("dark", "active"))
"""Colour schemes, and whether the system forces its own colours."""

SCREENS: Final = ((320, 100), (360, 100), (640, 200), (1280, 100))
"""Widths in pixels, and sizes of the text in percent."""

TOO_LOW = """() => [...document.querySelectorAll("button, summary, a, label:has(input), [rows]")]
    .filter(e => e.checkVisibility())
    .filter(e => !e.closest("p, dd, dt, h2, li:not(:has(.seat)), .skip"))
    .filter(e => e.getBoundingClientRect().height < 43.9)
    .map(e => e.outerHTML)"""
"""Controls that are less than 44 pixels high, except links in a sentence (WCAG 2.5.5)."""

TOO_SMALL = """() => {
    const isWord = node => node.nodeType === 3 && /\\p{L}/u.test(node.data);
    const isInText = e => getComputedStyle(e).display === "inline"
        && [...e.parentElement.childNodes].some(isWord);
    const sizes = e => {
        const box = e.getBoundingClientRect(), around = getComputedStyle(e, "::after");
        const isLarger = around.position === "absolute" && around.content !== "none";
        const [width, height] = isLarger ? [around.width, around.height].map(parseFloat) : [0, 0];
        return [Math.max(box.width, width), Math.max(box.height, height)];
    };
    const all = "a[href], button, summary, select, textarea, input:not([type=hidden])";
    return [...document.querySelectorAll(all)]
        .map(e => e.matches("[type=radio], [type=checkbox]") ? e.closest("label") ?? e : e)
        .filter(e => e.checkVisibility({visibilityProperty: true}))
        .filter(e => !e.closest(".skip, .visually-hidden"))
        .filter(e => !isInText(e) && Math.min(...sizes(e)) < 23.9)
        .map(e => e.outerHTML);
}"""
"""Controls that are less than 24 pixels wide or high (WCAG 2.5.8), except links in a sentence. The
clickable area around a link counts.
"""

BEHIND_THE_MOVES = """() => {
    const bar = document.querySelector(".play"), hidden = [];
    const all = "a[href], button, summary, input:not([type=hidden]), textarea, [tabindex='0']";
    for (const e of bar ? document.querySelectorAll(all) : []) {
        if (bar.contains(e) || !e.checkVisibility()) continue;
        e.focus();
        const a = e.getBoundingClientRect(), b = bar.getBoundingClientRect();
        if (document.activeElement === e && a.top >= b.top && a.bottom <= b.bottom)
            hidden.push(e.outerHTML);
    }
    scrollTo(0, 0);
    document.activeElement?.blur();
    return hidden;
}"""
"""Focused elements that are hidden behind the bar of moves."""


def looked_over(page: Page) -> list[str]:
    """Return the faults in the layout of a page, in every mode and on every screen."""
    return [*_look_over(page)]


def _look_over(page: Page) -> Iterator[str]:
    yield from accessibility_faults(page)
    for scheme, forced in MODES:
        page.emulate_media(color_scheme=scheme, forced_colors=forced)
        if forced == "active":
            faults = forced_colour_faults(page)
        else:
            faults = accessibility_faults(page, "color-contrast")
        for fault in faults:
            yield f"{scheme}, forced colours {forced}: {fault}"
    page.emulate_media(color_scheme="light", forced_colors="none")
    is_big_screen = page.locator("body.projector").count() == 1
    for width, text in SCREENS:
        page.set_viewport_size({"width": width, "height": 700})
        page.evaluate("size => document.documentElement.style.fontSize = size", f"{text}%")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            yield f"{width} pixels: it scrolls sideways"
        if not is_big_screen and (odd := text_sizes(page) - TEXT_SIZES):
            yield f"{width} pixels: text of {sorted(odd)} pixels"
        if low := page.evaluate(TOO_LOW):
            yield f"{width} pixels: too low are {low}"
        if small := page.evaluate(TOO_SMALL):
            yield f"{width} pixels: too small are {small}"
    page.evaluate("document.documentElement.style.fontSize = ''")
    page.set_viewport_size({"width": 360, "height": 640})
    if hidden := page.evaluate(BEHIND_THE_MOVES):
        yield f"behind the moves: {hidden}"
    page.set_viewport_size({"width": 1280, "height": 720})
    if page.evaluate("getComputedStyle(document.body).margin") != "0px":
        yield "it wears no style sheet"


def _pages(page: Page, site: str) -> Iterator[str]:
    """Pages without a table, and rejected decks."""
    around = ("/lab", "/settings", "/deals", "/daily", "/daily/yesterday", "/history", "/practise")
    for path in ("/", "/nowhere", "/simple-21/rules", "/war/rules", *around):
        page.goto(site + path)
        yield path
    refusals = {"war": "line 2 repeats the card of line 1", "bingo": "is not valid"}
    for slug, sentence in refusals.items():
        page.goto(f"{site}/{slug}")
        page.locator("summary", has_text="own").first.click()
        page.locator("textarea").first.fill("KS\nKS")
        press(page, "Deal")
        expect(page.locator("main")).to_contain_text(sentence)
        yield f"{slug} refused"
    page.goto(f"{site}/sheets")
    yield "sheets"
    for summary in page.locator("summary").all():
        summary.click()
    yield "sheets, with the tasks"


def _table(page: Page, site: str, slug: str) -> Iterator[str]:
    page.goto(f"{site}/{slug}")
    yield from STATES[slug](page, slug)
    if slug in ASKS:
        yield from _of_a_table(page, site, slug)


def _of_a_table(page: Page, site: str, slug: str) -> Iterator[str]:
    """The pages about played rounds."""
    for path in ("history", "history/1"):
        page.goto(f"{site}/{slug}/{path}")
        yield f"{slug} {path}"
    page.get_by_role("link", name="Forward").click()
    page.wait_for_url("**step=2")
    yield f"{slug} replayed"
    # The table accepts a new deck only after this round has ended.
    if slug == "blackjack":
        page.goto(f"{site}/blackjack/history/1")
        page.get_by_role("link", name="What if?").click()
        page.wait_for_url("**/what-if/**")
        yield "what if"


def _plain_games(page: Page, site: str) -> Iterator[str]:
    """Games that do not define a template."""
    for slug, moves in (("high-card", ()), ("lasting-high-card", ("Swap",))):
        page.goto(f"{site}/{slug}")
        yield f"{slug} ready"
        for move in ("Deal", *moves):
            press(page, move)
            yield f"{slug} after {move}"
        for path in ("history", "history/1"):
            page.goto(f"{site}/{slug}/{path}")
            yield f"{slug} {path}"


def _daily_deals(page: Page, site: str) -> Iterator[str]:
    """A deal of the day.

    A friend then plays this deal, and the page shows the first player's moves next to it.
    """
    page.goto(f"{site}/daily")
    page.get_by_role("link", name=re.compile("^Play ")).click()
    page.wait_for_url("**/deal/*-1")
    yield "a daily deal: ready"
    press(page, "Deal")
    yield "a daily deal: playing"
    stop = page.get_by_role("button", name=re.compile("^Sta(y|nd)$"))
    stop.click()
    expect(page.get_by_role("link", name="Next deal")).to_be_visible()
    yield "a daily deal: over"
    page.get_by_role("link", name="Challenge a friend").click()
    page.wait_for_url("**/link*")
    yield "a daily deal: its link"
    sent = page.get_by_role("textbox", name="The address").input_value()
    page.goto(f"{site}/daily")
    yield "daily deals, one of them over"
    page.context.clear_cookies()
    page.goto(sent)
    yield "a friend's line: ready"
    press(page, "Deal")
    stop.click()
    page.get_by_role("region", name="Side by side").wait_for()
    yield "a friend's line: over"
    page.get_by_role("link", name="Play these cards again").click()
    page.get_by_role("link", name="Hit", exact=True).click()
    page.get_by_role("region", name="Side by side").wait_for()
    yield "one's own line along"


def _deal(page: Page, site: str, slug: str, button: str) -> Iterator[str]:
    """Create a deal link in the form, play the deal, and view all results."""
    page.goto(f"{site}/deals?table={slug}")
    yield "the form"
    page.get_by_role("button", name="Make the link").click()
    page.wait_for_url("**/deal/*/link")
    yield "its link"
    page.get_by_role("link", name="Play it yourself").click()
    page.wait_for_url(re.compile(r"/deal/\w+$"))
    yield "ready"
    page.get_by_text("The link, and how it works").click()
    expect(page.get_by_label("Share this address")).to_have_value(page.url)
    press(page, "Deal")
    yield "playing"
    press(page, button)
    page.get_by_role("heading", name="Everyone with these cards").wait_for()
    yield "over"
    for summary in page.locator(".deal-over summary").all():
        summary.click()
    yield "all the cards"


def _refused_deals(page: Page, site: str) -> Iterator[str]:
    page.goto(f"{site}/deals?table=bingo")
    fill_in_deck(page, "not a card", "calling_deck")
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_role("alert")).to_contain_text("is not valid")
    yield "a deal refused"
    page.goto(f"{site}/deal/{'0' * 16}")
    yield "no such deal"


def _friends(page: Page, site: str) -> Iterator[str]:
    """The guest's page during a match at a deal link, and the host's page before it."""
    assert page.context.browser
    guest = page.context.browser.new_page()
    wait_for_friend(page, site, "When I click the button")
    yield "a match: waiting"
    page.get_by_role("button", name="Stop waiting").click()
    link = wait_for_friend(guest, site, "When I click the button")
    page.goto(link)
    yield "a match: invitation"
    join(page, link)
    yield "a match: dealt"
    guest.get_by_role("button", name="Call").click()
    expect(page.locator("main")).to_have_attribute("data-call", "1.1")
    page.get_by_role("button", name="BINGO!").click()
    expect(page.get_by_role("alert")).to_contain_text("Not yet.")
    yield "a match: a wrong claim"
    for call in range(2, 53):
        guest.request.post(f"{link}/friend", form={"move": "call", "call": str(call)})
    guest.reload()
    guest.get_by_role("button", name="BINGO!").click()
    expect(page.locator(".word")).to_contain_text("Your friend has BINGO!")
    yield "a match: lost"
    page.get_by_role("button", name="BINGO!").click()
    expect(page.locator(".won-head")).to_be_visible()
    yield "a match: a tie"
    guest.get_by_role("button", name="Leave").click()
    expect(page.locator(".word")).to_have_text("Your friend has left.")
    yield "a match: over"
    guest.close()


PARTS: Final[dict[str, Callable[[Page, str], Iterator[str]]]] = {
    **{slug: partial(_table, slug=slug) for slug in STATES},
    "pages": _pages,
    "games without a template": _plain_games,
    "deal of simple-21": partial(_deal, slug="simple-21", button="Stay"),
    "deal of war": partial(_deal, slug="war", button="To the end"),
    "deal of bingo": partial(_deal, slug="bingo", button="Until BINGO!"),
    "refused deals": _refused_deals,
    "friends": _friends,
    "daily deals": _daily_deals,
}
"""Walks through the site with the script enabled. The walks yield each state of each page.

Each part is a separate test, so that several workers can share the parts.
"""


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_every_state_of_every_page_is_usable(still_page: Page, site: str, part: str) -> None:
    """axe finds no faults, even in dark mode and in forced colours.

    No page scrolls sideways on any screen, even if the text is twice as large. Every text has one
    of seven sizes. Targets are 44 pixels high, or 24 pixels if they are on a separate line, and the
    bar of moves never hides the focused element.
    """
    wrong = {
        state: faults
        for state in PARTS[part](still_page, site)
        if (faults := looked_over(still_page))
    }
    assert wrong == {}


def test_hidden_elements_are_detected(still_page: Page, site: str) -> None:
    """This test checks that the test above can fail."""
    page = still_page
    page.goto(f"{site}/simple-21")
    press(page, "Deal")
    assert looked_over(page) == []
    page.evaluate(
        """() => {
        const e = document.createElement("a");
        Object.assign(e, {href: "/", textContent: "a link nobody can read", className: "moves"});
        const style = new CSSStyleSheet();
        style.replaceSync(".moves[href] {color: #777; background: #888; width: 2000px}" +
            "main .play:not(.steps) {position: fixed; inset: 0} .board a {font-size: 8px}");
        document.adoptedStyleSheets = [style];
        document.querySelector(".side").append(e);
        }"""
    )
    said = " ".join(looked_over(page))
    faults = ("color-contrast", "it scrolls sideways", "text of [8]", "too low", "too small")
    for fault in (*faults, "behind the moves"):
        assert fault in said


# ---- On a phone, in dark mode, in forced colours --------------------------------------------


def test_the_moves_are_at_the_foot_of_a_phone_in_every_phase(
    open_page: OpenPage, site: str
) -> None:
    """The moves stay in one position, are at least 44 pixels high, and hide no focused element."""
    page = open_page(viewport={"width": 360, "height": 740}, reduced_motion="reduce")
    page.goto(f"{site}/simple-21")
    places = []
    for button in ("Deal", "Stay", "Deal", "Stay"):
        box = box_of(page.locator(".moves button").first)
        places.append((box["x"], box["y"] + box["height"]))
        press(page, button)
    assert len(set(places)) == 1
    assert 680 < places[0][1] <= 740


ELEVEN = "AC 9S AD 8S AH AS 2C 2D 2H 2S 3C 3D 3H"
"""Both players get two cards, and nine hits follow: eleven cards with a total of 21."""


@pytest.mark.parametrize("width", [320, pytest.param(1280, marks=pytest.mark.slow)])
def test_eleven_cards_fit_in_a_row_with_their_indices_free(
    open_page: OpenPage, site: str, width: int
) -> None:
    page = open_page(viewport={"width": width, "height": 700}, reduced_motion="reduce")
    page.goto(f"{site}/simple-21")
    fill_in_deck(page, stacked(ELEVEN))
    press(page, "Deal")
    for _ in range(9):
        press(page, "Hit")
    boxes = (
        page.get_by_role("region", name="You")
        .get_by_role("img")
        .evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")
    )
    assert len(boxes) == 11
    assert len({box["top"] for box in boxes}) == 1
    for left, right in pairwise(boxes):
        assert right["left"] - left["left"] >= 0.26 * left["width"]  # the index takes up 26%
    assert boxes[-1]["right"] <= width
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_readers_own_theme_and_suits(open_page: OpenPage, site: str) -> None:
    page = open_page(color_scheme="light")
    page.goto(f"{site}/simple-21")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_label("Dark").check()
    page.get_by_label("Four colours").check()
    page.get_by_role("button", name="Save").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    press(page, "Deal")
    pictures = page.locator(".hand img[src*='#four']")
    assert pictures.count() == 3  # all cards except the face-down card


def test_a_served_picture_shows_the_fourth_colour(open_page: OpenPage, site: str) -> None:
    """The image is drawn on a canvas of the page. The site's CSP allows this."""
    page = open_page()
    page.goto(f"{site}/simple-21")
    static = page.locator("link[rel=stylesheet]").first.get_attribute("href")
    assert static
    source = static.replace("site.css", "cards/AD.svg#four")
    pixel = page.evaluate(
        """async source => {
        const image = new Image(250, 350);
        image.src = source;
        await image.decode();
        const canvas = Object.assign(document.createElement("canvas"), {width: 250, height: 350});
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0, 250, 350);
        return [...context.getImageData(125, 165, 1, 1).data];
        }""",
        source,
    )
    assert tuple(pixel[:3]) == (26, 79, 180)


def test_forced_colours_keep_everything_visible(open_page: OpenPage, site: str) -> None:
    """Forced colours remove backgrounds, so the table, badges and banner need borders."""
    page = open_page(forced_colors="active", color_scheme="dark")
    page.goto(f"{site}/simple-21")
    deal_own_deck(page)
    press(page, "Stay")
    canvas = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for selector in (".felt", ".total", ".verdict", ".counts div", ".moves button"):
        style = page.locator(selector).first.evaluate(
            "e => { const s = getComputedStyle(e); return [s.borderTopWidth, s.borderTopColor] }"
        )
        assert float(style[0].removesuffix("px")) >= 1, selector
        assert style[1] != canvas, selector
    for picture in page.locator(".hand img").all():
        assert picture.evaluate("async e => (await e.decode(), e.checkVisibility())")
    for line in page.locator(".course path").all():
        assert line.evaluate("e => getComputedStyle(e).stroke") != canvas
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineColor")
    assert outline != canvas
