"""Coming back by a rejoin code, and leaving."""

import time
from pathlib import Path

import flask
import pytest

from app import create_app
from tests.support.classroom import JSON, Phone, Room, open_room, refusal, site
from web.classroom.codes import rejoin_code
from web.settings import Settings
from web.storage.sessions import sessions_of
from web.storage.store import LIFETIME

# ---- Coming back ---------------------------------------------------------------------------


def test_a_phone_without_cookies_comes_back_by_its_code(room: Room) -> None:
    phone = room.phones[1]
    back = room.visitor()
    typed = f" {phone.rejoin[:2].lower()} {phone.rejoin[2:].lower()}"
    document = back.post("/rejoin", name=phone.name.upper(), code=typed).get_json()
    assert document["student"]["number"] == phone.number
    assert back.json() == phone.json()  # both browsers are this student's
    assert len(room.desk()["students"]) == 6


def test_codes_follow_from_the_servers_key_and_an_older_key_is_believed(tmp_path: Path) -> None:
    old, new = "an old key that is long enough", "a new key that is long enough"
    room = open_room(site(tmp_path, secret_key=old), 1)
    phone = room.phones[0]
    assert phone.rejoin == rejoin_code(old, room.code, 1, 0)
    later = create_app(
        Settings(data_dir=tmp_path, secret_key=new, secret_key_fallbacks=(old,), classes="open")
    )
    back = Phone(later.test_client(), room.code)
    assert back.post("/rejoin", name=phone.name, code=phone.rejoin).status_code == 200
    assert back.json()["student"]["rejoin"] == rejoin_code(new, room.code, 1, 0)


def test_a_student_has_twelve_browsers(room: Room) -> None:
    phone = room.phones[0]
    answers = [
        room.visitor().post("/rejoin", name=phone.name, code=phone.rejoin) for _ in range(13)
    ]
    assert [one.status_code for one in answers] == [200] * 11 + [422] * 2
    assert "12 browsers" in refusal(answers[-1])
    again = phone.post("/rejoin", name=phone.name, code=phone.rejoin)
    assert again.status_code == 200  # it is one of them


def test_the_classes_of_a_browser_are_listed(school: flask.Flask) -> None:
    first, second = open_room(school, title="First"), open_room(school, title="Second")
    client = school.test_client()
    for room in (first, second):
        Phone(client, room.code).join()
    document = client.get("/class", headers=JSON).get_json()["classes"]
    assert [(one["class"], one["title"]) for one in document] == [
        (second.code, "Second"),
        (first.code, "First"),
    ]
    page = client.get("/class").text
    assert f'href="/class/{first.code}"' in page
    first.move("forget")
    second.move("ban", student=1)
    assert client.get("/class", headers=JSON).get_json() == {"classes": []}
    assert school.test_client().get("/class", headers=JSON).get_json() == {"classes": []}


def test_a_session_lives_as_long_as_somebody_comes(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Automatic rounds need no press of a student, so looking must keep the cookie alive."""
    phone = room.phones[0]
    cookie = f"Max-Age={LIFETIME}"
    sessions_of(room.app).renewed.clear()
    assert cookie in phone.get("/bingo").headers.get("Set-Cookie", "") + phone.get().headers.get(
        "Set-Cookie", ""
    )
    assert "Set-Cookie" not in phone.get().headers  # once a day is enough
    now = time.time()
    for week in range(1, 6):
        monkeypatch.setattr(
            "web.storage.sqlite.time.time", lambda week=week: now + week * 7 * 86_400
        )
        assert phone.json()["student"]["number"] == 1
        room.desk()


# ---- Leaving -------------------------------------------------------------------------------


def test_a_student_steps_out_and_in(room: Room) -> None:
    phone = room.phones[0]
    page = phone.get("?ask=step-out").text
    assert 'name="what" value="step-out"' in page
    assert phone.post("/leave", what="step-out").get_json()["student"]["state"] == "out"
    assert "You have stepped out: nothing is counted." in phone.get().text
    room.deal()
    assert phone.bingo()["card"] is None
    assert room.phones[1].bingo()["card"]["number"] == 2
    assert room.desk()["students"][0]["state"] == "out"
    assert phone.post("/leave", what="step-in").get_json()["student"]["state"] == "in"
    assert phone.bingo()["card"]["number"] == 7  # the next that nobody has


def test_a_student_is_forgotten_at_once(room: Room) -> None:
    phone = room.newcomer(real="Ole Ostermann")
    room.play()
    assert 'name="what" value="forget"' in phone.get("?ask=forget").text
    answer = phone.post("/leave", page=True, what="forget")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/class")
    assert phone.json()["student"] is None
    assert phone.client.get("/class", headers=JSON).get_json() == {"classes": []}
    everything = room.boss.get("/dashboard?names=yes").text + room.boss.get("/projector").text
    for path in ("/dashboard/students.csv", "/dashboard/rounds.csv"):
        everything += room.boss.get(path).text
    assert phone.name not in everything
    assert "Ostermann" not in everything


@pytest.mark.parametrize("what", ["", "stay", "step-in"])
def test_a_strange_way_to_leave_changes_nothing(room: Room, what: str) -> None:
    phone = room.phones[0]
    before = phone.json()
    phone.post("/leave", what=what)
    assert phone.json() == before
    assert room.visitor().post("/leave", what="step-out").status_code == 422


def test_all_that_is_kept_of_a_student_can_be_had(room: Room) -> None:
    phone = room.newcomer(real="Ole Ostermann")
    room.deal(by_hand="Y")
    room.call(3)
    phone.claim()
    phone.post("/bingo", move="mark", place=3, on="Y")
    room.move("void", reason="the bell")
    kept = phone.json("/me.json")
    assert (kept["number"], kept["nickname"], kept["real_name"]) == (7, phone.name, True)
    assert kept["rounds"] == [
        {
            "round": 1,
            "card": 7,
            "from_call": 0,
            "place": None,
            "void": True,
            "claims": [{"call": 3, "right": False}],
        }
    ]
    assert kept["marks"] == [1, 8]
    assert len(kept["browsers"]) == 1
    assert "Ostermann" not in phone.get("/me.json").text
    assert room.visitor().get("/me.json").status_code == 403
