"""Tables for a spreadsheet follow the page's language, and say what they count."""

import csv
from io import StringIO

import pytest

from tests.support.classroom import Room
from tests.support.tournaments import judge, make, play_all, stands_on

GERMAN = {"Accept-Language": "de"}
FILES = (
    *("/dashboard/students.csv", "/dashboard/rounds.csv", "/dashboard/tournaments.csv"),
    *("/insight/students.csv", "/insight/decisions.csv"),
)


def table(text: str, delimiter: str) -> list[list[str]]:
    return [*csv.reader(StringIO(text.removeprefix("\ufeff")), delimiter=delimiter)]


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
    room.deal()
    room.call_until()
    room.move("end")
    english = table(room.boss.get(path).text, ",")
    german = table(room.boss.get(path, headers=GERMAN).text, ";")
    assert len(english[0]) > 4
    assert [len(line) for line in german] == [len(line) for line in english]


def test_what_counts_bingo_alone_says_so(room: Room) -> None:
    head = table(room.boss.get("/dashboard/students.csv").text, ",")[0]
    assert head[-2:] == ["bingo rounds", "bingo won"]
    page = room.boss.get("/dashboard").text
    assert "Bingo rounds" in page
    assert "Bingo won" in page
