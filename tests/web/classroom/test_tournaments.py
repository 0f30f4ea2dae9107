"""Creating, opening, playing and ending the tournaments of a class."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import flask
import pytest

from tests.support.classroom import JSON, Phone, Room, Watch, open_room, refusal
from tests.support.pages import only, values
from tests.support.tournaments import (
    HOUR,
    local,
    make,
    play_all,
    play_deal,
    stands_on,
    try_make,
    try_move,
)
from web import db
from web.classroom.homework import table as homework
from web.classroom.homework import views as tournament_pages
from web.classroom.homework.models import Tournament

DAY = 24 * HOUR


def test_the_big_screen_looks_again_when_somebody_has_finished(room: Room, watch: Watch) -> None:
    make(room, deals=2)
    phone, versions = room.phones[0], [room.boss.json("/projector")["version"]]
    for deal in (1, 2):
        play_deal(phone, deal, CAREFUL)
        versions.append(room.boss.json("/projector")["version"])
    assert versions[0] == versions[1] != versions[2]
    assert watch.now > 0  # The time did not change.


def test_a_tournament_is_made_and_found(room: Room) -> None:
    ends = local(time.time() + HOUR)
    first = make(room, title="  Ten for   Friday ", deals=10, until=ends)
    second = make(room, table="one-deck")
    names = ("tournament", "title", "table", "deals", "open", "over")
    assert [[one[name] for name in names] for one in (first, second)] == [
        [1, "Ten for Friday", "blackjack", 10, True, False],
        [2, "Homework 2", "one-deck", 3, True, False],
    ]
    assert second["until"] is None
    for who in (room.boss, room.phones[0]):
        listed = who.json("/tournaments")["tournaments"]
        assert [one["title"] for one in listed] == ["Ten for Friday", "Homework 2"]
        assert "Ten for Friday" in who.get("/tournaments").text
    assert listed[0]["next"] == {"deal": 1, "address": f"/class/{room.code}/tournament/1/deal/1"}
    assert "Ten for Friday" in room.phones[0].get().text


@pytest.mark.parametrize("ends", [0, 1_792_000_000 + 3 * DAY])
def test_each_page_names_the_homework_and_its_due_time(
    room: Room, watch: Watch, ends: float
) -> None:
    watch.now = 1_792_000_000
    make(room, title="Ten for Friday", **({"until": local(ends)} if ends else {}))
    due = (
        f"due {datetime.fromtimestamp(ends).astimezone():%A %-d %B, %H:%M}"
        if ends
        else "no due date"
    )
    phone = room.phones[0]
    for page in (phone.client.get("/").text, phone.get().text, phone.get("/tournament/1").text):
        assert "Homework: Ten for Friday" in page
        assert due in page
    assert phone.get().text.count("Ten for Friday</strong>") == 1
    play_deal(phone, 1, stands_on(17))
    page = phone.get("/tournament/1/deal/1").text
    assert "Homework: Ten for Friday" in page
    assert due in page


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("table", "war", "table must be one of simple-21, blackjack, one-deck."),
        ("deals", "21", "The field deals takes a number from 1 to 20."),
        ("until", "Friday", "A time is written like 2026-11-27T18:00."),
        ("until", -HOUR, "Homework cannot end in the past."),
        (
            "until",
            119 * DAY + HOUR,
            "This class is saved for 120 days",
        ),  # one day to view the results
        ("title", "x" * 41, "Homework has a title of at most 40 characters"),
    ],
)
def test_invalid_homework_is_rejected_in_a_sentence(
    room: Room, field: str, value: str | int, sentence: str
) -> None:
    wrong = {field: local(time.time() + value) if isinstance(value, int) else value}
    before = room.desk()["step"]
    assert refusal(try_make(room, before, **wrong)).startswith(sentence)
    sent = {"move": "make", "step": before, "table": "one-deck", "deals": 7, "title": "Kept"}
    page = room.boss.post("/tournaments", page=True, **sent | wrong)
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert ('value="Kept"' in page.text) == (field != "title")
    assert room.boss.json("/tournaments")["tournaments"] == []
    assert room.desk()["step"] == before


def test_homework_is_shown_only_to_its_class(room: Room) -> None:
    assert room.visitor().get("/tournaments").status_code == 303
    assert room.visitor().get("/tournaments", headers=JSON).status_code == 403
    assert room.boss.get("/tournament/1").status_code == 404


def test_a_stale_step_makes_nothing(room: Room) -> None:
    step = room.desk()["step"]
    assert try_make(room, step).status_code == 200
    again = try_make(room, step)
    assert again.status_code == 409
    assert len(again.get_json()["tournaments"]) == 1
    for name in ("end", "until", "show"):
        assert try_move(room, name, step).status_code == 409
    assert room.boss.json("/tournament/1")["over"] is False


def test_a_class_has_twenty_at_most(room: Room) -> None:
    for _ in range(20):
        make(room, deals=1)
    assert refusal(try_make(room)) == "A class has at most 20 pieces of homework."
    assert 'name="deals"' not in room.boss.get("/tournaments").text


def test_deals_are_played_in_their_order_and_lead_to_the_next(room: Room) -> None:
    """The tests send only forms that a page contains. A repeated GET request is a reload."""
    make(room, deals=2)
    phone, address = room.phones[0], f"/class/{room.code}/tournament/1"
    answer = phone.post("/tournament/1/deal/2", move="deal", step=0)
    assert refusal(answer) == "The deals are played in their order: deal 1 is next."
    assert phone.get("/tournament/1/deal/2").status_code == 303
    for deal in (1, 2):
        here, move, step = f"{address}/deal/{deal}", "deal", "0"
        while move:
            wishes = {"Prefer": "return=representation"} if deal == 2 else {}
            answer = phone.client.post(here, data={"move": move, "step": step}, headers=wishes)
            page = phone.client.get(here).text
            assert not wishes or main_of(answer.text) == main_of(page)
            steps = values(page, f'form[action="{here}"] [name="step"]', "value")
            moves = values(page, f'form[action="{here}"] [name="move"]', "value")
            step, move = (steps[-1], moves[-1]) if moves else ("", "")
        assert (f'action="{address}/deal/{deal + 1}"' in page) == (deal < 2)
    assert phone.post("/tournament/1/deal/3", move="deal", step=0).status_code == 422
    assert phone.get("/tournament/1/deal/0").status_code == 404


def main_of(page: str) -> str:
    return str(only(page, "main"))


def test_a_finished_deal_stays_as_it_is_and_has_no_link(room: Room) -> None:
    make(room, deals=2)
    phone = room.phones[0]
    table = play_deal(phone, 1, stands_on(17))
    for step in (0, 1, table["step"]):
        for move in ("deal", "hit", "stay", "new"):
            answer = phone.post("/tournament/1/deal/1", move=move, step=step)
            assert answer.status_code == (422 if step == table["step"] else 409)
    assert phone.json("/tournament/1/deal/1") == table
    assert [one["played"] for one in room.boss.json("/tournament/1")["students"]] == [1]


def test_there_is_no_coach_no_odds_and_no_replay_before_the_end(room: Room, watch: Watch) -> None:
    make(room, deals=2, until=local(watch.now + HOUR))
    phone = room.phones[0]
    for who in (room.boss, phone):
        who.client.post("/coach", data={"table": "blackjack", "mode": "before"})
    phone.post("/tournament/1/deal/1", move="deal", step=0)
    open_page = phone.get("/tournament/1/deal/1").text
    play_deal(phone, 1, stands_on(17))
    for page in (open_page, phone.get("/tournament/1/deal/1").text):
        for word in ("advice", "what-if", "/replay", "/odds", "/coach"):
            assert word not in page
    early = phone.get("/tournament/1/deal/1/replay", headers=JSON)
    assert refusal(early) == "Replays become available when the homework ends."
    own_table = phone.client.get("/blackjack", headers=JSON).get_json()
    assert (own_table["step"], own_table["view"]["round"]) == (0, 0)
    watch.pass_by(HOUR + 1)
    assert phone.get("/tournament/1/deal/3/replay").status_code == 404
    late = phone.get("/tournament/1/deal/1/replay")
    assert late.status_code == 303
    replayed = phone.client.get(late.headers["Location"])
    assert (replayed.status_code, "what-if" in replayed.text) == (200, True)
    assert "/deal/1/replay" in phone.get("/tournament/1").text


def test_it_is_open_at_once_and_ends_at_its_time(room: Room, watch: Watch) -> None:
    make(room, until=local(watch.now + HOUR))
    phone = room.phones[0]
    play_deal(phone, 1, stands_on(17))
    assert phone.post("/tournament/1/deal/2", move="deal", step=0).status_code == 200
    watch.pass_by(HOUR)
    for deal, step in ((2, 1), (3, 0)):
        late = phone.post(f"/tournament/1/deal/{deal}", move="stay", step=step)
        over = "This homework has ended. Your earlier decisions are saved."
        assert refusal(late) == over
    shown = room.boss.json("/tournament/1")
    assert (shown["over"], shown["open"]) == (True, False)
    assert [(one["played"], one["place"]) for one in shown["students"]] == [(1, None)]


def test_move_written_after_the_end_is_rejected(
    room: Room, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request arrived in time by the database's clock, and no other clock is relevant."""
    make(room, deals=1, until=local(watch.now + HOUR))
    phone, save = room.phones[0], homework.save_homework
    assert phone.post("/tournament/1/deal/1", move="deal", step=0).status_code == 200
    before = room.boss.json("/tournament/1")["students"]

    def slow(*args: Any) -> None:
        watch.pass_by(HOUR)
        save(*args)

    monkeypatch.setattr(homework, "save_homework", slow)
    late = phone.post("/tournament/1/deal/1", move="stay", step=1)
    assert refusal(late) == "This homework has ended. Your earlier decisions are saved."
    assert room.boss.json("/tournament/1")["students"] == before
    never = room.phones[1].post("/tournament/1/deal/1", move="deal", step=0)
    assert refusal(never) == "This homework has ended."


