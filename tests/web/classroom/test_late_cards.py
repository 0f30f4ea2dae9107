"""Who is dealt in, and who comes late, leaves or comes back while a round is on."""

import flask
import pytest

from cardgames.class_bingo.card import Kind, salted_card
from cardgames.games.bingo.rules import CENTRE
from tests.support.classroom import Phone, Room, Watch, cards_of, has_bingo, open_room
from web.classroom.state import EXTENSION
from web.classroom.updates import NOTES, PresenceNotes

# ---- Who is here ---------------------------------------------------------------------------


def here(room: Room) -> list[bool]:
    return [one["here"] for one in room.desk()["students"]]


def look(room: Room, *phones: Phone) -> None:
    """Let some phones ask whether there is anything new, as their pages do."""
    room.app.extensions[NOTES] = PresenceNotes(room.app.extensions[EXTENSION], lambda: clock.now)
    for phone in phones:
        clock.now += 11  # so that each is written at once
        phone.get("/updates")


class Seconds:
    now = 0.0


clock = Seconds()


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
    page = room.boss.get("/dashboard").text
    assert ("Deal 6 cards" in page, "0 of 6 here" in page) == (True, True)
    watch.pass_by(2)
    look(room, room.phones[1], room.phones[4])
    page = room.boss.get("/dashboard").text
    assert "Deal 2 cards" in page
    assert "4 students were not seen in the last two minutes" in page
    assert here(room) == [False, True, False, False, True, False]
    room.deal()
    assert cards_in_play(room) == [2, 5]
    watch.pass_by(300)
    assert "Nobody is here: cards on paper can be played." in room.boss.get("/dashboard").text
    assert room.deal(every="8")["round"]["every"] == 0
    room.move("paper", cards=3)
    assert cards_in_play(room) == [1, 2, 3]


def test_who_comes_later_joins_late_by_looking(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 4)
    watch.pass_by(500)
    look(room, *room.phones[:2])
    room.deal(mode="F")
    room.call(7)
    sleeper = room.phones[3]
    page = sleeper.get("").text
    assert f'href="/class/{room.code}/bingo"' in page
    shown = sleeper.bingo()
    assert shown["card"]["number"] == 5  # the first number that nobody has
    assert len(shown["round"]["called"]) == 7
    assert sleeper.bingo()["card"] == shown["card"]  # and no other at the next look
    room.call_until()
    room.move("end")
    cards = room.boss.json("/round/1")["cards"]
    assert [(one["number"], one["from_call"]) for one in cards] == [(1, 0), (2, 0), (5, 7)]


@pytest.mark.parametrize("state", ["stepped out", "banned"])
def test_who_may_not_play_gets_no_card_by_looking(
    school: flask.Flask, watch: Watch, state: str
) -> None:
    room = open_room(school, 2)
    if state == "banned":
        room.move("ban", student=2)
    else:
        room.phones[1].post("/leave", what="step-out")
    watch.pass_by(1)
    room.deal(mode="F")
    answer = room.phones[1].get("/bingo")
    assert answer.status_code in (302, 303, 403)
    room.call_until()
    room.move("end")
    assert [one["number"] for one in room.boss.json("/round/1")["cards"]] == [1]


def test_who_has_gone_while_their_note_waited_is_not_written_as_here(
    school: flask.Flask, watch: Watch
) -> None:
    room = open_room(school, 2)
    watch.pass_by(300)
    look(room, room.phones[0])
    room.phones[1].get("/updates")  # noted a moment after the write: it waits
    clock.now += 300
    watch.pass_by(300)
    room.phones[0].get("/updates")
    assert here(room) == [True, False]


def test_a_page_without_script_goes_to_the_card_once_a_round_is_dealt(
    school: flask.Flask, watch: Watch
) -> None:
    room = open_room(school, 2)
    phone, address = room.phones[0], f"/class/{room.code}"
    page = phone.get("").text
    assert f'<meta http-equiv="refresh" content="10; url={address}?waits=1">' in page
    assert f'href="{address}?still=yes"' in page
    assert "refresh" not in phone.get("?still=yes").text
    assert phone.get("?waits=1").status_code == 200
    room.deal()
    assert phone.get("?waits=1").headers["Location"] == f"{address}/bingo"
    assert phone.get("?waits=2").status_code == 200
    assert "refresh" not in phone.get("").text
    assert f'data-card="{address}/bingo" data-round="1"' in phone.get("").text
    watch.pass_by(1)
    room.phones[1].post("/leave", what="step-out")
    assert room.phones[1].get("?waits=1").status_code == 200


# ---- Who comes and goes ---------------------------------------------------------------------


def test_a_newcomer_gets_the_next_card_with_past_calls_covered(room: Room) -> None:
    room.deal()
    room.call(4)
    phone = room.newcomer()
    document = phone.bingo()
    assert (document["student"]["number"], document["card"]["number"]) == (7, 7)
    called = document["round"]["called"]
    where = [n for n, one in enumerate(document["card"]["cards"]) if one in called or n == CENTRE]
    assert document["card"]["covered"] == where
    assert not has_bingo(document["card"], called)


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


@pytest.mark.parametrize("how", ["join", "look"])
def test_the_clock_stops_for_who_comes_late(school: flask.Flask, watch: Watch, how: str) -> None:
    for _ in range(6):
        room = open_room(school, 2 if how == "join" else 14)
        watch.pass_by(200)
        look(room, *room.phones[:2])
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
    document = phone.bingo()["card"]
    if document:
        assert document["number"] > 3
        assert not has_bingo(document, called)
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
    document = room.desk()["round"]
    has = [one for one in cards if one not in first and has_bingo(cards[one], document["called"])]
    assert (document["phase"], sorted(document["places"][0]["names"])) == ("bingo", sorted(has))
    before = document["called"][:-1]
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
        document = room.desk()["round"]
        assert document["phase"] == "bingo"
        ended.append(len(document["called"]))
        has = [one for one in cards if has_bingo(cards[one], document["called"])]
        assert sorted(name for one in document["places"] for name in one["names"]) == sorted(has)
        if len(has) == len(cards):
            return
        assert room.move("go-on")["round"]["phase"] == "playing"
    assert ended[0] < ended[1]
