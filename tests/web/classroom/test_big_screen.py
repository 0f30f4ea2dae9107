"""The big screen, and the QR code on it."""

import re
from collections import Counter

import flask

from tests.support.classroom import Room, call_until_somebody_has_it, open_room
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


def test_the_qr_code_holds_the_address_in_capitals(school: flask.Flask) -> None:
    room = open_room(school, 1)
    answer = room.visitor().get("/qr.svg", base_url="http://192.0.2.9")
    assert answer.headers["Content-Type"].startswith("image/svg+xml")
    assert answer.data == svg_qr(f"HTTP://192.0.2.9/J/{room.code}")


def test_the_big_screen_names_who_has_it_since_the_round_went_on(room: Room) -> None:
    room.deal(by_hand="Y")
    _, (first, *_) = call_until_somebody_has_it(room)
    assert first.claim().get_json()["right"] is True
    assert first.name in room.visitor().get("/projector?show=round").text
    room.move("go-on")
    other = next(phone for phone in room.phones if phone is not first)
    while not other.claim().get_json()["right"]:
        room.call()
    page = room.visitor().get("/projector?show=round").text
    assert other.name in page
    assert first.name not in page
    assert "place 2" in page


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
