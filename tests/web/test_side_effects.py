"""What is kept beside an answer never turns it into an error: presence, insight, counters, log."""

import logging
from collections.abc import Mapping
from pathlib import Path

import flask
import pytest

from tests.support.classroom import Phone, Room, open_room, site
from tests.support.site import finish, look
from web.classroom.updates import PresenceNotes
from web.storage.sessions import sessions_of
from web.storage.sqlite import SQLiteStore
from web.tables.listeners import on_rounds_over


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return open_room(site(tmp_path, metrics=True), 2)


def answers(room: Room) -> list[tuple[str, int]]:
    """Ask for whatever notes something beside its answer, and return what came back."""
    phone = room.phones[0]
    asked = {
        "class": phone.get(),
        "card": phone.get("/bingo"),
        "updates": phone.get("/updates?at=bingo"),
        "dashboard": room.boss.get("/dashboard"),
        "lobby": phone.client.get("/"),
        "strategies": phone.get("/strategies"),
    }
    return [(name, answer.status_code) for name, answer in asked.items()]


def play_a_round(phone: Phone) -> None:
    """Play a round of Blackjack as a program does; each move must be answered with its table."""
    before = look(phone.client, "/blackjack")["view"]["round"]
    view = finish(phone.client, "/blackjack")["view"]
    assert (view["round"], view["phase"]) == (before + 1, "round over")


@pytest.mark.parametrize("seconds", [599, 601, 3_600, 86_400])
def test_a_class_goes_on_after_quiet_minutes(room: Room, seconds: float) -> None:
    now = [1_000.0]
    store = room.app.extensions["class-store"]
    room.app.extensions["class-presence"] = PresenceNotes(store, lambda: now[0])
    expected = answers(room)
    assert {status for _, status in expected} <= {200, 303}
    for ask in (answers, lambda room: play_a_round(room.phones[0])):
        now[0] += seconds
        found = ask(room)
        assert found is None or found == expected


def broken(*_args: object, **_more: object) -> None:
    raise KeyError("K7QXB")


@pytest.mark.parametrize(
    "part",
    [
        "web.classroom.updates.PresenceNotes.note",
        "web.classroom.class_store.ClassStore.note_presence",
        "web.classroom.insight_store.InsightStore.note_rounds",
        "web.classroom.jobs._student_in",
        "web.storage.signing_keys.SigningKeys.note",
        "web.http.request_log._route",
        "web.http.metrics.outcome",
    ],
)
def test_what_fails_beside_an_answer_is_logged_and_the_answer_stays(
    room: Room, part: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sessions_of(room.app).renewed.clear()
    expected = answers(room)
    sessions_of(room.app).renewed.clear()
    room.app.extensions["class-presence"] = PresenceNotes(room.app.extensions["class-store"])
    monkeypatch.setattr(part, broken)
    with caplog.at_level(logging.ERROR):
        assert answers(room) == expected
        play_a_round(room.phones[0])
    assert any(record.exc_info for record in caplog.records), "it was noticed"


def test_a_session_that_cannot_be_renewed_changes_no_answer(
    room: Room, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = answers(room)
    write = SQLiteStore.write

    def writes_rows(store: SQLiteStore, place: str, put: Mapping[str, bytes | None], *rest, **more):
        return write(store, place, put, *rest, **more) if put else broken()

    sessions_of(room.app).renewed.clear()
    monkeypatch.setattr(SQLiteStore, "write", writes_rows)
    with caplog.at_level(logging.ERROR):
        assert answers(room) == expected
    assert any(record.exc_info for record in caplog.records), "it was noticed"


def test_a_listener_of_a_table_that_fails_takes_no_move_back(app: flask.Flask) -> None:
    heard: list[object] = []
    on_rounds_over(app, broken)
    on_rounds_over(app, heard.append)
    client = app.test_client()
    play_a_round(Phone(client, ""))
    assert len(heard) == 1, "the next listener is called all the same"


def test_counters_that_fail_change_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("web.http.metrics._Counters.count", broken)
    assert site(tmp_path, metrics=True).test_client().get("/simple-21").status_code == 200
