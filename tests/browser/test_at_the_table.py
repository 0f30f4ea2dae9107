"""Features of a table: the coach, motion, opponents, safe keys, order and announcements."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.test_fits import WRONG
from tests.support.browser import box_of, deal_the_sheets_line, fill_in_deck, is_scripted, press
from tests.support.site import stacked

SIXTEEN = stacked("TC 9S 6D 8S AH")
"""At Simple 21, the player has 16 against a nine, and the next card is an ace."""


@pytest.fixture
def phone(open_page: OpenPage) -> Page:
    return open_page(viewport={"width": 390, "height": 844}, reduced_motion="reduce")


def deal(page: Page, site: str, slug: str, deck: str) -> None:
    page.goto(f"{site}/{slug}")
    fill_in_deck(page, deck)
    press(page, "Deal")


def said(page: Page) -> str:
    return page.locator("body > p[role=status]").inner_text()


# ---- The coach -----------------------------------------------------------------------------


def test_the_coach_stands_directly_above_the_moves(phone: Page, site: str) -> None:
    deal(phone, site, "simple-21", SIXTEEN)
    press(phone, "Ask the coach: what are my chances?")
    coach, moves = box_of(phone.locator(".coach")), box_of(phone.locator(".play"))
    assert abs(coach["y"] + coach["height"] - moves["y"]) < 2
    expect(phone.locator(".coach .bars li")).to_have_count(2)
    expect(phone.locator(".ends svg")).to_have_count(6)  # bars for 17 to 21, and for a bust


def test_the_coach_can_keep_silent_until_the_move_is_made(phone: Page, site: str) -> None:
    deal(phone, site, "simple-21", SIXTEEN)
    press(phone, "Ask the coach: what are my chances?")
    press(phone, "Right or wrong, after my move")
    assert phone.locator(".coach .bars, .ends").count() == 0
    press(phone, "Hit")
    expect(phone.locator(".coach .judged li")).to_have_count(1)
    expect(phone.locator(".coach .stats dd").first).to_have_text("100%")
    phone.goto(f"{site}/simple-21")
    expect(phone.get_by_role("button", name="Right or wrong")).to_have_attribute(
        "aria-pressed", "true"
    )
    press(phone, "Coach off")
    assert phone.locator(".coach").count() == 0


def test_puzzle_shows_the_right_answer_at_once(page: Page, site: str) -> None:
    """The player answers at the puzzle's table, and a wrong answer ends the streak."""
    page.goto(f"{site}/blackjack")
    page.get_by_role("link", name="Practise your weak spots").click()
    page.wait_for_url("**/puzzles/blackjack")
    press(page, "Begin")
    streak = 0
    for _ in range(2):
        expect(page.locator(".judged")).to_have_count(0)
        press(page, "Hit")
        right = page.locator(".judged .wrong").count() == 0
        streak = streak + 1 if right else 0
        expect(page.locator(".coach .stats dd").first).to_have_text(str(streak))
        if is_scripted(page):
            assert said(page).startswith("You hit.")
        page.get_by_role("link", name="Next").click()
        expect(page.get_by_role("button", name="Hit")).to_be_visible()


# ---- Motion --------------------------------------------------------------------------------


TIE = stacked("KS KH 2C 3C 4C 5C 6C 7C 8C 9C")
"""A deck of War whose first turn is a tie of two kings."""


@pytest.mark.parametrize(
    "size",
    [
        (320, 568),
        *(pytest.param(size, marks=pytest.mark.slow) for size in ((740, 360), (1280, 800))),
    ],
)
def test_a_tie_stops_the_table_until_it_is_pressed_again(
    open_page: OpenPage, site: str, size: tuple[int, int]
) -> None:
    """At first, the page shows the two kings and the banner.

    After a click, the page shows the player who takes the cards, and announces the result.
    """
    page = open_page(viewport={"width": size[0], "height": size[1]})
    posts: list[str] = []
    page.on("request", lambda one: one.method == "POST" and posts.append(one.url))
    deal(page, site, "war", TIE)
    title = page.title()
    press(page, "1 turn")
    expect(page.get_by_role("button", name="WAR! Turn over the next cards")).to_be_visible()
    for hidden in (".later", ".taken", ".takes", ".stripes rect", ".stripes b"):
        expect(page.locator(f".felt {hidden}").first).to_be_hidden()
    # The pile is shown, but its height is hidden.
    expect(page.locator(".felt .stripes image")).to_have_count(2)
    seen = page.locator(".shown .card:not(.later)").evaluate_all(
        "all => all.map(one => getComputedStyle(one).filter)"
    )
    # No card is darker, because a darker card would reveal the loser.
    assert seen == ["none", "none"]
    assert page.title() == title
    assert said(page) == "WAR! Turn over the next cards"
    assert page.evaluate(WRONG) == []
    sent = len(posts)
    page.keyboard.press("t")
    expect(page.locator(".later").first).to_be_visible()
    expect(page.locator(".taken")).to_be_visible()
    expect(page.locator(".go-on")).to_have_count(0)
    expect(page.locator("body > p[role=status]")).to_contain_text("takes")
    assert page.title() != title
    assert len(posts) == sent  # No request was sent, because the server had already responded.
    press(page, "10 turns")
    assert page.locator(".stopped").count() == 0


