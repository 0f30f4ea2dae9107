"""A list of people from a course system's file.

The dashboard first shows the list and then saves it.

The test writes the files in the documented formats of Moodle, Canvas, D2L and Excel.
"""

import csv
from io import BytesIO, StringIO
from typing import Any

import flask
import pytest
from werkzeug.test import TestResponse

from tests.support.classroom import JSON, Room, class_rows, open_room, refusal
from tests.support.pages import only, values
from tests.support.site import finish
from tests.support.tournaments import make, play_all, stands_on
from web.classroom.people.roster import decode_roster, table_in

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


def people(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(one["name"], one["login"], one["email"]) for one in document["people"]]


def apart(document: dict[str, Any]) -> list[str]:
    return [" | ".join(row) for row in document["apart"]]


JANE, ANA = ("Jane Doe", "", ""), ("Ana Rivera", "", "")
IDS = [("Jane Doe", "1", "jane@x.edu"), ("Ana Rivera", "2", "ana@x.edu")]
FILES: dict[str, tuple[str | bytes, str, list[tuple[str, str, str]], list[str]]] = {
    # the file, the guessed columns, the people, and the rows that are not people
    "moodle": (
        MOODLE, "first last email ignore",
        [(ANN, "", "ann@example.org"), (BOB, "", "bob@example.org"), (ZOE, "", "")], [],
    ),
    "canvas": (
        CANVAS, "name ignore login ignore ignore",
        [("Müller, Ann", "ann", ""), ("O'Neill, Bob", "bob", ""), ("Łuk, Zoë", "zoe", "")],
        ["Points Possible |  |  |  | 10", "Student, Test | 10 |  | 1 | "],
    ),
    "d2l": (
        D2L, "ignore login last first email ignore",
        [(ANN, "ann", "a@x.org"), (BOB, "bob", "b@x.org"), (ZOE, "zoe", "z@x.org")], [],
    ),
    "excel with sep": (
        EXCEL, "last first login", [(ANN, "1", ""), (BOB, "2", ""), (ZOE, "3", "")], [],
    ),
    "sep in quotes": ('"sep=;"\nName;Login\nJane Doe;1\nAna Rivera;2\n', "name login",
                      [("Jane Doe", "1", ""), ("Ana Rivera", "2", "")], []),
    "tabs": (
        TABS, "email name", [(ANN, "", "a@x.org"), (BOB, "", "b@x.org"), (ZOE, "", "z@x.org")], [],
    ),
    "bars": ("Name|Email\nJane Doe|jane@x.edu\nAna Rivera|ana@x.edu\n", "name email",
             [("Jane Doe", "", "jane@x.edu"), ("Ana Rivera", "", "ana@x.edu")], []),
    "quoted after a blank": (
        'ID, Name, Email\n1, "Doe, Jane", jane@x.edu\n2, "Rivera, Ana", ana@x.edu\n',
        "login name email",
        [("Doe, Jane", "1", "jane@x.edu"), ("Rivera, Ana", "2", "ana@x.edu")], [],
    ),
    "nbgrader": (
        "id,last_name,first_name,email\n1,Doe,Jane,jane@x.edu\n2,Rivera,Ana,ana@x.edu\n",
        "login last first email", IDS, [],
    ),
    "github classroom": (
        '"identifier","github_username","github_id","name"\n"1","jd","",""\n"2","ar","",""\n',
        "", [], [],
    ),
    "zoom": (
        ("Name (Original Name),User Email,Total Duration (Minutes),Guest\n"
         "Jane Doe,jane@x.edu,50,No\nAna Rivera,ana@x.edu,49,No\n"),
        "name email ignore ignore",
        [("Jane Doe", "", "jane@x.edu"), ("Ana Rivera", "", "ana@x.edu")], [],
    ),
    "title above": (
        "CSC 101 Fall 2026\n\nName,SID,Email\nJane Doe,1,jane@x.edu\nAna Rivera,2,ana@x.edu\n",
        "name login email", IDS, ["CSC 101 Fall 2026"],
    ),
    "totals below": (
        "Name,SID,Email\nJane Doe,1,jane@x.edu\nAna Rivera,2,ana@x.edu\nTotal students: 2\n",
        "name login email", IDS, ["Total students: 2"],
    ),
    "google classroom": (
        ("Last Name,First Name,Email Address,HW 1\nDate,,,2026-09-01\nPoints,,,10\n"
         "Class average,,,8\nDoe,Jane,jane@x.edu,9\nRivera,Ana,ana@x.edu,7\n"),
        "last first email ignore",
        [("Jane Doe", "", "jane@x.edu"), ("Ana Rivera", "", "ana@x.edu")],
        ["Date |  |  | 2026-09-01", "Points |  |  | 10", "Class average |  |  | 8"],
    ),
    "head of an unknown system": (
        "Who,Where\nJane Doe,jane@x.edu\nAna Rivera,ana@x.edu\n", "name email",
        [("Jane Doe", "", "jane@x.edu"), ("Ana Rivera", "", "ana@x.edu")], [],
    ),
    "no heads": (
        HEADLESS, "login last first email",
        [(ANN, "1", "ann@x.org"), (BOB, "2", "bob@x.org"), (ZOE, "3", "zoe@x.org")], [],
    ),
    "numbered lines": ("1. Jane Doe\n2. Ana Rivera\n", "name", [JANE, ANA], []),
    "numbered, with commas": ("1. Doe, Jane\n2. Rivera, Ana\n", "last first", [JANE, ANA], []),
    "a name a line": ("Name\nDoe, Jane\nRivera, Ana\n", "name",
                      [("Doe, Jane", "", ""), ("Rivera, Ana", "", "")], []),
    "names alone": ("Jane Doe\r\nAna Rivera\r\n", "name", [JANE, ANA], []),
    "utf-16": ("Name\tMatrikel\nJane Doe\t1\nZoë Łuk\t2\n".encode("utf-16"), "name login",
               [("Jane Doe", "1", ""), (ZOE, "2", "")], []),
    "windows": ("Name;x\nAnn Müller;1\nRené Straße;2".encode("cp1252"), "name ignore",
                [(ANN, "", ""), ("René Straße", "", "")], []),
    "joiners and marks": (
        "\ufeffName\n\u0639\u0644\u06cc\u200c\u0631\u0636\u0627\nA\u200bna\u200e Ri\u00advera\n",
        "name",
        [("\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", "", ""), ANA], [],
    ),
    "196 assignments": (
        "Name,SID," + ",".join(f"A{n}" for n in range(196)) + "\n"
        + "Jane Doe,1" + ",1" * 196 + "\nAna Rivera,2" + ",1" * 196 + "\n",
        " ".join(["name", "login", *["ignore"] * 18]),
        [("Jane Doe", "1", ""), ("Ana Rivera", "2", "")], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_roster_file_is_read(name: str) -> None:
    file, columns, expected, odd = FILES[name]
    table = table_in(decode_roster(file.encode() if isinstance(file, str) else file))
    assert [*table.people] == expected
    if expected:
        assert " ".join(table.columns) == columns
        assert [" | ".join(table.rows[index]) for index in table.apart] == odd


@pytest.mark.parametrize("name", ["canvas", "utf-16", "196 assignments"])
def test_page_shows_guessed_columns_people_and_other_lines(room: Room, name: str) -> None:
    file, columns, expected, odd = FILES[name]
    document = found(send(room, file))
    assert (" ".join(document["columns"]), people(document), apart(document)) == (
        columns, expected, odd,
    )  # fmt: skip
    page = send(room, file, headers={}).text
    assert values(page, "select[name=column] option[selected]", "value") == columns.split()
    assert len(values(page, '[name="keep"]', "value")) == len(odd)
    assert not values(page, '[name="keep"][checked]', "value"), "unselected"
    text = only(page, '[name="names"]').get_text()
    assert all(name in text for name, _, _ in expected)


def again(room: Room, page: str, columns: list[str], keep: list[str]) -> dict[str, Any]:
    """Send the page's form with other choices."""
    sent = {"again": only(page, '[name="again"]').get_text(), "column": columns, "keep": keep}
    path = f"/class/{room.code}/roster"
    return found(room.boss.client.post(path, data=sent, headers=JSON))


def test_the_instructor_corrects_columns_and_lines(room: Room) -> None:
    file = "Team,Who,Login\nRed,Jane,j1\nBlue,Ana,a2\nPaul,Paul\n"
    page = send(room, file, headers={}).text
    document = again(room, page, ["ignore", "first", "login"], [])
    assert people(document) == [("Jane", "j1", ""), ("Ana", "a2", "")]
    (index,) = values(page, '[name="keep"]', "value")
    document = again(room, page, ["last", "first", "ignore"], [index])
    assert [name for name, _, _ in people(document)] == ["Jane Red", "Ana Blue", "Paul Paul"]
    page = send(room, "Kennung;Wer\nj1;\na2;\n", headers={})
    assert page.status_code == 422
    assert people(again(room, page.text, ["name", "ignore"], [])) == [
        ("j1", "", ""),
        ("a2", "", ""),
    ]
    nothing = {"again": "-\nx,y", "column": ["ignore", "ignore"], "keep": "9,x"}
    answer = room.boss.client.post(f"/class/{room.code}/roster", data=nothing, headers=JSON)
    assert refusal(answer) == "No names were found in this list."


def names(answer: TestResponse) -> list[str]:
    return [one["name"] for one in found(answer)["people"]]


def test_nothing_is_kept_before_the_list_is_saved(room: Room) -> None:
    before = room.desk()["step"]
    page = send(room, MOODLE.replace("Łuk,,", "Łuk,zoe@example.org,"), headers={}).text
    assert room.desk()["step"] == before
    assert "on your list have not joined" not in room.boss.get("/dashboard").text
    text = only(page, '[name="names"]').get_text()
    step = values(page, '[name="step"]', "value")[0]
    assert text.strip().splitlines() == [
        "Name,E-mail",
        f"{ANN},ann@example.org",
        f"{BOB},bob@example.org",
        f"{ZOE},zoe@example.org",
    ]
    kept = room.boss.post("/dashboard", move="roster", step=step, names=text)
    assert kept.status_code == 200
    assert "3 students on your list have not joined" in room.boss.get("/dashboard").text
    stale = room.boss.post("/dashboard", move="roster", step=step, names="x")
    assert stale.status_code == 409


def test_duplicate_names_are_listed(room: Room) -> None:
    document = found(send(room, f"{MOODLE}ANN,Muller,other@example.org,\n"))
    assert document["repeated"] == ["ANN Muller"]
    assert len(document["people"]) == 4
    page = send(room, f"{MOODLE}ANN,Muller,x@example.org,\n", headers={}).text
    assert "Listed more than once: ANN Muller." in page


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "No names were found in this list."),
        (b"\n \n,,\n", "No names were found in this list."),
        (b"Name,ID\n", "No names were found in this list."),
        (str(FILES["github classroom"][0]).encode(), "No names were found in this list."),
        (b"Name\n\x81\x8d\x8f", "That is not a table"),
        (b"\xff\xfea", "That is not a table"),
        (b"PK\x03\x04\x00\x00\x81\x8d", "That is not a table"),
        (b"\x89PNG\r\n\x1a\n1234", "That is not a table"),
        (b"<html><body><table><tr><td>Doe,Jane", "That is not a table"),
        (b"\n  <!DOCTYPE html><p>Doe, Jane", "That is not a table"),
        (b"Name\nAnn\x07Bob\n", "No names were found in this list."),
        (b"Ann Lee\n" * 1_001, "A list has at most 1000 names."),
        (b"\n" * 100_000, "A list has at most 2000 lines."),
        (b'Name\n"' + b"x" * 200_000, "That is not a table"),
        (b"x" * (240 * 1024 + 1), "A list has at most 240 KB. Delete all columns except"),
    ],
)
def test_unreadable_lists_are_reported_in_a_sentence(
    room: Room, data: bytes, sentence: str
) -> None:
    assert refusal(send(room, data)).startswith(sentence)


