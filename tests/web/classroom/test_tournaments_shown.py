"""Who sees what of a tournament: the screen, the news, the export, and what is worked out."""

import csv
import io
import re
from hashlib import sha256

import flask
import pytest

from tests.support.classroom import Room, Watch, open_room
from tests.support.tournaments import (
    HOUR,
    judge,
    kept,
    local,
    make,
    play_all,
    play_deal,
    shared,
    stands_on,
    try_move,
)
from web.classroom.jobs import compute_costs

SCREEN = "/projector?show=standings"

# ---- Who sees what -------------------------------------------------------------------------------


def test_the_instructor_sees_everybody_and_a_student_the_best_five_and_themselves(
    school: flask.Flask,
) -> None:
    room = open_room(school, 8)
    make(room, deals=2, ranking="result")
    for number, phone in enumerate(room.phones[:7]):
        play_all(phone, stands_on(11 + number))
    midway = room.phones[7]
    play_deal(midway, 1, stands_on(17))
    shown = room.boss.json("/tournament/1")
    assert (len(shown["students"]), shown["finished"], shown["playing"]) == (8, 7, 1)
    assert all(len(one["deals"]) == 2 for one in shown["students"])
    assert all(phone.name in room.boss.get("/tournament/1").text for phone in room.phones)
    for phone in room.phones[:7]:
        own, page = phone.json("/tournament/1"), phone.get("/tournament/1").text
        named = {one["name"] for one in own["best"]}
        assert len(own["best"]) == 5
        assert "students" not in own
        for other in room.phones:
            assert (other.name in page) == (other.name in named or other is phone)
    assert all("deals" not in one for one in midway.json("/tournament/1")["best"])
    assert midway.json("/tournament/1")["you"]["place"] is None


def test_the_big_screen_names_the_best_five_or_nobody(school: flask.Flask) -> None:
    room = open_room(school, 7)
    make(room, title="Warm-up", deals=1, ranking="result")
    screen = room.visitor()
    assert "Nobody has finished yet" in screen.get(SCREEN).text
    for phone in room.phones[:6]:
        play_all(phone, stands_on(17))  # all alike
    shown = screen.json(SCREEN)["standings"]
    assert (shown["title"], shown["finished"], len(shown["best"])) == ("Warm-up", 6, 5)
    page = screen.get(SCREEN).text
    assert sum(phone.name in page for phone in room.phones) == 5
    assert "and 1 more with place 1" in page
    assert "One student has not finished." in page
    assert try_move(room, "screen", screen="nobody").status_code == 200
    page = screen.get(SCREEN).text
    assert not any(phone.name in page for phone in room.phones)
    assert "6 have finished." in page
    assert screen.json(SCREEN)["standings"]["best"] == []


def test_the_big_screen_shows_the_newest_or_the_chosen_one(room: Room, watch: Watch) -> None:
    make(room, title="First")
    make(room, title="Second")
    make(room, title="Later", **{"from": local(watch.now + HOUR)})
    screen = room.visitor()
    assert screen.json(SCREEN)["standings"]["title"] == "Second"
    assert try_move(room, "show").status_code == 200
    assert screen.json(SCREEN)["standings"]["title"] == "First"
    assert screen.json("/projector")["show"] == "standings"
    assert "on the big screen" in room.boss.get("/tournament/1").text


def test_who_finishes_is_news_for_screens_and_for_no_page_in_play(room: Room) -> None:
    make(room, deals=2)
    phone = room.phones[0]

    def versions() -> list[list[str]]:
        pages = ("", "?of=screen", "?of=dashboard")
        return [phone.json(f"/updates{of}")["version"].split("-")[:2] for of in pages]

    before = versions()
    play_deal(phone, 1, stands_on(17))
    assert versions() == before
    play_deal(phone, 2, stands_on(17))
    is_news = [now != then for now, then in zip(versions(), before, strict=True)]
    assert is_news == [False, True, True]