def test_pages_name_the_clock_and_zone_of_the_end(room: Room, watch: Watch) -> None:
    shown = datetime.fromtimestamp(watch.now).astimezone()
    clock = f"the server&#39;s clock, which shows {shown:%Y-%m-%d %H:%M %Z}."
    make(room)
    # A tournament without a due time shows no clock.
    assert clock not in room.phones[0].get("/tournament/1").text
    make(room, until=local(watch.now + HOUR))
    for who in (room.boss, room.phones[0]):
        assert clock in who.get("/tournament/2").text


def test_its_end_can_be_moved_until_it_has_come(room: Room, watch: Watch) -> None:
    make(room, until=local(watch.now + HOUR))
    assert try_move(room, "until", until=local(watch.now + 3 * HOUR)).status_code == 200
    watch.pass_by(2 * HOUR)
    play_deal(room.phones[0], 1, stands_on(17))
    assert try_move(room, "until", until=local(watch.now - HOUR)).status_code == 422
    assert try_move(room, "until").status_code == 200  # until the instructor ends it
    assert room.boss.json("/tournament/1")["until"] is None
    assert try_move(room, "end").status_code == 200
    for name in ("end", "until"):
        assert refusal(try_move(room, name)) == "This homework has ended."
    assert room.phones[0].get("/tournament/1/deal/1/replay").status_code == 303


