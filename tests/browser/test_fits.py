"""All important parts are on the screen together, and none of them covers another part.

Each state of each table is reached once and checked on every screen. Without scrolling, the cards,
the grids, the result, the coach and the moves are inside the window. These parts do not overlap.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage
from tests.support.browser import deal_the_sheets_line, fill_in_deck, press
from tests.support.site import stacked

SCREENS: Final = (
    (320, 568),
    (360, 740),
    (390, 844),
    (740, 360),
    (768, 1024),
    (1280, 800),
    (1920, 1080),
)

WRONG: Final = """() => {
    const parts = {
        card: ".felt .card", chip: ".felt .chip", total: ".felt .total", name: ".felt .who",
        result: ".felt .verdict, .felt .taken, .felt .warcry, .felt .go-on",
        called: ".felt .called-last", ask: ".felt .ask button",
        field: ".felt input, .felt label, .felt legend",
        bar: ".coach .bars li", judged: ".coach .judged li", board: ".scoreboard",
        move: ".moves button, .moves summary, .moves a",
    };
    const isSeen = e => e.checkVisibility({visibilityProperty: true})
        && getComputedStyle(e).clipPath === "none";
    const all = Object.entries(parts).flatMap(([kind, selector]) =>
        [...document.querySelectorAll(selector)].filter(isSeen).map(e => {
                const {left, top, right, bottom} = e.getBoundingClientRect();
                return {kind, e, left, top, right, bottom, text: e.alt || e.textContent.trim()};
            }));
    const wrong = [], off = 1;
    if (innerWidth >= 992 && document.documentElement.scrollHeight > innerHeight + off)
        wrong.push("the page scrolls");
    for (const one of all) {
        if (one.left < -off || one.top < -off || one.right > innerWidth + off
            || one.bottom > innerHeight + off)
            wrong.push(`${one.kind} "${one.text}" is off the screen`);
        const box = one.e.closest(".felt")?.getBoundingClientRect();
        if (box && (one.top < box.top - off || one.bottom > box.bottom + off))
            wrong.push(`${one.kind} "${one.text}" is cut off by the felt`);
        const room = one.kind === "field" ? 0 : one.e.clientWidth;
        if (room && one.e.scrollWidth > room + off)
            wrong.push(`${one.kind} "${one.text}" does not hold its text`);
    }
    for (const one of all) for (const other of all) {
        // Cards of one hand lie over each other on purpose.
        if (one === other || one.e.contains(other.e) || other.e.contains(one.e)) continue;
        const hand = "ul.cards, .shown, .newest";
        if (one.kind === "card" && other.kind === "card"
            && one.e.closest(hand) === other.e.closest(hand)) continue;
        if (one.kind === "field" && other.kind === "field") continue;
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        if (wide > off && high > off)
            wrong.push(`${one.kind} "${one.text}" lies over ${other.kind} "${other.text}"`);
    }
    if (!all.some(one => one.kind === "move")) wrong.push("there are no moves");
    const small = [...document.querySelectorAll(".hands .card, .war .card")]
        .filter(e => e.getBoundingClientRect().width < 29);
    if (small.length) wrong.push("cards are too small to read");
    return [...new Set(wrong)].slice(0, 4);
}"""
"""Elements that are outside of the screen, cut off, or covered by another element."""


def on_screens(page: Page, screens: Iterable[tuple[int, int]]) -> dict[str, list[str]]:
    """Return the faults in the layout of a page, keyed by screen."""
    found = {}
    for width, height in screens:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        if wrong := page.evaluate(WRONG):
            found[f"{width}x{height}"] = wrong
    return found


def _twenty_one(page: Page, slug: str) -> Iterator[str]:
    stop = "Stay" if slug == "simple-21" else "Stand"
    yield "ready"
    fill_in_deck(page, stacked("TC 9S 2D 8S AH AS 2C"))
    press(page, "Deal")
    yield "playing"
    press(page, "Ask the coach: what are my chances?")
    yield "with the coach"
    press(page, "Hit")
    yield "with the coach, three cards"
    press(page, stop)
    yield "over, with the coach"
    press(page, "Coach off")
    yield "over"
    # there is no deck field while one deck lasts for several rounds
    if page.locator("[name=deck]").count():
        fill_in_deck(page, stacked("TC TS 2D 6S 7H KS"))
    press(page, "Deal")
    press(page, "Ask the coach: what are my chances?")
    press(page, "Right or wrong, after my move")
    press(page, "Hit")
    yield "after my move"
    if page.get_by_role("button", name=stop).count():
        press(page, stop)
    yield "over: where the dealer is bust, it takes the most words"


def _puzzles(page: Page, _: str) -> Iterator[str]:
    for number in range(4):
        yield f"{number}: to be decided"
        press(page, "Hit")
        yield f"{number}: judged"
        page.get_by_role("link", name="Next").click()
        page.wait_for_selector(".moves .choice")


def _weak_spots(page: Page, _: str) -> Iterator[str]:
    yield "before the first"
    press(page, "Begin")
    yield "to be decided"
    press(page, "Hit")
    yield "judged"


def _one_deck(page: Page, slug: str) -> Iterator[str]:
    yield from _twenty_one(page, slug)
    for _ in range(30):
        if page.get_by_role("button", name="Stand").count():
            press(page, "Stand")
        elif page.get_by_role("button", name="Deal").count():
            press(page, "Deal")
        else:
            break
    yield "game over"


def _war(page: Page, _: str) -> Iterator[str]:
    yield "ready"
    page.get_by_label("6 players").check()
    yield "ready for six"
    press(page, "Deal")
    yield "six, dealt"
    press(page, "1 turn")
    yield "six, a turn"
    for _ in range(40):
        if page.locator(".war .later").count():
            break
        press(page, "1 turn")
    yield "six, a tie"
    press(page, "To the end")
    yield "six, over"
    for players in ("2", "3", "4", "5"):
        page.locator(f"[name=players][value='{players}']").check(force=True)
        press(page, "Deal")
        press(page, "1 turn")
        yield f"{players} players"
        press(page, "To the end")


def _bingo(page: Page, _: str) -> Iterator[str]:
    yield "ready"
    deal_the_sheets_line(page)
    yield "dealt"
    press(page, "Call")
    press(page, "BINGO!")
    yield "covered by hand: not yet"
    for _ in range(5):
        press(page, "Call")
    press(page, "Call")
    yield "covered by hand: it was not said"
    press(page, "Automatic")
    press(page, "Deal")
    press(page, "5 cards")
    yield "five cards called"
    press(page, "Until BINGO!")
    yield "over"
    press(page, "Deal")
    press(page, "Until BINGO!")
    yield "over, at random"


STATES: Final[dict[str, Callable[[Page, str], Iterator[str]]]] = {
    "simple-21": _twenty_one,
    "blackjack": _twenty_one,
    "one-deck": _one_deck,
    "war": _war,
    "bingo": _bingo,
    "puzzles": _puzzles,
    "puzzles/simple-21": _weak_spots,
}


@pytest.mark.parametrize(
    ("slug", "language", "screens"),
    [
        ("simple-21", "en", SCREENS[::3]),
        ("bingo", "en", SCREENS[::3]),
        *(
            pytest.param(slug, language, SCREENS, marks=pytest.mark.slow)
            for slug in STATES
            for language in ("en", "de")
        ),
    ],
)
def test_everything_is_on_the_screen_at_once(
    open_page: OpenPage,
    site: str,
    slug: str,
    language: str,
    screens: Sequence[tuple[int, int]],
) -> None:
    """The test also runs in German, because German words are longer.

    The states are reached through an English page.
    """
    page = open_page(reduced_motion="reduce", locale="en")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{site}/{slug}")
    seen = open_page(reduced_motion="reduce", locale="de-DE") if language == "de" else page
    wrong: dict[str, Any] = {}
    for state in STATES[slug](page, slug):
        if seen is not page:
            seen.context.add_cookies(page.context.cookies())  # type: ignore[arg-type]
            seen.goto(f"{site}/{slug}")
        if found := on_screens(seen, screens):
            wrong[state] = found
        page.set_viewport_size({"width": 1280, "height": 800})
    assert wrong == {}, wrong
