"""A failure to write presence or the log never turns a response into an error."""

import logging
import time

import flask
import pytest

from cardgames.moves import CONCEDE
from cardgames.records.record import Record
from tests.support.classroom import Phone, Room, open_room
from tests.support.play import deck_file
from tests.support.site import finish, look, play
from web import db
from web.classroom.core.presence import NOTES, PresenceTracker
from web.tables.hooks import hooks, install
from web.tables.seat import Seat


@pytest.fixture
def room(school: flask.Flask) -> Room:
    return open_room(school, 2)


def answers(room: Room) -> list[tuple[str, int]]:
    """Send a request that also writes data, and return the response."""
    phone = room.phones[0]
    asked = {
        "class": phone.get(),
        "card": phone.get("/bingo"),
        "dashboard": room.boss.get("/dashboard"),
        "lobby": phone.client.get("/"),
    }
    return [(name, answer.status_code) for name, answer in asked.items()]


def play_a_round(phone: Phone) -> None:
    """Play a round of Blackjack with JSON.

    The response to each move must be the table after that move.
    """
    before = look(phone.client, "/blackjack")["view"]["round"]
    view = finish(phone.client, "/blackjack")["view"]
    assert (view["round"], view["phase"]) == (before + 1, "round over")


def broken(*_args: object, **_more: object) -> None:
    raise db.Unavailable("K7QXB")


@pytest.mark.parametrize(
    "part",
    ["web.classroom.core.presence.save_presence", "web.http.request_log._route"],
)
def test_failed_side_write_is_logged_and_response_kept(
    room: Room, part: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = answers(room)
    room.app.extensions[NOTES] = PresenceTracker(time.monotonic)
    monkeypatch.setattr(part, broken)
    with caplog.at_level(logging.ERROR):
        assert answers(room) == expected
        play_a_round(room.phones[0])
    assert caplog.records, "it was noticed"


def test_round_is_shown_with_its_last_move(app: flask.Flask) -> None:
    heard: list[tuple[Seat, tuple[Record, ...]]] = []

    def hear(seat: Seat, records: tuple[Record, ...]) -> None:
        heard.append((seat, records))

    with app.app_context():
        install(app, hooks()._replace(after_round=(hear,)))
    client = app.test_client()
    play(client, "/blackjack", "deal", deck=deck_file("KS 7H KD 8C"))
    assert not heard
    play(client, "/blackjack", "stay")
    ((seat, records),) = heard
    assert seat.table.game.info.slug == "blackjack"
    assert [[action.name for action in record.actions] for record in records] == [["deal", "stay"]]
    play(client, "/blackjack", "deal", deck=deck_file("KS 7H KD 8C"))
    play(client, "/blackjack", "deal")  # The round is abandoned, and another round is dealt.
    assert heard[1][1][0].actions[-1].name == CONCEDE.name