def test_its_deals_become_links_when_it_is_over(room: Room, watch: Watch) -> None:
    make(room, deals=2, until=local(watch.now + HOUR))
    phone, other = room.phones[:2]
    for who in (phone, room.boss):
        early = who.post("/tournament/1/deal/1/link")
        assert refusal(early) == "The deals become links when the homework ends."
    table = play_deal(phone, 1, stands_on(17))
    watch.pass_by(HOUR + 1)
    link = phone.post("/tournament/1/deal/1/link").get_json()
    assert room.boss.post("/tournament/1/deal/1/link").get_json() == link
    assert room.boss.post("/tournament/1/deal/2/link").get_json() != link
    assert other.post("/tournament/1/deal/3/link").status_code == 404
    assert room.visitor().post("/tournament/1/deal/1/link").status_code == 403
    again = other.client.post(link["address"], data={"move": "deal", "step": 0}, headers=JSON)
    assert again.get_json()["view"]["player"]["cards"] == table["view"]["player"]["cards"][:2]


CAREFUL = stands_on(17)


def forget_and_join_again(phone: Phone) -> None:
    answer = phone.post("/leave", what="forget")
    assert answer.get_json() == {"class": phone.code, "student": None}
    phone.join()


def next_deal(phone: Phone, tournament: int = 1) -> int:
    deal: int = phone.json(f"/tournament/{tournament}")["next"]["deal"]
    return deal