def test_the_seal_is_shown_from_the_deal_on_and_opened_at_the_end(room: Room, watch: Watch) -> None:
    make(room, deals=1, until=local(watch.now + HOUR))
    phone = room.phones[0]
    phone.post("/tournament/1/deal/1", move="deal", step=0)
    found = re.findall(r"<code>([0-9a-f]{64})</code>", phone.get("/tournament/1/deal/1").text)
    play_all(phone, stands_on(17))
    page = phone.get("/tournament/1/deal/1").text
    assert re.findall(r"<code>([0-9a-f]{64})</code>", page) == found
    salt, order = kept(room).deal(1).salt.hex(), " ".join(shared(kept(room), 1).decks()["deck"])
    assert [sha256(f"{salt} {order}".encode()).hexdigest()] == found


def test_the_export_opens_in_a_spreadsheet(school: flask.Flask) -> None:
    room = open_room(school, 2)
    make(room, title="=1+1", deals=2, ranking="result")
    make(room, deals=1)
    play_all(room.phones[0], stands_on(17))
    play_all(room.phones[0], stands_on(17), 2)  # its points are not known yet
    answer = room.boss.get("/dashboard/tournaments.csv")
    assert answer.data.startswith(b"\xef\xbb\xbf")
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert f"{room.code}-tournaments.csv" in answer.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.data.decode("utf-8-sig"))))
    assert len(rows) == 4
    first, second = rows[:2]
    assert (first["title"], first["nickname"]) == ("'=1+1", room.phones[0].name)
    assert (first["played"], first["place"]) == ("2", "1")
    assert float(first["points"]) == float(first["deal 1"]) + float(first["deal 2"])
    assert (second["played"], second["place"], second["points"]) == ("0", "", "")
    assert rows[2]["deal 2"] == ""
    assert [rows[2][cell] for cell in ("played", "place", "points")] == ["1", "", ""]
    for who in (*room.phones, room.visitor()):
        assert who.get("/dashboard/tournaments.csv").status_code == 403


# ---- What decisions cost -------------------------------------------------------------------------


def test_costs_are_worked_out_in_no_request_and_what_is_to_come_is_said(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        raise AssertionError("asked for odds")

    phone = room.phones[0]
    with monkeypatch.context() as patch:
        patch.setattr("web.classroom.jobs.deal_costs", never)
        patch.setattr("cardgames.games.twentyone.advisor.odds", never)
        make(room, deals=2)
        play_all(phone, stands_on(17))
        shown = phone.json("/tournament/1")
        for who in (phone, room.boss):
            assert "2 rounds are still to be worked out." in who.get("/tournament/1").text
    assert (shown["to_come"], shown["you"]["place"], shown["best"]) == (2, None, [])
    assert judge(room.app) == 1
    assert phone.json("/tournament/1")["you"]["place"] == 1
    assert "still to be worked out" not in phone.get("/tournament/1").text


def test_costs_that_nobody_asks_for_any_more_are_asked_for_again(room: Room) -> None:
    make(room, deals=2)
    hints = room.app.extensions["class-store"].tournaments.hints
    (hint,) = hints.all()
    hints.replace(hint, None)
    for phone in room.phones[:2]:
        play_deal(phone, 1, stands_on(17))
        assert len(hints.all()) == 1
    assert judge(room.app) == 1
    assert room.boss.json("/tournament/1")["to_come"] == 0
    play_deal(room.phones[2], 1, stands_on(17))
    assert not hints.all()


def test_costs_that_cannot_be_computed_hold_up_no_others(
    room: Room, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        make(room, deals=1)
    with monkeypatch.context() as patch:
        patch.setattr("web.classroom.jobs.deal_costs", lambda *_: 1 / 0)
        assert compute_costs(room.app.extensions["class-store"])
    assert "ZeroDivisionError" in caplog.text
    assert judge(room.app) == 1
    for number, to_come in ((1, 1), (2, 0)):
        play_all(room.phones[0], stands_on(17), number)
        assert room.boss.json(f"/tournament/{number}")["to_come"] == to_come
