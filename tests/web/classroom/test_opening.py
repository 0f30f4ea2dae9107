"""Who may open a class, and how somebody becomes an instructor."""

import re
import stat
import time
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from app import create_app
from tests.support.classroom import JSON, Phone, Watch, ask_for_links, links, open_room, site
from web.classroom import opening
from web.classroom.answers import machine_addresses
from web.classroom.codes import ALPHABET
from web.classroom.opening import SETTINGS
from web.running import announced
from web.settings import BadSetting, Settings


def app_with(folder: Path, **settings: Any) -> flask.Flask:
    return create_app(Settings(data_dir=folder, **settings))


def path_of(address: str) -> str:
    found = re.search(r"(/class/instructor/[0-9a-f]{32})$", address)
    assert found, address
    return found[1]


def open_class(client: FlaskClient, **fields: str) -> tuple[int, dict[str, Any]]:
    answer = client.post("/class/new", data={"title": "A class", **fields}, headers=JSON)
    return answer.status_code, answer.get_json()


# ---- Settings ------------------------------------------------------------------------------


def test_where_classes_are_off_there_is_nothing(tmp_path: Path) -> None:
    client = app_with(tmp_path, classes="off").test_client()
    for path in ("/class", "/class/new", "/j", "/class/instructor", "/class/K7QXB", "/J/K7QXB"):
        assert client.get(path).status_code == 404
    assert "/class" not in client.get("/").text
    assert "/class" in app_with(tmp_path).test_client().get("/").text


def test_a_strange_setting_is_named() -> None:
    with pytest.raises(BadSetting, match="CLASSES must be one of off, link, open, not 'maybe'"):
        Settings.from_environment({"CLASSES": "maybe"})
    read = Settings.from_environment({"CLASSES": "OPEN", "INSTRUCTOR_PASSWORD": "x y"})
    assert (read.classes, read.instructor_password) == ("open", "x y")
    assert Settings.from_environment({}).classes == "link"


# ---- Links ---------------------------------------------------------------------------------


def test_a_link_is_shown_by_a_get_and_used_up_by_a_post(tmp_path: Path, watch: Watch) -> None:
    app = app_with(tmp_path)
    path = path_of(links(app)[0])
    ann, ben = app.test_client(), app.test_client()
    assert open_class(ann)[0] == 403
    assert ann.get("/class/new").headers["Location"] == "/class/instructor"
    for _ in range(3):  # a preview of a messenger uses nothing up
        assert app.test_client().get(path).text.count("<button class=") == 1
    answer = ann.post(path)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/class/new")
    assert open_class(ann)[0] == 200
    assert (ben.post(path).status_code, ben.get(path).status_code) == (404, 404)
    assert "used already" in ben.get(path).text
    assert open_class(ben)[0] == 403
    assert ann.get("/class/instructor", headers=JSON).get_json() == {"instructor": True}
    late = path_of(links(app)[0])
    watch.pass_by(29 * 60)
    assert ben.get(late).status_code == 200
    watch.pass_by(2 * 60)
    assert ben.post(late).status_code == 404


def test_links_name_what_a_phone_can_reach(tmp_path: Path) -> None:
    alone = ask_for_links(app_with(tmp_path)).get_json()
    assert alone["links"][0].startswith("http://127.0.0.1:8000/class/instructor/")
    assert alone["is_local"]
    found = ask_for_links(app_with(tmp_path, host="0.0.0.0", port=8123, url_prefix="/cards"))
    assert [link.split("/class/")[0] for link in found.get_json()["links"]] == [
        f"http://{address}:8123/cards" for address in machine_addresses()
    ]
    assert not found.get_json()["is_local"]
    proxied = app_with(
        tmp_path, trusted_proxies=1, allowed_hosts=("localhost", "cards.example.edu")
    )
    assert links(proxied)[1].startswith("https://cards.example.edu/class/instructor/")


def test_links_are_for_who_reads_the_servers_own_file(tmp_path: Path) -> None:
    app = app_with(tmp_path)
    with announced(app.extensions[SETTINGS]):
        assert stat.S_IMODE((tmp_path / "server.json").stat().st_mode) == 0o600
        for token in ("", "x", "ü" * 40):
            answer = app.test_client().post("/class/instructor-link", data={"token": token})
            assert answer.status_code == 404
    assert not (tmp_path / "server.json").exists()
    assert app.test_client().post("/class/instructor-link", data={"token": ""}).status_code == 404


def test_the_command_gives_a_lost_dashboard_back(tmp_path: Path) -> None:
    app = site(tmp_path)
    room = open_room(app, 2)
    (link,) = links(app, room.code.lower())
    other = Phone(app.test_client(), room.code)
    assert other.get("/dashboard").status_code == 403
    page = other.client.get(path_of(link)).text
    assert "CS1, Tuesday" in page
    other.client.post(path_of(link))
    assert other.json("/dashboard")["class"] == room.code
    assert room.boss.get("/dashboard").status_code == 200  # all dashboards are equal
    refused = ask_for_links(app, "22222")
    assert (refused.status_code, refused.get_json()["error"]) == (
        422,
        "No class has the code 22222.",
    )


