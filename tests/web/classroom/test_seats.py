"""The Bingo cards of students who are present, absent, late, leaving or returning."""

import re

import flask
import pytest

from cardgames.class_bingo.card import Kind, salted_card
from tests.database.test_transactions import statements
from tests.support.classroom import (
    Phone,
    Room,
    Watch,
    cards_of,
    class_rows,
    has_bingo,
    open_room,
    refusal,
    salt_of,
    stored_cards,
)
from tests.support.tournaments import make, play_all, stands_on
from web.classroom.core.presence import NOTES, PresenceTracker

FULL = "This class is full. Ask your instructor to make room for you."


@pytest.fixture(autouse=True)
def looks_are_noted_by_the_watch(school: flask.Flask, watch: Watch) -> None:
    """Use the database's clock, because a worker's own clock would not advance."""
    school.extensions[NOTES] = PresenceTracker(watch.time)


def try_to_join(room: Room) -> str:
    """Join with a new browser, and return the error message or an empty string."""
    answer = room.visitor().post("/join", offer=room.visitor().json()["offers"][0])
    return "" if answer.status_code == 200 else refusal(answer)


def numbers(room: Room) -> list[int]:
    return [one["number"] for one in room.desk()["students"]]


def test_a_full_class_rejects_newcomers_and_deletes_nobody(
    school: flask.Flask, watch: Watch
) -> None:
    """Students who left quickly do not count, so a flood of joins does not fill the class."""
    room = open_room(school, 3, students="3")
    make(room, deals=1)
    play_all(room.phones[0], stands_on(17))
    watch.pass_by(86_400)
    before = class_rows(school)
    assert [try_to_join(room) for _ in range(20)] == [FULL] * 20
    page = room.visitor().post("/join", page=True, offer="Quiet Otter")
    assert (page.status_code, FULL in page.text) == (422, True)
    assert FULL in room.visitor().get().text
    assert "<button" not in room.visitor().get().text.partition("<main")[2].partition("rejoin")[0]
    after = class_rows(school)
    assert after == before
    for phone in room.phones:
        assert phone.post("/join").get_json()["student"]["number"] == phone.number
    assert "This class is full" in room.boss.get("/dashboard").text
    room.move("remove", student=3)
    assert "This class is full" not in room.boss.get("/dashboard").text
    assert [try_to_join(room) for _ in range(2)] == ["", FULL]


def test_a_join_to_a_full_class_is_one_statement(school: flask.Flask) -> None:
    room = open_room(school, 4, students="4")
    for page in (False, True):
        newcomer = room.visitor()
        with statements(school) as seen:
            answer = newcomer.post("/join", page=page, offer="Quiet Otter", receipt="5" * 32)
        assert answer.status_code == 422
        assert [re.sub(r"\s+", " ", one)[:23] for one in seen] == ["SELECT count(*) AS coun"]


def test_a_lost_answer_to_the_last_seat_is_sent_again(school: flask.Flask) -> None:
    room = open_room(school, 1, students="2")
    form = {"offer": room.visitor().json()["offers"][0], "receipt": "7" * 32}
    first, again = (room.visitor().post("/join", **form) for _ in range(2))
    assert first.get_json()["student"] == again.get_json()["student"]


def test_banned_student_stays_banned(school: flask.Flask) -> None:
    room = open_room(school, 2, students="2")
    room.move("ban", student=1)
    room.move("remove-since", since=0)
    assert [one.get("state") for one in room.desk()["students"]] == ["banned"]
    assert room.try_move("remove-since", since=0).status_code == 422
    assert [try_to_join(room) for _ in range(2)] == ["", FULL]
    assert room.phones[0].post("/join", offer="Quiet Otter").status_code == 403


def test_recent_students_are_removed_with_one_press(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 3)
    watch.pass_by(180)
    for _ in range(5):
        room.newcomer()
    watch.pass_by(60)
    room.newcomer()
    page = room.boss.get("/dashboard").text
    links = re.findall(r'href="([^"]+ask=remove-since[^"]+)">([^<]+)<', page)
    said = [label.partition(": ")[2] for _, label in links]
    assert said == ["one student", "6 students", "9 students"]
    asked = room.boss.client.get(links[1][0].replace("&amp;", "&")).text
    assert re.search(r"Remove everyone who joined since [0-9:]+: 6 students\?", asked)
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', asked))
    late = room.newcomer()  # while the instructor reads the confirmation page
    answer = room.boss.post("/dashboard", page=True, **fields)
    assert answer.status_code == 303
    assert numbers(room) == [1, 2, 3]
    assert late.json()["student"] is None
    assert late.join()["student"]["number"] == 11  # Removed students may join again.


