"""Class Bingo over HTTP: the contract's JSON, automatic rounds and the clock."""

import re
from typing import Any

import flask
import pytest

from cardgames.cards import FULL_DECK
from cardgames.games.bingo.rules import CENTRE
from tests.support.classroom import (
    Phone,
    Room,
    Watch,
    call_until_somebody_has_it,
    cards_of,
    has_bingo,
    open_room,
    refusal,
)
from tests.support.pages import page_of
from web import db
from web.classroom.core import access

ROUND = {
    *("number", "mode", "speed", "by_hand", "phase", "called", "left", "every"),
    *("one_away", "places"),
}


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
    assert set(live["one_away"]) == {"students", "cards", "chance"}
    assert live["one_away"]["chance"] == live["one_away"]["cards"] / 43
    assert live["places"] == []
    assert set(card) == {"number", "cards", "covered", "winning", "one_away"}
    assert (card["number"], len(card["cards"]), card["cards"][CENTRE]) == (5, 25, None)
    assert (card["covered"], card["winning"]) == ([CENTRE], [])
    assert document["moves"] == [
        {"name": "claim", "label": "BINGO!", "fields": {"call": {"9": "9"}}}
    ]


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
    shown = {"join", "round", "standings", "insight", "vote", "nothing"}
    assert set(moves["show"]["show"]) == shown
    always = {"rename", "remove", "ban", "unban", "rejoin-code", "hand-on", "prolong", "close"}
    assert always | {"lock", "paper", "forget-names", "forget"} <= set(moves)
    assert "deal" not in moves


def test_an_automatic_round_covers_and_finds_by_itself(room: Room) -> None:
    room.deal()
    cards, document = cards_of(room), room.desk()
    while (document := room.call_next(document))["round"]["phase"] == "playing":
        called = document["round"]["called"]
        assert not any(has_bingo(card, called) for card in cards.values())
        card = room.phones[len(called) % 6].bingo()["card"]
        where = [n for n, code in enumerate(card["cards"]) if code in called or n == CENTRE]
        assert (card["covered"], card["winning"]) == (where, [])
    (place,) = document["round"]["places"]
    assert (place["place"], place["call"]) == (1, len(document["round"]["called"]))
    for phone in room.phones:
        has_won, document = phone.name in place["names"], phone.bingo()
        assert has_won == has_bingo(document["card"], document["round"]["called"])
        assert (bool(document["card"]["winning"]), document["moves"]) == (has_won, [])
        assert ("won-head" in phone.get("/bingo").text) == has_won


def test_the_instructor_calls_beside_the_clock_and_takes_it_over(room: Room, watch: Watch) -> None:
    room.deal(every="8", mode="F")
    watch.pass_by(6)
    assert len(room.move("call", call=1)["round"]["called"]) == 1
    watch.pass_by(7)  # The clock's interval has restarted.
    assert len(room.desk()["round"]["called"]) == 1
    watch.pass_by(1.1)
    assert len(room.desk()["round"]["called"]) == 2
    assert room.move("pause")["round"]["every"] == 0
    watch.pass_by(500)
    assert len(room.desk()["round"]["called"]) == 2
    room.move("auto", every="3")
    watch.pass_by(3.1)
    assert len(room.desk()["round"]["called"]) == 3


def test_concurrent_call_is_not_made_twice(room: Room, watch: Watch) -> None:
    room.deal(every="8", mode="F")
    step = room.desk()["step"]
    watch.pass_by(8.1)  # The clock has made calls while the page was open.
    answer = room.try_move("call", step=step, call=1)
    assert (answer.status_code, answer.get_json()["error"]) == (409, "Call 1 was already made.")
    assert len(room.desk()["round"]["called"]) == 1
    for call in ("0", "3", "53", "x", ""):
        assert room.try_move("call", call=call).status_code in (409, 422)
    assert len(room.desk()["round"]["called"]) == 1


def test_the_clock_goes_on_to_the_next_bingo(room: Room, watch: Watch) -> None:
    room.deal(every="3")
    watch.pass_by(600)
    (first,) = room.desk()["round"]["places"]
    room.move("go-on")
    watch.pass_by(600)
    live = room.desk()["round"]
    assert (live["phase"], live["places"][0]) == ("bingo", first)
    assert first["call"] < live["places"][1]["call"] == len(live["called"])
    page = room.visitor().get("/projector?show=round").text
    assert [name in page for name in live["places"][1]["names"]][:1] == [True]
    assert not any(name in page for name in first["names"])