def test_no_token_is_in_the_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    app = app_with(tmp_path)
    path = path_of(links(app)[0])
    app.test_client().get(path)
    app.test_client().post(path)
    logged = capfd.readouterr().err
    assert '"/class/instructor/<token>"' in logged
    assert path not in logged


# ---- The password --------------------------------------------------------------------------


def test_the_password_makes_an_instructor_and_so_does_a_link_whatever_was_guessed(
    tmp_path: Path,
) -> None:
    app = app_with(tmp_path, instructor_password="grün 7")
    client, guesser = app.test_client(), app.test_client()
    assert client.post("/class/instructor", data={"password": "grun 7"}).status_code == 403
    assert open_class(client)[0] == 403
    assert client.post("/class/instructor", data={"password": "grün 7"}).status_code == 303
    assert open_class(client)[0] == 200
    tries = [guesser.post("/class/instructor", data={"password": "x"}) for _ in range(10)]
    assert [one.status_code for one in tries] == [403] * 9 + [429]
    assert guesser.post(path_of(links(app)[0])).status_code == 303
    assert open_class(guesser)[0] == 200


def test_without_a_password_there_is_no_form(tmp_path: Path) -> None:
    client = app_with(tmp_path).test_client()
    assert client.post("/class/instructor", data={"password": ""}).status_code == 404
    assert 'type="password"' not in client.get("/class/instructor").text


# ---- Opening -------------------------------------------------------------------------------


def test_a_class_is_opened_with_a_title_alone(school: flask.Flask) -> None:
    client = school.test_client()
    status, document = open_class(client, title="  CS1,   Tuesday ")
    address = f"/class/{document['class']}"
    assert status == 200
    assert document == {
        "class": document["class"],
        "address": address,
        "dashboard": f"{address}/dashboard",
    }
    assert re.fullmatch(f"[{ALPHABET}]{{5}}", document["class"])
    shown = school.test_client().get(address, headers=JSON).get_json()
    asked = (shown["title"], shown["nicknames"], shown["real"])
    assert asked == ("CS1, Tuesday", "offered", "no")
    page = client.post("/class/new", data={"title": "Another"})
    assert page.status_code == 303
    assert re.fullmatch(r"/class/[2-9B-Z]{5}/dashboard", page.headers["Location"])


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""},
        {"title": "x" * 61},
        {"title": "a\u202eb"},
        {"nicknames": "any"},
        {"real": "yes"},
        {"students": "1001"},
        {"students": "0"},
        {"students": "many"},
        {"days": "2"},
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    school: flask.Flask, fields: dict[str, str]
) -> None:
    client = school.test_client()
    status, document = open_class(client, **fields)
    assert (status, list(document)) == (422, ["error"])
    page = client.post("/class/new", data={"title": "Kept", **fields})
    assert page.status_code == 422
    if "title" not in fields:
        assert 'value="Kept"' in page.text
    (message,) = re.findall(r'role="alert">([^<]+)<', page.text)
    assert message.count(".") == 1


def test_anybody_opens_five_classes_a_day_where_anybody_may(
    school: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = school.test_client()
    assert [open_class(client)[0] for _ in range(7)] == [200] * 5 + [429] * 2
    tomorrow = time.time() + 86_400
    monkeypatch.setattr(opening.time, "time", lambda: tomorrow)
    assert open_class(client)[0] == 200


def test_an_instructor_has_twenty_open_classes(tmp_path: Path) -> None:
    app = app_with(tmp_path)
    client = app.test_client()
    client.post(path_of(links(app)[0]))
    codes = [open_class(client)[1]["class"] for _ in range(20)]
    assert len(set(codes)) == 20
    assert open_class(client)[0] == 422
    boss = Phone(client, codes[3])
    step = boss.json("/dashboard")["step"]
    assert boss.post("/dashboard", move="close", step=step).status_code == 200
    assert open_class(client)[0] == 200
    assert open_class(client)[0] == 422


def test_a_class_lives_its_days_after_a_dashboard_was_opened(
    school: flask.Flask, watch: Watch
) -> None:
    room = open_room(school, 1, days="1")
    phone = room.phones[0]
    for _ in range(3):
        watch.pass_by(20 * 3_600)
        assert phone.get().status_code == 200  # a student's look is no reason to live on
        room.desk()
    watch.pass_by(23 * 3_600)
    assert phone.get().status_code == 200
    room.move("prolong", days="120")
    watch.pass_by(119 * 86_400)
    assert phone.get("/updates").status_code == 200
    watch.pass_by(-119 * 86_400)
    room.move("prolong", days="1")  # shorter as well
    watch.pass_by(25 * 3_600)
    for path in ("", "/updates"):
        assert phone.get(path).status_code == 404
    assert room.boss.get("/dashboard").status_code == 404