def here(room: Room) -> list[bool]:
    return [one["here"] for one in room.desk()["students"]]


def look(watch: Watch, *phones: Phone) -> None:
    """Poll for changes with the given phones, as their pages do."""
    for phone in phones:
        watch.pass_by(11)  # saves each presence immediately
        phone.get()


def calls(watch: Watch, number: int) -> None:
    """Wait until the clock has made some calls, after a deal with a call every three seconds."""
    watch.pass_by(3 * number + 1)


def cards_in_play(room: Room, watch: Watch) -> list[int]:
    """Return the numbers of the cards that were in play when the round ended."""
    watch.pass_by(600)
    room.move("end")
    return [number for number, _ in stored_cards(room)]


def test_students_seen_within_two_minutes_are_dealt_in(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 6)
    assert here(room) == [True] * 6
    watch.pass_by(119)
    assert "Deal 6 cards" in room.boss.get("/dashboard").text
    watch.pass_by(2)
    look(watch, room.phones[1], room.phones[4])
    assert "Deal 2 cards" in room.boss.get("/dashboard").text
    assert here(room) == [False, True, False, False, True, False]
    watch.pass_by(60)  # Both were seen within the two minutes before the deal.
    room.deal(every="3")
    assert cards_in_play(room, watch) == [2, 5]


def test_latecomer_gets_a_card_on_first_get(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 4)
    watch.pass_by(500)
    look(watch, *room.phones[:2])
    room.deal(mode="F", every="3")
    calls(watch, 7)
    sleeper = room.phones[3]
    shown = sleeper.bingo()
    assert shown["card"]["number"] == 3  # the first unused number
    assert len(shown["round"]["called"]) == 7
    # The next GET request does not return a different card.
    assert sleeper.bingo()["card"] == shown["card"]
    watch.pass_by(600)
    room.move("end")
    assert stored_cards(room) == [(1, 0), (2, 0), (3, 7)]


def test_clock_continues_after_its_blockers_leave(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 12)
    room.deal(every="3")
    for number in range(1, 12):
        room.move("remove", student=number)
    watch.pass_by(600)
    live = room.desk()["round"]
    assert (live["phase"], live["places"][0]["names"]) == ("bingo", [room.phones[11].name])


def test_a_card_with_bingo_is_put_aside(room: Room, watch: Watch) -> None:
    room.deal(by_hand="Y", every="3")
    calls(watch, 28)
    called = room.desk()["round"]["called"]
    phones = [room.newcomer() for _ in range(4)]
    numbers = [phone.bingo()["card"]["number"] for phone in phones]
    assert len(set(numbers)) == 4
    assert min(numbers) > 6
    assert not any(has_bingo(phone.bingo()["card"], called) for phone in phones)
    room.move("void")
    salt = salt_of(room)
    # ``numbers`` contains exactly the next card numbers without a BINGO!
    for number in range(7, max(numbers) + 1):
        assert (salted_card(salt, number, Kind()).bingo_call > 28) == (number in numbers)


@pytest.mark.parametrize("how", ["join", "look"])
def test_clock_stops_for_a_latecomers_bingo(school: flask.Flask, watch: Watch, how: str) -> None:
    room = open_room(school, 2 if how == "join" else 14)
    watch.pass_by(200)
    look(watch, *room.phones[:2])
    room.deal(every="3")
    watch.pass_by(31)
    if how == "join" and room.desk()["round"]["phase"] == "playing":
        for _ in range(12):
            room.newcomer()
    cards = {name: card for name, card in cards_of(room).items() if card}
    watch.pass_by(600)
    document = room.desk()["round"]
    called = document["called"]
    assert document["phase"] == "bingo"
    has = [name for name, card in cards.items() if has_bingo(card, called)]
    assert sorted(document["places"][0]["names"]) == sorted(has)
    assert not any(has_bingo(card, called[:-1]) for card in cards.values())


def test_stepping_out_and_in_fishes_no_better_card(room: Room) -> None:
    room.deal()
    room.call(3)
    phone = room.phones[0]
    card = phone.bingo()["card"]["cards"]
    phone.post("/leave", what="step-out")
    assert phone.bingo()["card"] is None
    phone.post("/leave", what="step-in")
    assert phone.bingo()["card"]["cards"] == card


# ---- One card per browser and round --------------------------------------------------------------


def join_again(room: Room, phone: Phone, way: str) -> None:
    """Leave as one student, and join as another student with the same browser."""
    if way == "remove":
        room.move("remove", student=phone.number)
    elif way == "forget me":
        assert phone.post("/leave", what="forget").status_code == 200
    elif way == "not you":
        assert phone.post("/leave", what="browser").status_code == 200
    phone.join()