@pytest.mark.parametrize("way", ["forget me", "removed"])
def test_deals_stay_played_when_a_student_is_forgotten(school: flask.Flask, way: str) -> None:
    room = open_room(school, 2)
    make(room, deals=4)
    phone, other = room.phones
    for deal in (1, 2):
        play_deal(phone, deal, CAREFUL)
    if way == "removed":
        room.move("remove", student=phone.number)
        phone.join()
    else:
        forget_and_join_again(phone)
    shown = phone.json("/tournament/1")
    assert (shown["you"]["played"], shown["next"]["deal"]) == (0, 3)
    for deal in (1, 2):
        answer = phone.post(f"/tournament/1/deal/{deal}", move="deal", step=0)
        assert refusal(answer) == (
            f"This browser has played deal {deal} already, as another student."
        )
    for who in (phone, other):
        play_all(who, CAREFUL)
    rows = {row["number"]: row for row in room.boss.json("/tournament/1")["students"]}
    assert (rows[phone.number]["played"], rows[phone.number]["place"]) == (2, None)
    assert [score is None for score in rows[phone.number]["deals"]] == [True, True, False, False]
    assert rows[other.number]["place"] == 1


def test_started_deal_counts_as_seen(room: Room) -> None:
    make(room, deals=4)
    phone, other = room.phones[:2]
    play_deal(phone, 1, CAREFUL)
    assert phone.post("/tournament/1/deal/2", move="deal", step=0).status_code == 200
    for _ in range(2):  # Missing deals remain missing, even after a second attempt.
        forget_and_join_again(phone)
        assert next_deal(phone) == 3
    assert [next_deal(who) for who in (other, room.newcomer())] == [1, 1]
    play_deal(phone, 3, CAREFUL)
    forget_and_join_again(phone)
    assert next_deal(phone) == 4


def become(phone: Phone, other: Phone) -> None:
    """Continue as another student, using that student's rejoin code."""
    answer = phone.post("/rejoin", name=other.name, code=other.rejoin)
    assert answer.status_code == 200, answer.text


def test_a_browser_begins_no_deal_again_as_another_student(room: Room) -> None:
    make(room, deals=5)
    phone, other = room.phones[:2]
    for deal in (1, 2):
        play_deal(phone, deal, CAREFUL)
    assert phone.post("/tournament/1/deal/3", move="deal", step=0).status_code == 200
    play_deal(other, 1, CAREFUL)
    become(phone, other)
    for deal in (2, 3):
        answer = phone.post(f"/tournament/1/deal/{deal}", move="deal", step=0)
        assert refusal(answer) == (
            f"This browser has played deal {deal} already, as another student."
        )
    assert phone.json("/tournament/1")["next"] is None
    assert "continue in another of your browsers" in phone.get("/tournament/1").text
    # played by the student
    assert phone.get("/tournament/1/deal/1", headers=JSON).status_code == 200
    assert next_deal(other) == 2  # if the student's browser has not seen the deals
    for deal in (2, 3):
        play_deal(other, deal, CAREFUL)
    assert next_deal(phone) == 4
    play_deal(phone, 4, CAREFUL)


def test_returning_browser_continues_its_deal(room: Room) -> None:
    make(room, deals=4)
    phone, other = room.phones[:2]
    own = Phone(phone.client, room.code, phone.number, phone.name, phone.rejoin)
    play_deal(phone, 1, CAREFUL)
    assert phone.post("/tournament/1/deal/2", move="deal", step=0).status_code == 200
    for deal in (1, 2, 3):
        play_deal(other, deal, CAREFUL)
    become(phone, other)
    become(phone, own)
    play_deal(phone, 2, CAREFUL)
    # The browser saw deal 3 earlier, as another student.
    assert phone.json("/tournament/1")["next"] is None
    third = room.visitor()
    become(third, own)
    assert next_deal(third) == 3
    # Fewer deals are left, because the browser has already seen the others.
    become(phone, room.newcomer())
    assert next_deal(phone) == 4


