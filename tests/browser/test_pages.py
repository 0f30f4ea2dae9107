"""The pages around the tables in a browser: header, lobby, deal links, history and replays."""

import gzip
import re
from typing import Final

import pytest
from playwright.sync_api import Page, Response, expect

from tests.browser.conftest import OpenPage
from tests.support.browser import box_of, press

SCREENS = ((320, 568), (390, 844), (768, 1024), (1280, 800))


@pytest.fixture
def phone(open_page: OpenPage) -> Page:
    """A phone in Tokyo whose pages may write to its clipboard."""
    return open_page(
        viewport={"width": 390, "height": 844},
        reduced_motion="reduce",
        timezone_id="Asia/Tokyo",
        locale="en-GB",
        permissions=["clipboard-read", "clipboard-write"],
    )


def fits(page: Page) -> bool:
    """Return whether a page fits the screen without sideways scrolling."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


AROUND = (
    *("/", "/daily", "/puzzles", "/lab", "/practise"),
    *("/settings", "/deals", "/sheets", "/war", "/bingo"),
)


def test_the_longer_german_words_fit_the_smallest_phone(open_page: OpenPage, site: str) -> None:
    page = open_page(viewport={"width": 320, "height": 568}, locale="de-DE")
    wide = []
    for path in AROUND:
        page.goto(site + path)
        assert page.get_attribute("html", "lang") == "de"
        wide += [] if fits(page) else [path]
    assert wide == []


MOST_BYTES = 40 * 1024
"""The files that a first visit may load, compressed as they are by the set-up."""


@pytest.mark.parametrize("path", ["/", "/simple-21", "/puzzles"])
def test_a_first_visit_loads_little(open_page: OpenPage, site: str, path: str) -> None:
    """The size of each response is measured with gzip.

    Browsers use Brotli, which compresses better.
    """
    page = open_page(viewport={"width": 390, "height": 844})
    answers: list[Response] = []

    def note(answer: Response) -> None:
        answers.append(answer)

    page.on("response", note)
    page.goto(site + path)
    page.wait_for_load_state("networkidle")
    sizes = {one.url: len(gzip.compress(one.body())) for one in answers}
    assert any(url.endswith("site.css") for url in sizes)
    assert sum(sizes.values()) <= MOST_BYTES, sizes


# ---- Navigation ------------------------------------------------------------------------------


def test_a_phone_has_the_way_around_behind_one_button(
    open_page: OpenPage, site: str, script: bool
) -> None:
    """The menu is in the header, not at the end of the page, and opens without a script."""
    page = open_page(viewport={"width": 390, "height": 844}, java_script_enabled=script)
    page.goto(f"{site}/")
    way = page.get_by_role("navigation", name="The site")
    expect(way).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    expect(way).to_be_visible()
    box = box_of(way)
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    way.get_by_role("link", name="Practise").click()
    expect(page.get_by_role("heading", name="Practise")).to_be_visible()
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="Deutsch").click()
    expect(page.get_by_role("heading", name="Üben")).to_be_visible()


def test_wide_screen_menu_is_a_row_with_the_current_page(still_page: Page, site: str) -> None:
    page = still_page
    page.goto(f"{site}/practise")
    links = page.get_by_role("navigation", name="The site").get_by_role("link")
    boxes = [box_of(link) for link in links.all()]
    assert len({box["y"] for box in boxes}) == 1
    assert len(boxes) == 5
    expect(page.get_by_role("button", name="Menu")).to_be_hidden()
    current = page.locator("#site-nav [aria-current=page]")
    expect(current).to_have_text("Practise")


SOUGHT: Final = {
    "The rules of Simple 21": ("Simple 21 Aces", "Rules"),
    "Join a class": ("Class",),
    "Your own code: Simple 21": ("Code: write these games, and check your program", "Simple 21"),
    "Yesterday's five, with the best play": ("Yesterday's five, with the best play",),
    "Your rounds": ("History: all your rounds",),
    "The lab": ("Practise: puzzles", "The lab"),
}
"""The pages that newcomers need, keyed by heading, and the links to these pages."""


def test_newcomer_finds_everything_within_two_links(still_page: Page, site: str) -> None:
    """The text of each link names the linked page."""
    page = still_page
    for heading, links in SOUGHT.items():
        page.goto(f"{site}/")
        for words in links:
            link = page.get_by_role("link", name=re.compile(f"^{re.escape(words)}"))
            page.goto(site + str(link.first.get_attribute("href")))
        expect(page.get_by_role("heading", level=1, name=heading)).to_be_visible()


def test_link_to_an_assignment_unfolds_it(still_page: Page, site: str) -> None:
    page = still_page
    page.goto(f"{site}/sheets")
    expect(page.locator("#war")).to_be_hidden()
    page.goto(f"{site}/sheets/war/try")
    page.get_by_role("link", name="Read the task").click()
    expect(page.locator("#war")).to_be_in_viewport()
    expect(page.get_by_role("heading", name="War", exact=True)).to_be_in_viewport()


# ---- The lobby -----------------------------------------------------------------------------


def test_a_returning_player_goes_on_at_once(still_page: Page, site: str) -> None:
    """The current game comes first, with a Continue button visible without scrolling.

    All tables follow.
    """
    page = still_page
    page.goto(f"{site}/blackjack")
    press(page, "Deal")
    while "move" not in page.title():  # A natural ends the round immediately.
        press(page, "Deal")
    page.goto(f"{site}/")
    on = page.get_by_role("region", name=re.compile("Blackjack, round"))
    expect(on).to_contain_text("It is your move.")
    button = on.get_by_role("link", name="Continue")
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        box = box_of(button)
        assert box["y"] + box["height"] <= height
        assert fits(page)
    button.click()
    expect(page.get_by_text("Hit or stand?")).to_be_visible()


def test_player_after_a_round_continues_at_once_too(open_page: OpenPage, site: str) -> None:
    """The current game is a wide row above the tables. The tables' images have equal heights."""
    page = open_page(viewport={"width": 320, "height": 568}, reduced_motion="reduce")
    page.goto(f"{site}/blackjack")
    press(page, "Deal")
    if page.get_by_role("button", name="Stand").count():
        press(page, "Stand")
    page.goto(f"{site}/")
    expect(page.get_by_role("region", name="Your results by table")).to_be_visible()
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        box = box_of(page.get_by_role("region", name=re.compile("Blackjack, round")))
        assert box["width"] > width / 2
        assert box["y"] + box["height"] <= height
        pictures = [box_of(one) for one in page.locator(".seat .scene").all()]
        assert len({round(picture["height"]) for picture in pictures}) == 1