def test_a_file_larger_than_any_form_is_told_its_limit(room: Room) -> None:
    answer = send(room, b"Jane Doe,1\n" * 40_000)
    assert refusal(answer, 413).startswith("A list has at most 240 KB.")


def test_lines_are_taken_as_a_file_is_and_not_lost(room: Room) -> None:
    path = f"/class/{room.code}/roster"
    sent = {"text": MOODLE, "file": (BytesIO(b""), "")}
    assert names(room.boss.client.post(path, data=sent, headers=JSON)) == [ANN, BOB, ZOE]
    page = room.boss.client.post(path, data={"text": "Name;ID\n;1"})
    assert page.status_code == 422
    assert values(page.text, "select[name=column] option[selected]", "value") == ["name", "login"]
    assert 'role="alert"' in page.text


def test_long_names_are_cut_as_in_a_list(room: Room) -> None:
    assert names(send(room, "Name;ID\n" + "Ann " * 5_000 + ";1")) == [("Ann " * 20)[:80].strip()]


# ---- The list and the students -------------------------------------------------------------------

LIST = f"Name;Kennung;E-Mail\n{ANN};ann7;a@uni.example\n{BOB};8;bob@uni.example\n{ZOE};;\n"


def exported(room: Room) -> dict[int, dict[str, str]]:
    text = room.boss.get("/dashboard/students.csv").data.decode("utf-8-sig")
    return {int(row["number"]): row for row in csv.DictReader(StringIO(text))}


