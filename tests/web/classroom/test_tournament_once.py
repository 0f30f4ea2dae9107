"""No browser plays a tournament's deals twice, and homework keeps its points until it ends."""

import re
import time

import flask
import pytest

from cardgames.strategies.rating_steps import PartialRating
from tests.support.classroom import JSON, Phone, Room, Watch, class_rows, open_room, refusal
from tests.support.tournaments import (
    HOUR,
    judge,
    local,
    make,
    play_all,
    play_deal,
    stands_on,
    try_move,
)

CAREFUL = stands_on(17)


def forget_and_join_again(phone: Phone) -> None:
    answer = phone.post("/leave", what="forget")
    assert answer.get_json() == {"class": phone.code, "student": None}
    phone.join()


def next_deal(phone: Phone, tournament: int = 1) -> int:
    deal: int = phone.json(f"/tournament/{tournament}")["next"]["deal"]
    return deal


# ---- Played once -----------------------------------------------------------------------------


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
            f"This browser has played deal {deal} already, for a student who was forgotten."
        )
        assert phone.get(f"/tournament/1/deal/{deal}").status_code == 303
    page = phone.get("/tournament/1").text
    assert "This browser has played the first 2 deals already" in page
    for who in (phone, other):
        play_all(who, CAREFUL)
    judge(school)
    rows = {row["number"]: row for row in room.boss.json("/tournament/1")["students"]}
    assert (rows[phone.number]["played"], rows[phone.number]["place"]) == (2, None)
    assert [score is None for score in rows[phone.number]["deals"]] == [True, True, False, False]
    assert rows[other.number]["place"] == 1
    assert "still to be worked out" not in room.boss.get("/tournament/1").text
    assert phone.get("/tournament/1").status_code == 200
    assert "2 deals missing" in phone.get("/tournaments").text


def test_a_deal_that_was_begun_has_been_seen_and_others_are_not_touched(room: Room) -> None:
    make(room, deals=4)
    phone, other = room.phones[:2]
    play_deal(phone, 1, CAREFUL)
    for deal in (2, 3):
        assert phone.post(f"/tournament/1/deal/{deal}", move="deal", step=0).status_code == 200
        for _ in range(2):  # and once more: what was missing stays missing
            forget_and_join_again(phone)
            assert next_deal(phone) == deal + 1
    make(room, deals=2)
    assert next_deal(phone, 2) == 1
    assert [next_deal(who) for who in (other, room.newcomer())] == [1, 1]


def test_every_browser_of_a_student_has_seen_the_deals(room: Room) -> None:
    make(room, deals=3)
    phone, second = room.phones[0], room.visitor()
    second.post("/rejoin", name=phone.name, code=phone.rejoin)
    play_deal(phone, 1, CAREFUL)
    phone.post("/leave", what="forget")
    second.join()
    assert next_deal(second) == 2


def test_the_number_is_without_a_name_shown_and_gone_with_the_tournament(
    room: Room, watch: Watch
) -> None:
    make(room, deals=3)
    make(room, deals=3, until=local(watch.now + 2 * HOUR))
    phone, store = room.phones[0], room.app.extensions["class-store"]
    name = phone.name.encode()
    for number in (1, 2):
        play_deal(phone, 1, CAREFUL, number)
    answer = phone.post("/strategies", table="blackjack", rows="hard 16 HSSSSSHHHH")
    assert answer.status_code == 200
    store.charts.settle(*store.charts.waiting(), PartialRating((-0.1,), ((0.5,),)))
    assert store.tournaments.deals_played(room.code) == b""
    assert phone.json("/me.json")["deals_played_before"] == {}
    forget_and_join_again(phone)
    assert not [key for key in class_rows(room.app) if key.endswith("/0001")]
    assert phone.json("/me.json")["deals_played_before"] == {"1": 1, "2": 1}
    assert name not in store.tournaments.deals_played(room.code)
    try_move(room, "end")
    assert phone.json("/me.json")["deals_played_before"] == {"2": 1}
    for seconds, is_kept in ((HOUR + 1, True), (HOUR + 1, False)):
        watch.pass_by(seconds)
        room.desk()  # a dashboard takes it away
        assert bool(store.tournaments.deals_played(room.code)) == is_kept
    forget_and_join_again(phone)


# ---- Points of homework ----------------------------------------------------------------------


def shown_of_points(room: Room, phone: Phone) -> list[str]:
    """Return all that a student and the big screen are shown of a tournament they have played."""
    try_move(room, "show")
    paths = ("/tournament/1", "/tournament/1/deal/1", "/projector?show=standings", "", "/me.json")
    return [phone.get(path, headers=headers).text for path in paths for headers in ({}, JSON)]


def test_homework_keeps_its_points_until_it_ends(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 2)
    shown = make(room, deals=8, until=local(watch.now + HOUR))
    assert shown["points"] == "end"
    for phone in room.phones:
        play_all(phone, stands_on(21))  # bad enough to cost something
    judge(school)
    points = room.boss.json("/tournament/1")["students"][0]["points"]
    assert points > 0.1
    shown = phone.json("/tournament/1")
    assert shown["you"] == {"number": 2, "played": 8, "place": 1}
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
    assert len(shown["you"]["deals"]) == 8
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
    assert len(room.phones[0].json("/tournament/1")["you"]["deals"]) == 2
    assert "points given away" in room.phones[0].get("/tournament/1/deal/1").text
