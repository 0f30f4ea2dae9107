"""Class Bingo over HTTP: the contract's JSON, automatic rounds, the clock."""

import re

import flask
import pytest

from cardgames.class_bingo.card import Kind, salted_card
from cardgames.games.bingo.rules import CENTRE
from tests.support.classroom import (
    JSON,
    Room,
    Watch,
    cards_of,
    has_bingo,
    open_room,
)

ROUND = {
    *("number", "mode", "speed", "by_hand", "phase", "called", "left", "every", "seal"),
    *("one_away", "places"),
}


# ---- The contract ----------------------------------------------------------------------------


def test_before_the_first_round_there_is_none(room: Room) -> None:
    document = room.phones[0].bingo()
    assert (document["round"], document["card"], document["moves"]) == (None, None, [])
    assert room.desk()["round"] is None
    page = room.phones[0].get("/bingo")
    assert (page.status_code, page.headers["Location"]) == (303, f"/class/{room.code}")
    assert "Nothing is on. Your instructor starts the next round." in room.phones[0].get().text


def test_a_card_in_json_has_the_names_of_the_contract(room: Room) -> None:
    phone = room.phones[4]
    room.deal(by_hand="Y", mode="L")
    room.call(9)
    document = phone.bingo()
    assert set(document) == {"class", "title", "version", "student", "round", "card", "moves"}
    assert (document["class"], document["title"]) == (room.code, "CS1, Tuesday")
    assert document["version"] == f"{room.desk()['step']}.9"
    assert document["student"] == {"number": 5, "name": phone.name}
    live, card = document["round"], document["card"]
    assert set(live) == ROUND
    assert (live["number"], live["mode"], live["phase"]) == (1, "L", "playing")
    assert (live["speed"], live["by_hand"]) == (False, True)
    assert (len(live["called"]), live["left"], live["every"]) == (9, 43, 0)
    assert re.fullmatch(r"[0-9a-f]{64}", live["seal"])
    assert set(live["one_away"]) == {"students", "cards", "chance"}
    assert live["one_away"]["chance"] == live["one_away"]["cards"] / 43
    assert live["places"] == []
    assert set(card) == {"number", "cards", "covered", "winning", "one_away"}
    assert (card["number"], len(card["cards"]), card["cards"][CENTRE]) == (5, 25, None)
    assert (card["covered"], card["winning"]) == ([CENTRE], [])
    assert document["moves"] == [
        {"name": "claim", "label": "BINGO!", "fields": {"call": {"9": "9"}}}
    ]
    assert phone.get("/bingo", headers=JSON).headers["Cache-Control"] == "no-store"


def test_the_dashboard_in_json_has_the_names_of_the_contract(room: Room) -> None:
    room.phones[0].get()
    document = room.deal()
    assert set(document) == {"class", "title", "step", "students", "round", "moves"}
    assert document["students"][0] == {"number": 1, "name": room.phones[0].name, "here": True}
    assert document["step"] == 2
    assert set(document["round"]) == ROUND
    moves = {move["name"]: move["fields"] for move in document["moves"]}
    assert moves["call"] == {"call": {"1": "1"}}
    assert moves["auto"] == {"every": {str(s): str(s) for s in (3, 5, 8, 12, 20)}}
    assert moves["void"] == {"reason": None}
    assert set(moves["show"]["show"]) == {"join", "round", "standings", "insight", "nothing"}
    always = {"rename", "remove", "ban", "unban", "rejoin-code", "hand-on", "prolong", "close"}
    assert always | {"lock", "paper", "forget-names", "forget"} <= set(moves)
    assert "deal" not in moves


def test_an_automatic_round_covers_and_finds_by_itself(room: Room) -> None:
    room.deal()
    while (document := room.call())["round"]["phase"] == "playing":
        called = document["round"]["called"]
        for phone in room.phones:
            card = phone.bingo()["card"]
            where = [n for n, code in enumerate(card["cards"]) if code in called or n == CENTRE]
            assert (card["covered"], card["winning"]) == (where, [])
            assert not has_bingo(card, called)
    (place,) = document["round"]["places"]
    assert (place["place"], place["call"]) == (1, len(document["round"]["called"]))
    for phone in room.phones:
        has_won, document = phone.name in place["names"], phone.bingo()
        assert has_won == has_bingo(document["card"], document["round"]["called"])
        assert (bool(document["card"]["winning"]), document["moves"]) == (has_won, [])
        assert set(document["card"]["winning"]) <= set(document["card"]["covered"])
        assert ("won-head" in phone.get("/bingo").text) == has_won


