"""Seats and cards: who gives way, is dealt in, comes late, leaves or comes back."""

import re

import flask
import pytest
from sqlalchemy import delete

from cardgames.class_bingo.card import Kind, salted_card
from tests.support.classroom import (
    Phone,
    Room,
    Watch,
    cards_of,
    class_rows,
    has_bingo,
    open_room,
    refusal,
)
from web import db
from web.classroom import rounds, students
from web.classroom.presence import NOTES, PresenceNotes
from web.classroom.rounds import LateCard

FULL = "This class is full."


@pytest.fixture(autouse=True)
def looks_are_noted_by_the_watch(school: flask.Flask, watch: Watch) -> None:
    """The clock that tests turn is the store's; a worker's own would stand still."""
    school.extensions[NOTES] = PresenceNotes(watch.time)


def try_to_join(room: Room) -> str:
    """Join with a browser of its own; return why that could not be, or nothing."""
    phone = room.visitor()
    answer = phone.post("/join", offer=phone.json()["offers"][0])
    return "" if answer.status_code == 200 else refusal(answer)


def stay(phones: list[Phone], minutes: int, watch: Watch) -> None:
    """Let some phones look at the class for so long."""
    for _ in range(4 * minutes):
        watch.pass_by(15)
        for phone in phones:
            phone.get("/updates")


def numbers(room: Room) -> list[int]:
    return [one["number"] for one in room.desk()["students"]]


def test_who_was_here_for_longer_loses_nothing(school: flask.Flask, watch: Watch) -> None:
    """They stop counting while they are away, and are who they were when they come back."""
    room = open_room(school, 3, students="3")
    phones = list(room.phones)
    room.play()
    stay(phones, 3, watch)
    assert try_to_join(room) == FULL
    watch.pass_by(121)
    assert [try_to_join(room) for _ in range(4)] == ["", "", "", FULL]
    assert numbers(room) == [1, 2, 3, 4, 5, 6]
    for phone in phones:
        assert phone.json()["student"]["name"] == phone.name
        assert phone.json("/me.json")["rounds"]
    assert try_to_join(room) == FULL


