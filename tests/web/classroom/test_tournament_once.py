"""No browser plays a tournament's deals twice, and homework keeps its points until it ends."""

import re
import time

import flask
import pytest

from cardgames.strategies.rating_steps import PartialRating
from tests.support.classroom import JSON, Phone, Room, Watch, class_rows, open_room
from tests.support.tournaments import HOUR, judge, local, make, play_all, play_deal, stands_on
from tests.support.tournaments import try_move as try_tournament_move

CAREFUL = stands_on(17)


def forget_and_join_again(phone: Phone) -> None:
    old = phone.name
    answer = phone.post("/leave", what="forget")
    assert answer.get_json() == {"class": phone.code, "student": None}
    phone.join()
    assert phone.number > 1 or phone.name != old


def progress(phone: Phone) -> tuple[int, dict[str, object] | None]:
    shown = phone.json("/tournament/1")
    return shown["you"]["played"], shown["next"]


# ---- Played once -----------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["forget me", "removed"])
def test_deals_stay_played_when_a_student_is_forgotten(school: flask.Flask, way: str) -> None:
    room = open_room(school, 2)
    make(room, deals=4)
    phone = room.phones[0]
    for deal in (1, 2):
        play_deal(phone, deal, CAREFUL)
    if way == "removed":
        room.move("remove", student=phone.number)
        phone.join()
    else:
        forget_and_join_again(phone)
    played, following = progress(phone)
    assert played == 0
    assert following == {"deal": 3, "address": f"/class/{room.code}/tournament/1/deal/3"}
    for deal in (1, 2):
        answer = phone.post(f"/tournament/1/deal/{deal}", move="deal", step=0)
        assert answer.status_code == 422
        assert answer.get_json()["error"] == (
            f"This browser has played deal {deal} already, for a student who was forgotten."
        )
        assert phone.get(f"/tournament/1/deal/{deal}").status_code == 303
    page = phone.get("/tournament/1").text
    assert "This browser has played the first 2 deals already" in page
    play_all(phone, CAREFUL)
    assert progress(phone) == (2, None)
    play_all(room.phones[1], CAREFUL)
    judge(school)
    rows = {row["number"]: row for row in room.boss.json("/tournament/1")["students"]}
    assert rows[phone.number]["place"] is None
    assert rows[phone.number]["deals"][:2] == [None, None]
    assert None not in rows[phone.number]["deals"][2:]
    assert rows[2]["place"] == 1
    desk = room.boss.get("/tournament/1").text
    assert "still to be worked out" not in desk
    assert phone.get("/tournament/1").status_code == 200
    assert "2 deals missing" in phone.get("/tournaments").text


def test_a_deal_that_was_begun_has_been_seen(room: Room) -> None:
    make(room, deals=4)
    phone = room.phones[0]
    play_deal(phone, 1, CAREFUL)
    assert phone.post("/tournament/1/deal/2", move="deal", step=0).status_code == 200
    forget_and_join_again(phone)
    assert progress(phone)[1]["deal"] == 3
    forget_and_join_again(phone)  # and once more: what was missing stays missing
    assert progress(phone)[1]["deal"] == 3
    assert phone.post("/tournament/1/deal/3", move="deal", step=0).status_code == 200
    forget_and_join_again(phone)
    assert progress(phone)[1]["deal"] == 4


def test_every_browser_of_a_student_has_seen_the_deals(room: Room) -> None:
    make(room, deals=3)
    phone, second = room.phones[0], room.visitor()
    second.post("/rejoin", name=phone.name, code=phone.rejoin)
    play_deal(phone, 1, CAREFUL)
    phone.post("/leave", what="forget")
    second.join()
    assert progress(second)[1]["deal"] == 2


def test_others_and_other_tournaments_are_not_touched(room: Room) -> None:
    make(room, deals=3)
    phone, other = room.phones[:2]
    play_deal(phone, 1, CAREFUL)
    forget_and_join_again(phone)
    make(room, deals=2)
    assert phone.json("/tournament/2")["next"]["deal"] == 1
    assert progress(other)[1]["deal"] == 1
    newcomer = room.newcomer()
    assert progress(newcomer)[1]["deal"] == 1