@pytest.mark.parametrize("mode", ["L", "C", "F"])
@pytest.mark.parametrize("speed", ["N", "Y"])
def test_every_kind_of_round_ends_with_those_who_have_it(
    school: flask.Flask, mode: str, speed: str
) -> None:
    room = open_room(school, 5)
    room.deal(mode=mode, speed=speed)
    document = room.call_until()["round"]
    called, cards = document["called"], cards_of(room).items()
    assert (document["mode"], document["speed"]) == (mode, speed == "Y")
    has = {name for name, card in cards if has_bingo(card, called, mode, speed=speed == "Y")}
    assert {*document["places"][0]["names"]} == has
    assert not any(has_bingo(card, called[:-1], mode, speed=speed == "Y") for _, card in cards)


# ---- The clock -------------------------------------------------------------------------------


def test_the_clock_calls_while_nobody_looks(room: Room, watch: Watch) -> None:
    room.deal(every="8", mode="F")
    assert room.desk()["round"]["every"] == 8
    for seconds, calls in ((0, 0), (7.9, 0), (0.2, 1), (16, 3), (60, 10)):
        watch.pass_by(seconds)
        assert len(room.phones[0].bingo()["round"]["called"]) == calls


def test_after_ten_minutes_without_a_request_the_round_stands_where_it_should(
    room: Room, watch: Watch
) -> None:
    room.deal(every="8")
    watch.pass_by(600)
    document = room.phones[0].bingo()["round"]
    assert document["phase"] == "bingo"
    call = document["places"][0]["call"]
    assert len(document["called"]) == call
    salt = room.move("end")["round"]["salt"]
    assert call == min(salted_card(salt, n, Kind()).bingo_call for n in range(1, 7))


def test_calls_never_go_back_whatever_a_clock_says(room: Room, watch: Watch) -> None:
    room.deal(every="3", mode="F")
    seen = 0
    for step in range(60):
        watch.pass_by(0.7 if step % 2 else -0.2)  # another machine is 200 ms behind
        if step % 10 == 9:
            room.move("show", show="round")
            settled = len(room.desk()["round"]["called"])
            assert settled >= seen
            seen = settled
            watch.pass_by(-0.2)
            assert len(room.desk()["round"]["called"]) >= seen
            watch.pass_by(0.2)


def test_the_instructor_calls_beside_the_clock_and_takes_it_over(room: Room, watch: Watch) -> None:
    room.deal(every="8", mode="F")
    watch.pass_by(6)
    assert len(room.move("call", call=1)["round"]["called"]) == 1
    watch.pass_by(7)  # the interval has begun afresh
    assert len(room.desk()["round"]["called"]) == 1
    watch.pass_by(1.1)
    assert len(room.desk()["round"]["called"]) == 2
    assert room.move("pause")["round"]["every"] == 0
    watch.pass_by(500)
    assert len(room.desk()["round"]["called"]) == 2
    assert room.try_move("pause").status_code == 422
    room.move("auto", every="3")
    watch.pass_by(3.1)
    assert len(room.desk()["round"]["called"]) == 3


def test_a_call_that_was_made_meanwhile_is_not_made_twice(room: Room, watch: Watch) -> None:
    room.deal(every="8", mode="F")
    step = room.desk()["step"]
    watch.pass_by(8.1)  # the clock has called while the page lay on the table
    answer = room.try_move("call", step=step, call=1)
    assert (answer.status_code, answer.get_json()["error"]) == (409, "Call 1 was made meanwhile.")
    assert len(room.desk()["round"]["called"]) == 1
    for call in ("0", "3", "53", "x", ""):
        assert room.try_move("call", call=call).status_code in (409, 422)
    assert len(room.desk()["round"]["called"]) == 1
