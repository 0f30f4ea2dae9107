"""A class that goes on in a new one: who comes along, what stays, and who is forgotten.

What is expected follows from what the phones were told in the class before.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import flask
import pytest
from werkzeug.test import TestResponse

from tests.support.classroom import JSON, Phone, Room, Watch, class_rows, links, open_room, site
from tests.support.insight import judge_all
from tests.support.site import finish
from web.classes.class_store import ClassStore
from web.live_class import term


def press(room: Room, title: str = "", **more: Any) -> TestResponse:
    return room.boss.post("/next", title=title, **more)


def back(room: Room, phone: Phone, *, client: Any = None, **fields: Any) -> TestResponse:
    """Come back as a student of the class before: with nickname and code, or with one press."""
    here = Phone(client or room.app.test_client(), room.code)
    fields = fields or {"name": phone.name, "code": phone.rejoin}
    return here.post("/rejoin", **fields)


def students(room: Room) -> dict[int, str]:
    return {one["number"]: one["name"] for one in room.desk()["students"]}


def test_students_keep_number_nickname_and_code(room: Room) -> None:
    new = room.next_week()
    assert new.code != room.code
    assert students(new) == {phone.number: phone.name for phone in room.phones}
    assert new.desk()["title"] == "CS1, Tuesday"
    for phone in room.phones[:3]:
        you = back(new, phone).get_json()["student"]
        assert (you["number"], you["name"], you["rejoin"]) == (
            phone.number,
            phone.name,
            phone.rejoin,
        )
    assert back(room, room.phones[0]).status_code == 200  # in the old class as in the new one
    assert back(new, room.phones[0], name=room.phones[0].name, code="2222").status_code == 422


def test_the_old_class_stays_and_says_where_it_goes_on(room: Room) -> None:
    room.play()
    before, version = room.desk(), room.phones[0].json()["version"]
    new = room.next_week("CS1, week 2")
    after = room.desk()
    assert ("next" in before, after["next"]) == (False, new.code)
    assert after["students"] == before["students"]
    assert after["round"] == before["round"]
    assert new.desk()["round"] is None
    phone = room.phones[0]
    assert phone.json()["next"] == new.code
    assert phone.json()["version"] != version  # so that its phones look again
    page = phone.get().text
    assert f'href="/class/{new.code}"' in page
    assert "On to CS1, week 2" in page
    assert f"/class/{new.code}/dashboard" in room.boss.get("/dashboard").text


def test_a_browser_of_the_old_class_comes_along_with_one_press(room: Room) -> None:
    new, phone = room.next_week(), room.phones[2]
    here = Phone(phone.client, new.code)
    assert here.json()["known"] == phone.name
    assert f"Come along as {phone.name}" in here.get().text
    assert "known" not in new.visitor().json()
    answer = here.post("/rejoin", along="yes", page=True)
    assert answer.headers["Location"] == f"/class/{new.code}"
    assert here.json()["student"]["number"] == phone.number
    assert back(new, phone, client=new.app.test_client(), along="yes").status_code == 422


def test_who_missed_a_week_comes_along_to_the_next(room: Room) -> None:
    second = room.next_week()
    late = second.newcomer()
    assert late.number == len(room.phones) + 1
    third = second.next_week()
    for phone in (room.phones[1], late):
        here = Phone(phone.client, third.code)
        assert here.json()["known"] == phone.name
        assert here.post("/rejoin", along="yes").get_json()["student"]["rejoin"] == phone.rejoin
    assert back(third, late).status_code == 200
    assert back(third, room.phones[0]).status_code == 200


def test_one_number_in_two_classes_has_two_codes(room: Room) -> None:
    """Who joins the old class after the copy has the next number, as who joins the new one."""
    new = room.next_week()
    old, other = room.newcomer(), new.newcomer()
    assert old.number == other.number
    assert old.rejoin != other.rejoin
    assert back(new, other, name=other.name, code=old.rejoin).status_code == 422
    assert "known" not in Phone(old.client, new.code).json()


def test_settings_list_and_real_names_go_on(school: flask.Flask) -> None:
    room = open_room(school, nicknames="free", real="must", students="7", days="120")
    phone = room.visitor()
    assert phone.post("/join", name="Ann", real="Ann Example").status_code == 200
    room.move("roster", names="Ann Example\nBob Example")
    new = room.next_week()
    asked = new.visitor().json()
    assert (asked["nicknames"], asked["real"]) == ("free", "must")
    page = new.boss.get("/dashboard?names=yes").text
    assert "Ann Example" in page
    assert "One of your list has not joined." in page
    keeps = {name.split()[1] for name in class_rows(school) if new.code in name}
    assert keeps == {"class", "head", "student/0001", "name/ann", "real/0001", "roster"}


def test_a_double_press_makes_one_class(room: Room) -> None:
    first, again = press(room, "Second"), press(room, "Third")
    assert first.get_json() == again.get_json()
    code = first.get_json()["class"]
    assert Phone(room.boss.client, code).json("/dashboard")["title"] == "Second"
    assert {place.split()[0] for place in class_rows(room.app)} == {
        f"class/{room.code}",
        f"class/{code}",
    }


def test_eight_presses_at_once_make_one_class(room: Room) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = [*pool.map(lambda _: press(room, "Second"), range(8))]
    # 429: each that comes before the class is made counts as one that opens a class.
    assert {answer.status_code for answer in found} <= {200, 429, 503}
    codes = {answer.get_json()["class"] for answer in found if answer.status_code == 200}
    assert len(codes) == 1
    assert len({place.split()[0] for place in class_rows(room.app)}) == 2


def test_who_is_killed_before_the_copy_is_made_loses_nothing(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(term, "make_successor", lambda _: 1 / 0)
        assert press(room, "Second").status_code == 500
    assert "next" not in room.desk()
    assert "next" not in room.phones[0].json()
    new = room.next_week("Third")
    assert students(new).keys() == {1, 2, 3, 4, 5, 6}
    assert new.desk()["title"] == "Second"
    assert len({place.split()[0] for place in class_rows(room.app)}) == 2


def test_who_is_forgotten_is_forgotten_in_the_class_that_follows(room: Room) -> None:
    new = room.next_week()
    third = new.next_week()
    gone, stays = room.phones[:2]
    assert gone.post("/leave", what="forget").status_code == 200
    for one in (room, new, third):
        assert gone.number not in students(one)
        assert stays.number in students(one)
    rows = str(class_rows(room.app))
    assert (gone.name in rows, stays.name in rows) == (False, True)


def test_nobody_is_copied_who_was_forgotten_meanwhile(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy was read before the student was forgotten, and is written afterwards."""
    gone, create = room.phones[0], ClassStore.create

    def slow(*args: Any) -> bool:
        monkeypatch.setattr(ClassStore, "create", create)
        assert gone.post("/leave", what="forget").status_code == 200
        return create(*args)

    monkeypatch.setattr(ClassStore, "create", slow)
    new = room.next_week()
    assert gone.number not in students(new)
    assert gone.name not in str(class_rows(room.app))