def test_the_number_is_without_a_name_told_and_gone_with_the_tournament(room: Room) -> None:
    make(room, deals=3)
    phone = room.phones[0]
    name, store = phone.name, room.app.extensions["class-store"].tournaments
    play_deal(phone, 1, CAREFUL)
    assert (
        phone.post("/strategies", table="blackjack", rows="hard 16 HSSSSSHHHH").status_code == 200
    )
    charts = room.app.extensions["class-store"].charts
    charts.settle(*charts.waiting(), PartialRating((-0.1,), ((0.5,),)))
    assert store.deals_played(room.code) == b""
    assert phone.json("/me.json")["deals_played_before"] == {}
    forget_and_join_again(phone)
    assert not [key for key in class_rows(room.app) if key.endswith("/0001")]
    assert phone.json("/me.json")["deals_played_before"] == {"1": 1}
    kept = store.deals_played(room.code)
    assert name.encode() not in kept
    try_tournament_move(room, "end")
    assert phone.json("/me.json")["deals_played_before"] == {}
    phone.post("/leave", what="forget")


def test_a_dashboard_takes_the_number_away_when_the_tournament_is_over(
    school: flask.Flask, watch: Watch
) -> None:
    room = open_room(school, 1)
    make(room, deals=3, until=local(watch.now + 2 * HOUR))
    play_deal(room.phones[0], 1, CAREFUL)
    forget_and_join_again(room.phones[0])
    store = school.extensions["class-store"].tournaments
    watch.pass_by(HOUR + 1)
    room.desk()
    assert store.deals_played(room.code)
    watch.pass_by(HOUR + 1)
    room.desk()
    assert store.deals_played(room.code) == b""


# ---- Points of homework ----------------------------------------------------------------------


def shown_of_points(room: Room, phone: Phone) -> list[str]:
    """Return all that a student and the big screen are shown of a tournament they have played."""
    room.boss.post("/tournament/1", move="show", step=room.desk()["step"])
    paths = ("/tournament/1", "/tournament/1/deal/1", "/projector?show=standings", "", "/me.json")
    pages = [phone.get(path).text for path in paths]
    return [*pages, *(phone.get(path, headers=JSON).text for path in paths)]


def test_homework_keeps_its_points_until_it_ends(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 2)
    shown = make(room, deals=2, until=local(watch.now + HOUR))
    assert shown["points"] == "end"
    for phone in room.phones:
        play_all(phone, stands_on(21))  # bad enough to cost something
    judge(school)
    phone = room.phones[0]
    students = room.boss.json("/tournament/1")["students"]
    points = students[0]["points"]
    assert points > 0.1
    shown = phone.json("/tournament/1")
    assert shown["you"] == {"number": 1, "played": 2, "place": 1}
    assert [set(row) for row in shown["best"]] == [{"place", "name", "played"}] * 2
    for text in shown_of_points(room, phone):
        versions = r'(data-[a-z]+|ETag)="[^"]*"|"version":"[^"]*"'
        shown_points = rf"(?<![\d.]){re.escape(f'{points:.1f}')}"
        assert not re.search(shown_points, re.sub(versions, "", text))
        assert '"points":' not in text.replace('"points":"end"', "")
        assert "points given away" not in text
    assert "Points are shown when the tournament ends." in phone.get("/tournament/1").text
    assert f"{points:.1f}" in room.boss.get("/tournament/1").text
    watch.pass_by(HOUR + 1)
    shown = phone.json("/tournament/1")
    assert shown["you"]["points"] == pytest.approx(points)
    assert len(shown["you"]["deals"]) == 2
    assert f"You gave away {points:.1f} points." in phone.get("/tournament/1").text


@pytest.mark.parametrize(
    "fields",
    [{}, {"points": "now", "until": local(time.time() + HOUR)}],
    ids=["live, without an end", "as the instructor chose"],
)
def test_points_are_shown_at_once(room: Room, fields: dict[str, str]) -> None:
    make(room, deals=2, **fields)
    play_deal(room.phones[0], 1, CAREFUL)
    judge(room.app)
    you = room.phones[0].json("/tournament/1")["you"]
    assert len(you["deals"]) == 2
    assert "points given away" in room.phones[0].get("/tournament/1/deal/1").text
