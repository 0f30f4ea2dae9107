"""Classes in a real browser: phones that sleep, tap fast and lose their cookies."""

import re
import time

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.browser import HIDE, box_of, stay
from tests.support.served_class import ServedClass


@pytest.fixture
def students() -> int:
    return 6


def call_shown(page: Page, number: int) -> None:
    expect(page.locator(".which, .last p").first).to_contain_text(f"Call {number}")
    page.wait_for_load_state()  # Without a script, a page may still be loading.


def marks_kept(phone: Page, room: ServedClass, places: list[int]) -> None:
    """Wait until the server has received every click of the first student."""
    until = time.monotonic() + 90
    while room.phones[0].bingo()["card"]["covered"] != places:
        assert time.monotonic() < until, room.phones[0].bingo()["card"]["covered"]
        # Unlike sleep(), this method lets the page's routes handle requests.
        phone.wait_for_timeout(50)


# ---- A whole class -------------------------------------------------------------------------


def test_from_opening_a_class_to_bingo_without_a_script(
    browser: Browser, room: ServedClass
) -> None:
    """The browsers of the instructor and two students."""
    desk = room.context(browser, width=1280, height=800, script=False).new_page()
    desk.goto("/class")
    desk.get_by_role("link", name="For instructors: open a class").click()
    desk.get_by_label("Title").fill("Statistics, spring")
    desk.get_by_role("button", name="Open the class").click()
    code = desk.locator(".chip.code").inner_text()
    phones = [room.context(browser, script=False).new_page() for _ in range(2)]
    for phone in phones:
        phone.goto("/j")
        phone.get_by_label("Class code").fill(code.lower())
        phone.get_by_role("button", name="Join").click()
        expect(phone.get_by_role("heading", level=1)).to_have_text("Join Statistics, spring")
        phone.get_by_role("button", name="Join", exact=True).click()
        expect(phone.get_by_text("No round is in progress.")).to_be_visible()
    desk.goto(desk.url)
    desk.get_by_text("Line, automatic, every 8 s").click()
    desk.get_by_label("Every card of its rank").check()  # The round ends after fewer calls.
    desk.get_by_label("I do").check()
    desk.get_by_role("button", name="Deal 2 cards").click()
    expect(desk.get_by_role("heading", name="Bingo, round 1")).to_be_visible()
    for phone in phones:
        phone.goto(f"/class/{code}?still=yes")  # Otherwise the page may reload itself.
        card = phone.get_by_role("link", name="Your Bingo card").get_attribute("href")
        phone.goto(f"{card}?still=yes")
        expect(phone.get_by_role("heading", level=1)).to_have_text("Round 1 · Line, speed")
    number = 0
    while desk.get_by_role("button", name=re.compile("^Call")).count():
        number += 1
        desk.get_by_role("button", name=re.compile("^Call")).click()
        call_shown(desk, number)
        assert number <= 52
    expect(desk.locator(".verdict")).to_contain_text("BINGO!")
    won = 0
    for phone in phones:
        phone.reload()
        won += phone.locator(".won-head").count()
    assert won  # both cards if the round is a tie
    desk.get_by_role("button", name="End the round").click()
    expect(desk.get_by_role("heading", name="Deal round 2")).to_be_visible()


# ---- Polling -------------------------------------------------------------------------------


