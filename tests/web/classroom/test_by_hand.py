"""Rounds by hand: marks, claims, places, and what a wrong claim teaches."""

import re

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


def test_marks_are_the_students_own_and_decide_nothing(room: Room) -> None:
    phone, other = room.phones[0], room.phones[1]
    room.deal(by_hand="Y")
    for place in (0, 7, 24):
        document = phone.post("/bingo", move="mark", place=place, on="Y").get_json()
    assert document["card"]["covered"] == [0, 7, 12, 24]
    document = phone.post("/bingo", move="mark", place=7, on="N").get_json()
    assert document["card"]["covered"] == [0, 12, 24]
    assert other.bingo()["card"]["covered"] == [12]
    for place in range(25):
        if place != CENTRE:
            phone.post("/bingo", move="mark", place=place, on="Y")
    assert phone.claim().get_json()["right"] is False
    answer = phone.post("/bingo", page=True, move="mark", place=3, on="N")
    assert answer.headers["Location"] == f"/class/{room.code}/bingo#place-3"


@pytest.mark.parametrize(
    "fields",
    [
        {"place": "12"},
        {"place": "25"},
        {"place": "-1"},
        {"place": ""},
        {"on": "yes"},
        {"move": "dance"},
        {"move": "claim", "call": "x"},
        {"move": "claim"},
        {"move": "claim", "call": "53"},
    ],
)
def test_a_press_that_makes_no_sense_is_refused(room: Room, fields: dict[str, str]) -> None:
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
    room.deal()  # automatic
    for fields in ({"move": "mark", "place": 3, "on": "Y"}, {"move": "claim", "call": 0}):
        assert "covered by themselves" in refusal(phone.post("/bingo", **fields))
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
    found = re.fullmatch(r"Not yet\. Your nearest line lacks (the .+)\.", document["said"])
    assert found
    names = {one.full_name: one for one in FULL_DECK}
    lacks = {names[name.removeprefix("the ")] for name in re.split(", | and ", found[1])}
    assert lacks <= set(phone.bingo()["card"]["cards"])
    called = {*document["round"]["called"], *lacks}
    assert has_bingo(document["card"], sorted(called))  # with those it would be one
    for one in lacks:
        assert not has_bingo(document["card"], sorted(called - {one}))
    assert document["round"]["phase"] == "playing"
    assert document["moves"]
    page = phone.get("/bingo?said=6").text
    assert document["said"].replace("&", "&amp;") in page
    assert f'content="12; url=/class/{room.code}/bingo"' in page
    again = phone.claim().get_json()
    assert (again["right"], again["said"]) == (False, document["said"])


def test_a_right_claim_holds_the_clock_and_others_may_still_claim(
    school: flask.Flask, watch: Watch
) -> None:
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
    wrong = [phone for phone in room.phones if phone not in has]
    assert [phone.claim().get_json()["right"] for phone in wrong] == [False] * len(wrong)
    (place,) = room.desk()["round"]["places"]
    assert (place["place"], place["call"]) == (1, call)
    assert sorted(place["names"]) == sorted(phone.name for phone in has)
    assert has[0].bingo()["moves"] == []
    assert has[0].claim(call).get_json()["right"] is True  # answered as the first


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
        called = room.call()["round"]["called"]
        others = [phone for phone in room.phones if phone not in has]
        later = [phone for phone in others if has_bingo(cards[phone.name], called, speed=True)]
    for phone in later:
        assert phone.claim().get_json()["right"] is True
    first, second = room.desk()["round"]["places"]
    assert (first["place"], second["place"]) == (1, 1 + len(has))
    assert second["call"] == len(called)
    over = room.move("end")["round"]
    assert (over["phase"], over["places"]) == ("over", [first, second])
    late = next(phone for phone in room.phones if phone not in has + later)
    ended = f"The round ended at call {len(called)}."
    assert refusal(late.post("/bingo", move="claim", call=len(called))) == ended


def test_who_slept_still_wins_and_is_told_since_when(room: Room) -> None:
    room.deal(by_hand="Y")
    called, has = call_until_somebody_has_it(room)
    since = len(called)
    room.call(3)
    document = has[0].claim().get_json()
    assert document["right"] is True
    assert document["said"] == f"BINGO! You have had it since call {since}."
    assert document["round"]["places"] == [{"place": 1, "call": since + 3, "names": [has[0].name]}]
    assert "You have had it since call" in has[0].get("/bingo").text


def test_a_claim_is_judged_at_the_call_that_its_page_names(room: Room) -> None:
    room.deal(by_hand="Y")
    called, has = call_until_somebody_has_it(room)
    phone = has[0]
    early = phone.claim(len(called) - 1).get_json()
    assert early["right"] is False
    future = phone.claim(len(called)).get_json()
    assert future["right"] is True
    other = next(one for one in room.phones if one not in has)
    assert other.claim(52).get_json()["right"] is False  # never a later call than was made


def test_the_page_by_hand_never_says_where_a_called_card_is(room: Room) -> None:
    room.deal(by_hand="Y")
    phone = room.phones[0]
    for _ in range(12):
        called = room.call()["round"]["called"]
        page = phone.get("/bingo").text
        assert "Have you got it?" in page
        assert "You have it" not in page
        assert "row " not in re.sub(r"<[^>]*>", "", page).replace("five rows", "")
        card = phone.bingo()["card"]["cards"]
        if called[-1] in card:
            place = card.index(called[-1])
            cell = page.split(f'id="place-{place}"')[1].split("</td>")[0]
            assert "new" not in re.findall(r'class="(tile[^"]*)"', cell)[0]
    assert (
        "row 1, column 1" in phone.get("/bingo?as=list").text
    )  # the list does, for play without sight


def test_a_round_by_hand_can_end_when_everything_was_called(room: Room) -> None:
    room.deal(by_hand="Y")
    for _ in range(52):
        document = room.call()
    assert (document["round"]["left"], document["round"]["phase"]) == (0, "playing")
    assert room.try_move("call", call=53).status_code == 422
    assert "end" in {move["name"] for move in document["moves"]}
    assert room.visitor().join()["round"]["phase"] == "playing"  # no card is left without BINGO!
    over = room.move("end")["round"]
    assert (over["phase"], over["places"]) == ("over", [])


def test_a_page_by_hand_covers_nothing_by_itself_and_takes_one_right_claim(room: Room) -> None:
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
