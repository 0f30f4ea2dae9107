"""A limit on attempts for rejoin codes, the only secrets that are short enough to be guessed.

A guesser without cookies is also limited, even by two workers together.
"""

import time
from pathlib import Path

import flask
import pytest
from werkzeug.test import TestResponse

from tests.support.classroom import Phone, Room, open_room, site
from web.classroom.core.codes import ALPHABET

NOT_THESE = "do not belong together"
BLOCKED = "Too many wrong rejoin codes were sent for"


@pytest.fixture
def workers(tmp_path: Path) -> list[flask.Flask]:
    """Two sites that share a database, as two workers do."""
    return [site(tmp_path), site(tmp_path)]


@pytest.fixture
def class_of_two(workers: list[flask.Flask]) -> Room:
    return open_room(workers[0], 2)


def wrong_codes(phone: Phone) -> list[str]:
    """Return more than twenty wrong codes."""
    return [code for sign in ALPHABET if (code := f"222{sign}") != phone.rejoin]


def come_back(app: flask.Flask, phone: Phone, code: str) -> TestResponse:
    """Try a rejoin code in a browser without a cookie."""
    return Phone(app.test_client(), phone.code).post("/rejoin", name=phone.name, code=code)


def after(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Advance this machine's clock for all code that reads it."""
    later = time.time() + seconds
    monkeypatch.setattr("time.time", lambda: later)


def test_workers_count_ten_wrong_codes_together(
    workers: list[flask.Flask], class_of_two: Room
) -> None:
    phone, other = class_of_two.phones
    tries = [
        come_back(workers[number % 2], phone, code)
        for number, code in enumerate(wrong_codes(phone)[:14])
    ]
    said = [one.get_json()["error"] for one in tries]
    assert {one.status_code for one in tries} == {422}
    assert [NOT_THESE in one for one in said] == [True] * 10 + [False] * 4
    assert all(f"{BLOCKED} {phone.name}." in one for one in said[10:])
    # The correct code is rejected, too.
    assert come_back(workers[1], phone, phone.rejoin).status_code == 422
    # Each student has a separate limit.
    assert come_back(workers[0], other, other.rejoin).status_code == 200


def test_the_instructors_word_ends_it_and_time_does_not(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = room.phones[0]
    for code in wrong_codes(phone)[:10]:
        assert "Set-Cookie" not in come_back(room.app, phone, code).headers
    after(3_600, monkeypatch)
    assert BLOCKED in come_back(room.app, phone, phone.rejoin).get_json()["error"]
    assert "Your rejoin code is blocked" in phone.get().text
    assert "The rejoin code is blocked" in room.boss.get("/dashboard?student=1").text
    room.move("rejoin-code", student=1)
    new = phone.json()["student"]["rejoin"]
    assert NOT_THESE in come_back(room.app, phone, phone.rejoin).get_json()["error"]
    assert come_back(room.app, phone, new).status_code == 200


def test_occasional_typo_does_not_block(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    phone = room.phones[0]
    codes = iter(wrong_codes(phone))
    for _ in range(2):
        for _ in range(9):
            assert NOT_THESE in come_back(room.app, phone, next(codes)).get_json()["error"]
        after(601, monkeypatch)
    assert come_back(room.app, phone, phone.rejoin).status_code == 200
