"""Debian's Chromium, and steps that tests perform in the browser."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import (
    Browser,
    FloatRect,
    Locator,
    Page,
    Route,
    expect,
    sync_playwright,
)

from tests.support.site import DECKS

CHROMIUM: Final = (
    shutil.which("chromium-headless-shell") or shutil.which("chromium") or "/usr/bin/chromium"
)
"""The headless build of Chromium, if installed, because it needs much less processor time.
"""

DECK_FILE: Final = DECKS / "shuffledDeck.txt"
ASKS: Final = {
    "simple-21": "Hit or stay?",
    "blackjack": "Hit or stand?",
    "one-deck": "Hit or stand?",
    "war": "How far?",
    "bingo": "Cover the called cards",
}
"""The name of the group of choices at each table after the deal."""

PATIENCE: Final = 90_000
"""Timeout for a browser step, in milliseconds. Without load, such a step takes a millisecond."""

expect.set_options(timeout=PATIENCE)

HIDE: Final = """hidden => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
"""A controller that moves a page to the background or the foreground, like a locked phone or
another tab.
"""

_QUIET: Final = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.fail("Chromium is missing: `make test` installs it.")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=[*_QUIET, *flags])
        running.on("context", lambda context: context.set_default_timeout(PATIENCE))
        yield running
        running.close()


_FAULTS: Final = """async rules => {
    const chosen = rules.length ? {runOnly: rules} : {};
    const found = await axe.run({resultTypes: ["violations"], ...chosen});
    return found.violations.flatMap(({id, nodes}) =>
        nodes.map(node => `${id}: ${node.failureSummary} ${node.html}`));
}"""


def accessibility_faults(page: Page, *rules: str) -> list[str]:
    """Return the faults that axe finds on a page, by all rules or the given rules.

    The axe script is added to a document only once, and returns only the faults. Adding the script
    each time and returning all results took four fifths of the tests' time.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    faults: list[str] = page.evaluate(_FAULTS, rules)
    return faults


_UNREADABLE: Final = """() => {
    const probe = document.body.appendChild(document.createElement("p"));
    probe.style.cssText = "forced-color-adjust: none; background: Canvas";
    const canvas = getComputedStyle(probe).backgroundColor;
    probe.remove();
    const parts = colour => colour.match(/[\\d.]+/g).map(Number);
    const light = colour => parts(colour).slice(0, 3)
        .map(part => part / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const contrast = (a, b) => {
        const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y);
        return (bright + 0.05) / (dark + 0.05);
    };
    const isClear = colour => parts(colour)[3] === 0;
    const fill = e => {
        for (let one = e; one; one = one.parentElement) {
            const colour = getComputedStyle(one).backgroundColor;
            if (!isClear(colour)) return colour;
        }
        return canvas;
    };
    const isSeen = e => e.checkVisibility({opacityProperty: true, visibilityProperty: true})
        && getComputedStyle(e).clipPath === "none" && !e.closest(".visually-hidden, .skip");
    const found = [];
    for (const e of document.querySelectorAll("body *")) {
        if (e.namespaceURI !== "http://www.w3.org/1999/xhtml" || !isSeen(e)) continue;
        const style = getComputedStyle(e);
        const words = [...e.childNodes].filter(one => one.nodeType === Node.TEXT_NODE);
        const text = words.map(one => one.data).join("").trim();
        // The system lays its paper behind each word, wherever forced-color-adjust lets it.
        const behind = style.forcedColorAdjust === "auto" ? canvas : fill(e);
        if (text && contrast(style.color, behind) < 4.5)
            found.push(`"${text}" of ${e.localName}.${e.className}: ${style.color} on ${behind}`);
        if (!e.matches("button, a.button")) continue;
        const edges = parseFloat(style.borderTopWidth) >= 1 ? style.borderTopColor : canvas;
        if (Math.max(contrast(edges, canvas), contrast(fill(e), canvas)) < 3)
            found.push(`"${e.textContent.trim()}" has no edge`);
    }
    return found;
}"""


def forced_colour_faults(page: Page) -> list[str]:
    """Return the texts and buttons that are unreadable in forced-colours mode."""
    faults: list[str] = page.evaluate(_UNREADABLE)
    return faults


TEXT_SIZES: Final = frozenset({13, 15, 17, 20, 24, 29, 40})
"""The sizes of text on a page, in pixels."""

_TEXT_SIZES = """() => {
    const root = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), seen = new Set();
    const field = "textarea, select, input:not([type=hidden], [type=radio], [type=checkbox])";
    const note = e => {
        const size = parseFloat(getComputedStyle(e).fontSize) / root * 16;
        if (size && e.checkVisibility({visibilityProperty: true}))
            seen.add(Math.round(size * 100) / 100);
    };
    while (walker.nextNode()) {
        const e = walker.currentNode.parentElement;
        if (walker.currentNode.data.trim() && !e.closest("script, .visually-hidden, .skip, .sheet"))
            note(e);
    }
    document.querySelectorAll(field).forEach(note);
    return [...seen];
}"""


def text_sizes(page: Page) -> set[float]:
    """Return the sizes of all visible text, in pixels.

    The root font size is 16 pixels.

    A sheet of paper cards is omitted, because its sizes are in points that scale with the sheet.
    """
    return set(page.evaluate(_TEXT_SIZES))


def box_of(element: Locator) -> FloatRect:
    """Return a visible element's position on the screen."""
    box = element.bounding_box()
    assert box
    return box


def cards(page: Page, hand: str) -> list[str]:
    images = page.get_by_role("region", name=hand).get_by_role("img")
    return [image.get_attribute("alt") or "" for image in images.all()]


def is_scripted(page: Page) -> bool:
    """Return whether our script runs on the page. The script adds a live region."""
    return page.locator("body > p[role=status]").count() == 1


def press(page: Page, button: str) -> None:
    """Click a button and wait for the next page, or for the page's new content."""
    element = page.get_by_role("button", name=button)
    if not is_scripted(page):
        with page.expect_navigation():
            element.click()
        return
    old = page.locator("main").element_handle()
    element.click()
    page.wait_for_function(
        "old => !old.isConnected && !document.querySelector('[aria-busy]')", arg=old
    )


def stay(route: Route) -> None:
    """Stop the automatic reload of pages without a script.

    Pass this function to Playwright's ``page.route``. The test's choices and focus then remain
    unchanged. Forms and the script's requests are still sent.
    """
    if route.request.is_navigation_request() and route.request.method == "GET":
        route.fulfill(status=204)
    else:
        route.continue_()


def deal_own_deck(page: Page) -> None:
    """Deal with the sheet's deck."""
    page.get_by_text("Play your own deck").click()
    page.get_by_label("Deck file").set_input_files(DECK_FILE)
    press(page, "Deal")


def deal_the_sheets_line(page: Page) -> None:
    """Deal a round of Bingo in which the player has a line after six calls."""
    decks = {"bingo_deck": "bingoDeck", "calling_deck": "callingDeck_line_Awins"}
    for field, name in decks.items():
        page.locator(f"input[type=file][name={field}]").set_input_files(DECKS / f"{name}.txt")
    press(page, "Deal")


def fill_in_deck(page: Page, text: str, field: str = "deck") -> None:
    """Paste a deck into the deck field."""
    for summary in page.locator(f"details:has([name={field}]) > summary").all():
        summary.click()  # the outer element first
    page.locator(f"textarea[name={field}]").fill(text)