def test_banned_student_has_no_place(room: Room) -> None:
    make(room, deals=1)
    for phone in room.phones[:2]:
        play_all(phone, CAREFUL)
    room.move("ban", student=room.phones[0].number)
    shown = room.boss.json("/tournament/1")
    assert [row["number"] for row in shown["students"]] == [room.phones[1].number]
    assert shown["finished"] == 1
    lines = room.boss.get("/dashboard/students.csv").text.splitlines()
    points = {line.split(",")[3]: line.split(",")[8:10] for line in lines[1:]}
    assert points[str(room.phones[0].number)] == ["", ""]
    assert points[str(room.phones[1].number)][1] == "1"


def shown_of_points(room: Room, phone: Phone) -> list[str]:
    """Return everything that students and the big screen see of a finished tournament."""
    try_move(room, "show")
    paths = ("/tournament/1", "/tournament/1/deal/1", "/projector?show=standings", "", "/me.json")
    return [phone.get(path, headers=headers).text for path in paths for headers in ({}, JSON)]


def test_points_and_places_appear_when_it_ends(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 2)
    make(room, deals=8, until=local(watch.now + HOUR))
    for phone in room.phones:
        play_all(phone, stands_on(21))  # This strategy is bad enough to cost points.
    points = room.boss.json("/tournament/1")["students"][0]["points"]
    assert points > 0.1
    shown = phone.json("/tournament/1")
    assert (shown["best"], shown["you"]) == ([], {"played": 8, "number": phone.number})
    for text in shown_of_points(room, phone):
        versions = r'(data-[a-z]+|ETag)="[^"]*"|"version":"[^"]*"'
        shown_points = rf"(?<![\d.]){re.escape(f'{round(points, 1):g}')}"
        assert not re.search(shown_points, re.sub(versions, "", text))
        assert not re.search('"(points|place|score)":', text)
        assert "points given away" not in text
    assert "Points and places appear when the homework ends." in phone.get("/tournament/1").text
    assert room.phones[0].name not in phone.get("/tournament/1").text
    assert f"{round(points, 1):g}" in room.boss.get("/tournament/1").text
    watch.pass_by(HOUR + 1)
    shown = phone.json("/tournament/1")
    assert shown["you"]["points"] == pytest.approx(points)
    assert [row["place"] for row in shown["best"]] == [1, 1]
    assert f"You gave away {round(points, 1):g} points." in phone.get("/tournament/1").text
    assert [row["score"] for row in phone.json("/me.json")["rows"]["tournament_plays"]]


def test_student_joining_after_the_end_misses_nothing(room: Room, watch: Watch) -> None:
    make(room, deals=3, until=local(watch.now + HOUR))
    watch.pass_by(HOUR + 1)
    late, early = room.newcomer(), room.phones[0]
    for path in ("", "/tournaments", "/tournament/1"):
        assert "missing" not in late.get(path).text.replace("missed nothing", "")
    assert "before you joined" in late.get("/tournaments").text
    assert "3 deals missing" in early.get("/tournaments").text


SCREEN = "/projector?show=standings"


def test_instructor_sees_everyone_and_students_the_best_five(school: flask.Flask) -> None:
    room = open_room(school, 7)
    make(room, deals=2)
    for number, phone in enumerate(room.phones[:6]):
        play_all(phone, stands_on(11 + number))
    midway = room.phones[6]
    play_deal(midway, 1, stands_on(17))
    shown = room.boss.json("/tournament/1")
    assert (len(shown["students"]), shown["finished"], shown["playing"]) == (7, 6, 1)
    try_move(room, "end")
    for phone in room.phones[:6]:
        own, page = phone.json("/tournament/1"), phone.get("/tournament/1").text
        named = {one["name"] for one in own["best"]}
        assert len(own["best"]) == 5
        assert "students" not in own
        for other in room.phones:
            assert (other.name in page) == (other.name in named or other is phone)


