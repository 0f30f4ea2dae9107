""" "Anything new?": the same before Flask and in it, and who is here noted by the way."""

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import flask
import msgspec
import pytest

from tests.support.classroom import Phone, Room, Watch, open_room, site
from web.classroom.presence import HERE, WRITES_EVERY, PresenceNotes
from web.classroom.updates import EARLY, EarlyUpdates
from web.http.rsgi import Answer
from web.http.security import HEADERS
from web.storage.store import StoreUnavailable


def early(app: flask.Flask, path: str, **headers: str) -> Answer | None:
    """Ask before Flask, as the server does."""
    answers: EarlyUpdates = app.extensions[EARLY]
    bare, _, query = path.partition("?")
    names = {name.lower().replace("_", "-"): value for name, value in headers.items()}
    scope: Any = SimpleNamespace(method="GET", path=bare, query_string=query, headers=names)

    async def ask() -> Answer | None:
        found = answers(scope)
        told: Answer | None = await found if found else None
        await asyncio.sleep(0)
        return told

    return asyncio.run(ask())


def body(answer: Any) -> Any:
    return msgspec.json.decode(answer.body if isinstance(answer, Answer) else answer.data)


def test_the_answer_is_the_contracts(room: Room) -> None:
    phone = room.phones[0]
    told = phone.get("/updates")
    assert told.get_json() == {"version": "1.0", "every": 3}
    room.deal()
    room.call(3)
    told = phone.get("/updates")
    assert told.get_json() == {"version": f"{room.desk()['step']}.3", "every": 1}
    assert told.get_json()["version"] == phone.bingo()["version"]
    again = phone.get("/updates", headers={"If-None-Match": told.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    room.call(1)
    new = phone.get("/updates", headers={"If-None-Match": told.headers["ETag"]})
    assert new.status_code == 200
    assert len(new.data) < 100


def test_how_often_a_page_asks(room: Room, watch: Watch) -> None:
    def every() -> int:
        told: int = room.phones[0].get("/updates").get_json()["every"]
        return told

    watch.pass_by(60 * 60)
    assert every() == 3  # everybody waits for the first round
    room.deal()
    assert every() == 1
    room.call_until()
    assert every() == 1
    room.move("end")
    assert every() == 3
    watch.pass_by(9 * 60)
    assert every() == 3
    watch.pass_by(2 * 60)
    assert every() == 10


def test_before_flask_the_answer_is_the_same(room: Room) -> None:
    for number in range(4):
        for query in ("", "?of=dashboard", "?of=screen", "?at=bingo", "?of=dance"):
            told = early(room.app, f"/class/{room.code}/updates{query}")
            assert told
            flasks = room.visitor().get(f"/updates{query}")
            assert (told.status, body(told)) == (200, body(flasks))
            headers = dict(told.headers)
            for name in ("ETag", "Cache-Control", "Content-Type", "Vary", *dict(HEADERS)):
                assert headers[name] == flasks.headers[name], name
            same = early(
                room.app, f"/class/{room.code}/updates{query}", If_None_Match=headers["ETag"]
            )
            assert same
            assert (same.status, same.body) == (304, b"")
        if number == 0:
            room.deal(by_hand="Y")
        else:
            room.call(3)


@pytest.mark.parametrize(
    "path",
    [
        "/class/22222/updates",
        "/class/HELLO/updates",
        "/class//updates",
        "/class/new/updates",
        "/classes",
        "/",
        "/class/K/updates/x",
    ],
)
def test_what_is_not_its_own_is_left_to_flask(room: Room, path: str) -> None:
    assert early(room.app, path) is None


def test_a_strange_host_and_a_prefix_are_minded(tmp_path: Any) -> None:
    app = site(tmp_path, allowed_hosts=("cards.example",), url_prefix="/cards")
    boss = app.test_client()
    told = boss.post(
        "/cards/class/new",
        data={"title": "x"},
        headers={"Accept": "application/json"},
        base_url="http://cards.example",
    ).get_json()
    path = f"/cards/class/{told['class']}/updates"
    assert early(app, path, Host="cards.example:8000")
    assert early(app, path, Host="evil.example") is None
    assert early(app, path.removeprefix("/cards"), Host="cards.example") is None


def test_a_store_that_is_away_is_left_to_flask(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_: str) -> None:
        raise StoreUnavailable("gone")

    store = room.app.extensions["class-store"]
    monkeypatch.setattr(store, "counters", away)
    assert early(room.app, f"/class/{room.code}/updates") is None
    assert room.phones[0].get("/updates").status_code == 503
    monkeypatch.setattr(store, "load", away)
    for path in ("", "/bingo", "/dashboard", "/projector"):
        answer = room.boss.get(path)
        assert answer.status_code == 503
        assert "try again" in answer.text


def test_joins_cause_no_storm_of_pages(room: Room) -> None:
    room.deal()

    def versions() -> dict[str, str]:
        return {
            page: room.visitor().get(f"/updates?of={page}").get_json()["version"]
            for page in ("", "screen", "dashboard")
        }

    before = versions()
    room.newcomer()
    after = versions()
    assert after[""] == before[""]
    assert after["screen"] != before["screen"]
    assert after["dashboard"] != before["dashboard"]


def test_a_claim_is_news_for_all_and_a_wrong_one_for_the_dashboard(school: flask.Flask) -> None:
    room = open_room(school, 3)
    room.deal(by_hand="Y")
    room.call(2)
    asked = ("", "?of=dashboard")

    def versions() -> list[str]:
        return [room.visitor().get(f"/updates{q}").get_json()["version"] for q in asked]

    before = versions()
    room.phones[0].claim()
    wrong = versions()
    assert (wrong[0], wrong[1] != before[1]) == (before[0], True)
    room.call(49)
    before = versions()
    room.phones[1].claim()
    right = versions()
    assert right[0] != before[0]
    room.phones[2].claim()
    assert versions()[0] != right[0]  # a tie is news as well


# ---- Presence ------------------------------------------------------------------------------


class Kept:
    def __init__(self) -> None:
        self.written: list[tuple[str, Mapping[str, str]]] = []

    def note_presence(self, code: str, places: Mapping[str, str]) -> None:
        self.written.append((code, dict(places)))


def test_presence_is_written_once_in_ten_seconds_and_class() -> None:
    kept, now = Kept(), [0.0]
    notes = PresenceNotes(kept, lambda: now[0])  # type: ignore[arg-type]
    for second in range(100):
        now[0] = float(second)
        for browser in range(60):
            for code in ("K7QXB", "R2WZT"):
                write = notes.note(code, f"{browser}", "bingo")
                if write:
                    write()
    for code in ("K7QXB", "R2WZT"):
        mine = [places for of, places in kept.written if of == code]
        assert len(mine) == 10
        assert [len(places) for places in mine] == [1, *[60] * 9]


def test_presence_keeps_no_more_than_it_must() -> None:
    kept, now = Kept(), [0.0]
    notes = PresenceNotes(kept, lambda: now[0])  # type: ignore[arg-type]
    for number in range(5_000):
        notes.note("K7QXB", f"{number}", "")
    assert len(notes._waiting["K7QXB"]) <= 2_000
    now[0] = 3_600.0
    notes.note("R2WZT", "x", "")
    assert "K7QXB" not in notes._waiting
    assert "K7QXB" not in notes._written


def test_the_slowest_page_counts_as_here() -> None:
    assert HERE > 10 * 1.2 + 2 * WRITES_EVERY


def test_before_flask_a_student_is_noted_and_a_stranger_is_not(room: Room) -> None:
    phone: Phone = room.phones[2]
    cookie = phone.client.get_cookie("cardgames")
    assert cookie
    for sent in (
        f"look=four; cardgames={cookie.value}; x=y",
        f"cardgames={cookie.value}x",
        "",
        "=",
    ):
        early(room.app, f"/class/{room.code}/updates?at=bingo", Cookie=sent)
    room.app.extensions[EARLY]._thread.shutdown(wait=True)
    seen = room.app.extensions["class-store"].presence(room.code)
    assert {number: one.place for number, one in seen.items()} == {3: "bingo"}


def test_before_flask_presence_that_fails_changes_no_answer(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise KeyError(room.code)

    cookie = room.phones[2].client.get_cookie("cardgames")
    assert cookie
    path, sent = f"/class/{room.code}/updates?at=bingo", f"cardgames={cookie.value}"
    expected = early(room.app, path, Cookie=sent)
    monkeypatch.setattr(PresenceNotes, "note", fails)
    assert expected
    assert early(room.app, path, Cookie=sent) == expected


def test_before_flask_a_long_query_is_left_to_the_site(room: Room) -> None:
    path = f"/class/{room.code}/updates?at=bingo&of={'x' * 8_000}"
    assert early(room.app, path) is None
    assert room.phones[0].client.get(path).status_code == 414
