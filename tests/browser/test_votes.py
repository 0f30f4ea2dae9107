"""Votes in a browser: students are redirected to a vote, and answer with or without a script."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.test_class_looks import SIDEWAYS, not_all_seen
from tests.browser.test_looks import looked_over
from tests.support.browser import accessibility_faults, stay
from tests.support.served_class import Seen, ServedClass

SIXTEEN = {"table": "blackjack", "hand": "10 6", "upcard": "10"}
LONG_HAND = {"table": "one-deck", "hand": "A A 2 3 2 5", "upcard": "9"}


@pytest.fixture
def students() -> int:
    return 5


def answer(room: ServedClass, ballot: int, choices: str) -> None:
    """Answer the newest vote as each student in turn."""
    vote = room.phones[0].json("/vote")["vote"]
    names = [*vote["choices"]]
    for student, choice in zip(room.phones, choices, strict=False):
        form = {"vote": str(vote["number"]), "ballot": str(ballot), "sure": "2"}
        answered = student.post("/vote", **form, choice=names[int(choice)])
        assert answered.status_code == 200, answered.text


def states(room: ServedClass) -> Iterator[str]:
    """Step through votes, and yield their states."""
    yield "nothing was asked"
    for name, question in (("ask", SIXTEEN), ("ask", LONG_HAND)):
        room.vote(name, **question)
        yield f"{name} open"
        answer(room, 1, "01011")
        yield f"{name} answered"
        room.vote("close-vote")
        yield f"{name} talk"
        room.vote("bars")
        yield f"{name} bars"
        room.vote("second")
        answer(room, 2, "11111")
        room.vote("close-vote")
        yield f"{name} closed"
        room.vote("solve")
        yield f"{name} solved"


def looks(room: ServedClass, *paths: str, but: tuple[str, ...] = ()) -> Iterator[Seen]:
    """Yield pages in every state of a vote.

    Each page is either the instructor's or a student's.
    """
    for state in states(room):
        for path in paths:
            if not state.endswith(but):
                yield state, path, room.boss if path == "/votes" else room.phones[0]


@pytest.mark.slow
def test_every_page_of_a_vote_can_be_seen_reached_and_pressed(
    browser: Browser, room: ServedClass
) -> None:
    seen = looks(room, "/vote", "/votes", but=("talk", "closed"))
    assert room.look_at(browser, seen, looked_over, width=1280, height=720) == {}


@pytest.mark.slow
def test_axe_finds_nothing_on_the_big_screen(browser: Browser, room: ServedClass) -> None:
    seen, how = looks(room, "/projector?show=vote"), {"width": 1280, "height": 720}
    assert room.look_at(browser, seen, accessibility_faults, **how) == {}


@pytest.mark.slow
def test_smallest_phone_in_german_never_scrolls_sideways(
    browser: Browser, room: ServedClass, script: bool
) -> None:
    small = {"width": 320, "height": 568, "language": "de", "script": script}
    seen = looks(room, "/vote", "/votes", "")
    assert room.look_at(browser, seen, lambda page: page.evaluate(SIDEWAYS), **small) == {}


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de"])
def test_the_big_screen_shows_all_of_a_vote(
    browser: Browser, room: ServedClass, language: str
) -> None:
    how = {"width": 1280, "height": 720, "language": language}
    seen = looks(room, "/projector?show=vote")
    assert room.look_at(browser, seen, not_all_seen, **how) == {}


def test_a_student_votes_talks_and_votes_again(
    browser: Browser, room: ServedClass, script: bool
) -> None:
    student = room.phones[0]
    page = room.open(browser, "", student, script=script)

    def look_again() -> None:
        if not script:
            page.unroute("**/vote", stay)
            page.reload()
            page.route("**/vote", stay)

    room.vote("ask", **SIXTEEN)
    if not script:
        page.goto(f"{room.base}?still=yes")
        page.get_by_role("link", name="Vote").click()
    page.wait_for_url("**/vote")
    page.route("**/vote", stay)
    page.get_by_label("Hit").check()
    page.get_by_label("Certain").check()
    page.get_by_role("button", name="Vote").click()
    expect(page.get_by_text("Saved: Hit, Certain.")).to_be_visible()
    page.get_by_label("I am guessing").check()
    page.get_by_role("button", name="Change my answer").click()
    expect(page.get_by_text("Saved: Hit, I am guessing.")).to_be_visible()
    room.vote("close-vote")
    look_again()
    expect(page.get_by_text("Talk to your neighbour: what did")).to_be_visible()
    room.vote("second")
    look_again()
    expect(page.get_by_text("What do you think after the talk?")).to_be_visible()
    page.get_by_label("Stand").check()
    page.get_by_label("Fairly sure").check()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved: Stand, Fairly sure.")).to_be_visible()
    room.vote("close-vote")
    room.vote("solve")
    look_again()
    expect(page.get_by_text("59 of 100 cards bust you")).to_be_visible()
    expect(page.get_by_text("Fewer than three students have answered").first).to_be_visible()


def test_an_instructor_opens_a_vote_with_one_press_a_step(
    browser: Browser, room: ServedClass
) -> None:
    page = room.open(browser, "/votes", room.boss, width=1280, height=720)
    page.get_by_label("The player's cards").fill("10 6")
    page.get_by_label("The dealer's card").fill("10")
    page.locator("form[data-keep=ask]").get_by_role("button").click()
    for button in ("Close the vote", "Vote again", "Close the vote", "Show the right answer"):
        page.get_by_role("button", name=button).click()
    expect(page.get_by_text("59 of 100 cards bust you")).to_be_visible()
