"""The big screen, and the QR code on it."""

import re
from collections import Counter

import flask
import pytest

from tests.support.classroom import Room, open_room
from tests.support.tournaments import make
from web.http.sharing import svg_qr


def test_the_big_screen_follows_the_dashboard_unless_its_address_says_more(room: Room) -> None:
    screen = room.visitor()

    def shown(query: str = "") -> str:
        shown: str = screen.json(f"/projector{query}")["show"]
        return shown

    assert shown() == "join"
    assert room.code in screen.get("/projector").text
    room.deal()
    assert shown() == "round"  # a deal is what the room wants to see
    for what in ("nothing", "standings", "insight", "join", "round"):
        room.move("show", show=what)
        assert shown() == what
        assert shown("?show=nothing") == "nothing"
        assert screen.get("/projector").status_code == 200
    assert shown("?show=dance") == "round"
    assert room.code not in re.sub(
        r"data-updates=\S+", "", screen.get("/projector?show=nothing").text
    )


def test_the_big_screen_names_offered_nicknames_only(school: flask.Flask) -> None:
    room = open_room(school, nicknames="free")
    room.visitor().post("/join", name="Something Rude")
    room.visitor().post("/join", name="", offer="Quiet Otter")
    page = room.visitor().get("/projector?show=join").text
    assert "Something Rude" not in page
    assert "Newest: Quiet Otter" in page
    assert "<b>2</b> are in" in page


def test_twelve_winners_are_named_and_the_rest_are_counted(school: flask.Flask) -> None:
    room = open_room(school, 40)
    room.deal(by_hand="Y")
    room.call(35)
    for phone in room.phones:
        phone.claim(35)
    (place,) = room.desk()["round"]["places"]
    names = place["names"]
    assert len(names) > 13
    page = room.visitor().get("/projector").text
    listed = re.findall(r"<li>([^<]+)</li>", page)
    assert listed == names[:12]
    more = len(names) - 12
    assert f"and {more} more" in page
    assert f"and {more} more" in room.boss.get("/dashboard").text


def test_the_qr_code_holds_the_address_in_capitals(school: flask.Flask) -> None:
    room = open_room(school, 1)
    answer = room.visitor().get("/qr.svg", base_url="http://192.0.2.9")
    assert answer.headers["Content-Type"].startswith("image/svg+xml")
    assert answer.data == svg_qr(f"HTTP://192.0.2.9/J/{room.code}")
    page = room.visitor().get("/projector", base_url="http://192.0.2.9").text
    assert "192.0.2.9/j" in page


def test_at_the_server_itself_the_screen_shows_an_address_that_phones_reach(
    school: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = open_room(school, 1)
    warned = "Phones cannot reach this address"
    local = room.visitor().get("/projector", base_url="http://localhost:8000").text
    assert "localhost:8000/j" in local
    assert warned in local
    monkeypatch.setitem(school.config, "CLASS_HOST", "0.0.0.0")
    monkeypatch.setattr("web.classroom.answers.machine_addresses", lambda: ("192.0.2.7",))
    page = room.visitor().get("/projector", base_url="http://localhost:8000").text
    assert "192.0.2.7:8000/j" in page
    assert warned not in page
    seen = room.visitor().get("/projector", base_url="http://192.0.2.9:80").text
    assert "192.0.2.9/j" in seen


# ---- Results -------------------------------------------------------------------------------------


def test_results_after_bingo_are_who_has_won_most_rounds(school: flask.Flask) -> None:
    room, screen = open_room(school, 9), "/projector?show=standings"
    assert "There are no results yet." in room.boss.get(screen).text
    won: Counter[str] = Counter()
    for number in range(5):
        room.deal(speed="Y")
        room.call_until()
        shown = room.move("end" if number else "void")["round"]
        if number:  # the first one does not count
            won.update(shown["places"][0]["names"])
        else:
            assert "There are no results yet." in room.boss.get(screen).text
    page = room.visitor().get(screen).text
    assert "There are no results yet." not in page
    assert "Class Bingo: rounds won" in page
    shown = room.visitor().json(screen)["bingo"]
    assert len(shown) == min(5, len(won))
    for one in shown:
        assert one["won"] == won[one["name"]]
        assert one["place"] == 1 + sum(count > one["won"] for count in won.values())
        assert f'<th scope="row">{one["name"]}</th><td class="r">{one["won"]}</td>' in page
    left = Counter(won.values()) - Counter(one["won"] for one in shown)
    more = left[shown[-1]["won"]]
    assert ("more with place" in page) == (more > 0)


def test_results_of_a_tournament_come_before_those_of_bingo(room: Room) -> None:
    room.play()
    make(room, title="Ten for Friday")
    shown = room.visitor().json("/projector?show=standings")
    assert shown["standings"]["title"] == "Ten for Friday"
    assert shown["bingo"] == []
