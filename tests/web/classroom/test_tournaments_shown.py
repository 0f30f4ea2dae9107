"""Who sees what of a tournament: the screen, the news, the export, and what stays afterwards."""

import csv
import io
import re
from hashlib import sha256

import flask
import pytest

from tests.support.classroom import JSON, Room, Watch, open_room
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

# ---- Who sees what -------------------------------------------------------------------------------


def test_the_instructor_sees_everybody_and_a_student_the_best_five_and_themselves(
    school: flask.Flask,
) -> None:
    room = open_room(school, 8)
    make(room, deals=2, ranking="result")
    for number, phone in enumerate(room.phones[:7]):
        play_all(phone, stands_on(11 + number))
    play_deal(room.phones[7], 1, stands_on(17))
    told = room.boss.json("/tournament/1")
    assert len(told["students"]) == 8
    assert (told["finished"], told["playing"]) == (7, 1)
    assert all(len(one["deals"]) == 2 for one in told["students"])
    page = room.boss.get("/tournament/1").text
    assert all(phone.name in page for phone in room.phones)
    for phone in room.phones[:7]:
        own = phone.json("/tournament/1")
        assert len(own["best"]) == 5
        named = {one["name"] for one in own["best"]}
        page = phone.get("/tournament/1").text
        for other in room.phones:
            assert (other.name in page) == (other.name in named or other is phone)
    assert "students" not in own
    midway = room.phones[7].json("/tournament/1")
    assert all("deals" not in one for one in midway["best"])
    assert midway["you"]["place"] is None


def test_the_big_screen_names_the_best_five_or_nobody(school: flask.Flask) -> None:
    room = open_room(school, 7)
    make(room, title="Warm-up", deals=1, ranking="result")
    screen = room.visitor()
    assert "Nobody has finished yet" in screen.get("/projector?show=standings").text
    for phone in room.phones[:6]:
        play_all(phone, stands_on(17))  # all alike
    told = screen.json("/projector?show=standings")["standings"]
    assert (told["title"], told["finished"], len(told["best"])) == ("Warm-up", 6, 5)
    page = screen.get("/projector?show=standings").text
    assert sum(phone.name in page for phone in room.phones) == 5
    assert "and 1 more with place 1" in page
    assert "One student has not finished." in page
    assert try_move(room, "screen", screen="nobody").status_code == 200
    page = screen.get("/projector?show=standings").text
    assert not any(phone.name in page for phone in room.phones)
    assert "6 have finished." in page
    assert screen.json("/projector?show=standings")["standings"]["best"] == []


def test_the_big_screen_shows_the_newest_or_the_chosen_one(room: Room, watch: Watch) -> None:
    make(room, title="First")
    make(room, title="Second")
    make(room, title="Later", **{"from": local(watch.now + HOUR)})

    def shown() -> str:
        title: str = room.visitor().json("/projector?show=standings")["standings"]["title"]
        return title

    assert shown() == "Second"
    assert try_move(room, "show").status_code == 200
    assert shown() == "First"
    assert room.visitor().json("/projector")["show"] == "standings"
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
    own, screen, desk = versions()
    assert own == before[0]
    assert screen != before[1]
    assert desk != before[2]


def test_how_many_rounds_are_still_to_be_worked_out_is_said(room: Room) -> None:
    make(room, deals=2)
    phone = room.phones[0]
    play_all(phone, stands_on(17))
    told = phone.json("/tournament/1")
    assert (told["to_come"], told["you"]["place"], told["best"]) == (2, None, [])
    for who in (phone, room.boss):
        assert "2 rounds are still to be worked out." in who.get("/tournament/1").text
    assert judge(room.app) == 1
    assert phone.json("/tournament/1")["you"]["place"] == 1
    assert "still to be worked out" not in phone.get("/tournament/1").text


