"""Polling for changes: which pages poll, how often, and which students are present."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import flask
import pytest

from tests.support.classroom import Room, Watch, call_until_somebody_has_it, open_room
from web.classroom.core import presence
from web.classroom.core.presence import NOTES
from web.http.news import CHANGED


def test_how_often_a_page_asks(room: Room, watch: Watch) -> None:
    def every() -> int:
        phone = room.phones[0]
        answer = phone.get(headers=known(phone.get().text))
        return int(answer.headers["Retry-After"])

    watch.pass_by(60 * 60)
    assert every() == 3  # All students wait for the first round.
    room.deal()
    assert every() == 1
    room.move("void")
    watch.pass_by(9 * 60)
    assert every() == 3
    watch.pass_by(2 * 60)
    assert every() == 10


PREFER = {"Prefer": "return=representation"}


def known(page: str) -> dict[str, str]:
    """Return the request headers of the script on a page."""
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
    assert asks.get(path, headers=known(news.text)).status_code == 304


def test_round_dealt_while_a_page_is_made_is_news(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page of the old round must not have the new round's ETag."""
    write = presence.try_write

    def deal() -> None:
        room.move("void")
        room.deal(mode="C")

    def deal_before_writing(*args: Any) -> bool:
        monkeypatch.undo()
        with ThreadPoolExecutor() as other_requests:
            other_requests.submit(deal).result()
        return write(*args)

    room.deal()
    room.app.extensions[NOTES]._written.clear()
    monkeypatch.setattr(presence, "try_write", deal_before_writing)
    shown = room.phones[0].get("/bingo")
    assert "Round 1 · Line" in shown.text
    news = room.phones[0].get("/bingo", headers=known(shown.text))
    assert news.status_code == 200
    assert "Round 2 · Four corners" in news.text


def test_changes_concern_the_right_pages(school: flask.Flask) -> None:
    """A join does not reload the students' pages.

    A correct claim reloads every page, but a wrong claim reloads only the dashboard.
    """
    room = open_room(school, 3)
    pages = {"": room.phones[0], "/projector": room.visitor(), "/dashboard": room.boss}

    def news(do: Callable[[], object]) -> set[str]:
        """Return the pages that have changed after an event."""
        headers = {path: known(who.get(path).text) for path, who in pages.items()}
        do()
        return {
            path
            for path, who in pages.items()
            if who.get(path, headers=headers[path]).status_code == 200
        }

    room.deal(by_hand="Y", speed="Y")
    assert news(room.newcomer) == {"/projector", "/dashboard"}
    room.call(2)
    assert news(room.phones[0].claim) == {"/dashboard"}
    _, (winner, *_) = call_until_somebody_has_it(room)
    assert news(winner.claim) == {*pages}


def test_held_request_for_a_changed_page_gets_the_page(room: Room) -> None:
    """The event loop has already compared the ETag, so the app does not compare it again."""
    phone = room.phones[0]
    headers = known(phone.get("").text)
    assert phone.get("", headers=headers).status_code == 304
    assert phone.get("", headers=headers, environ_overrides={CHANGED: True}).status_code == 200


def test_not_modified_request_counts_as_presence(room: Room) -> None:
    room.deal()
    phone = room.phones[2]
    headers = known(phone.get("/bingo").text)
    room.app.extensions[NOTES]._waiting.clear()
    assert phone.get("/bingo", headers=headers).status_code == 304
    assert room.visitor().get("/bingo", headers=headers).status_code == 304
    waiting = room.app.extensions[NOTES]._waiting[room.code]
    assert [place for _, place in waiting.values()] == ["bingo"]