def test_marks_are_the_students_own_and_decide_nothing(room: Room) -> None:
    phone, other = room.phones[0], room.phones[1]
    room.deal(by_hand="Y")
    for place in (0, 7, 24):
        document = phone.post("/bingo", move="mark", place=place, on="Y").get_json()
    assert document["card"]["covered"] == [0, 7, 12, 24]
    document = phone.post("/bingo", move="mark", place=7, on="N").get_json()
    assert document["card"]["covered"] == [0, 12, 24]
    assert other.bingo()["card"]["covered"] == [12]
    answer = phone.post("/bingo", page=True, move="mark", place=3, on="N")
    assert answer.headers["Location"] == f"/class/{room.code}/bingo#place-3"


@pytest.mark.parametrize(
    "fields",
    [
        *({"place": "12"}, {"place": "25"}, {"on": "yes"}, {"move": "dance"}),
        {"move": "claim", "call": "53"},
    ],
)
def test_impossible_press_is_rejected(room: Room, fields: dict[str, str]) -> None:
    room.deal(by_hand="Y")
    phone = room.phones[0]
    before = phone.bingo()
    answer = phone.post("/bingo", **{"move": "mark", "place": "3", "on": "Y", **fields})
    assert answer.status_code == 422
    assert answer.get_json()["error"]
    assert phone.bingo() == before
    page = phone.post("/bingo", page=True, **{"move": "mark", "place": "3", "on": "Y", **fields})
    assert page.status_code == 422
    assert 'role="alert"' in page.text


def test_an_old_tab_marks_no_other_round(room: Room) -> None:
    phone = room.phones[0]
    room.deal()  # covered automatically
    for fields in ({"move": "mark", "place": 3, "on": "Y"}, {"move": "claim", "call": 0}):
        assert "covered automatically" in refusal(phone.post("/bingo", **fields))
    room.move("void")
    assert phone.post("/bingo", move="mark", place=3, on="Y").status_code == 422
    room.deal(by_hand="Y")
    stale = phone.post("/bingo", move="mark", place=3, on="Y", round=1)
    assert stale.status_code == 409
    assert phone.bingo()["card"]["covered"] == [12]
    assert phone.post("/bingo", move="mark", place=3, on="Y", round=2).status_code == 200


def test_a_wrong_claim_teaches_and_costs_nothing(room: Room) -> None:
    room.deal(by_hand="Y")
    room.call(6)
    phone = room.phones[0]
    document = phone.claim().get_json()
    assert document["right"] is False
    found = re.fullmatch(r"Not yet\. Your nearest line still needs (the .+)\.", document["said"])
    assert found
    names = {one.full_name: one for one in FULL_DECK}
    lacks = {names[name.removeprefix("the ")] for name in re.split(", | and ", found[1])}
    assert lacks <= set(phone.bingo()["card"]["cards"])
    called = {*document["round"]["called"], *lacks}
    # The claim would be a BINGO! with the missing cards.
    assert has_bingo(document["card"], sorted(called))
    for lack in lacks:
        assert not has_bingo(document["card"], sorted(called - {lack}))
    assert document["round"]["phase"] == "playing"
    assert document["moves"]
    assert document["said"] in phone.get("/bingo?said=6").text
    again = phone.claim().get_json()
    assert (again["right"], again["said"]) == (False, document["said"])


def test_right_claim_stops_the_clock_for_other_claims(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 12)
    room.deal(by_hand="Y", speed="Y", every="0")
    called, has = call_until_somebody_has_it(room)
    room.move("auto", every="8")
    call = len(called)
    document = has[0].claim(call).get_json()
    assert (document["right"], document["said"]) == (True, "BINGO!")
    assert document["round"]["phase"] == "bingo"
    watch.pass_by(300)
    assert len(room.desk()["round"]["called"]) == call
    assert room.try_move("call", call=call + 1).status_code == 422
    for phone in has[1:]:
        assert phone.claim().get_json()["right"] is True
    (place,) = room.desk()["round"]["places"]
    assert (place["place"], place["call"]) == (1, call)
    assert sorted(place["names"]) == sorted(phone.name for phone in has)
    assert has[0].bingo()["moves"] == []


def test_going_on_gives_the_next_place_by_how_many_stand_before(school: flask.Flask) -> None:
    room = open_room(school, 20)
    room.deal(by_hand="Y", speed="Y")
    called, has = call_until_somebody_has_it(room)
    for phone in has:
        phone.claim()
    document = room.move("go-on")
    assert document["round"]["phase"] == "playing"
    cards, later = cards_of(room), list[Phone]()
    while not later:
        document = room.call_next(document)
        called = document["round"]["called"]
        others = [phone for phone in room.phones if phone not in has]
        later = [phone for phone in others if has_bingo(cards[phone.name], called, speed=True)]
    for phone in later:
        assert phone.claim().get_json()["right"] is True
    first, second = room.desk()["round"]["places"]
    assert (first["place"], second["place"]) == (1, 1 + len(has))
    assert second["call"] == len(called)
    over = room.move("end")["round"]
    assert (over["phase"], over["places"]) == ("over", [first, second])


