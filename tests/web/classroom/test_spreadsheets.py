"""Tables for a spreadsheet: what is in them, in the language of the page."""

import csv
import re
from io import StringIO

import flask
import pytest

from tests.support.classroom import Room, open_room
from tests.support.tournaments import judge, make, play_all, stands_on

GERMAN = {"Accept-Language": "de"}
FILES = (
    *("/dashboard/students.csv", "/dashboard/rounds.csv", "/dashboard/tournaments.csv"),
    *("/insight/students.csv", "/insight/decisions.csv"),
)


def table(text: str, delimiter: str) -> list[list[str]]:
    return [*csv.reader(StringIO(text.removeprefix("\ufeff")), delimiter=delimiter)]


def rows(room: Room, name: str) -> list[dict[str, str]]:
    """Return the lines of a table by the heads of its columns."""
    answer = room.boss.get(f"/dashboard/{name}.csv")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert answer.data.startswith(b"\xef\xbb\xbf")
    return list(csv.DictReader(StringIO(answer.data.decode("utf-8-sig"))))


def test_points_have_a_decimal_comma_in_german(room: Room) -> None:
    make(room, deals=3)
    for phone, total in zip(room.phones[:3], (21, 12, 17), strict=True):
        play_all(phone, stands_on(total))
    judge(room.app)
    english = table(room.boss.get("/dashboard/tournaments.csv").text, ",")
    german = table(room.boss.get("/dashboard/tournaments.csv", headers=GERMAN).text, ";")
    assert len(german) == len(english) == 7
    with_points = 0
    for ours, theirs in zip(english, german, strict=True):
        assert len(ours) == len(theirs) == len(english[0])
        for here, there in zip(ours[10:], theirs[10:], strict=True):
            if "T" not in here:
                assert there == here.replace(".", ",")
                with_points += "," in there
    assert with_points >= 6


@pytest.mark.parametrize("path", FILES)
def test_every_table_of_a_class_has_semicolons_in_german(room: Room, path: str) -> None:
    room.play()
    english = table(room.boss.get(path).text, ",")
    german = table(room.boss.get(path, headers=GERMAN).text, ";")
    assert len(english[0]) > 4
    assert [len(line) for line in german] == [len(line) for line in english]


def test_the_students_in_a_table(room: Room) -> None:
    room.newcomer(real="=HYPERLINK(1)")
    room.newcomer(real="Åse “Zwölf” Ø")
    winners = room.play()["places"][0]["names"]
    listed = rows(room, "students")
    assert [row["number"] for row in listed] == [str(n) for n in range(1, 9)]
    assert [*listed[0]][-2:] == ["bingo rounds", "bingo won"]
    assert [row["nickname"] for row in listed] == [phone.name for phone in room.phones]
    assert listed[6]["real name"] == "'=HYPERLINK(1)"
    assert listed[7]["real name"] == "Åse “Zwölf” Ø"
    assert {row["bingo rounds"] for row in listed} == {"1"}
    assert [row["nickname"] for row in listed if row["bingo won"] == "1"] == sorted(
        winners, key=[phone.name for phone in room.phones].index
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", listed[0]["joined"])


@pytest.mark.parametrize("sign", list("=+-@\t"))
def test_a_cell_that_begins_like_a_formula_is_quoted(school: flask.Flask, sign: str) -> None:
    room = open_room(school, nicknames="free", real="may")
    phone = room.visitor()
    name = f"{sign}1+1" if sign.strip() else "=1+1"
    phone.post("/join", name="-1.1", real=f"{name} x")
    (row,) = rows(room, "students")
    assert row["nickname"] == "'-1.1"
    assert row["real name"] == f"'{name} x"


def test_the_rounds_in_a_table(room: Room) -> None:
    room.deal(by_hand="Y", mode="C")
    room.call(2)
    late = room.newcomer(real="Ole Ostermann")
    room.move("void")
    room.deal()
    document = room.call_until()["round"]
    room.move("end")
    room.move("remove", student=1)
    listed = rows(room, "rounds")
    assert [(row["round"], row["card"]) for row in listed] == [
        (str(number), str(card)) for number in (1, 2) for card in range(1, 8)
    ]
    first, second = listed[:7], listed[7:]
    assert {(row["mode"], row["by hand"], row["ended as"]) for row in first} == {
        ("C", "yes", "void")
    }
    assert {(row["mode"], row["speed"], row["ended as"]) for row in second} == {("L", "no", "over")}
    assert {row["calls"] for row in second} == {str(len(document["called"]))}
    assert (first[6]["from call"], first[6]["real name"]) == ("2", "Ole Ostermann")
    assert first[6]["nickname"] == late.name
    assert (second[0]["student"], second[0]["nickname"]) == ("1", "")
    placed = {row["nickname"] for row in second if row["place"] == "1"}
    names = set(document["places"][0]["names"]) - {room.phones[0].name}
    assert placed - {""} == names