@pytest.mark.parametrize("by", ["the table", "another move", "nothing: no motion is wanted"])
def test_a_stopped_table_is_pressed_on(open_page: OpenPage, site: str, by: str) -> None:
    page = open_page(reduced_motion="reduce" if "motion" in by else "no-preference")
    deal(page, site, "war", TIE)
    press(page, "1 turn")
    first = page.locator(".moves .primary")
    expect(first).to_contain_text("1 turn" if "motion" in by else "Next cards")
    if by == "the table":
        page.locator(".go-on").click()
        expect(page.get_by_role("heading", name="The battle of turn 1")).to_have_count(1)
    elif by == "another move":
        press(page, "10 turns")
        expect(page.get_by_role("heading", name="The battle of turn 11")).to_have_count(1)
    expect(page.locator(".stopped, .go-on")).to_have_count(0)
    expect(first).to_contain_text("1 turn")
    expect(page.locator(".felt .taken")).to_be_visible()


# ---- Opponents -----------------------------------------------------------------------------


def test_war_has_a_you_and_a_field_for_each_name(phone: Page, site: str) -> None:
    phone.goto(f"{site}/war")
    phone.get_by_label("3 players").check()
    phone.get_by_label("Otto", exact=True).fill("Cleo")
    expect(phone.get_by_label("Pia", exact=True)).to_be_hidden()
    press(phone, "Deal")
    names = phone.locator(".player .who").all_inner_texts()
    assert [name.strip() for name in names] == ["You", "Mona", "Cleo"]
    near = box_of(phone.locator(".player.you"))["y"]
    for other in phone.locator(".player:not(.you)").all():
        assert box_of(other)["y"] < near
    press(phone, "To the end")
    expect(phone.locator("main").get_by_text("with all 52 cards after")).to_be_visible()
    assert phone.get_by_label("Otto", exact=True).input_value() == "Cleo"
    press(phone, "Deal")
    # The tally continues.
    expect(phone.locator("main").get_by_text("games won: 1")).to_have_count(1)


def test_a_bingo_card_is_covered_by_hand(phone: Page, site: str) -> None:
    """A click covers a position, and another click uncovers it.

    Covered positions remain after the next call.
    """
    phone.goto(f"{site}/bingo")
    deal_the_sheets_line(phone)
    wanted = phone.get_by_role("checkbox", name="king of spades")
    wanted.check(force=True)
    press(phone, "Call")
    expect(wanted).to_be_checked()
    press(phone, "BINGO!")
    assert said(phone) == "Not yet: 3 cards are missing."
    expect(phone.locator(".yours .wanted")).to_have_count(3)
    for _ in range(5):
        press(phone, "Call")
    # The line was complete after six calls, but no player has claimed it.
    expect(phone.locator(".verdict")).to_have_count(0)
    press(phone, "BINGO!")
    expect(phone.locator(".verdict")).to_contain_text("BINGO! You have a line after 6 calls.")
    assert phone.locator(".yours .winning").count() == 5


def choose_clock(page: Page, site: str, label: str) -> None:
    """Choose in the settings when the next card is called, and return to the table."""
    page.goto(f"{site}/settings?to=/bingo")
    page.get_by_label(label).check()
    page.get_by_role("button", name="Save").click()
    page.wait_for_url("**/bingo")


def test_rosa_calls_by_the_chosen_clock(phone: Page, site: str) -> None:
    phone.clock.install()
    choose_clock(phone, site, "Every 3 s")
    deal_the_sheets_line(phone)
    called, wanted = phone.locator(".called-last"), phone.get_by_role("checkbox", name="king of s")
    wanted.check(force=True)
    phone.clock.fast_forward(3_000)
    expect(called).to_contain_text("Called: 1,")
    expect(wanted).to_be_checked()
    phone.clock.fast_forward(3_000)
    expect(called).to_contain_text("Called: 2,")
    choose_clock(phone, site, "When I click the button")
    expect(phone.locator("form[data-clock]")).to_have_count(0)
    phone.clock.fast_forward(30_000)
    press(phone, "Call")
    expect(called).to_contain_text("Called: 3,")