def test_claim_is_judged_at_the_call_of_its_page(room: Room) -> None:
    room.deal(by_hand="Y")
    called, has = call_until_somebody_has_it(room)
    phone = has[0]
    early = phone.claim(len(called) - 1).get_json()
    assert early["right"] is False
    future = phone.claim(len(called)).get_json()
    assert future["right"] is True
    other = next(one for one in room.phones if one not in has)
    # A claim that names a future call counts for the last call.
    assert other.claim(52).get_json()["right"] is False


def test_hand_covered_page_never_locates_a_called_card(room: Room) -> None:
    room.deal(by_hand="Y")
    phone = room.phones[0]
    document = room.desk()
    for _ in range(12):
        document = room.call_next(document)
        called = document["round"]["called"]
        page = phone.get("/bingo").text
        assert "Do you have this card?" in page
        assert "You have the card" not in page
        assert "row " not in page_of(page).get_text().replace("five rows", "")
        card = phone.bingo()["card"]["cards"]
        if called[-1] in card:
            place = card.index(called[-1])
            assert not page_of(page).select(f"#place-{place}.new, #place-{place} .new")
    assert "row 1, column 1" in phone.get("/bingo?as=list").text  # for players with a screen reader


def test_hand_covered_page_takes_one_right_claim(room: Room) -> None:
    room.deal(by_hand="Y")
    called, (winner, *_) = call_until_somebody_has_it(room)
    page = winner.get("/bingo").text
    assert "data-claim" in page
    assert winner.bingo()["card"]["winning"] == []
    assert 'aria-pressed="true"' not in page
    place = next(n for n, one in enumerate(winner.bingo()["card"]["cards"]) if one in called)
    winner.post("/bingo", move="mark", place=place, on="Y")
    assert winner.get("/bingo").text.count('aria-pressed="true"') == 1
    assert winner.claim().get_json()["right"] is True
    page = winner.get("/bingo").text
    assert "data-claim" not in page
    assert 'class="tile win' in page
    assert winner.bingo()["card"]["winning"]


@pytest.mark.parametrize("by_hand", ["Y", "N"])
@pytest.mark.parametrize("path", ["/bingo", "/projector", "/dashboard", ""])
def test_clock_correction_takes_no_call_back(
    room: Room, watch: Watch, path: str, by_hand: str
) -> None:
    """A call that a page has shown remains valid if the machine's clock is set back."""
    room.deal(every="3", by_hand=by_hand, mode="F")
    phone = room.boss if path == "/dashboard" else room.phones[0]
    phone.get(path)
    watch.pass_by(3 * 17 + 1)
    phone.get(path)
    watch.pass_by(-3_000)
    assert len(room.phones[1].bingo()["round"]["called"]) == 17
    watch.pass_by(3_000 + 3)
    assert len(room.phones[1].bingo()["round"]["called"]) == 18


@pytest.mark.parametrize(("move", "fields"), [("pause", {}), ("auto", {"every": "20"})])
def test_slow_move_takes_no_call_back(
    room: Room,
    watch: Watch,
    monkeypatch: pytest.MonkeyPatch,
    move: str,
    fields: dict[str, str],
) -> None:
    """Until the instructor's next move is saved, students see the calls that the clock makes."""
    room.deal(every="3", mode="F")
    watch.pass_by(31)
    save = access.save_move

    def save_after_nine_seconds(*values: Any) -> None:
        watch.pass_by(9)
        save(*values)

    monkeypatch.setattr(access, "save_move", save_after_nine_seconds)
    assert len(room.move(move, **fields)["round"]["called"]) == 13


def test_unsaved_call_is_shown_all_the_same(
    room: Room, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.deal(every="3", by_hand="Y")

    def full(*_: object) -> None:
        raise db.Unavailable("full")

    with monkeypatch.context() as patch:
        patch.setattr("web.classroom.core.access.save_clock_calls", full)
        watch.pass_by(10)
        assert len(room.phones[0].bingo()["round"]["called"]) == 3
        assert room.phones[0].get().status_code == 200


def test_students_page_says_how_the_last_round_ended(room: Room, watch: Watch) -> None:
    watch.now = 1_792_000_000
    room.deal()
    calls, winners = call_until_somebody_has_it(room)
    other = next(phone for phone in room.phones if phone not in winners)
    assert "at call" not in other.get().text
    room.move("end")
    assert f"Round 1: BINGO! Place 1, at call {len(calls)}." in winners[0].get().text
    page = other.get().text
    assert "Round 1 has ended: " in page
    assert winners[0].name in page
    assert "While you wait:" in page
    watch.now += 3_601
    assert "Round 1" not in other.get().text
