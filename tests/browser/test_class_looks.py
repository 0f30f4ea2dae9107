"""The layout of a class's pages: on small phones, in German, on a big screen."""

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_looks import looked_over
from tests.support import tournaments
from tests.support.insight import played
from tests.support.served_class import Seen, ServedClass


@pytest.fixture
def students() -> int:
    return 12


SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"
DOWNWARDS = "document.documentElement.scrollHeight - innerHeight"

CUT_OFF = """() => [...document.querySelectorAll("h1, p, th, td, .card, .qr")]
    .filter(e => e.checkVisibility() && !e.closest(".visually-hidden, .skip"))
    .filter(e => {
        const box = e.getBoundingClientRect();
        return box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
    }).map(e => e.outerHTML)"""
"""Elements that extend beyond the big screen."""

OUT_OF_ITS_COLUMN = """() => [...document.querySelectorAll("main > section > *")]
    .filter(e => e.checkVisibility() && !e.closest(".visually-hidden"))
    .filter(e => {
        const box = e.getBoundingClientRect(), column = e.parentElement.getBoundingClientRect();
        return box.right > column.right + 1 || box.left < column.left - 1;
    }).map(e => e.outerHTML)"""
"""Elements that extend beyond their column."""

LOW_CELLS = """() => [...document.querySelectorAll(".bcard .tile")]
    .map(e => e.getBoundingClientRect()).filter(e => e.width < 53.9 || e.height < 43.9).length"""
"""Number of cells of a card that are too small for a thumb."""

SAY = """longest => Object.entries(longest)
    .forEach(([part, text]) => { document.querySelector(part).textContent = text; })"""
LONGEST = {
    ".now .word": "Queen of diamonds",
    ".rejected": "Not yet. Your nearest line still needs the queen of diamonds, the seven of "
    "diamonds, the eight of diamonds and the three of diamonds.",
}
"""The longest possible texts. A line that contains the free position lacks at most four cards."""

PLACES = """() => [".now", ".bcard", ".answer", ".thumb"]
    .map(part => document.querySelector(part).getBoundingClientRect())
    .map(box => [box.top, box.bottom])"""
"""The top and bottom of each part of a card's page, measured together because the page changes."""


def not_all_seen(page: Page) -> list[Any]:
    """Return the elements that are only partly visible on a big screen."""
    asked = (SIDEWAYS, DOWNWARDS, CUT_OFF, OUT_OF_ITS_COLUMN)
    found = [page.evaluate(expression) for expression in asked]
    return found if any(found) else []


def states(room: ServedClass) -> Iterator[Seen]:
    """Step through a class, and yield the states of its pages."""
    boss, student = room.boss, room.phones[0]
    yield "the code is asked for", "/class", None
    yield "a class is opened", "/class/new", boss
    yield "joining", room.base, None
    yield "the class before a round", room.base, student
    yield "the deal form", f"{room.base}/dashboard", boss
    yield "a student's row", f"{room.base}/dashboard?student=1", boss
    assert room.try_move("hand-on").status_code == 200
    yield "the dashboard is shared", f"{room.base}/dashboard", boss
    yield "what destroys asks", f"{room.base}/dashboard?ask=forget", boss
    yield "leaving asks", f"{room.base}?ask=forget", student
    room.move("deal", every="0")
    yield "the cards are dealt", f"{room.base}/bingo", student
    room.call(9)
    yield "the class in a round", room.base, student
    yield "a card", f"{room.base}/bingo", student
    yield "a card as a list", f"{room.base}/bingo?as=list", student
    yield "the dashboard", f"{room.base}/dashboard?names=yes", boss
    yield "cards on paper", f"{room.base}/print?from=1&to=4", boss
    room.call_until()
    yield "a card that won", f"{room.base}/bingo", room.winner()
    yield "the dashboard at BINGO!", f"{room.base}/dashboard", boss
    room.move("end")
    yield "the round is over", f"{room.base}/bingo", student
    room.move("deal", every="0", by_hand="Y")
    room.call(4)
    yield "a card by hand", f"{room.base}/bingo", student
    student.claim(4)
    yield "not yet", f"{room.base}/bingo?said=4", student
    yield "claims", f"{room.base}/dashboard", boss
    yield "no insight yet", f"{room.base}/insight", boss
    teach(room)
    yield "insight", f"{room.base}/insight?days=7", boss
    yield "a list of who should come", f"{room.base}/roster", boss
    yield "insight on the big screen", f"{room.base}/projector?show=insight", None
    room.move("void")
    yield from tournament_states(room)
    yield from puzzle_states(room)