@pytest.mark.parametrize("way", ["forget me", "remove"])
@pytest.mark.parametrize("is_late", [True, False], ids=["late", "dealt"])
def test_a_browser_has_one_card_in_a_round_as_any_student(
    room: Room, watch: Watch, way: str, is_late: bool
) -> None:
    phone = room.visitor() if is_late else room.phones[2]
    room.deal(by_hand="Y", mode="F", every="3")
    calls(watch, 9)
    if is_late:
        phone.join()
    card = phone.bingo()["card"]["cards"]
    for _ in range(4):
        join_again(room, phone, way)
        assert phone.bingo()["card"]["cards"] == card
    other = room.newcomer()
    assert other.bingo()["card"]["cards"] != card


def test_card_belongs_to_one_student(room: Room) -> None:
    """A browser that had a card as another student gets neither this card nor a second card."""
    room.deal(by_hand="Y", mode="F")
    phone = room.phones[0]
    card = phone.bingo()["card"]
    join_again(room, phone, "not you")
    assert [phone.bingo()["card"] for _ in range(2)] == [None, None]
    room.move("remove", student=1)
    assert phone.bingo()["card"] == card


def test_card_of_a_leaver_goes_to_the_next_latecomer(room: Room, watch: Watch) -> None:
    """Browser windows without the old cookie always get the same card."""
    room.deal(by_hand="Y", mode="F", every="3")
    calls(watch, 9)
    card = room.phones[2].bingo()["card"]
    room.phones[2].post("/leave", what="forget")
    for _ in range(3):
        window = room.visitor()
        window.join()
        assert window.bingo()["card"] == card
        window.post("/leave", what="forget")
    assert room.newcomer().bingo()["card"] == card
    assert room.newcomer().bingo()["card"]["number"] == 7


def test_freed_card_with_bingo_is_not_given_again(room: Room, watch: Watch) -> None:
    room.deal(by_hand="Y", every="3")
    phone = room.phones[0]
    assert phone.post("/leave", what="forget").status_code == 200
    calls(watch, 52)
    phone.join()
    assert phone.bingo()["card"] is None


def test_student_back_after_a_missed_bingo_gets_no_card(room: Room, watch: Watch) -> None:
    room.deal(by_hand="Y", every="3")
    room.phones[0].post("/leave", what="step-out")
    calls(watch, 51)
    room.phones[0].post("/leave", what="step-in")
    assert [room.phones[0].bingo()["card"] for _ in range(2)] == [None, None]


# ---- A BINGO! that was shown ---------------------------------------------------------------------


@pytest.mark.parametrize("way", ["step out", "forget me", "remove", "ban"])
@pytest.mark.parametrize("by_hand", ["N", "Y"])
def test_shown_bingo_stays_after_its_student_leaves(
    school: flask.Flask, watch: Watch, way: str, by_hand: str
) -> None:
    room = open_room(school, 5)
    room.deal(every="3", by_hand=by_hand)
    if by_hand == "Y":
        calls(watch, 40)
        cards, called = cards_of(room), room.desk()["round"]["called"]
        winner = next(phone for phone in room.phones if has_bingo(cards[phone.name], called))
        assert winner.claim().get_json()["right"] is True
    else:
        watch.pass_by(600)
        names = room.desk()["round"]["places"][0]["names"]
        winner = next(phone for phone in room.phones if phone.name in names)
    before = room.desk()["round"]
    if way in ("remove", "ban"):
        room.move(way, student=winner.number)
    else:
        what = {"step out": "step-out", "forget me": "forget"}[way]
        assert winner.post("/leave", what=what).status_code == 200
    watch.pass_by(600)
    after = room.desk()["round"]
    assert (after["phase"], after["called"]) == ("bingo", before["called"])
    gone = "A student who has left"
    (shown, *_), (place, *_) = before["places"], after["places"]
    expected = [gone if name == winner.name else name for name in shown["names"]]
    assert (place["place"], place["call"], place["names"]) == (1, shown["call"], expected)
    assert gone in room.visitor().get("/projector?show=round").text
    over = room.move("end")["round"]
    assert [len(one["names"]) for one in over["places"]] == [len(expected)]


def test_continued_round_can_be_ended(room: Room) -> None:
    """The first winner keeps the win, although no other student has BINGO!"""
    room.deal()
    winners = room.call_until()["round"]["places"][0]["names"]
    document = room.move("go-on")
    assert document["round"]["phase"] == "playing"
    assert 'value="end"' in room.boss.get("/dashboard").text
    over = room.move("end")["round"]
    assert (over["phase"], over["places"][0]["names"]) == ("over", winners)
    best = room.visitor().json("/projector?show=standings")["bingo"]
    assert sorted(one["name"] for one in best) == sorted(winners)
