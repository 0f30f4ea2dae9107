"""Who comes late, leaves, or comes back while a round is on."""

import flask
import pytest

from cardgames.class_bingo.card import Kind, salted_card
from cardgames.games.bingo.rules import CENTRE
from tests.support.classroom import (
    Room,
    Watch,
    cards_of,
    has_bingo,
    open_room,
)


def test_a_newcomer_gets_the_next_card_with_past_calls_covered(room: Room) -> None:
    room.deal()
    room.call(4)
    phone = room.newcomer()
    told = phone.bingo()
    assert (told["student"]["number"], told["card"]["number"]) == (7, 7)
    called = told["round"]["called"]
    where = [n for n, one in enumerate(told["card"]["cards"]) if one in called or n == CENTRE]
    assert told["card"]["covered"] == where
    assert not has_bingo(told["card"], called)


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
    given = iter(numbers)
    wanted = next(given)
    for number in range(7, max(numbers) + 1):  # the next one that has none, and no other
        has = salted_card(salt, number, Kind()).bingo_call <= 28
        assert has == (number != wanted)
        wanted = next(given, wanted) if number == wanted else wanted


def test_the_clock_stops_for_a_newcomer_too(school: flask.Flask, watch: Watch) -> None:
    for _ in range(6):
        room = open_room(school, 2)
        room.deal(every="3")
        watch.pass_by(31)
        if room.desk()["round"]["phase"] == "playing":
            for _ in range(12):
                room.newcomer()
        cards = cards_of(room)
        watch.pass_by(600)
        told = room.desk()["round"]
        called = told["called"]
        assert told["phase"] == "bingo"
        has = [name for name, card in cards.items() if has_bingo(card, called)]
        assert sorted(told["places"][0]["names"]) == sorted(has)
        assert not any(has_bingo(card, called[:-1]) for card in cards.values())
        room.move("forget")


def test_stepping_out_and_in_fishes_no_better_card(room: Room) -> None:
    room.deal()
    room.call(3)
    phone = room.phones[0]
    card = phone.bingo()["card"]["cards"]
    for _ in range(3):
        phone.post("/leave", what="step-out")
        assert phone.bingo()["card"] is None
        phone.post("/leave", what="step-in")
        assert phone.bingo()["card"]["cards"] == card


def test_a_card_that_won_while_its_student_was_out_is_put_aside(school: flask.Flask) -> None:
    room = open_room(school, 3)
    room.deal(by_hand="Y")
    phone = room.phones[0]
    card = phone.bingo()["card"]
    phone.post("/leave", what="step-out")
    called: list[str] = []
    while not has_bingo(card, called):
        called = room.call()["round"]["called"]
    phone.post("/leave", what="step-in")
    told = phone.bingo()["card"]
    if told:
        assert told["number"] > 3
        assert not has_bingo(told, called)
    assert phone.claim().status_code in (200, 422)
    assert room.desk()["round"]["places"] == []


@pytest.mark.parametrize("how", ["step-out", "forget", "remove", "ban"])
def test_the_clock_does_not_stop_for_who_is_gone(
    school: flask.Flask, watch: Watch, how: str
) -> None:
    room = open_room(school, 6)
    room.deal(every="3")
    cards = cards_of(room)
    watch.pass_by(600)
    first = room.desk()["round"]["places"][0]["names"]
    for phone in [phone for phone in room.phones if phone.name in first]:
        if how in ("remove", "ban"):
            room.move(how, student=phone.number)
        else:
            assert phone.post("/leave", what=how).status_code == 200
    watch.pass_by(600)
    told = room.desk()["round"]
    has = [one for one in cards if one not in first and has_bingo(cards[one], told["called"])]
    assert (told["phase"], sorted(told["places"][0]["names"])) == ("bingo", sorted(has))
    before = told["called"][:-1]
    assert not any(has_bingo(cards[one], before) for one in cards if one not in first)


@pytest.mark.parametrize("every", ["0", "3"])
def test_a_round_goes_on_after_a_bingo_to_the_next(
    school: flask.Flask, watch: Watch, every: str
) -> None:
    room = open_room(school, 6)
    room.deal(every=every)
    cards = cards_of(room)
    ended: list[int] = []
    for _ in range(2):
        if every == "0":
            room.call_until()
        else:
            watch.pass_by(600)
        told = room.desk()["round"]
        assert told["phase"] == "bingo"
        ended.append(len(told["called"]))
        has = [one for one in cards if has_bingo(cards[one], told["called"])]
        assert sorted(name for one in told["places"] for name in one["names"]) == sorted(has)
        if len(has) == len(cards):
            return
        assert room.move("go-on")["round"]["phase"] == "playing"
    assert ended[0] < ended[1]