def test_the_export_begins_with_the_columns_of_the_list(school: flask.Flask) -> None:
    """A student is recognized by name, login, e-mail address or the local part of the address."""
    room = open_room(school, real="may")
    room.move("roster", names=LIST)
    for real in ("muller ANN", "BOB@uni.example", "Zoë Łuk", "Somebody Else", ""):
        room.newcomer(real=real)
    text = room.boss.get("/dashboard/students.csv").data.decode("utf-8-sig")
    assert text.startswith("name,login,email,number,nickname,real name,")
    found = [(row["name"], row["login"], row["email"]) for row in exported(room).values()]
    assert found == [
        (ANN, "ann7", "a@uni.example"),
        (BOB, "8", "bob@uni.example"),
        (ZOE, "", ""),
        ("", "", ""),
        ("", "", ""),
    ]
    assert "All students on your list have joined." in room.boss.get("/dashboard").text


@pytest.mark.parametrize("real", ["ann7", "A@UNI.EXAMPLE", "a", ANN])
def test_a_student_is_known_by_each_of_the_columns(school: flask.Flask, real: str) -> None:
    room = open_room(school, real="may")
    room.move("roster", names=LIST)
    room.newcomer(real=real)
    assert exported(room)[1]["name"] == ANN


def test_ambiguous_names_match_nobody(school: flask.Flask) -> None:
    room = open_room(school, real="may")
    room.move("roster", names=f"Name;Login\n{ANN};ann\n{ANN};ann2\n{BOB};bob\n")
    for real in (ANN, BOB, "bob"):
        room.newcomer(real=real)
    assert [row["login"] for row in exported(room).values()] == ["", "", ""]
    page = room.boss.get("/dashboard?names=yes").text
    assert "2 students on your list have not joined." in page
    assert f"{ANN}, {ANN}" in page


