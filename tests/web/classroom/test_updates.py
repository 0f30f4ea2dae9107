"""Is there anything new? Pages that ask for themselves, and how often; and who is here."""

import re
from collections.abc import Callable, Mapping

import flask
import msgspec
import pytest

from tests.support.classroom import Room, Watch, open_room
from web.classroom.updates import HERE, NOTES, WRITES_EVERY, PresenceNotes, asks_every
from web.storage.store import StoreUnavailable


def test_the_answer_is_the_contracts(room: Room) -> None:
    phone = room.phones[0]
    document = phone.get("/updates")
    assert document.get_json() == {"version": "1.0", "every": 3}
    room.deal()
    room.call(3)
    document = phone.get("/updates")
    assert document.get_json() == {"version": f"{room.desk()['step']}.3", "every": 1}
    assert document.get_json()["version"] == phone.bingo()["version"]
    again = phone.get("/updates", headers={"If-None-Match": document.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    room.call(1)
    new = phone.get("/updates", headers={"If-None-Match": document.headers["ETag"]})
    assert new.status_code == 200
    assert len(new.data) < 100


def test_how_often_a_page_asks(room: Room, watch: Watch) -> None:
    def every() -> int:
        document: int = room.phones[0].get("/updates").get_json()["every"]
        return document

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


PREFER = {"Prefer": "return=representation"}


def known(page: str) -> dict[str, str]:
    """Return what a script asks with that shows a page."""
    version = re.search(r'data-version="([^"]+)"', page)
    assert version
    return {**PREFER, "If-None-Match": f'"{version[1]}"'}


@pytest.mark.parametrize("path", ["", "/bingo", "/projector", "/dashboard", "/insight"])
def test_a_page_asks_for_itself_and_has_the_news_in_the_answer(room: Room, path: str) -> None:
    room.deal(by_hand="Y")
    asks = room.boss if path in ("/dashboard", "/insight") else room.phones[0]
    shown = asks.get(path)
    assert shown.status_code == 200
    same = asks.get(path, headers=known(shown.text))
    assert (same.status_code, same.data, same.headers["Retry-After"]) == (304, b"", "1")
    room.call(1)
    news = asks.get(path, headers=known(shown.text))
    assert news.status_code == 200
    assert news.headers["Preference-Applied"] == "return=representation"
    assert "<main" in news.text
    assert '<link rel="stylesheet"' not in news.text
    assert asks.get(path, headers=known(news.text)).status_code == 304


def test_a_class_that_is_forgotten_is_no_old_news(room: Room) -> None:
    shown = room.phones[0].get("")
    room.app.extensions["class-store"].delete(room.code)
    assert room.phones[0].get("", headers=known(shown.text)).status_code == 404


def test_a_large_class_asks_less_often(room: Room) -> None:
    """350 times a second together: by that 351 ask every other second, 1,000 each third."""
    room.deal()
    counters = room.app.extensions["class-store"].counters(room.code)
    assert counters
    many = [msgspec.structs.replace(counters, members=number) for number in (350, 351, 1_000)]
    assert [asks_every(one) for one in many] == [1, 2, 3]


def test_a_store_that_is_away_is_left_to_flask(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_: str) -> None:
        raise StoreUnavailable("gone")

    store = room.app.extensions["class-store"]
    monkeypatch.setattr(store, "counters", away)
    assert room.phones[0].get("/updates").status_code == 503
    monkeypatch.setattr(store, "load", away)
    for path in ("", "/bingo", "/dashboard", "/projector"):
        answer = room.boss.get(path)
        assert answer.status_code == 503
        assert "try again" in answer.text


def test_what_is_news_to_which_page(school: flask.Flask) -> None:
    """A join brings no storm of pages, a right claim is for all, a wrong one for the dashboard."""
    room = open_room(school, 3)
    pages = ("", "screen", "dashboard")

    def news(do: Callable[[], object]) -> set[str]:
        """Return the pages that have news after something."""

        def versions() -> list[str]:
            asked = (room.visitor().get(f"/updates?of={page}") for page in pages)
            return [answer.get_json()["version"] for answer in asked]

        before = versions()
        do()
        after = zip(pages, before, versions(), strict=True)
        return {page for page, was, now in after if was != now}

    room.deal(by_hand="Y")
    assert news(room.newcomer) == {"screen", "dashboard"}
    room.call(2)
    assert news(room.phones[0].claim) == {"dashboard"}
    room.call(49)
    assert news(room.phones[1].claim) == {*pages}
    assert news(room.phones[2].claim) == {*pages}  # a tie is news as well


# ---- Presence ------------------------------------------------------------------------------


class Kept:
    def __init__(self) -> None:
        self.written: list[tuple[str, Mapping[str, str]]] = []

    def note_presence(self, code: str, places: Mapping[str, str]) -> None:
        self.written.append((code, dict(places)))


def test_presence_is_written_once_in_ten_seconds_and_class() -> None:
    assert HERE > 10 * 1.2 + 2 * WRITES_EVERY  # so the slowest page counts as here
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


def test_who_asks_for_a_page_that_is_not_new_is_here(room: Room) -> None:
    room.deal()
    phone = room.phones[2]
    headers = known(phone.get("/bingo").text)
    room.app.extensions[NOTES]._waiting.clear()
    assert phone.get("/bingo", headers=headers).status_code == 304
    assert room.visitor().get("/bingo", headers=headers).status_code == 304
    waiting = room.app.extensions[NOTES]._waiting[room.code]
    assert [place for _, place in waiting.values()] == ["bingo"]