def test_who_is_banned_stays_banned(room: Room) -> None:
    bad = room.phones[0]
    room.move("ban", student=bad.number)
    new = room.next_week()
    assert back(new, bad).status_code == 422
    here = Phone(bad.client, new.code)
    assert here.post("/rejoin", along="yes").status_code == 422
    assert here.post("/join", offer=here.json()["offers"][0]).status_code == 422


def test_a_copy_outlives_the_class_it_was_made_from(school: flask.Flask, watch: Watch) -> None:
    room = open_room(school, 2)
    watch.pass_by(13 * 86_400)
    new = room.next_week()
    watch.pass_by(2 * 86_400)
    assert room.phones[0].get().status_code == 404
    assert len(students(new)) == 2
    watch.pass_by(13 * 86_400)
    assert back(new, room.phones[0]).status_code == 200


def test_only_an_instructor_has_a_class_go_on(school: flask.Flask, tmp_path: Any) -> None:
    room = open_room(school, 1)
    for phone in (room.phones[0], room.visitor()):
        assert phone.post("/next").status_code == 403
    closed = site(tmp_path / "link", classes="link")
    boss = closed.test_client()
    assert boss.post(urlsplit(links(closed)[0]).path, headers=JSON).status_code == 200
    room = open_room(closed, client=boss)
    assert room.holder().post("/next").status_code == 403
    assert press(room).status_code == 200


def test_other_dashboards_go_on_too(room: Room) -> None:
    """Each under its label, who opened the class before as well; and each can be taken back."""
    phones = [room.holder(label) for label in ("Ada", "Bob", "Cid")]
    room.hand_on("a link that nobody has used")
    room.move("take-back", dashboard=3)
    new = Room(room.app, Phone(phones[0].client, phones[0].post("/next").get_json()["class"]))
    assert new.moves("take-back")["dashboard"] == {"1": "1", "2": "Bob"}
    third = new.next_week()
    for one in (new, third):
        statuses = [
            Phone(phone.client, one.code).get("/dashboard").status_code
            for phone in (room.boss, *phones, room.phones[0])
        ]
        assert statuses == [200, 200, 200, 403, 403]
        one.move("take-back", dashboard=1)
        one.move("take-back", dashboard=2)
        assert Phone(room.boss.client, one.code).get("/dashboard").status_code == 403
        assert Phone(phones[1].client, one.code).get("/dashboard").status_code == 403
    assert room.boss.get("/dashboard").status_code == 200


@pytest.mark.parametrize("title", ["x" * 61, "a\x07b"])
def test_a_title_is_checked(room: Room, title: str) -> None:
    assert press(room, title).status_code == 422
    assert "next" not in room.desk()


def test_somebody_who_is_nobody_opens_five_a_day(
    school: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now)  # no day ends meanwhile
    room = open_room(school, 1)
    for _ in range(4):
        room = room.next_week()
    assert press(room).status_code == 429


def test_a_student_finds_where_they_began_and_where_it_goes_on(room: Room) -> None:
    new, phone = room.next_week(), room.phones[0]
    here = Phone(phone.client, new.code)
    here.post("/rejoin", along="yes")
    old, kept = phone.json("/me.json"), here.json("/me.json")
    assert (old["first_class"], old["next_class"]) == (room.code, new.code)
    assert (kept["first_class"], kept["next_class"]) == (room.code, None)
    assert kept["joined"] == old["joined"]


def test_a_round_counts_in_the_newest_class(room: Room) -> None:
    new, phone = room.next_week(), room.phones[0]
    here = Phone(phone.client, new.code)
    here.post("/rejoin", along="yes")
    finish(phone.client, "/blackjack")
    judge_all(room)
    assert phone.json("/me.json")["tables"] == {}
    assert here.json("/me.json")["tables"]["blackjack"]["rounds"] == 1


def test_copied_students_do_not_make_room_for_a_newcomer(
    school: flask.Flask, monkeypatch: pytest.MonkeyPatch, watch: Watch
) -> None:
    """They were never seen in the new class; their seats are kept, though they stop counting."""
    monkeypatch.setattr("web.classroom.joining.MAX_STUDENTS", 3)
    room = open_room(school, 3, students="3")
    new = room.next_week()
    watch.pass_by(200)
    answer = new.visitor().post("/join", offer=new.visitor().json()["offers"][0])
    assert answer.status_code == 422
    assert len(students(new)) == 3
