"""What a student's own classes pass is shown to their instructor: numbers, and nothing else."""

import csv
import io
from pathlib import Path

import flask
import pytest

from tests.support.classroom import Room, class_rows, open_room, site

PASSED = "1 2 5"


@pytest.fixture
def app(tmp_path: Path) -> flask.Flask:
    return site(tmp_path)


@pytest.fixture
def room(app: flask.Flask) -> Room:
    return open_room(app, 2)


def test_an_instructor_sees_which_requirements_pass(room: Room) -> None:
    first, second = room.phones
    answer = first.post("/sheets", sheet="simple-21", passed=PASSED)
    assert answer.json is not None
    assert (answer.status_code, answer.json["passed"]) == (200, [1, 2, 5])
    of = answer.json["of"]
    second.post("/sheets", sheet="simple-21", passed="")
    first.post("/sheets", sheet="war", passed="3")
    (mine, theirs) = room.boss.json("/sheets")["sheets"]["simple-21"]
    assert (mine["number"], mine["passed"], theirs["passed"]) == (1, 3, 0)
    assert len(mine["missing"]) == of - 3
    assert {"S0-1", "S0-2", "S0-5"}.isdisjoint(mine["missing"])
    page = room.boss.get("/sheets?sheet=simple-21").text
    assert f"3 of {of}" in page
    assert "(2 of 2)" in page, "what most have not yet"
    text = room.boss.get("/sheets.csv").text.removeprefix("\ufeff")
    lines = [*csv.DictReader(io.StringIO(text))]
    assert [(line["sheet"], line["passed"]) for line in lines] == [
        ("simple-21", "3"), ("simple-21", "0"), ("war", "1"),
    ]  # fmt: skip


def test_what_is_shown_anew_takes_the_place_of_what_was(room: Room) -> None:
    (phone, _) = room.phones
    for passed in (PASSED, "7 7 7"):
        phone.post("/sheets", sheet="bingo", passed=passed)
    assert [row["passed"] for row in room.boss.json("/sheets")["sheets"]["bingo"]] == [1]


def test_only_numbers_of_the_sheet_are_taken(app: flask.Flask, room: Room) -> None:
    (phone, _) = room.phones
    for sheet, passed in (
        ("poker", "1"), ("war", "9999"), ("war", "class Card: pass"), ("war", "-1"), ("war", "1.0"),
    ):  # fmt: skip
        assert phone.post("/sheets", sheet=sheet, passed=passed).status_code == 422, passed
    assert phone.post("/sheets", sheet="war", passed="1 " * 600).status_code in (413, 422)
    assert not [key for key in class_rows(app) if "shown" in key]


def test_only_students_show_and_only_the_instructor_looks(room: Room) -> None:
    (phone, _) = room.phones
    assert room.visitor().post("/sheets", sheet="war", passed="1").status_code == 403
    assert phone.get("/sheets").status_code == 403
    assert phone.get("/sheets.csv").status_code == 403


def test_a_student_is_told_what_is_kept_and_it_is_forgotten_with_them(
    app: flask.Flask, room: Room
) -> None:
    (phone, _) = room.phones
    phone.post("/sheets", sheet="war", passed="1 2")
    assert phone.json("/me.json")["shown_sheets"] == {"war": [1, 2]}
    assert [key for key in class_rows(app) if "shown" in key]
    phone.post("/leave", what="forget")
    assert not [key for key in class_rows(app) if "shown" in key]
    assert room.boss.json("/sheets")["sheets"]["war"] == []
