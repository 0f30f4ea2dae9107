"""Seats: who gives way in a full class, and how an instructor takes seats back."""

import re
from dataclasses import replace

import flask
import pytest

from app import create_app
from tests.support.classroom import Phone, Room, Watch, open_room, refusal
from web.classroom import joining
from web.classroom.state import EXTENSION
from web.classroom.updates import NOTES, PresenceNotes
from web.settings import Settings

FULL = "This class is full."


@pytest.fixture(autouse=True)
def looks_are_noted_by_the_watch(school: flask.Flask, watch: Watch) -> None:
    """The clock that tests turn is the store's; a worker's own would stand still."""
    store = school.extensions[EXTENSION]
    school.extensions[NOTES] = PresenceNotes(store, watch.time)


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


# ---- A full class --------------------------------------------------------------------------


def test_who_joins_and_goes_gives_way_after_two_minutes(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 2, students="3")
    room.move("remove", student=2)
    assert [try_to_join(room) for _ in range(3)] == ["", "", FULL]
    watch.pass_by(119)
    assert try_to_join(room) == FULL
    watch.pass_by(2)
    assert try_to_join(room) == ""
    assert numbers(room) == [1, 3, 4, 5]
    assert room.phones[0].json()["student"]["number"] == 1


def test_who_is_here_keeps_the_seat(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 3, students="3")
    stay(room.phones[:2], 5, watch)
    assert room.phones[2].get("/updates").status_code == 200  # noted, and not written yet
    assert try_to_join(room) == ""
    assert numbers(room) == [1, 2, 3, 4]
    assert try_to_join(room) == FULL
    assert room.phones[2].json()["student"]["number"] == 3


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
    monkeypatch.setattr(joining, "MAX_STUDENTS", 8)
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
    assert "Take back" not in room.boss.get("/dashboard").text
    assert room.try_move("remove-since", since=0).status_code == 422
    watch.pass_by(121)
    assert [try_to_join(room) for _ in range(3)] == ["", "", FULL]
    assert room.phones[0].post("/join", offer="Quiet Otter").status_code == 403


def test_a_seat_that_gives_way_takes_its_card_out_of_the_round(
    school: flask.Flask, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "MAX_STUDENTS", 3)
    room = open_room(school, 3, students="3")
    room.deal(by_hand="Y")
    stay(room.phones[:2], 3, watch)
    assert try_to_join(room) == ""
    assert room.boss.get("/check?card=3").status_code in (404, 422)
    assert room.phones[0].bingo()["card"]["number"] == 1


# ---- Taking seats back ---------------------------------------------------------------------


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
    assert [label.partition(": ")[2] for _, label in links] == [
        "one student",
        "6 students",
        "9 students",
    ]
    asked = room.boss.client.get(links[1][0].replace("&amp;", "&")).text
    assert re.search(r"Remove everybody who came since [0-9:]+: 6 students\?", asked)
    fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', asked))
    late = room.newcomer()  # while the instructor reads the question
    answer = room.boss.post("/dashboard", page=True, **fields)
    assert answer.status_code == 303
    assert numbers(room) == [1, 2, 3]
    assert late.json()["student"] is None
    assert late.join()["student"]["number"] == 11  # they may join again


def test_a_full_class_is_taken_back_from_either_store(settings: Settings) -> None:
    room = open_room(create_app(replace(settings, classes="open")), 60, students="60")
    assert try_to_join(room) == FULL
    room.deal()
    room.move("remove-since", since=0)
    assert numbers(room) == []
    assert try_to_join(room) == ""
    assert numbers(room) == [61]


@pytest.mark.parametrize("since", ["", "x", "-1", "12:30", "999999999", "1" * 12])
def test_a_minute_that_makes_no_sense_removes_nobody(school: flask.Flask, since: str) -> None:
    room = open_room(school, 2)
    assert room.try_move("remove-since", since=since).status_code == 422
    room.boss.get(f"/dashboard?ask=remove-since&since={since}")
    assert numbers(room) == [1, 2]
