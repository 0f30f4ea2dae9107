"""A list of names out of a course system's file: shown first, and kept by the dashboard's move.

The files are made here, after what Moodle, Canvas, D2L and Excel are documented to write.
"""

import re
from html import unescape
from io import BytesIO
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.support.classroom import JSON, Phone, Room, refusal

ANN, BOB, ZOE = "Ann Müller", "Bob O'Neill", "Zoë Łuk"
MOODLE = (
    '"First name","Last name","Email address",Groups\n'
    'Ann,Müller,ann@example.org,"A, B"\n"Bob","O\'Neill",bob@example.org,\nZoë,Łuk,,\n'
)
CANVAS = (
    "Student,ID,SIS Login ID,Section,Quiz (12)\n    Points Possible,,,,10\n"
    '"Müller, Ann",7,ann,1,9\n"O\'Neill, Bob",8,bob,1,\n"Łuk, Zoë",9,zoe,1,1\n'
    '"Student, Test",10,,1,\n'
)
D2L = (
    "OrgDefinedId,Username,Last Name,First Name,Email,End-of-Line Indicator\n"
    "#1,#ann,Müller,Ann,a@x.org,#\n#2,#bob,O'Neill,Bob,b@x.org,#\n#3,#zoe,Łuk,Zoë,z@x.org,#\n"
)
EXCEL = "sep=;\r\nNachname;Vorname;Matrikel\r\nMüller;Ann;1\r\nO'Neill;Bob;2\r\nŁuk;Zoë;3\r\n"
TABS = "E-Mail\tVollständiger Name\na@x.org\tAnn Müller\nb@x.org\tBob O'Neill\nz@x.org\tZoë Łuk"
HEADLESS = "1;Müller;Ann;ann@x.org\n2;O'Neill;Bob;bob@x.org\n3;Łuk;Zoë;zoe@x.org\n"
NAME_A_LINE = "Name\nMüller, Ann\nO'Neill, Bob\nŁuk, Zoë\n"


def send(room: Room, data: str | bytes, encoding: str = "utf-8", **how: Any) -> TestResponse:
    """Send a file."""
    data = data.encode(encoding) if isinstance(data, str) else data
    sent = {"file": (BytesIO(data), "names.csv")}
    answer: TestResponse = room.boss.client.post(
        f"/class/{room.code}/roster", data=sent, headers=how.get("headers", JSON)
    )
    return answer


def found(answer: TestResponse) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.get_json()
    return document


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    ("file", "columns", "others"),
    [
        (MOODLE, ["First name", "Last name"], ["Email address", "Groups"]),
        (CANVAS, ["Student"], ["ID", "SIS Login ID", "Section", "Quiz (12)"]),
        (
            D2L,
            ["First Name", "Last Name"],
            ["OrgDefinedId", "Username", "Email", "End-of-Line Indicator"],
        ),
        (EXCEL, ["Vorname", "Nachname"], ["Matrikel"]),
        (TABS, ["Vollständiger Name"], ["E-Mail"]),
        (HEADLESS, [], []),
        (NAME_A_LINE, ["Name"], []),
    ],
    ids=["Moodle", "Canvas", "D2L", "Excel", "tabs", "no heads", "a name a line"],
)
def test_names_are_found(
    room: Room, file: str, columns: list[str], others: list[str], encoding: str
) -> None:
    document = found(send(room, file, encoding))
    words = [sorted(name.replace(",", "").split()) for name in document["names"]]
    assert words == [sorted(name.split()) for name in (ANN, BOB, ZOE)]
    assert (document["columns"], document["others"]) == (columns, others)
    assert document["repeated"] == []


def test_a_file_of_windows_is_read(room: Room) -> None:
    assert found(send(room, "Name;x\nAnn Müller;1\nRené Straße;2", "cp1252"))["names"] == [
        ANN,
        "René Straße",
    ]


def test_nothing_is_kept_before_the_list_is_saved(room: Room) -> None:
    before = room.desk()["step"]
    page = send(room, MOODLE, headers={}).text
    assert room.desk()["step"] == before
    assert "of your list have not joined" not in room.boss.get("/dashboard").text
    names = re.search(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)
    step = re.search(r'name="step" value="(\d+)"', page)
    assert names
    assert step
    assert unescape(names[1]).split("\n") == [ANN, BOB, ZOE]
    kept = room.boss.post("/dashboard", move="roster", step=step[1], names=unescape(names[1]))
    assert kept.status_code == 200
    assert "3 of your list have not joined" in room.boss.get("/dashboard").text
    stale = room.boss.post("/dashboard", move="roster", step=step[1], names="x")
    assert stale.status_code == 409


def test_who_is_there_twice_is_named(room: Room) -> None:
    document = found(send(room, f"{MOODLE}ANN,Muller,other@example.org,\n"))
    assert document["repeated"] == ["ANN Muller"]
    assert len(document["names"]) == 4
    page = send(room, f"{MOODLE}ANN,Muller,,\n", headers={}).text
    assert "There more than once: ANN Muller." in page


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "No names were found there."),
        (b"\n \n,,\n", "No names were found there."),
        (b"Name,ID\n", "No names were found there."),
        (b"Name\n\x81\x8d\x8f", "That is no table"),
        (b"\xff\xfea", "That is no table"),
        (b"PK\x03\x04\x00\x00\x81\x8d", "That is no table"),
        (b"Name\nAnn\x07Bob\n", "Name 1 has characters that cannot be seen."),
        (b"x\n" * 1_001, "A list has at most 1000 names."),
        (b"\n" * 100_000, "A list has at most 1000 names."),
        (b"a" + b"," * 100_000, "That is no table"),
        (b'Name\n"' + b"x" * 200_000, "That is no table"),
        (b"x" * (240 * 1024 + 1), "A list has at most 240 KB."),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(room: Room, data: bytes, sentence: str) -> None:
    assert refusal(send(room, data)).startswith(sentence)


def test_lines_are_taken_as_a_file_is_and_not_lost(room: Room) -> None:
    path = f"/class/{room.code}/roster"
    sent = {"text": MOODLE, "file": (BytesIO(b""), "")}
    assert found(room.boss.client.post(path, data=sent, headers=JSON))["names"] == [ANN, BOB, ZOE]
    page = room.boss.client.post(path, data={"text": "Name;ID\nAnn\x07;1"})
    assert page.status_code == 422
    assert "Name;ID\nAnn" in page.text
    assert 'role="alert"' in page.text


def test_long_names_are_cut_as_in_a_list(room: Room) -> None:
    assert found(send(room, "Name;ID\n" + "Ann " * 5_000 + ";1"))["names"] == [
        ("Ann " * 20)[:80].strip()
    ]


def test_only_who_holds_the_dashboard_sees_it(room: Room) -> None:
    for phone in (room.phones[0], room.visitor()):
        assert phone.get("/roster").status_code == 403
        other = Room(room.app, Phone(phone.client, room.code))
        assert send(other, MOODLE).status_code == 403
    assert room.boss.get("/roster").status_code == 200
    assert "/roster" in room.boss.get("/dashboard").text