def test_arrow_keys_move_through_a_hand_covered_card(phone: Page, site: str) -> None:
    phone.goto(f"{site}/bingo")
    deal_the_sheets_line(phone)
    phone.locator("[name=covered][value='7']").focus()
    for key, place in (("ArrowDown", "17"), ("ArrowLeft", "16"), ("ArrowUp", "11")):
        phone.keyboard.press(key)  # The free centre position is skipped.
        assert phone.evaluate("document.activeElement.value") == place
    phone.keyboard.press("Space")
    expect(phone.locator("[name=covered][value='11']")).to_be_checked()


# ---- Safe keys -----------------------------------------------------------------------------


def test_no_move_is_preferred_while_there_is_something_to_decide(phone: Page, site: str) -> None:
    deal(phone, site, "simple-21", SIXTEEN)
    assert phone.locator(".moves .primary, .moves button[autofocus]").count() == 0
    hit, stay = (
        box_of(phone.get_by_role("button", name=name, exact=True)) for name in ("Hit", "Stay")
    )
    assert abs(hit["width"] - stay["width"]) < 2
    phone.keyboard.press("Enter")
    phone.keyboard.press("Enter")
    expect(phone.get_by_role("region", name="You").get_by_role("img")).to_have_count(2)


def test_keys_follow_the_language(open_page: OpenPage, site: str) -> None:
    """The button "Halten" has the key H, which is the key for a hit in English."""
    page = open_page(locale="de-DE", reduced_motion="reduce")
    page.goto(f"{site}/simple-21")
    page.keyboard.press("g")
    expect(page.get_by_role("button", name="Halten")).to_have_attribute("data-key", "H")
    page.keyboard.press("h")
    expect(page.locator("#verdict")).to_be_visible()
    assert page.get_by_role("region", name="Du").get_by_role("img").count() == 2


def test_opened_page_starts_at_its_top(phone: Page, site: str) -> None:
    """The focused element is at the bottom of the screen, and the page must not scroll to it."""
    for path in ("simple-21", "war", "puzzles", "puzzles/blackjack"):
        phone.goto(f"{site}/{path}")
        expect(phone.locator(".moves:focus, .moves button:focus")).to_have_count(1)
        assert phone.evaluate("scrollY") == 0


# ---- Order ---------------------------------------------------------------------------------


def test_hands_are_centred_and_large(open_page: OpenPage, site: str) -> None:
    """The cards are at least 150 pixels wide."""
    page = open_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    deal(page, site, "blackjack", stacked("TC 8S 6D 9S AH"))
    felt = box_of(page.locator(".felt"))
    cards = [box_of(card) for card in page.locator("#hand-you .card").all()]
    assert all(card["width"] >= 150 for card in cards)
    first, last = cards[0], cards[-1]
    middle = (first["x"] + last["x"] + last["width"]) / 2
    assert abs(middle - felt["x"] - felt["width"] / 2) < 4
    expect(page.locator(".pile")).to_contain_text("48")


# ---- Speech --------------------------------------------------------------------------------


def test_events_are_announced_once_and_by_name(phone: Page, site: str) -> None:
    deal(phone, site, "simple-21", SIXTEEN)
    press(phone, "Hit")
    assert said(phone).startswith("You take the ace of hearts: 17")
    # An ``aria-describedby`` reference would announce the message again.
    assert phone.locator(".play [aria-describedby]").count() == 0
    deal(phone, site, "war", stacked("KS QH"))  # A tie has a different announcement.
    press(phone, "1 turn")
    assert re.search(r"You: \w+ of \w+, Mona: \w+ of \w+\.", said(phone))
    assert re.search(r"(You take|Mona takes) \d+ cards\.", said(phone))


def test_bingo_says_all_calls_and_marks(phone: Page, site: str) -> None:
    phone.goto(f"{site}/bingo")
    press(phone, "Automatic")
    deal_the_sheets_line(phone)
    press(phone, "5 cards")
    assert said(phone).count(" of ") >= 5 + 1 + 1  # five calls, one mark and the missing call
    assert "Called: king of spades" in said(phone)
    assert "You are one card away: five of hearts." in said(phone)
    expect(phone.locator(".newest .card")).to_have_count(3)