def test_a_call_arrives_by_itself_and_is_announced(browser: Browser, room: ServedClass) -> None:
    """The page is updated in place while the student uses it.

    The page reports an unreachable server.
    """
    room.move("deal", every="0", mode="F")
    phone = room.open(browser, "/bingo", room.phones[0])
    expect(phone.locator("#status")).to_have_text("")
    for number in (1, 2):
        data = room.call()
        call_shown(phone, number)
        card = data["round"]["called"][-1]
        status = phone.locator("#status")
        expect(status).to_contain_text(
            re.compile(r"^Called: .+ of .+\. (You have the card|Not on your)")
        )
        assert status.evaluate("one => one.closest('main')") is None
        where = (
            "You have the card"
            if card in room.phones[0].bingo()["card"]["cards"]
            else "Not on your"
        )
        expect(status).to_contain_text(where)
    phone.dispatch_event(".bcard", "pointerdown")
    room.call(3)
    phone.wait_for_timeout(2_500)
    assert phone.locator(".which").inner_text() == "Call 2"
    phone.dispatch_event(".bcard", "pointerup")
    call_shown(phone, 5)
    phone.route("**/bingo", lambda route: route.abort())
    room.call()  # The server answers the request that it holds, and the next one fails.
    expect(phone.locator("#status:not(.visually-hidden)")).to_have_text(
        "The server does not answer. Trying again."
    )
    room.call()
    phone.unroute("**/bingo")
    call_shown(phone, 7)
    expect(phone.locator("#status.visually-hidden")).to_be_attached()


def test_card_heading_names_the_new_round_after_a_poll(browser: Browser, room: ServedClass) -> None:
    """Polls replace the main part of the page, and the heading is outside of this part."""
    room.deal()
    phone = room.open(browser, "/bingo", room.phones[0])
    heading = phone.get_by_role("heading", level=1)
    expect(heading).to_have_text("Round 1 · Line")
    room.move("void")
    room.deal(mode="C")
    expect(heading).to_have_text("Round 2 · Four corners")


def test_pressed_button_is_marked_until_the_answer(browser: Browser, room: ServedClass) -> None:
    desk = room.open(browser, "/dashboard", room.boss, width=1280, height=800)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    desk.route("**/dashboard", hold)
    desk.get_by_role("button", name="Results").click()
    expect(desk.locator("button.pending")).to_have_text("Results")
    for route in held:
        route.continue_()
    desk.unroute("**/dashboard")
    expect(desk.locator("button.pending")).to_have_count(0)
    expect(desk.get_by_role("button", name="Results")).to_have_attribute("aria-pressed", "true")


def test_shared_link_is_whole_and_can_be_copied(browser: Browser, room: ServedClass) -> None:
    desk = room.open(browser, "/dashboard", room.boss, width=390, height=844)
    desk.get_by_role("button", name="Share the dashboard").click()
    expect(desk.get_by_role("heading", name="Share the dashboard")).to_be_visible()
    assert desk.evaluate("scrollY") == 0
    address = desk.get_by_label("The address")
    assert address.evaluate("one => one.scrollHeight <= one.clientHeight + 4")
    if desk.evaluate("Boolean(navigator.clipboard)"):
        expect(desk.get_by_role("button", name="Copy")).to_be_visible()
    room.move("deal", every="0")
    desk.wait_for_timeout(1_000)  # The dashboard would update, but this page has replaced it.
    expect(address).to_be_visible()


NO_TIMER = "window.setTimeout = () => 0"
"""Disable the page's timer, so that every later poll has a different cause, such as waking up."""


def test_call_arrives_without_a_poll(browser: Browser, room: ServedClass) -> None:
    """The server holds the request, so neither the page nor the server waits for a timer."""
    room.move("deal", every="0", mode="F")
    phone = room.context(browser, room.phones[0]).new_page()
    phone.add_init_script(NO_TIMER)
    phone.goto(f"{room.base}/bingo")
    for number in (1, 2, 3):
        room.call()
        call_shown(phone, number)


def test_page_polls_at_intervals_unless_requests_are_held(
    browser: Browser, room: ServedClass
) -> None:
    """A proxy between the page and the server removes the ``Prefer`` header.

    The page continues to poll, with pauses.
    """
    room.move("deal", every="0", mode="F")
    phone = room.context(browser, room.phones[0]).new_page()
    asked: list[str] = []

    def without_preference(route: Route) -> None:
        headers = route.request.headers
        if "prefer" in headers:
            asked.append(headers.pop("prefer"))
        route.continue_(headers=headers)

    phone.route("**/bingo", without_preference)
    phone.goto(f"{room.base}/bingo")
    phone.wait_for_timeout(3_000)
    assert 2 <= len(asked) <= 5
    assert {*asked} == {"return=representation, wait=25"}
    room.call(2)
    call_shown(phone, 2)