def test_points_and_participation_come_last(school: flask.Flask) -> None:
    room = open_room(school, 3)
    make(room, deals=2, title="=Ten")
    play_all(room.phones[0], stands_on(17))
    room.play()
    for _ in range(3):
        finish(room.phones[1].client, "/blackjack")
    one, two, three = exported(room).values()
    assert [*one][8:] == [
        *("1. =Ten: points", "1. =Ten: deals"),
        *("table rounds", "table won", "bingo rounds", "bingo won", "rounds"),
    ]
    winners = [row["winner"] for row in room.phones[0].json("/me.json")["rows"]["tournament_plays"]]
    won = sum({"player": 1.0, "tie": 0.5, "dealer": 0.0}[winner] for winner in winners)
    assert (one["1. =Ten: points"], one["1. =Ten: deals"]) == (str(won), "2")
    assert (two["1. =Ten: points"], two["table rounds"], two["rounds"]) == ("", "3", "4")
    assert (three["table rounds"], three["bingo rounds"], three["rounds"]) == ("0", "1", "1")


def test_a_list_is_forgotten_with_the_names(school: flask.Flask) -> None:
    room = open_room(school, 1, real="may")
    room.move("roster", names=LIST)
    room.newcomer(real="ann7")
    assert "a@uni.example" not in room.boss.get("/dashboard?names=yes").text
    room.move("forget-names")
    assert [row["email"] for row in exported(room).values()] == ["", ""]
    assert "a@uni.example" not in str(class_rows(school))


def test_a_list_is_taken_away_by_an_empty_one(room: Room) -> None:
    room.move("roster", names=LIST)
    assert "3 students on your list have not joined." in room.boss.get("/dashboard").text
    room.move("roster", names=" \n")
    assert "on your list have" not in room.boss.get("/dashboard").text
