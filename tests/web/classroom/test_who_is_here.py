"""Who is here is dealt in; who has gone is not, and joins late by looking at the card page."""

import flask
import pytest

from tests.support.classroom import Phone, Room, Watch, open_room
from web.classroom.state import EXTENSION
from web.classroom.updates import NOTES, PresenceNotes


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


def cards_of(room: Room) -> list[int]:
    """Return the cards in play, as the opened round lists them."""
    room.call_until()
    room.move("end")
    number = room.desk()["round"]["number"]
    shown = room.boss.json(f"/round/{number}")
    return [card["number"] for card in shown["cards"]]


def test_all_who_have_just_joined_are_here(school: flask.Flask) -> None:
    room = open_room(school, 30)
    assert here(room) == [True] * 30
    assert "30 of 30 here" in room.boss.get("/dashboard").text


def test_only_who_was_seen_in_the_last_two_minutes_is_dealt_in(
    school: flask.Flask, watch: Watch
) -> None:
    room = open_room(school, 6)
    watch.pass_by(121)
    look(room, room.phones[1], room.phones[4])
    page = room.boss.get("/dashboard").text
    assert "Deal 2 cards" in page
    assert "4 students were not seen in the last two minutes" in page
    room.deal()
    assert cards_of(room) == [2, 5]
    assert room.desk()["students"][0]["here"] is False


def test_after_119_seconds_everybody_is_dealt_in(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 3)
    watch.pass_by(119)
    assert "Deal 3 cards" in room.boss.get("/dashboard").text
    room.deal()
    assert cards_of(room) == [1, 2, 3]


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


def test_a_late_card_moves_the_end_of_an_automatic_round(school: flask.Flask, watch: Watch) -> None:
    """The clock stops at the first BINGO! of any card, also of one that came late."""
    for _ in range(12):
        room = open_room(school, 8)
        watch.pass_by(200)
        look(room, room.phones[0])
        room.deal(every="3")
        for phone in room.phones[1:]:
            phone.bingo()
        watch.pass_by(3 * 60)
        look(room, *room.phones)
        live = room.desk()["round"]
        assert live["phase"] == "bingo"
        assert live["places"][0]["call"] == len(live["called"])


def test_nobody_here_leaves_cards_on_paper(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 3)
    watch.pass_by(300)
    assert "Nobody is here: cards on paper can be played." in room.boss.get("/dashboard").text
    assert room.deal(every="8")["round"]["every"] == 0
    room.move("paper", cards=3)
    assert cards_of(room) == [1, 2, 3]


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
