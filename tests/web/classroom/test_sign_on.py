"""Students and instructors who signed on at a proxy in front of the site, and attackers."""

import csv
import html
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from werkzeug.datastructures import Headers
from werkzeug.test import TestResponse

from tests.support.classroom import JSON, Phone, Room, Watch, class_rows
from tests.support.site import SharedSite, cookie, finish, new_site, play, visitor
from web.classroom.core.access import load_class
from web.classroom.core.presence import NOTES, PRESENT_SECONDS, PresenceTracker
from web.classroom.people.students import derive_rejoin_code, find_student
from web.settings import Settings

HEADER = "X-Remote-User"
PROXY, OUTSIDE = "10.7.0.2", "192.0.2.66"
SETTINGS = Settings.from_environment(
    {
        "TRUSTED_USER_HEADER": HEADER,
        "TRUSTED_PROXIES": "10.7.0.0/24, ::1",
        "INSTRUCTORS": "prof@uni.example, tutor",
        "ALLOWED_HOSTS": "localhost",
    }
)
GIVEN = {name: value for name, value in vars(SETTINGS).items() if name != "data_dir"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("signed-on")


@pytest.fixture(scope="module")
def shared_site(folder: Path) -> SharedSite:
    return SharedSite(folder, **GIVEN)


@pytest.fixture
def school(shared_site: SharedSite) -> flask.Flask:
    return shared_site.emptied()


def browser(app: flask.Flask, login: str = "", peer: str = PROXY) -> FlaskClient:
    """Return a browser behind a proxy, with a login if the user has signed on."""
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = peer
    return signed_on(client, login)


def signed_on(client: FlaskClient, login: str) -> FlaskClient:
    """Send another login in all further requests of the same browser."""
    client.environ_base.pop("HTTP_X_REMOTE_USER", None)
    if login:
        client.environ_base["HTTP_X_REMOTE_USER"] = login
    return client


def opened(client: FlaskClient, **fields: str) -> str:
    form = {"title": "CS1", "real": "sign-on", **fields}
    answer = client.post("/class/new", data=form, headers=JSON)
    assert answer.status_code == 200, answer.text
    code: str = answer.get_json()["class"]
    return code


@pytest.fixture
def room(school: flask.Flask) -> Room:
    """A class that requires sign-on, opened by an instructor who has signed on."""
    boss = browser(school, "prof@uni.example")
    return Room(school, Phone(boss, opened(boss)))


def phone(room: Room, login: str = "", peer: str = PROXY) -> Phone:
    return Phone(browser(room.app, login, peer), room.code)


def joined(room: Room, login: str) -> Phone:
    found = phone(room, login)
    found.join()
    return found


def real_names(room: Room) -> dict[str, str]:
    document = room.boss.get("/dashboard?names=yes", headers=JSON).get_json()
    return {one["name"]: one["real"] for one in document["students"]}


# ---- Access --------------------------------------------------------------------------------------


def test_login_is_the_real_name_of_one_student_everywhere(room: Room) -> None:
    ann, ben = joined(room, "ann@uni.example"), joined(room, "ben")
    assert real_names(room) == {ann.name: "ann@uni.example", ben.name: "ben"}
    tablet = phone(room, "ann@uni.example")
    page = tablet.get().text
    assert f"Continue as {ann.name}" in page
    assert tablet.post("/join").get_json()["student"]["number"] == ann.number
    assert tablet.json("/me.json")["number"] == ann.number
    assert len(room.desk()["students"]) == 2
    assert "ann@uni.example" in room.boss.get("/dashboard/students.csv").text
    assert "rejoin" not in {move["name"] for move in room.desk()["moves"]}
    assert "rejoin-code" not in {move["name"] for move in room.desk()["moves"]}


def test_request_without_a_login_is_rejected_with_the_reason(room: Room) -> None:
    ann = joined(room, "ann")
    stranger = phone(room)
    assert "have signed on" in stranger.get().text
    for fields in ({"offer": stranger.json()["offers"][0]}, {"real": "ann"}, {"name": "ann"}):
        answer = stranger.post("/join", **fields)
        assert (answer.status_code, "signed on" in answer.get_json()["error"]) == (422, True)
    with room.app.test_request_context():
        student = find_student(load_class(room.code), ann.number)
        assert student
        rejoin = derive_rejoin_code(student)
    for login in ("", "ben"):
        other = phone(room, login)
        answer = other.post("/rejoin", name=ann.name, code=rejoin)
        assert answer.status_code == 422
        assert other.get("/me.json").status_code == 403
    assert len(room.desk()["students"]) == 1


def test_session_with_another_login_inherits_nothing(room: Room) -> None:
    ann, sent = phone(room, "ann"), {"receipt": "0" * 32}
    ann.join(**sent)
    play(ann.client, "/simple-21", "deal")
    for login in ("ben", "Ann", "an", "ann.", ""):
        signed_on(ann.client, login)
        assert ann.get("/me.json").status_code == 403, login
        assert ann.client.get("/simple-21", headers=JSON).get_json()["step"] == 0
        assert ann.client.get("/class", headers=JSON).get_json()["classes"] == []
        if login:
            assert ann.json()["student"] is None
    signed_on(ann.client, "ben")
    other = ann.post("/join", offer=ann.json()["offers"][0], **sent).get_json()
    assert other["student"]["number"] != ann.number
    signed_on(ann.client, "ann")
    assert ann.json("/me.json")["number"] == ann.number


def test_login_cookie_opens_nothing_for_another_spelling(room: Room) -> None:
    """A cookie whose value contains the login does not open a session either."""
    ann = joined(room, "ann")
    kept = cookie(ann.client)
    sid, _, signature = kept.rpartition(".")
    sessions: Any = room.app.session_interface
    assert sessions.find_sid(kept, "ann") == sid
    for value, login in (
        (kept, ""),
        (f"{sid} ann.{signature}", ""),
        (f"{sid} a.{signature}", "nn"),
        (f"{sid}ann.{signature}", ""),
    ):
        assert not sessions.find_sid(value, login)


def test_students_of_another_class_are_not_its(school: flask.Flask, room: Room) -> None:
    """In another class, the same login belongs to another student.

    A class without sign-on ignores the login.
    """
    ann = joined(room, "ann")
    boss = browser(school, "tutor")
    open_to_all = Phone(ann.client, opened(boss, real="no"))
    assert open_to_all.get("/me.json").status_code == 403
    plain = Phone(browser(school), open_to_all.code)
    plain.join()
    second = Phone(browser(school, "ann"), open_to_all.code)
    second.join()
    third = Phone(browser(school, "ann"), open_to_all.code)
    assert third.get("/me.json").status_code == 403
    rows = class_rows(school)
    students = [row for key, row in rows.items() if key.startswith(f"students {open_to_all.code}")]
    assert students
    assert not any("ann" in row for row in students)


def test_stored_login_can_be_seen_and_forgotten(room: Room, folder: Path) -> None:
    ann = joined(room, "ann-marie.winterbottom")
    assert ann.json("/me.json")["rows"]["students"][0]["real_name"] is True
    assert len(ann.json("/me.json")["rows"]["class_browsers"]) == 1
    room.move("forget-names")
    assert real_names(room) == {ann.name: None}
    assert phone(room, "ann-marie.winterbottom").json("/me.json")["number"] == ann.number
    on_disk = b"".join(path.read_bytes() for path in folder.glob("cardgames.db*"))
    assert b"winterbottom" not in on_disk
    assert ann.post("/leave", what="forget").status_code == 200
    again = joined(room, "ann-marie.winterbottom")
    assert again.number != ann.number


def test_banned_student_stays_banned_in_every_browser(room: Room) -> None:
    ann = joined(room, "ann")
    room.move("ban", student=ann.number)
    for browser_ in (ann, phone(room, "ann")):
        assert browser_.get().status_code == 403
        assert browser_.post("/join", offer="Quiet Otter").status_code == 403
    room.move("lock")
    assert phone(room, "ben").post("/join", offer="Quiet Otter").status_code == 422


def test_presence_and_rounds_at_tables_are_the_students(
    school: flask.Flask, watch: Watch, room: Room
) -> None:
    school.extensions[NOTES] = PresenceTracker(watch.time)
    ann = joined(room, "ann")
    tablet = phone(room, "ann")
    assert tablet.post("/join").status_code == 200
    for _ in range(3):
        finish(tablet.client, "/blackjack")
    assert ann.json("/me.json")["rows"]["student_days"][0]["rounds"] == 3
    watch.pass_by(PRESENT_SECONDS)
    assert [one["here"] for one in room.desk()["students"]] == [False]
    assert tablet.get().status_code == 200
    assert [one["here"] for one in room.desk()["students"]] == [True]
    signed_on(tablet.client, "ben")
    finish(tablet.client, "/blackjack")
    assert ann.json("/me.json")["rows"]["student_days"][0]["rounds"] == 3


# ---- Instructors ---------------------------------------------------------------------------------


def test_instructors_open_classes_and_come_back_from_any_browser(school: flask.Flask) -> None:
    for login in ("", "student", "Prof@uni.example", "prof"):
        client = browser(school, login)
        answer = client.post("/class/new", data={"title": "Mine"}, headers=JSON)
        assert answer.status_code == 403, login
        assert client.get("/class/new").headers["Location"] == "/class/instructor"
    boss = browser(school, "prof@uni.example")
    assert "Students sign on" in boss.get("/class/new").text
    code = opened(boss)
    assert browser(school, "prof@uni.example").get(f"/class/{code}/dashboard").status_code == 200
    found = browser(school, "prof@uni.example").get(f"/class/{code}").text
    assert f'href="/class/{code}/dashboard"' in found
    for login in ("tutor", "student", ""):
        assert browser(school, login).get(f"/class/{code}/dashboard").status_code == 403
    signed_on(boss, "student")
    assert boss.get(f"/class/{code}/dashboard").status_code == 403
    signed_on(boss, "")
    assert boss.get(f"/class/{code}/dashboard").status_code == 403


def test_shared_dashboard_belongs_to_its_new_instructor(room: Room) -> None:
    tutor = browser(room.app, "tutor")
    assert tutor.post(room.hand_on(), headers=JSON).status_code == 200
    other = browser(room.app, "tutor")
    assert other.get(f"/class/{room.code}/dashboard").status_code == 200
    room.move("take-back")
    assert tutor.get(f"/class/{room.code}/dashboard").status_code == 403


def test_removed_instructor_leads_no_class(room: Room, folder: Path) -> None:
    app = new_site(folder, **{**GIVEN, "instructors": ("tutor",)})
    boss = browser(app, "prof@uni.example")
    assert boss.get(f"/class/{room.code}/dashboard").status_code == 403


def test_without_the_setting_no_class_can_ask_for_it(tmp_path: Path) -> None:
    client = visitor(tmp_path, classes="open")
    form = {"title": "CS1", "real": "sign-on"}
    assert client.post("/class/new", data=form, headers=JSON).status_code == 422
    assert "Students sign on" not in client.get("/class/new").text


# ---- Attacks on the header -----------------------------------------------------------------------


@pytest.mark.parametrize("peer", [OUTSIDE, "10.7.1.2", "127.0.0.1", "::2", "", "nonsense"])
def test_untrusted_login_header_is_ignored(
    room: Room, peer: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Only the peer's own address counts, even if the peer sends a forwarding header."""
    ann = joined(room, "ann")
    for headers in ({}, {"X-Forwarded-For": PROXY}, {"X-Forwarded-For": "::1"}):
        forged = phone(room, "ann", peer)
        assert forged.get("/me.json", headers=headers).status_code == 403
        assert forged.post("/join", offer=ann.name).status_code == 422
        for login in ("prof@uni.example", "a,b", "x" * 10_000, "ann\n"):
            forged = phone(room, login, peer)
            assert forged.get("/dashboard", headers=headers).status_code == 403
            assert forged.client.get("/simple-21", headers=headers).status_code == 200
    said = capfd.readouterr().err
    assert "prof@" not in said
    assert "xxxx" not in said


@pytest.mark.parametrize("peer", [PROXY, "::1", "::ffff:10.7.0.9"])
def test_each_trusted_peer_is_believed(room: Room, peer: str) -> None:
    assert phone(room, "prof@uni.example", peer).get("/dashboard").status_code == 200


@pytest.mark.parametrize(
    "value",
    [
        *("ann,ben", "ann, ben", ",ann", "ann,", "ann;ben", "ann ben", " ", "ann\tben", "ann\n"),
        *(
            "ann\r\nX-Remote-User: ben",
            "ann\0",
            "ann\x7f",
            "ann\x1b[31m",
            "änn",
            "ann\x85",
            "\uff41nn",
        ),
        *("x" * 81, "x" * 10_000, "e\u0301" * 5_000),
    ],
)
def test_invalid_or_duplicate_login_is_rejected(
    room: Room, value: str, capfd: pytest.CaptureFixture[str]
) -> None:
    odd = phone(room, value)
    for path in ("", "/me.json", "/dashboard"):
        answer = odd.get(path, headers=JSON)
        assert answer.status_code == 400
        assert answer.get_json()["error"].startswith("The sign-on service sent")
        assert "ann" not in answer.text
    assert odd.post("/join", offer="Quiet Otter").status_code == 400
    assert "sign-on" in odd.client.get("/").text
    assert "ann" not in capfd.readouterr().err
    assert room.desk()["students"] == []


@pytest.mark.parametrize("value", ["x" * 80, "a", "d\\ann", "ann+x@uni.example", "=1+1", "<b>"])
def test_login_is_shown_as_text_and_never_as_a_formula(room: Room, value: str) -> None:
    joined(room, value)
    page = room.boss.get("/dashboard?names=yes").text
    assert f"<td>{html.escape(value)}</td>" in page
    (row,) = csv.DictReader(room.boss.get("/dashboard/students.csv").text.splitlines())
    assert row["real name"].removeprefix("'") == value
    assert not row["real name"].startswith("=")


def test_the_header_itself_reaches_no_code(tmp_path: Path) -> None:
    school, seen = new_site(tmp_path, **GIVEN), list[str]()

    @school.before_request
    def look() -> None:
        seen.extend(flask.request.headers.keys())

    for peer, value in ((PROXY, "ann"), (OUTSIDE, "ann"), (OUTSIDE, "a,b")):
        browser(school, value, peer).get("/class")
    assert seen.count("Host") == 3
    assert HEADER not in seen


def sent_twice(room: Room, *values: str) -> TestResponse:
    headers = Headers([(HEADER, value) for value in values])
    answer: TestResponse = phone(room).get("/me.json", headers=headers)
    return answer


def test_two_headers_are_refused_though_they_say_the_same(room: Room) -> None:
    joined(room, "ann")
    assert sent_twice(room, "ann").status_code == 200
    for values in (("ann", "ben"), ("ben", "ann"), ("ann", "ann"), ("", "ann"), ("ann", "")):
        assert sent_twice(room, *values).status_code == 400, values


def test_cross_site_form_with_a_login_is_rejected(room: Room) -> None:
    """The proxy also adds the login to requests from another site's page."""
    ann = joined(room, "ann")
    path, form = f"/class/{room.code}/leave", {"what": "forget"}
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        assert ann.client.post(path, data=form, headers=headers).status_code == 403
    assert ann.get("/me.json").status_code == 200
