"""Reactions: four numbers, bounded in rate and number, nobody's, and silent with one press."""

from collections import Counter

import flask
import pytest

from tests.support.class_rows import at_once
from tests.support.classroom import Phone, Room, Watch, class_rows, open_room, refusal
from web.classes.class_store import ClassStore
from web.classes.reactions import MAX_SHOWN, SHOWN_FOR
from web.classes.rows import LIVELY
from web.classroom.reactions import PRESS_EVERY
from web.live_class.state import EXTENSION


@pytest.fixture
def room(school: flask.Flask, watch: Watch) -> Room:
    watch.pass_by(0)
    return open_room(school, 6)


def react(phone: Phone, sign: str) -> bool:
    answer = phone.post("/react", sign=sign)
    assert answer.status_code == 200, answer.text
    counted: bool = answer.get_json()["counted"]
    return counted


def shown(room: Room) -> dict[str, int]:
    found: dict[str, int] = room.visitor().json("/projector")["reactions"]
    return found


def test_presses_are_counted_once_in_some_seconds(room: Room, watch: Watch) -> None:
    signs = ("wow", "clear", "wow", "puzzled", "bravo", "wow")
    assert all(react(phone, sign) for phone, sign in zip(room.phones, signs, strict=True))
    assert shown(room) == Counter(signs)
    assert not react(room.phones[0], "bravo")
    assert shown(room) == Counter(signs)
    watch.pass_by(PRESS_EVERY)
    assert react(room.phones[0], "bravo")
    assert shown(room) == Counter([*signs, "bravo"])
    assert '<span class="unseen">Wow</span> 3' in room.visitor().get("/projector").text
    assert "<span>Wow</span> 3" in room.boss.get("/dashboard").text


def test_they_are_forgotten_a_minute_after_the_last(room: Room, watch: Watch) -> None:
    react(room.phones[0], "wow")
    watch.pass_by(SHOWN_FOR - 1)
    react(room.phones[1], "wow")
    watch.pass_by(SHOWN_FOR - 1)
    assert shown(room) == {"wow": 2}
    watch.pass_by(1)
    assert shown(room) == {}
    react(room.phones[0], "clear")
    assert shown(room) == {"clear": 1}


def test_a_whole_hour_of_presses_is_shown_while_it_lasts(room: Room, watch: Watch) -> None:
    """The head of the class notes reactions now and then alone, and never too seldom."""
    for pressed in range(1, 40):
        react(room.phones[pressed % 6], "bravo")
        assert shown(room) == {"bravo": pressed}
        watch.pass_by(SHOWN_FOR - 5 if pressed % 2 else PRESS_EVERY)
    assert LIVELY > SHOWN_FOR


def test_one_press_of_the_instructor_silences_them(room: Room) -> None:
    react(room.phones[0], "wow")
    assert 'action="/class/' in room.phones[0].get().text
    assert "/react" in room.phones[0].get().text
    room.move("quiet")
    assert shown(room) == {}
    assert "silenced" in refusal(room.phones[1].post("/react", sign="wow"))
    for path in ("", "/vote"):
        assert "/react" not in room.phones[1].get(path).text
    room.move("reactions")
    assert react(room.phones[1], "wow")
    assert shown(room) == {"wow": 2}


@pytest.mark.parametrize("sign", ["", "rude", "x" * 900])
def test_there_are_four_signs(room: Room, sign: str) -> None:
    refusal(room.phones[0].post("/react", sign=sign))
    assert shown(room) == {}


def test_who_is_no_student_or_has_stepped_out_does_not_press(room: Room) -> None:
    assert room.visitor().post("/react", sign="wow").status_code == 403
    room.phones[0].post("/leave", what="step-out")
    refusal(room.phones[0].post("/react", sign="wow"))
    room.move("close")
    refusal(room.phones[1].post("/react", sign="wow"))


def test_without_a_script_a_press_leads_back_to_where_it_was_made(room: Room) -> None:
    for number, at in enumerate(("", "bingo", "vote", "//evil.example", "dashboard")):
        answer = room.phones[number].post("/react", page=True, sign="wow", at=at)
        there = f"/{at}" if at in ("bingo", "vote") else ""
        assert answer.status_code == 303
        assert answer.headers["Location"] == f"/class/{room.code}{there}"
    assert shown(room) == {"wow": 5}


def test_one_row_of_the_class_is_all_that_is_kept(room: Room) -> None:
    before = {key for key in class_rows(room.app) if key.startswith("class/")}
    kept = [phone.json("/me.json") for phone in room.phones]
    for phone in room.phones:
        react(phone, "puzzled")
    rows = {key for key in class_rows(room.app) if key.startswith("class/")}
    assert rows - before == {f"class/{room.code} reactions"}
    seen = [phone.json("/me.json") for phone in room.phones]
    assert [one.keys() for one in seen] == [one.keys() for one in kept]
    room.move("forget", sure="yes")
    assert not any("reactions" in key for key in class_rows(room.app))


def test_sixty_at_once_are_no_error_and_never_more_than_they_pressed(room: Room) -> None:
    store: ClassStore = room.app.extensions[EXTENSION]
    at_once([lambda: store.reactions.add(room.code, "wow")] * 60)
    found = store.reactions.counts(room.code)["wow"]
    assert 1 <= found <= 60
    for _ in range(MAX_SHOWN + 5):
        store.reactions.add(room.code, "clear")
    assert store.reactions.counts(room.code)["clear"] == MAX_SHOWN


def test_phones_are_not_woken_and_the_big_screen_is(room: Room, watch: Watch) -> None:
    room.deal(every="20")
    one = room.phones[0]
    phone, screen = one.json("/updates")["version"], one.json("/updates?of=screen")["version"]
    react(room.phones[0], "wow")
    watch.pass_by(3)
    assert room.phones[0].json("/updates")["version"] == phone
    assert room.phones[0].json("/updates?of=screen")["version"] != screen