def test_costs_are_worked_out_in_no_request(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("asked for odds")

    with monkeypatch.context() as patch:
        patch.setattr("web.classroom.jobs.deal_costs", never)
        patch.setattr("cardgames.games.twentyone.advisor.odds", never)
        make(room, deals=2)
        play_all(room.phones[0], stands_on(17))
        for who in (room.boss, *room.phones):
            assert who.get("/tournament/1").status_code == 200
    assert judge(room.app) == 1


def test_a_job_that_got_lost_is_asked_for_again(room: Room) -> None:
    make(room, deals=2)
    jobs = room.app.extensions["class-jobs"]
    (job,) = jobs.open_jobs()
    jobs.cancel(job.number)
    play_deal(room.phones[0], 1, stands_on(17))
    assert len(jobs.open_jobs()) == 1
    play_deal(room.phones[1], 1, stands_on(17))
    assert len(jobs.open_jobs()) == 1
    judge(room.app)
    assert room.boss.json("/tournament/1")["to_come"] == 0
    play_deal(room.phones[2], 1, stands_on(17))
    assert not jobs.open_jobs()


# ---- Leaving -------------------------------------------------------------------------------------


def test_who_steps_out_plays_no_more_and_keeps_what_was_played(room: Room) -> None:
    make(room, deals=2, ranking="result")
    phone = room.phones[0]
    play_deal(phone, 1, stands_on(17))
    phone.post("/leave", what="step-out")
    answer = phone.post("/tournament/1/deal/2", move="deal", step=0)
    assert (answer.status_code, answer.get_json()["error"]) == (
        422,
        "You have stepped out: step in again to play.",
    )
    assert "step in again to play" in phone.get("/tournament/1").text
    phone.post("/leave", what="step-in")
    play_deal(phone, 2, stands_on(17))
    assert phone.json("/tournament/1")["you"]["place"] == 1


# ---- The export ----------------------------------------------------------------------------------


def test_the_export_opens_in_a_spreadsheet(school: flask.Flask) -> None:
    room = open_room(school, 0)
    room.newcomer()
    room.newcomer()
    make(room, title="=1+1", deals=2, ranking="result")
    make(room, deals=1)
    play_all(room.phones[0], stands_on(17))
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
    for who in (*room.phones, room.visitor()):
        assert who.get("/dashboard/tournaments.csv").status_code == 403


# ---- Afterwards ----------------------------------------------------------------------------------


def test_its_deals_become_links_when_it_is_over(room: Room, watch: Watch) -> None:
    make(room, deals=2, until=local(watch.now + HOUR))
    phone, other = room.phones[:2]
    for at in (phone, room.boss):
        early = at.post("/tournament/1/deal/1/link")
        assert (early.status_code, early.get_json()["error"]) == (
            422,
            "Its deals become links when the tournament is over.",
        )
    table = play_deal(phone, 1, stands_on(17))
    watch.pass_by(HOUR + 1)
    told = phone.post("/tournament/1/deal/1/link").get_json()
    assert room.boss.post("/tournament/1/deal/1/link").get_json() == told
    assert room.boss.post("/tournament/1/deal/2/link").get_json() != told
    assert other.post("/tournament/1/deal/3/link").status_code == 404
    assert room.visitor().post("/tournament/1/deal/1/link").status_code == 403
    again = other.client.post(told["address"], data={"move": "deal", "step": 0}, headers=JSON)
    assert again.get_json()["view"]["player"]["cards"] == table["view"]["player"]["cards"][:2]


def test_the_seal_is_shown_from_the_deal_on_and_opened_at_the_end(room: Room, watch: Watch) -> None:
    make(room, deals=1, until=local(watch.now + HOUR))
    phone = room.phones[0]
    phone.post("/tournament/1/deal/1", move="deal", step=0)
    found = re.findall(r"<code>([0-9a-f]{64})</code>", phone.get("/tournament/1/deal/1").text)
    play_all(phone, stands_on(17))
    page = phone.get("/tournament/1/deal/1").text
    assert re.findall(r"<code>([0-9a-f]{64})</code>", page) == found
    assert len(found) == 1
    salt = kept(room).deal(1).salt.hex()
    order = " ".join(shared(kept(room), 1).decks()["deck"])
    assert sha256(f"{salt} {order}".encode()).hexdigest() == found[0]