def test_failed_held_request_is_followed_by_polls(browser: Browser, room: ServedClass) -> None:
    """A proxy between the page and the server ends each request that takes too long."""
    room.move("deal", every="0", mode="F")
    phone = room.context(browser, room.phones[0]).new_page()
    asked: list[str] = []

    def end_held(route: Route) -> None:
        prefer = route.request.headers.get("prefer", "")
        asked.append(prefer)
        if "wait" in prefer:
            route.abort()
        else:
            route.continue_()

    phone.route("**/bingo", end_held)
    phone.goto(f"{room.base}/bingo")
    room.call(2)
    call_shown(phone, 2)
    assert "return=representation, wait=25" in asked
    expect(phone.locator("#status.visually-hidden")).to_be_attached()


def test_sleeping_page_polls_when_it_wakes(browser: Browser, room: ServedClass) -> None:
    room.move("deal", every="0", mode="F")
    phone = room.open(browser, "/bingo", room.phones[0])
    asked: list[str] = []
    phone.on("request", lambda one: "/bingo" in one.url and asked.append(one.url))
    phone.evaluate(HIDE, arg=True)
    phone.wait_for_timeout(1_500)  # The pending response has arrived.
    asked.clear()
    room.call(20)
    phone.wait_for_timeout(2_500)
    assert asked == []  # A hidden page does not poll.
    phone.evaluate(NO_TIMER)
    phone.evaluate(HIDE, arg=False)
    expect(phone.locator(".which")).to_have_text("Call 20")


def test_a_page_from_the_browsers_cache_asks_at_once(browser: Browser, room: ServedClass) -> None:
    room.move("deal", every="0")
    phone = room.context(browser, room.phones[0]).new_page()
    phone.add_init_script(NO_TIMER)
    phone.goto(f"{room.base}/bingo")
    phone.get_by_role("link", name="CS1, Tuesday").click()
    phone.wait_for_url(f"**{room.base}")
    room.call(5)
    phone.go_back()
    expect(phone.locator(".which")).to_have_text("Call 5")


def test_dashboard_keeps_focus_scroll_folds_and_typed_text(
    browser: Browser, room: ServedClass
) -> None:
    room.move("deal", every="0")
    desk = room.open(browser, "/dashboard", room.boss, width=1000, height=500)
    desk.get_by_text("Void this round").first.click()
    desk.get_by_label("Why?").fill("the bell")
    desk.get_by_role("button", name="Lock: no new students may join").focus()
    desk.evaluate("scrollTo(0, 300)")
    room.call(2)
    call_shown(desk, 2)
    assert desk.evaluate("scrollY") == 300
    assert desk.locator("#void").get_attribute("open") is not None
    assert desk.get_by_label("Why?").input_value() == "the bell"
    assert desk.evaluate("document.activeElement.value") == "lock"


def test_deal_form_keeps_its_choices_while_students_join(
    browser: Browser, room: ServedClass
) -> None:
    desk = room.open(browser, "/dashboard", room.boss, width=1280, height=800)
    desk.get_by_text("Line, automatic, every 8 s").click()
    desk.get_by_label("Four corners").check()
    desk.get_by_label("every 12 s").check()
    room.join(2)
    expect(desk.get_by_role("button", name="Deal 8 cards")).to_be_visible()
    assert desk.get_by_label("Four corners").is_checked()
    assert desk.get_by_label("every 12 s").is_checked()
    desk.get_by_role("button", name="Deal 8 cards").click()
    expect(desk.get_by_role("heading", name="Bingo, round 1: Four corners")).to_be_visible()
    assert room.desk()["round"]["every"] == 12


