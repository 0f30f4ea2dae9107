"""Votes in a browser: led there, answered by hand and without a script, read from eight metres."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_class_looks import CUT_OFF, DOWNWARDS, SIDEWAYS
from tests.browser.test_looks import looked_over
from tests.support.browser import accessibility_faults
from tests.support.served_class import ServedClass

SIXTEEN = {"table": "blackjack", "hand": "10 6", "upcard": "10"}
LONG_HAND = {"table": "one-deck", "hand": "A A 2 3 2 5", "upcard": "9"}
CODE = {
    "rule": "S0-6",
    "code": "\n".join(
        f"    value = value + {number}  # and so on, in a line" for number in range(10)
    ),
    "a": "six, since an ace counts one at a table",
    "b": "sixteen, since an ace counts eleven now",
    "c": "nothing, for an exception is raised then",
    "right": "a",
}


@pytest.fixture
def students() -> int:
    return 5


def press(room: ServedClass, name: str, **fields: Any) -> None:
    answered = room.boss.post("/votes", move=name, step=room.desk()["step"], **fields)
    assert answered.status_code == 200, answered.text


def answer(room: ServedClass, ballot: int, choices: str) -> None:
    """Let one student after the other answer the newest vote."""
    vote = room.phones[0].json("/vote")["vote"]
    names = [*vote["choices"]]
    for student, choice in zip(room.phones, choices, strict=False):
        form = {"vote": str(vote["number"]), "ballot": str(ballot), "sure": "2"}
        answered = student.post("/vote", **form, choice=names[int(choice)])
        assert answered.status_code == 200, answered.text


def states(room: ServedClass) -> Iterator[str]:
    """Go through votes, and yield what there is to see."""
    yield "nothing was asked"
    for name, question in (("ask", SIXTEEN), ("ask", LONG_HAND), ("ask-code", CODE)):
        press(room, name, **question)
        yield f"{name} open"
        answer(room, 1, "01011")
        yield f"{name} answered"
        press(room, "close-vote")
        yield f"{name} talk"
        press(room, "bars")
        yield f"{name} bars"
        press(room, "second")
        answer(room, 2, "11111")
        press(room, "close-vote")
        yield f"{name} closed"
        press(room, "solve")
        yield f"{name} solved"
    yield from predictions(room)


def predictions(room: ServedClass) -> Iterator[str]:
    """Go through predictions, and yield what there is to see."""
    for name in ("predict-war", "predict-bingo"):
        press(room, name, mode="F", speed="Y")
        yield f"{name} open"
        press(room, "bars")
        yield f"{name} no guesses"
        vote = room.phones[0].json("/vote")["vote"]
        for student, number in zip(room.phones, (7, 14, 14, 30, 52), strict=False):
            form = {"vote": str(vote["number"]), "ballot": "1", "number": str(number)}
            answered = student.post("/vote", **form, choice="a" if vote["choices"] else "")
            assert answered.status_code == 200, answered.text
        yield f"{name} guesses"
        press(room, "close-vote")
        yield f"{name} closed"
        if name == "predict-bingo":
            room.play(mode="F", speed="Y")
        else:
            for _ in range(40):  # until a turn has a tie, whose cards need most room
                press(room, "turn", turns="1")
                if len(room.boss.json("/projector")["war"]["battle"]) > 1:
                    break
            yield "War, some turns"
        press(room, "solve")
        yield f"{name} solved"


def looks(room: ServedClass, browser: Browser, **how: Any) -> Iterator[tuple[str, Page]]:
    """Yield the pages of a student and of the instructor in every state."""
    pages = (("/vote", room.phones[0]), ("/votes", room.boss), ("", room.phones[1]))
    for state in states(room):
        for path, who in pages:
            page = room.open(browser, path, who, **how)
            yield f"{state}: {path}", page
            page.context.close()


@pytest.mark.slow
def test_every_page_of_a_vote_can_be_seen_reached_and_pressed(
    browser: Browser, room: ServedClass
) -> None:
    wrong = {}
    for state in states(room):
        if state.endswith(("talk", "closed")):
            continue
        for path, who in (("/vote", room.phones[0]), ("/votes", room.boss)):
            page = room.open(browser, path, who, width=1280, height=720)
            if faults := [*looked_over(page)]:
                wrong[state, path] = faults
            page.context.close()
    assert wrong == {}


@pytest.mark.slow
def test_axe_finds_nothing_on_the_big_screen(browser: Browser, room: ServedClass) -> None:
    wrong = {}
    for state in states(room):
        page = room.open(browser, "/projector?show=vote", width=1280, height=720)
        if faults := [*accessibility_faults(page)]:
            wrong[state] = faults
        page.context.close()
    assert wrong == {}


@pytest.mark.slow
def test_nothing_scrolls_sideways_on_the_smallest_phone_in_german(
    browser: Browser, room: ServedClass, script: bool
) -> None:
    wrong = [
        name
        for name, page in looks(room, browser, width=320, height=568, language="de", script=script)
        if page.evaluate(SIDEWAYS)
    ]
    assert wrong == []


@pytest.mark.parametrize("language", ["en", pytest.param("de", marks=pytest.mark.slow)])
def test_the_big_screen_shows_all_of_a_vote(
    browser: Browser, room: ServedClass, language: str
) -> None:
    wrong = []
    for state in states(room):
        page = room.open(browser, "/projector?show=vote", width=1280, height=720, language=language)
        found = [page.evaluate(expression) for expression in (SIDEWAYS, DOWNWARDS, CUT_OFF)]
        if found != [0, 0, []]:
            wrong.append((state, found))
        page.context.close()
    assert wrong == []


def test_a_student_votes_talks_and_votes_again(
    browser: Browser, room: ServedClass, script: bool
) -> None:
    student = room.phones[0]
    page = room.open(browser, "", student, script=script)
    press(room, "ask", **SIXTEEN)
    if not script:
        page.reload()
        page.get_by_role("link", name="Vote").click()
    page.wait_for_url("**/vote", timeout=20_000)
    page.get_by_label("Hit").check()
    page.get_by_label("Certain").check()
    page.get_by_role("button", name="Vote").click()
    expect(page.get_by_text("Kept: Hit, Certain.")).to_be_visible()
    page.get_by_label("I am guessing").check()
    page.get_by_role("button", name="Change my answer").click()
    expect(page.get_by_text("Kept: Hit, I am guessing.")).to_be_visible()
    press(room, "close-vote")
    if not script:
        page.reload()
    expect(page.get_by_text("Talk to your neighbour: what did")).to_be_visible(timeout=20_000)
    press(room, "second")
    if not script:
        page.reload()
    expect(page.get_by_text("And now, after the talk?")).to_be_visible(timeout=20_000)
    page.get_by_label("Stand").check()
    page.get_by_label("Fairly sure").check()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Kept: Stand, Fairly sure.")).to_be_visible()
    press(room, "close-vote")
    press(room, "solve")
    if not script:
        page.reload()
    expect(page.get_by_text("59 of 100 cards bust you")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("Fewer than three have answered").first).to_be_visible()
    page.context.close()


def test_an_instructor_opens_a_vote_with_one_press_a_step(
    browser: Browser, room: ServedClass
) -> None:
    page = room.open(browser, "/votes", room.boss, width=1280, height=720)
    page.get_by_label("The player's cards").fill("10 6")
    page.get_by_label("The dealer's card").fill("10")
    page.locator("form[data-keep=ask]").get_by_role("button").click()
    for button in ("Close the vote", "Vote again", "Close the vote", "Show what is right"):
        page.get_by_role("button", name=button).click()
    expect(page.get_by_text("59 of 100 cards bust you")).to_be_visible()
    page.context.close()