def teach(room: ServedClass) -> None:
    """Make mistakes as four students, and wait until the server has evaluated them."""
    salts = [f"{number:032x}" for number in range(12)]
    wrong = [
        played("one-deck", salt, lambda one: "stay" if one.total < 17 else "hit") for salt in salts
    ]
    room.teach(dict.fromkeys(range(1, 5), wrong))


def tournament_states(room: ServedClass) -> Iterator[Seen]:
    """Step through homework, and yield the states of its pages."""
    boss, student, ahead = room.boss, room.phones[0], room.phones[1]
    yield "no tournament yet", f"{room.base}/tournaments", boss
    room.make_tournament(deals="4")
    address = f"{room.base}/tournament/1"
    yield "a tournament begins", address, student
    yield "its first deal", f"{address}/deal/1", student
    room.play_deals(student, 2)
    for other, total in zip(room.phones[1:8], range(12, 19), strict=True):
        room.play_deals(other, 4, total)
    yield "a deal that is over", f"{address}/deal/2", student
    yield "half of a tournament", address, student
    yield "all of it", address, ahead
    yield "the class with a tournament", room.base, student
    yield "tournaments", f"{room.base}/tournaments", boss
    yield "a tournament's dashboard", address, boss


def puzzle_states(room: ServedClass) -> Iterator[Seen]:
    """Step through homework of puzzles, and yield its pages."""
    boss, student = room.boss, room.phones[0]
    yield "the form for puzzles", f"{room.base}/tournaments?kind=puzzles", boss
    number = tournaments.pose(room, theme="refill", table="simple-21", hands="", deals=3)[
        "tournament"
    ]
    address = f"{room.base}/tournament/{number}"
    yield "puzzles begin", address, student
    yield "the first puzzle", f"{address}/deal/1", student
    for phone in room.phones[:3]:
        tournaments.answer_puzzles(phone, "hit", "stay", number=number)
    yield "a puzzle that is answered", f"{address}/deal/1", student
    yield "some puzzles are answered", address, student
    yield "the dashboard of puzzles", address, boss
    tournaments.try_move(room, "end", number=number)
    yield "a puzzle with its price", f"{address}/deal/1", student


@pytest.mark.slow
def test_every_page_of_a_class_can_be_seen_reached_and_pressed(
    browser: Browser, room: ServedClass
) -> None:
    found = room.look_at(browser, states(room), looked_over, width=1280, height=720)
    assert found == {}


def test_row_of_earlier_calls_has_room_for_tens(browser: Browser, room: ServedClass) -> None:
    """A ten is the card with the widest text.

    A row of tens is cut off instead of widening the page.
    """
    room.move("deal", mode="F", every="0")  # no card is full after nine calls
    room.call(9)
    page = room.open(browser, "/bingo", room.phones[0], width=320, height=568)
    cards = page.locator(".before .mini")
    cards.evaluate_all("cards => cards.forEach(card => card.textContent = '10♥')")
    expect(cards).to_have_text(["10♥"] * 5)
    assert page.evaluate("document.documentElement.scrollWidth") == 320


@pytest.mark.slow
def test_on_the_smallest_phone_in_german(browser: Browser, room: ServedClass, script: bool) -> None:
    """Nothing scrolls sideways, and a card's cells are as large as a thumb."""

    def look(page: Page) -> list[int]:
        assert page.locator("html").get_attribute("lang") == "de"
        found = [page.evaluate(SIDEWAYS), page.evaluate(LOW_CELLS)]
        return found if any(found) else []

    small = {"width": 320, "height": 568, "language": "de", "script": script}
    assert room.look_at(browser, states(room), look, **small) == {}


def test_full_card_and_its_button_fit_a_small_phone(browser: Browser, room: ServedClass) -> None:
    """The last call is at the top, BINGO! is under the thumb, and the card is in the middle."""
    room.move("deal", every="0", by_hand="Y")
    room.call(9)
    for language in ("en", "de"):
        for student in room.phones[:2]:
            student.claim(9)
            page = room.open(
                browser, "/bingo?said=9", student, width=320, height=568, language=language
            )
            page.evaluate(SAY, LONGEST)
            places = page.evaluate(PLACES)
            gaps = [below[0] - above[1] for above, below in pairwise(places)]
            assert min(gaps) >= -1, (places, page.inner_text("main"))
            assert places[0][0] >= 0
            assert places[-1][1] <= 568


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)], ids=str)
def test_the_big_screen_never_scrolls(
    browser: Browser, room: ServedClass, language: str, size: tuple[int, int]
) -> None:
    width, height = size
    how = {"width": width, "height": height, "language": language}
    assert room.look_at(browser, on_the_big_screen(room), not_all_seen, **how) == {}