def test_a_double_click_on_call_calls_once(browser: Browser, room: ServedClass) -> None:
    room.move("deal", every="0", mode="F")
    desk = room.open(browser, "/dashboard", room.boss, width=1280, height=800)
    for number in range(1, 6):
        desk.get_by_role("button", name=re.compile("^Call")).dblclick()
        call_shown(desk, number)
        desk.wait_for_timeout(700)
        assert len(room.desk()["round"]["called"]) == number


def test_a_thumb_on_its_way_down_does_not_end_the_round(
    browser: Browser, room: ServedClass
) -> None:
    room.move("deal", every="0")
    desk = room.open(browser, "/dashboard", room.boss, width=390, height=844)
    place = box_of(desk.locator(".call-now"))
    room.call_until()
    expect(desk.locator("p.call-now.off")).to_contain_text("BINGO!")
    desk.touchscreen.tap(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    desk.wait_for_timeout(500)
    assert room.desk()["round"]["phase"] == "bingo"


# ---- Without a script ----------------------------------------------------------------------


def test_quick_taps_are_all_kept(browser: Browser, room: ServedClass, script: bool) -> None:
    room.move("deal", every="0", by_hand="Y")
    phone = room.open(browser, "/bingo", room.phones[0], script=script)
    phone.route("**/bingo", stay)
    places = (0, 1, 6, 13, 24) if script else (0, 13)
    for place in places:
        phone.locator(f"#place-{place} button").tap()
        expect(phone.locator(f"#place-{place} button")).to_have_attribute("aria-pressed", "true")
    phone.locator("#place-0 button").tap()
    expect(phone.locator("#place-0 button")).to_have_attribute("aria-pressed", "false")
    marks_kept(phone, room, sorted({12, *places} - {0}))
    room.call()
    if not script:
        phone.unroute("**/bingo", stay)
        phone.reload()
    call_shown(phone, 1)
    expect(phone.locator("#place-13 button")).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
def test_a_phone_without_network_for_20_seconds_loses_nothing(
    browser: Browser, room: ServedClass
) -> None:
    """Clicks made without a network are sent afterwards, and the missed calls are shown."""
    room.move("deal", every="0", by_hand="Y")
    room.call()
    phone = room.open(browser, "/bingo", room.phones[0])
    call_shown(phone, 1)
    phone.context.set_offline(True)
    began = time.monotonic()
    phone.locator("#place-0 button").tap()
    bar = phone.locator("#status:not(.visually-hidden)")
    expect(bar).to_contain_text("The server does not answer.")
    room.call(3)
    phone.locator("#place-13 button").tap()
    phone.wait_for_timeout((20 - (time.monotonic() - began)) * 1000)
    call_shown(phone, 1)
    for place in (0, 13):
        expect(phone.locator(f"#place-{place} button")).to_have_attribute("aria-pressed", "true")
    phone.context.set_offline(False)
    call_shown(phone, 4)
    expect(bar).to_have_count(0)
    marks_kept(phone, room, [0, 12, 13])
    phone.get_by_role("button", name="BINGO!").tap()
    expect(phone.get_by_role("alert")).to_contain_text("Not yet.")


def test_a_wrong_claim_is_answered_in_its_place(
    browser: Browser, room: ServedClass, script: bool
) -> None:
    room.move("deal", every="0", by_hand="Y")
    room.call(8)
    phone = room.open(browser, "/bingo", room.phones[0], script=script)
    phone.route("**/bingo", stay)
    grid = phone.locator(".bcard").bounding_box()
    phone.get_by_role("button", name="BINGO!").tap()
    alert = phone.get_by_role("alert")
    expect(alert).to_contain_text("Not yet. Your nearest line still needs the ")
    phone.wait_for_load_state()
    assert phone.locator(".bcard").bounding_box() == grid  # Nothing else moves.
    assert phone.locator(".tile.need").count() >= 1
    if not script:
        assert phone.url.endswith("/bingo?said=8")
        refresh = phone.locator("noscript").first.inner_html()
        assert f"12; url={room.base}/bingo" in refresh or "12;" in refresh


def test_after_joining_the_page_stands_at_its_beginning(
    browser: Browser, room: ServedClass
) -> None:
    phone = room.open(browser, "", width=320, height=568)
    phone.get_by_role("button", name="Join", exact=True).tap()
    expect(phone.get_by_text("Rejoin code")).to_be_visible()
    assert phone.evaluate("scrollY") == 0


def test_a_right_claim_is_seen_by_all(browser: Browser, room: ServedClass) -> None:
    room.move("deal", every="0", by_hand="Y")
    room.call(45)
    phones = [room.open(browser, "/bingo", phone) for phone in room.phones[:2]]
    screen = room.open(browser, "/projector", width=1280, height=720)
    phones[0].keyboard.press("b")
    expect(phones[0].locator(".won-head")).to_contain_text("BINGO!")
    expect(phones[1].locator(".others-won")).to_contain_text("has BINGO! at call 45")
    expect(screen.locator(".shout")).to_have_text("BINGO!")
    phones[1].get_by_role("button", name="BINGO!").tap()
    expect(phones[1].locator(".won-head")).to_contain_text("A tie with")
    expect(screen.locator(".who-won li")).to_have_count(2)


# ---- A student's day -----------------------------------------------------------------------


def test_waiting_phones_open_their_card_after_a_deal(browser: Browser, room: ServedClass) -> None:
    waiting = room.context(browser, room.phones[0]).new_page()
    waiting.goto(room.base)
    expect(waiting.get_by_text("No round is in progress.")).to_be_visible()
    room.move("deal", every="0")
    waiting.wait_for_url(f"**{room.base}/bingo")
    expect(waiting.get_by_role("heading", level=1)).to_have_text("Round 1 · Line")
    # A student who returns to the class's page during a round can stay there.
    waiting.get_by_role("link", name="CS1, Tuesday").click()
    expect(waiting.get_by_role("link", name="Your Bingo card")).to_be_visible()
    room.call(2)
    expect(waiting.get_by_text("Round 1 is in progress: call 2")).to_be_visible()
    assert waiting.url.endswith(room.base)
    room.move("void")
    expect(waiting.get_by_text("No round is in progress.")).to_be_visible()
    room.move("deal", every="0")
    waiting.wait_for_url(f"**{room.base}/bingo")


CELLS = """() => [...document.querySelectorAll(".p-board td")].map(cell => {
    const text = document.createRange();
    text.selectNodeContents(cell.firstChild);
    const [box, letter] = [cell.getBoundingClientRect(), text.getBoundingClientRect()];
    return {
        box: [box.left, box.top, box.width, box.height],
        lines: text.getClientRects().length,
        across: letter.left + letter.width / 2 - box.left - box.width / 2,
        down: letter.top + letter.height / 2 - box.top - box.height / 2,
        spare: box.width - letter.width,
    };
})"""


@pytest.mark.parametrize("speed", ["N", "Y"])
def test_no_mark_moves_a_rank_or_the_board_of_the_big_screen(
    browser: Browser, room: ServedClass, speed: str
) -> None:
    """Every rank is centred in its cell and on a single line, next to any mark in the cell."""
    room.move("deal", every="0", mode="F", speed=speed)
    screen = room.context(browser, width=1280, height=720).new_page()
    screen.goto(f"{room.base}/projector?show=round")
    before = screen.evaluate(CELLS)
    room.call(1)
    screen.goto(screen.url)
    assert screen.locator(".p-board .just-called").count() == 1
    marks = ("just-called", "out", "ends", "")
    for mark in ("as it is", *marks):
        if mark in marks:
            screen.evaluate(
                "mark => document.querySelectorAll('.p-board td').forEach("
                "cell => { cell.className = mark; })",
                mark,
            )
        cells = screen.evaluate(CELLS)
        assert [cell["box"] for cell in cells] == [cell["box"] for cell in before], mark
        for cell in cells:
            assert cell["lines"] == 1, mark
            assert abs(cell["across"]) < 2, (mark, cell)
            assert abs(cell["down"]) < 4, (mark, cell)
            assert cell["spare"] > 4, (mark, cell)  # enough space for the inner half of an outline


def test_removed_student_is_led_to_the_form(browser: Browser, room: ServedClass) -> None:
    room.move("deal", every="0")
    phone = room.open(browser, "/bingo", room.phones[2])
    room.move("remove", student="3")
    expect(phone.get_by_role("heading", level=1)).to_have_text("Join CS1, Tuesday")


# ---- Keys ----------------------------------------------------------------------------------


def test_the_keys_deal_and_call(browser: Browser, room: ServedClass) -> None:
    desk = room.open(browser, "/dashboard", room.boss, width=1280, height=800)
    desk.get_by_text("Line, automatic, every 8 s").click()
    desk.get_by_label("I do").check()
    desk.keyboard.press("d")
    expect(desk.get_by_role("heading", name="Bingo, round 1")).to_be_visible()
    for number in (1, 2):
        desk.wait_for_timeout(600)
        desk.keyboard.press("n")
        call_shown(desk, number)
    desk.get_by_text("Void this round").first.click()
    # Letters typed into a field do not act as keys.
    desk.get_by_label("Why?").press_sequentially("nd")
    desk.keyboard.press("Control+n")
    assert len(room.desk()["round"]["called"]) == 2


def test_a_round_is_played_with_tab_and_enter_alone(
    browser: Browser, room: ServedClass, script: bool
) -> None:
    room.move("deal", every="0", by_hand="Y")
    room.call(3)
    phone = room.open(browser, "/bingo", room.phones[0], width=1000, script=script)
    # Without a script, the page reloads every few seconds, but not during these steps.
    phone.route("**/bingo", stay)
    seen = []
    for _ in range(40):
        phone.keyboard.press("Tab")
        seen.append(phone.evaluate("document.activeElement.innerText"))
        if "BINGO!" in seen[-1]:
            break
    assert len([one for one in seen if re.search("[♠♥♦♣]", one)]) == 24
    assert seen.index(next(one for one in seen if "As a list" in one)) == len(seen) - (
        2 if script else 3  # Without a script, automatic refreshing can be stopped.
    )
    phone.unroute("**/bingo", stay)
    phone.keyboard.press("Enter")
    expect(phone.get_by_role("alert")).to_contain_text("Not yet.")


def test_the_arrow_keys_lead_from_card_to_card(browser: Browser, room: ServedClass) -> None:
    """The arrow keys skip the free centre, and at an edge the focus does not move."""
    room.move("deal", every="0", by_hand="Y")
    phone = room.open(browser, "/bingo", room.phones[0])
    phone.locator("#place-10 button").focus()
    way = {
        "ArrowRight": ["11", "13", "14", "14"],
        "ArrowDown": ["19", "24", "24"],
        "ArrowLeft": ["23", "22"],
        "ArrowUp": ["17", "7", "2", "2"],
    }
    for key, places in way.items():
        for place in places:
            phone.keyboard.press(key)
            assert phone.evaluate("document.activeElement.value") == place
    phone.keyboard.press("Space")
    marks_kept(phone, room, [2, 12])


def test_open_tab_reports_a_revoked_dashboard(browser: Browser, room: ServedClass) -> None:
    desk = room.open(browser, "/dashboard", room.boss, width=1280, height=800)
    desk.get_by_role("button", name="Share the dashboard").click()
    address = desk.get_by_label("Address").input_value()
    context = room.context(browser, width=1280, height=800)
    tab = context.new_page()
    tab.goto(address.replace("localhost", "127.0.0.1"))
    tab.get_by_role("button", name="Open the dashboard").click()
    expect(tab.get_by_role("heading", name="Deal round 1")).to_be_visible()
    desk.goto(f"{room.base}/dashboard")
    desk.get_by_role("link", name="Revoke all shares").click()
    desk.get_by_role("button", name="Revoke all shares").click()
    expect(desk.get_by_role("link", name="Revoke all shares")).to_have_count(0)
    expect(tab.get_by_text("This browser cannot open the dashboard of this class")).to_be_visible()
