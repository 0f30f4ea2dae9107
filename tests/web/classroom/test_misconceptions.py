"""*Insight* lists planted misconceptions by name, in the correct order, with their exact cost."""

from collections import Counter, defaultdict
from itertools import islice
from typing import Final

import flask
import pytest

from tests.support.classroom import Room, open_room
from tests.support.insight import HABITS, Student, played, put_by, salts_for

DEALS: Final = 25


def taught(school: flask.Flask, planted: dict[str, int], others: int) -> tuple[Room, list[Student]]:
    """Return a class with several students per habit; all others make the best play."""
    names = [name for name, count in planted.items() for _ in range(count)] + [""] * others
    room = open_room(school, len(names), nicknames="free", real="no")
    students = [Student(name) for name in names]
    salts = [f"{number:032x}" for number in range(DEALS)]
    # One of the students hits 12 against a two.
    salts += islice(salts_for("blackjack", "2T", "2"), 2)
    for phone, student in zip(room.phones, students, strict=True):
        put_by(room, phone.number, *(played("blackjack", salt, student) for salt in salts))
    return room, students


def test_planted_misconceptions_are_found_with_their_prices(school: flask.Flask) -> None:
    planted = dict.fromkeys(HABITS, 3) | {"hits-hard-17": 4}
    room, students = taught(school, planted, 2)
    lost: dict[str, float] = defaultdict(float)
    times: Counter[str] = Counter()
    for student in students:
        if student.habit == "everything":
            assert len(student.against) == 2, "these deals do not tell both habits apart"
        lost[student.habit] += student.lost
        times[student.habit] += student.times
    found = room.boss.json("/insight")["tables"]["blackjack"]
    rows = {one["name"]: one for one in found["misconceptions"]}
    assert [*rows] == sorted(HABITS, key=lambda name: -lost[name])
    for name, row in rows.items():
        assert row["points"] == pytest.approx(100 * lost[name], abs=1e-9), name
        assert (row["students"], row["of"], row["times"]) == (planted[name], 18, times[name])
    assert found["unlisted"]["points"] == pytest.approx(0, abs=1e-9)
    assert found["unlisted"]["of"] == pytest.approx(100 * sum(lost.values()), abs=1e-9)
    page = room.boss.get("/insight").text
    for words in ("Hits hard 17 or more", "Stops on everything that could bust"):
        assert words in page
    press = room.boss.get("/insight").text.count('name="move" value="ask"')
    assert press == sum(bool(row["decisions"]) for row in rows.values()) > 0


def test_no_misconception_is_found_without_a_planted_one(school: flask.Flask) -> None:
    room, _ = taught(school, {}, 4)
    found = room.boss.json("/insight")["tables"]["blackjack"]
    assert (found["misconceptions"], found["unlisted"]["of"]) == ([], 0)
    assert "What the class gets wrong" not in room.boss.get("/insight").text


def test_belief_of_two_is_counted_but_not_listed(school: flask.Flask) -> None:
    room, students = taught(school, {"hits-hard-17": 2}, 2)
    found = room.boss.json("/insight")["tables"]["blackjack"]
    assert found["misconceptions"] == []
    lost = 100 * sum(student.lost for student in students)
    assert found["unlisted"]["points"] == pytest.approx(lost, abs=1e-9)
    assert lost > 0
    assert "Hits hard 17" not in room.boss.get("/insight").text