PODIUM = """([places, rest, name]) => {
    const podium = document.querySelector(".podium");
    const step = podium.querySelector("li");
    podium.replaceChildren(...places.map((students, place) => {
        const one = step.cloneNode(true);
        const who = one.querySelector(".who");
        one.className = `step-${place + 1}`;
        one.querySelectorAll(".who + .who").forEach(other => other.remove());
        who.textContent = name;
        for (let i = 1; i < students; i++) who.after(who.cloneNode(true));
        return one;
    }));
    document.querySelectorAll("main table, main .podium ~ .sub").forEach(one => one.remove());
    const row = `<tr><td>4</td><th scope="row">${name}</th><td class="r">22</td></tr>`;
    const head = "<th>Place</th><th>Nickname</th><th class='r'>Points given away</th>";
    const body = row.repeat(rest);
    const table = `<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
    podium.insertAdjacentHTML("afterend", `${rest ? table : ""}
        <p class="sub">and 17 more with place 5</p>
        <p class="sub hour">Won in the last hour: ${Array(5).fill(`${name} 3`).join(", ")}</p>`);
}"""
"""Sets the numbers of students on each podium step and of students without a step."""


SHARED: Final = (
    ([1, 1, 1], 2),
    ([5], 0),
    ([1, 4], 0),
    ([4], 1),
    ([3], 2),
    ([1, 2], 2),
    ([1, 1, 3], 0),
)
"""The numbers of students on each podium step, and the number without a step."""


def test_best_five_fit_the_big_screen_with_any_ties(browser: Browser, room: ServedClass) -> None:
    room.make_tournament(deals="1")
    room.play_deals(room.phones[0], 1)
    tournaments.try_move(room, "end")
    page = room.open(browser, "/projector?show=standings", width=1280, height=720)
    # a nickname that the site could suggest, and a nickname of the maximum length
    names = ("Quiet Otter", "Wonderful Water-Walker W")
    for name, (places, rest) in product(names, SHARED):
        page.evaluate(PODIUM, [places, rest, name])
        assert not_all_seen(page) == [], (name, places, rest)


def on_the_big_screen(room: ServedClass) -> Iterator[Seen]:
    """Step through a class, and yield the states of its big screen."""
    for show in ("join", "round", "standings", "nothing"):
        yield "before a round", f"/projector?show={show}", None
    room.make_tournament(deals="1")
    for student, total in zip(room.phones[:8], range(12, 20), strict=True):
        room.play_deals(student, 1, total)
    yield "after a tournament", "/projector?show=standings", None
    for speed in ("N", "Y"):
        room.move("deal", every="0", speed=speed)
        yield f"{speed}: dealt", "/projector?show=round", None
        room.call(3)
        yield f"{speed}: called", "/projector?show=round", None
        yield f"{speed}: called", "/projector?show=join", None
        room.call_until()
        yield f"{speed}: BINGO!", "/projector?show=round", None
        room.move("end")
        yield f"{speed}: over", "/projector?show=round", None


def test_a_screen_reader_hears_every_cell(browser: Browser, room: ServedClass) -> None:
    room.move("deal", every="0", by_hand="Y")
    room.call(2)
    student = room.phones[0]
    codes = student.bingo()["card"]["cards"]
    suits = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}
    page = room.open(browser, "/bingo", student)
    for place, code in enumerate(codes):
        cell = page.locator(f"#place-{place}")
        if code is None:
            assert "covered" in cell.inner_text()
            continue
        button = cell.get_by_role("button", name=f"of {suits[code[-1]]}")
        assert button.get_attribute("aria-pressed") == "false"
    assert page.locator("main").get_by_role("button").count() == 25  # a student with BINGO!


ABOVE_CALL = """() => {
  const place = (one) => document.querySelector(one).getBoundingClientRect();
  return place(".remote").top - place(".round-panel > header").bottom;
}"""


def test_call_stands_right_below_its_heading(browser: Browser, room: ServedClass) -> None:
    """The position of the call does not depend on the height of the panels next to it."""
    for _ in range(2):
        room.move("deal", every="0", speed="Y")
        room.call_until()
        room.move("end")
    room.move("deal", every="0")
    page = room.open(browser, "/dashboard", room.boss, width=1280, height=800)
    assert page.evaluate(ABOVE_CALL) < 20
