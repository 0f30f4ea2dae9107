"""A dashboard that was handed on is listed, and one press takes it back, used or not."""

from urllib.parse import urlsplit

import flask

from tests.support.classroom import JSON, Phone, Room, Watch, links


def hand_on(room: Room) -> str:
    """Hand on the dashboard; return the path of the link."""
    answer = room.try_move("hand-on")
    assert answer.status_code == 200, answer.text
    return urlsplit(answer.get_json()["address"]).path


def holder(room: Room) -> Phone:
    """Return a browser to which the dashboard was handed on."""
    phone = room.visitor()
    assert phone.client.post(hand_on(room), headers=JSON).status_code == 200
    return phone


def test_a_dashboard_in_use_is_taken_back(room: Room) -> None:
    first, second = holder(room), holder(room)
    page = room.boss.get("/dashboard").text
    assert page.count("Take it back") == 2
    assert page.count("Handed on ") == 2
    assert "this browser" not in page
    assert first.get("/dashboard").text.count("(this browser)") == 1
    room.move("take-back", dashboard=1)
    assert first.get("/dashboard").status_code == 403
    step = room.desk()["step"]
    assert first.post("/dashboard", move="lock", step=step).status_code == 403
    assert first.get("/dashboard/students.csv").status_code == 403
    assert second.post("/dashboard", move="lock", step=step).status_code == 200
    assert room.boss.get("/dashboard").text.count("Take it back") == 1


def test_a_link_that_nobody_has_used_is_taken_back(room: Room) -> None:
    shown, kept = hand_on(room), hand_on(room)
    assert room.boss.get("/dashboard").text.count("not used yet") == 2
    room.move("take-back", dashboard=1)
    guest = room.visitor()
    answer = guest.client.post(shown)
    assert answer.status_code == 404
    assert "This link has been used already, or its time is over." in answer.text
    assert guest.get("/dashboard").status_code == 403
    assert room.visitor().client.post(kept).status_code == 303


def test_a_number_that_was_taken_back_opens_nothing_to_its_old_link(room: Room) -> None:
    old = hand_on(room)
    room.move("take-back", dashboard=1)
    new = hand_on(room)  # has the same number
    assert room.visitor().client.post(old).status_code == 404
    assert room.visitor().client.post(new).status_code == 303


def test_a_link_is_good_once_and_for_ten_minutes(room: Room, watch: Watch) -> None:
    assert "take-back" not in {move["name"] for move in room.desk()["moves"]}
    phone, path = room.visitor(), hand_on(room)
    assert phone.client.get(path).status_code == 200  # looking does not use it up
    answer = phone.client.post(path)
    assert answer.headers["Location"] == f"/class/{room.code}/dashboard"
    assert phone.json("/dashboard")["step"] == 3  # it was listed, and then used
    assert room.moves("take-back") == {"dashboard": {"1": "1"}}
    assert phone.client.post(hand_on(room)).status_code == 303  # of one browser one is listed
    assert phone.get("/dashboard").text.count("(this browser)") == 1
    assert room.visitor().client.post(path).status_code == 404
    room.move("take-back", dashboard=2)
    late = hand_on(room)
    watch.pass_by(601)
    assert "not used yet" not in room.boss.get("/dashboard").text
    assert room.visitor().client.post(late).status_code == 404
    step = room.desk()["step"]
    page = room.boss.post("/dashboard", page=True, move="hand-on", step=step)
    assert (page.status_code, "<svg" in page.text) == (200, True)


def test_the_dashboard_of_the_server_s_own_command_is_listed_too(
    school: flask.Flask, room: Room
) -> None:
    path = urlsplit(links(school, room.code)[0]).path
    phone = room.visitor()
    assert phone.client.post(path, headers=JSON).status_code == 200
    assert phone.get("/dashboard").status_code == 200
    room.move("take-back", dashboard=1)
    assert phone.get("/dashboard").status_code == 403


def test_who_opened_the_class_cannot_be_shut_out(room: Room) -> None:
    other = holder(room)
    for number in ("0", "2", "x", ""):
        step = room.desk()["step"]
        answer = other.post("/dashboard", move="take-back", step=step, dashboard=number)
        assert answer.status_code == 422
    for _ in range(19):
        holder(room)
    answer = room.try_move("hand-on")
    assert answer.status_code == 422
    assert answer.get_json()["error"] == (
        "You have handed on 20 dashboards. Take one of them back first."
    )
    assert room.boss.get("/dashboard").status_code == 200