def test_a_flood_of_joins_replaces_itself(
    school: flask.Flask, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(students, "MAX_STUDENTS", 8)
    room = open_room(school, 2, students="6")
    phones = list(room.phones)
    stay(phones, 3, watch)
    for _ in range(4):
        flood = [try_to_join(room) for _ in range(10)]
        assert flood.count("") <= 6
        assert flood[-1] == FULL
        watch.pass_by(125)
    assert len(numbers(room)) <= 8
    assert [phone.json()["student"]["number"] for phone in phones] == [1, 2]
    stay(phones, 1, watch)
    assert try_to_join(room) == ""  # a newcomer finds a seat in the end


def test_who_is_banned_stays_banned(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 2, students="2")
    room.move("ban", student=1)
    room.move("remove-since", since=0)
    assert [one.get("state") for one in room.desk()["students"]] == ["banned"]
    assert room.try_move("remove-since", since=0).status_code == 422
    watch.pass_by(121)
    assert [try_to_join(room) for _ in range(3)] == ["", "", FULL]
    assert room.phones[0].post("/join", offer="Quiet Otter").status_code == 403


def test_everybody_who_came_since_a_minute_is_taken_back_with_one_press(
    school: flask.Flask, watch: Watch
) -> None:
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
    assert re.search(r"Remove everybody who came since [0-9:]+: 6 students\?", asked)
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', asked))
    late = room.newcomer()  # while the instructor reads the question
    answer = room.boss.post("/dashboard", page=True, **fields)
    assert answer.status_code == 303
    assert numbers(room) == [1, 2, 3]
    assert late.json()["student"] is None
    assert late.join()["student"]["number"] == 11  # they may join again


def here(room: Room) -> list[bool]:
    return [one["here"] for one in room.desk()["students"]]


def look(watch: Watch, *phones: Phone) -> None:
    """Let some phones ask whether there is anything new, as their pages do."""
    for phone in phones:
        watch.pass_by(11)  # so that each is written at once
        phone.get("/updates")


def cards_in_play(room: Room) -> list[int]:
    """Return the cards in play, as the opened round lists them."""
    room.call_until()
    room.move("end")
    number = room.desk()["round"]["number"]
    return [card["number"] for card in room.boss.json(f"/round/{number}")["cards"]]


def test_only_who_was_seen_in_the_last_two_minutes_is_dealt_in(
    school: flask.Flask, watch: Watch
) -> None:
    room = open_room(school, 6)
    assert here(room) == [True] * 6
    watch.pass_by(119)
    assert "Deal 6 cards" in room.boss.get("/dashboard").text
    watch.pass_by(2)
    look(watch, room.phones[1], room.phones[4])
    assert "Deal 2 cards" in room.boss.get("/dashboard").text
    assert here(room) == [False, True, False, False, True, False]
    watch.pass_by(60)  # who is not here any more was seen
    room.deal()
    assert cards_in_play(room) == [2, 5]


def test_who_comes_later_joins_late_by_looking(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 4)
    watch.pass_by(500)
    look(watch, *room.phones[:2])
    room.deal(mode="F")
    room.call(7)
    sleeper = room.phones[3]
    shown = sleeper.bingo()
    assert shown["card"]["number"] == 5  # the first number that nobody has
    assert len(shown["round"]["called"]) == 7
    assert sleeper.bingo()["card"] == shown["card"]  # and no other at the next look
    room.call_until()
    room.move("end")
    cards = room.boss.json("/round/1")["cards"]
    assert [(one["number"], one["from_call"]) for one in cards] == [(1, 0), (2, 0), (5, 7)]


def test_the_clock_runs_on_when_those_leave_who_would_have_stopped_it(
    school: flask.Flask, watch: Watch
) -> None:
    room = open_room(school, 12)
    room.deal(every="3")
    for number in range(1, 12):
        room.move("remove", student=number)
    watch.pass_by(600)
    live = room.desk()["round"]
    assert (live["phase"], live["places"][0]["names"]) == ("bingo", [room.phones[11].name])


def test_a_card_with_bingo_is_put_aside(room: Room) -> None:
    room.deal(by_hand="Y")
    room.call(28)
    called = room.desk()["round"]["called"]
    phones = [room.newcomer() for _ in range(4)]
    numbers = [phone.bingo()["card"]["number"] for phone in phones]
    assert len(set(numbers)) == 4
    assert min(numbers) > 6
    assert not any(has_bingo(phone.bingo()["card"], called) for phone in phones)
    room.move("void")
    salt = room.desk()["round"]["salt"]
    for number in range(7, max(numbers) + 1):  # the next ones that have none, and no others
        assert (salted_card(salt, number, Kind()).bingo_call > 28) == (number in numbers)


@pytest.mark.parametrize("how", ["join", "look"])
def test_the_clock_stops_for_who_comes_late(school: flask.Flask, watch: Watch, how: str) -> None:
    for _ in range(2):
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
        room.move("forget")


def test_stepping_out_and_in_fishes_no_better_card(room: Room) -> None:
    room.deal()
    room.call(3)
    phone = room.phones[0]
    card = phone.bingo()["card"]["cards"]
    phone.post("/leave", what="step-out")
    assert phone.bingo()["card"] is None
    phone.post("/leave", what="step-in")
    assert phone.bingo()["card"]["cards"] == card


# ---- One card a browser and round ----------------------------------------------------------------


def join_again(room: Room, phone: Phone, way: str) -> None:
    """Be a student no more, and then another one, with the same browser."""
    if way == "remove":
        room.move("remove", student=phone.number)
    elif way == "forget me":
        assert phone.post("/leave", what="forget").status_code == 200
    if way == "rejoin":
        other = room.newcomer()  # with no card: they have not looked yet
        with db.database(room.app).engine.begin() as connection:
            connection.execute(delete(LateCard.__table__).where(LateCard.student == other.number))
        answer = phone.post("/rejoin", name=other.name, code=other.rejoin)
        assert answer.status_code == 200, answer.text
    else:
        phone.join()


@pytest.mark.parametrize("way", ["forget me", "remove"])
@pytest.mark.parametrize("is_late", [True, False], ids=["late", "dealt"])
def test_a_browser_has_one_card_in_a_round_as_any_student(
    room: Room, way: str, is_late: bool
) -> None:
    phone = room.visitor() if is_late else room.phones[2]
    room.deal(by_hand="Y", mode="F")
    room.call(9)
    if is_late:
        phone.join()
    card = phone.bingo()["card"]["cards"]
    for _ in range(4):
        join_again(room, phone, way)
        assert phone.bingo()["card"]["cards"] == card
    other = room.newcomer()
    assert other.bingo()["card"]["cards"] != card
    assert phone.json("/me.json")["card_had_before"] is not None


def test_a_card_that_somebody_has_is_nobody_elses(room: Room) -> None:
    """The browser that had it as another student gets none, and no second one either."""
    room.deal(by_hand="Y", mode="F")
    phone, watcher = room.phones[0], room.phones[1]
    card = phone.bingo()["card"]
    join_again(room, phone, "rejoin")
    assert [phone.bingo()["card"] for _ in range(2)] == [None, None]
    assert watcher.bingo()["card"]["number"] == watcher.number
    join_again(room, phone, "forget me")
    assert phone.bingo()["card"] is None
    room.move("remove", student=1)
    join_again(room, phone, "forget me")
    assert phone.bingo()["card"] == card


def test_a_card_that_has_got_bingo_meanwhile_is_not_given_again(room: Room) -> None:
    room.deal(by_hand="Y")
    phone = room.phones[0]
    assert phone.post("/leave", what="forget").status_code == 200
    room.call(52)
    phone.join()
    assert phone.bingo()["card"] is None


@pytest.mark.parametrize("end", ["end", "void", "close"])
def test_what_a_browser_had_is_gone_with_the_round(room: Room, end: str) -> None:
    room.deal()
    phone = room.phones[0]
    join_again(room, phone, "forget me")
    assert [key for key in class_rows(room.app) if key.startswith("class_cards_had")]
    if end == "end":
        room.call_until()
    room.move(end)
    assert not [key for key in class_rows(room.app) if key.startswith("class_cards_had")]
    if end != "close":
        room.deal()
        assert phone.bingo()["card"]["number"] == phone.number


def test_the_cards_of_the_newest_browsers_are_kept(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "MAX_CARDS_HAD", 2)
    room.deal()
    for phone in room.phones[:4]:
        join_again(room, phone, "forget me")
    assert [phone.bingo()["card"]["number"] in (3, 4) for phone in room.phones[:4]] == [
        *(False, False, True, True)
    ]
