"""The people who may open a class, and the steps to become an instructor."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from tests.support.classroom import JSON, Phone, Room, Watch, links, open_room, refusal
from tests.support.pages import texts
from tests.support.site import new_site
from web.classroom.desk import opening


def app_with(folder: Path, **settings: Any) -> flask.Flask:
    return new_site(folder, **settings)


def path_of(address: str) -> str:
    found = re.search(r"(/class/instructor/[0-9a-f]{32})$", address)
    assert found, address
    return found[1]


def open_class(client: FlaskClient, **fields: str) -> tuple[int, dict[str, Any]]:
    answer = client.post("/class/new", data={"title": "A class", **fields}, headers=JSON)
    return answer.status_code, answer.get_json()


# ---- Settings ------------------------------------------------------------------------------


def test_site_without_classes_has_no_class_pages(tmp_path: Path) -> None:
    client = app_with(tmp_path, classes="off").test_client()
    for path in ("/class", "/class/new", "/j", "/class/instructor", "/class/K7QXB", "/J/K7QXB"):
        assert client.get(path).status_code == 404
    assert "/class" not in client.get("/").text
    assert "/class" in app_with(tmp_path).test_client().get("/").text


# ---- Links ---------------------------------------------------------------------------------


def test_a_link_is_shown_by_a_get_and_used_up_by_a_post(tmp_path: Path, watch: Watch) -> None:
    app = app_with(tmp_path)
    path = path_of(links(app)[0])
    ann, ben = app.test_client(), app.test_client()
    assert open_class(ann)[0] == 403
    assert ann.get("/class/new").headers["Location"] == "/class/instructor"
    for _ in range(3):  # A link remains valid after a messenger has fetched a preview of the page.
        assert app.test_client().get(path).text.count("<button class=") == 1
    answer = ann.post(path)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/class/new")
    assert open_class(ann)[0] == 200
    assert (ben.post(path).status_code, ben.get(path).status_code) == (404, 404)
    assert "already used" in ben.get(path).text
    assert open_class(ben)[0] == 403
    late = path_of(links(app)[0])
    watch.pass_by(29 * 60)
    assert ben.get(late).status_code == 200
    watch.pass_by(2 * 60)
    assert ben.post(late).status_code == 404


# ---- Opening -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fields",
    [
        *({"title": ""}, {"title": "x" * 61}, {"title": "a\u202eb"}, {"nicknames": "any"}),
        *({"real": "yes"}, {"students": "1001"}, {"days": "2"}),
    ],
)
def test_invalid_forms_are_rejected_in_a_sentence(
    school: flask.Flask, fields: dict[str, str]
) -> None:
    client = school.test_client()
    status, document = open_class(client, **fields)
    assert (status, list(document)) == (422, ["error"])
    page = client.post("/class/new", data={"title": "Kept", **fields})
    assert page.status_code == 422
    if "title" not in fields:
        assert 'value="Kept"' in page.text
    (message,) = texts(page.text, '[role="alert"]')
    assert message.count(".") == 1


def test_open_site_allows_five_classes_a_day(
    school: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, now = school.test_client(), time.time()
    # prevents a change of date during the test
    monkeypatch.setattr(opening.time, "time", lambda: now)
    assert [open_class(client)[0] for _ in range(7)] == [200] * 5 + [429] * 2
    monkeypatch.setattr(opening.time, "time", lambda: now + 86_400)
    assert open_class(client)[0] == 200


def test_an_instructor_has_twenty_open_classes(tmp_path: Path) -> None:
    app = app_with(tmp_path)
    client = app.test_client()
    client.post(path_of(links(app)[0]))
    codes = [open_class(client)[1]["class"] for _ in range(20)]
    assert open_class(client)[0] == 422
    boss = Phone(client, codes[3])
    step = boss.json("/dashboard")["step"]
    assert boss.post("/dashboard", move="close", step=step).status_code == 200
    assert open_class(client)[0] == 200


def test_a_class_lives_its_days_after_a_dashboard_was_opened(
    school: flask.Flask, watch: Watch
) -> None:
    room = open_room(school, 1, days="1")
    phone = room.phones[0]
    for _ in range(3):
        watch.pass_by(20 * 3_600)
        # A student's GET request does not extend the lifetime.
        assert phone.get().status_code == 200
        room.desk()
    watch.pass_by(23 * 3_600)
    assert phone.get().status_code == 200
    room.move("prolong", days="120")
    watch.pass_by(119 * 86_400)
    assert phone.get().status_code == 200
    watch.pass_by(2 * 86_400)
    assert phone.get("").status_code == 404


# ---- A shared dashboard --------------------------------------------------------------------------


def test_shares_are_counted_and_revoked_at_once(room: Room) -> None:
    phones = [room.holder(), room.holder()]
    unused = room.hand_on()
    assert "<span>3 browsers</span>" in room.boss.get("/dashboard").text
    assert "Revoke all shares?" in room.boss.get("/dashboard?ask=take-back").text
    room.move("take-back")
    step = room.desk()["step"]
    for phone in phones:
        answer = phone.post("/dashboard", move="lock", step=step)
        assert answer.status_code == 403
        assert answer.get_json()["error"] == (
            "This browser cannot open the dashboard of this class. Ask someone with access to "
            "share the dashboard with you."
        )
        for path in ("/dashboard", "/votes", "/insight", "/tournaments", "/dashboard/students.csv"):
            assert phone.get(path, headers=JSON).status_code == 403, path
    guest = room.visitor()
    answer = guest.client.post(unused)
    assert answer.status_code == 404
    assert "This link has expired or was already used." in answer.text
    assert guest.get("/dashboard").status_code == 403
    assert room.boss.get("/dashboard").status_code == 200


def test_only_the_class_creator_revokes_shares(room: Room) -> None:
    other = room.holder()
    assert "take-back" not in {move["name"] for move in other.json("/dashboard")["moves"]}
    assert "Revoke" not in other.get("/dashboard").text
    refusal(other.post("/dashboard", move="take-back", step=room.desk()["step"]))
    assert room.moves("take-back") == {}
    assert other.get("/dashboard").status_code == 200


def test_of_a_move_and_a_revocation_one_is_first(room: Room) -> None:
    phone = room.holder()
    step = room.desk()["step"]
    with ThreadPoolExecutor(2) as pool:
        moved = pool.submit(phone.post, "/dashboard", move="lock", step=step)
        taken = pool.submit(room.try_move, "take-back", step)
    assert (moved.result().status_code, taken.result().status_code) in ((200, 409), (403, 200))


def test_a_link_is_good_once_and_for_ten_minutes(room: Room, watch: Watch) -> None:
    phone, path = room.visitor(), room.hand_on()
    assert phone.client.get(path).status_code == 200  # The link remains valid after it is viewed.
    answer = phone.client.post(path)
    assert answer.headers["Location"] == f"/class/{room.code}/dashboard"
    assert phone.client.post(room.hand_on()).status_code == 303  # one share per browser
    assert "<span>one browser</span>" in room.boss.get("/dashboard").text
    assert room.visitor().client.post(path).status_code == 404
    late = room.hand_on()
    watch.pass_by(601)
    assert room.visitor().client.post(late).status_code == 404


def test_a_class_has_twenty_shares_at_most(room: Room) -> None:
    for _ in range(20):
        room.hand_on()
    assert refusal(room.try_move("hand-on")) == (
        "This class has 20 shared dashboards. Revoke all shares first."
    )
    room.move("take-back")
    assert room.try_move("hand-on").status_code == 200
