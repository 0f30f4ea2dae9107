"""Only the instructor sees real names: the tests plant names and then search every response."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import flask
import pytest
from sqlalchemy import Column, ForeignKeyConstraint, Integer, String, Table
from werkzeug.test import TestResponse

from tests.support.classroom import JSON, Phone, Room, class_rows, open_room, site
from tests.support.site import sid
from tests.support.tournaments import make, play_all, stands_on
from web import db
from web.db.models import Base

PLANTED = (
    *("Wilhelmine Zipfelmütze", "Øystein Quarkstrudel", "Thanhnguyen Xylophon-Vrba"),
    *("Ottokar Pflaumenmus", "Isolde Nachtschränkchen"),
)
LISTED = ("Kunigunde Wackelpudding", "Leopold Zwetschgenknödel")
MAY = ("/dashboard?names=yes", "/dashboard/students.csv")
PATHS = (
    *("", "/bingo", "/bingo?as=list", "/projector", "/qr.svg"),
    *("/projector?show=join", "/projector?show=nothing", "/projector?show=standings"),
    *("/me.json", "/dashboard", "/dashboard?student=1", "/dashboard?ask=remove&student=1"),
    *("/dashboard?names=no", "/print", "/check?card=1"),
    *("/tournaments", "/tournament/1", "/tournament/1/deal/1", "?ask=forget", "?again=1"),
    *("/insight", "/projector?show=insight"),
    *("/roster", "/vote", "/votes", "/projector?show=vote"),
    "/dashboard/tournaments.csv",
)


def parts(name: str) -> Iterator[str]:
    """Yield the parts of a name that identify the person, in all spellings."""
    for word in re.split(r"[\s-]", name):
        if len(word) > 4:
            yield from (word, word.upper(), word.encode("unicode_escape").decode())


def names_in(text: str) -> set[str]:
    return {name for name in PLANTED + LISTED for part in parts(name) if part in text}


@pytest.fixture
def planted(school: flask.Flask) -> Room:
    room = open_room(school, real="must")
    for name in PLANTED:
        room.newcomer(real=name)
    room.move("roster", names="\n".join((*PLANTED, *LISTED)))
    return room


def answers(*phones: Phone) -> Iterator[tuple[str, TestResponse]]:
    """Yield the responses to an instructor, students or visitors, also as JSON."""
    for phone in phones:
        for path, headers in product(PATHS, ({}, JSON)):
            yield path, phone.get(path, headers=headers)
        for path in ("/class", "/j", "/", "/class/new", "/class/instructor"):
            yield path, phone.client.get(path)


def assert_no_name(*phones: Phone) -> None:
    for path, answer in answers(*phones):
        assert not names_in(answer.text + str(answer.headers)), path


def test_no_answer_holds_a_real_name_but_three(
    planted: Room, capfd: pytest.CaptureFixture[str]
) -> None:
    room = planted
    assert_no_name(room.boss)
    make(room, deals=1)
    for phone in room.phones[:3]:
        play_all(phone, stands_on(17))
    room.deal(by_hand="Y")
    room.call(5)
    for phone, page in product(room.phones, (True, False)):
        for document in (
            phone.claim(),
            phone.post("/join", page=page, offer="x", real=PLANTED[0]),
            phone.post("/rejoin", page=page, name="Somebody", code="2222"),
        ):
            assert not names_in(document.text + str(document.headers))
    stranger = room.visitor()
    for page in (True, False):
        for real in (PLANTED[1] + "\x00", PLANTED[1]):
            document = stranger.post("/join", page=page, offer="not offered", real=real)
            assert (document.status_code, names_in(document.text)) == (422, set())
    for names in ("\n".join((*PLANTED, *LISTED)), f"{LISTED[0]}\x00"):
        document = room.try_move("roster", names=names)
        assert not names_in(document.text + str(document.headers))
        document = room.boss.post("/dashboard", page=True, move="roster", step="0", names=names)
        assert not names_in(document.text)
    assert_no_name(room.boss, room.phones[0], room.phones[-1], room.visitor())
    room.move("void")
    assert_no_name(room.boss, room.phones[0])
    for path in MAY:
        assert names_in(room.boss.get(path).text) >= set(PLANTED), path
        for phone in (*room.phones, room.visitor()):
            assert not names_in(phone.get(path).text), path
    logged = capfd.readouterr().err
    assert logged.count("\n") > 100
    assert not names_in(logged)


def on_disk(folder: Path) -> str:
    return b"".join(path.read_bytes() for path in folder.iterdir()).decode("utf-8", "replace")


def test_homework_shows_real_names_to_instructors_on_request(planted: Room) -> None:
    make(planted, deals=1)
    for phone in planted.phones:
        play_all(phone, stands_on(17))
    paths = ("/tournament/1", "/dashboard/tournaments.csv")
    for path, headers in product(paths, ({}, JSON)):
        assert not names_in(planted.boss.get(path, headers=headers).text), path
        shown = planted.boss.get(f"{path}?names=yes", headers=headers).text
        assert names_in(shown) == set(PLANTED), path
        for phone in (planted.phones[0], planted.visitor()):
            assert not names_in(phone.get(f"{path}?names=yes", headers=headers).text), path
    page = planted.boss.get("/tournament/1?names=yes").text
    # A move preserves the real names in the URL.
    assert f'action="/class/{planted.code}/tournament/1?names=yes"' in page
    lines = planted.boss.get("/dashboard/tournaments.csv?names=yes").text.splitlines()
    assert lines[0].split(",")[5:7] == ["nickname", "real name"]
    assert sorted(line.split(",")[6] for line in lines[1:]) == sorted(PLANTED)


def test_homework_offers_no_real_names_without_the_setting(school: flask.Flask) -> None:
    room = open_room(school, 1)
    make(room, deals=1)
    assert "names=yes" not in room.boss.get("/tournament/1").text


@pytest.mark.parametrize("how", ["forget", "forget-names", "students"])
def test_forgotten_data_is_on_no_disk(tmp_path: Path, how: str) -> None:
    room = open_room(site(tmp_path), real="must")
    for name in PLANTED:
        room.newcomer(real=name)
    if how != "students":
        room.move("roster", names="\n".join((*PLANTED, *LISTED)))
    room.play()
    assert names_in(on_disk(tmp_path)) >= set(PLANTED)
    if how == "students":
        for phone in room.phones:
            assert phone.post("/leave", what="forget").status_code == 200
    else:
        room.try_move(how)
    assert not names_in(on_disk(tmp_path))
    if how == "forget-names":
        assert all(phone.name in on_disk(tmp_path) for phone in room.phones)


def test_stored_rows_have_no_session_id_or_code(tmp_path: Path) -> None:
    """Someone who can read the database cannot join as a student or use a link."""
    room = open_room(site(tmp_path), 3)
    link = room.try_move("hand-on").get_json()["address"].rpartition("/")[2]
    sids = [sid(phone.client) for phone in (room.boss, *room.phones)]
    assert len(sids) == 4
    kept = str(class_rows(room.app))
    assert room.phones[0].name in kept
    for secret in (*sids, link, *(phone.rejoin for phone in room.phones)):
        assert secret not in kept


@pytest.fixture
def notes(school: flask.Flask) -> Iterator[Table]:
    """A new database table that refers to students in columns with other names."""
    table = Table(
        "student_notes",
        Base.metadata,
        Column("id", Integer, primary_key=True),
        Column("course", String(5)),
        Column("pupil", Integer),
        Column("note", String(20)),
        ForeignKeyConstraint(["course", "pupil"], ["students.class_code", "students.number"]),
    )
    table.create(db.database(school).engine)
    yield table
    table.drop(db.database(school).engine)
    Base.metadata.remove(table)


def test_me_json_has_rows_of_every_table(school: flask.Flask, notes: Table) -> None:
    room = open_room(school, 2)
    rows = [{"course": room.code, "pupil": number, "note": f"of {number}"} for number in (1, 2, 2)]
    with db.database(school).engine.begin() as connection:
        connection.execute(notes.insert(), rows)
    for phone, count in zip(room.phones, (1, 2), strict=True):
        found = phone.json("/me.json")["rows"]["student_notes"]
        assert [row["note"] for row in found] == [f"of {phone.number}"] * count