def test_the_big_screen_names_the_best_five_when_it_ends(school: flask.Flask) -> None:
    room = open_room(school, 7)
    make(room, title="Warm-up", deals=1)
    screen = room.visitor()
    for phone in room.phones[:6]:
        play_all(phone, stands_on(17))  # the same for all students
    page = screen.get(SCREEN).text
    assert not any(phone.name in page for phone in room.phones)
    assert screen.json(SCREEN)["standings"]["best"] == []
    assert try_move(room, "end").status_code == 200
    shown = screen.json(SCREEN)["standings"]
    assert (shown["title"], shown["finished"], len(shown["best"])) == ("Warm-up", 6, 5)
    page = screen.get(SCREEN).text
    assert sum(phone.name in page for phone in room.phones) == 5
    assert "and 1 more with place 1" in page


def test_costs_are_worked_out_when_it_is_made_and_never_again(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The class is not locked during the computation, so another request may be processed first."""
    work_out, phone = tournament_pages.compute_deals, room.phones[0]

    def while_somebody_moves(made: Tournament) -> None:
        with ThreadPoolExecutor(1) as other:  # a thread outside of a request
            other.submit(room.move, "lock").result()
        work_out(made)

    with monkeypatch.context() as patch:
        patch.setattr(tournament_pages, "compute_deals", while_somebody_moves)
        assert try_make(room, deals=2).status_code == 409
    assert room.boss.json("/tournaments")["tournaments"] == []
    make(room, deals=2)

    def never(*_: object) -> None:
        raise AssertionError("asked for odds")

    with monkeypatch.context() as patch:
        patch.setattr("cardgames.games.twentyone.advisor.odds", never)
        play_all(phone, stands_on(17))
        assert phone.json("/tournament/1")["you"]["played"] == 2
        for who in (phone, room.boss):
            assert who.get("/tournament/1").status_code == 200


# ---- An ended homework stays ended ---------------------------------------------------------


@pytest.mark.parametrize("who", ["boss", "phone", "list", "export"])
def test_homework_shown_as_ended_never_reopens(room: Room, watch: Watch, who: str) -> None:
    """Correcting a clock that was fast does not reopen a deal whose cards were shown."""
    make(room, deals=2, until=local(watch.now + HOUR))
    phone = room.phones[0]
    play_deal(phone, 1, CAREFUL)
    watch.pass_by(3 * HOUR)
    if who == "boss":
        assert room.boss.json("/tournament/1")["over"]
    elif who == "export":
        room.boss.get("/dashboard/tournaments.csv")
    else:
        phone.get("/tournaments" if who == "list" else "/tournament/1/deal/1/replay")
    watch.pass_by(-3 * HOUR)
    shown = phone.json("/tournament/1")
    assert (shown["over"], shown["open"], shown["next"]) == (True, False, None)
    answer = phone.post("/tournament/1/deal/2", move="deal", step=0)
    assert refusal(answer) == "This homework has ended. Your earlier decisions are saved."
    assert "until" not in [move["name"] for move in room.boss.json("/tournament/1")["moves"]]


def test_unseen_end_is_undone_by_a_clock_correction(room: Room, watch: Watch) -> None:
    make(room, deals=1, until=local(watch.now + HOUR))
    watch.pass_by(3 * HOUR)
    watch.pass_by(-3 * HOUR)
    assert next_deal(room.phones[0]) == 1


def test_ended_homework_stays_ended(room: Room, watch: Watch) -> None:
    make(room, deals=1)
    watch.pass_by(HOUR)
    fields = {"move": "end", "step": room.desk()["step"]}
    assert room.boss.post("/tournament/1", page=True, **fields).status_code == 303
    watch.pass_by(-HOUR)
    assert room.phones[0].json("/tournament/1")["over"]


def test_unsaved_end_is_shown_all_the_same(
    room: Room, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(room, deals=1, until=local(watch.now + HOUR))
    watch.pass_by(2 * HOUR)

    def full(*_: object) -> None:
        raise db.Unavailable("full")

    monkeypatch.setattr("web.classroom.homework.queries.mark_ended", full)
    assert room.phones[0].json("/tournament/1")["over"]