# ---- Deal links ----------------------------------------------------------------------------


def test_a_deal_link_is_copied_whole(phone: Page, site: str) -> None:
    page = phone
    page.goto(f"{site}/deals?table=blackjack")
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_role("heading", name="Your link is ready")).to_be_visible()
    field = page.get_by_label("The address", exact=True)
    whole = field.input_value()
    assert re.fullmatch(rf"{site}/deal/[0-9a-f]{{16}}", whole)
    assert field.evaluate("e => e.scrollHeight <= e.clientHeight + 1")  # The text is not cut off.
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == whole
    assert box_of(page.get_by_role("img", name="The link as a QR code"))["width"] >= 150
    assert fits(page)


# ---- History and replays -------------------------------------------------------------------


def play_three(page: Page, site: str) -> None:
    """Finish three rounds of Blackjack."""
    page.goto(f"{site}/blackjack")
    for _ in range(3):
        press(page, "Deal")
        if page.get_by_role("button", name="Stand").count():
            press(page, "Stand")


def test_a_round_is_a_row_on_a_phone_in_the_readers_own_time(phone: Page, site: str) -> None:
    page = phone
    play_three(page, site)
    page.goto(f"{site}/blackjack/history")
    rows = page.locator(".history > li")
    expect(rows).to_have_count(3)
    for row in rows.all():
        box = box_of(row)
        assert box["height"] <= 150
    moment = page.locator("time").first
    shown = page.evaluate(
        """e => new Intl.DateTimeFormat("en-GB", {dateStyle: "medium", timeStyle: "short",
        timeZone: "Asia/Tokyo"}).format(new Date(e))""",
        moment.get_attribute("datetime"),
    )
    expect(moment).to_have_text(shown)
    assert fits(page)


def test_the_arrow_keys_walk_through_a_replay(still_page: Page, site: str) -> None:
    page = still_page
    page.goto(f"{site}/war")
    press(page, "Deal")
    press(page, "10 turns")
    press(page, "To the end")
    page.goto(f"{site}/war/history/1")
    for key, step in (("End", r"\d\d+"), ("Home", "1"), ("ArrowRight", "2"), ("ArrowLeft", "1")):
        page.keyboard.press(key)
        page.wait_for_url(re.compile(rf"step={step}$"))
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"step=2$"))
    page.get_by_role("link", name="the next step").click()
    expect(page.get_by_text("WAR!", exact=True)).to_be_visible()


# ---- Rules ---------------------------------------------------------------------------------


def test_the_rules_are_read_beside_the_table(still_page: Page, site: str) -> None:
    """The table behind the rules does not change, and the linked rule is in view."""
    page = still_page
    page.goto(f"{site}/blackjack")
    page.evaluate("window.same = true")
    page.get_by_role("link", name="Rules").click()
    beside = page.get_by_role("dialog", name="The rules of Blackjack")
    expect(beside).to_be_visible()
    assert page.url == f"{site}/blackjack"
    for picture in beside.locator("#aim img").all():
        expect(picture).to_be_visible()
    page.keyboard.press("Escape")
    expect(beside).to_have_count(0)
    press(page, "Deal")
    if page.get_by_role("button", name="Stand").count():
        press(page, "Stand")
    page.get_by_role("link", name="The rule", exact=True).click()
    expect(page.locator("dialog .asked")).to_be_in_viewport()
    beside.get_by_role("button", name="OK").click()
    assert page.evaluate("window.same")


# ---- Errors --------------------------------------------------------------------------------


def test_an_error_stands_whole_in_the_middle_of_its_felt(still_page: Page, site: str) -> None:
    """The message and the back links are centred horizontally."""
    page = still_page
    for size in SCREENS:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.goto(f"{site}/nowhere")
        left, top, right, bottom = page.evaluate(
            """() => {
                const felt = document.querySelector(".felt").getBoundingClientRect();
                const inside = [...document.querySelectorAll(".felt *")]
                    .map(one => one.getBoundingClientRect());
                const most = side => Math.max(...inside.map(one => one[side]));
                const least = side => Math.min(...inside.map(one => one[side]));
                return [least("left") - felt.left, least("top") - felt.top,
                    felt.right - most("right"), felt.bottom - most("bottom")];
            }"""
        )
        assert min(left, top, right, bottom) >= 12
        assert abs(left - right) <= 2


def test_the_menu_of_a_phone_has_the_tables_own_pages(open_page: OpenPage, site: str) -> None:
    page = open_page(viewport={"width": 360, "height": 740})
    page.goto(f"{site}/blackjack")
    page.get_by_role("button", name="Menu").click()
    own = page.get_by_role("group", name="This table").get_by_role("link")
    assert own.all_inner_texts() == ["Rules", "History", "More"]
    own.nth(2).click()
    expect(page.get_by_role("link", name="History").last).to_be_in_viewport()
