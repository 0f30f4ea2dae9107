"""Behaviour that planted faults once broke without a failing test."""

from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from tests.support.classroom import Phone, Room, call_until_somebody_has_it, class_rows, open_room
from tests.support.site import BY_HAND, TABLE, finish, look, new_site, play, session_of
from web import db
from web.classroom.core import codes
from web.classroom.homework.models import Tournament
from web.http.sessions import DAY, current_session

TITLE = '<b>C&S</b> "1"'


@pytest.mark.parametrize("path", ["", "/bingo", "/projector", "/dashboard", "/votes", "/insight"])
def test_class_title_is_escaped(school: flask.Flask, path: str) -> None:
    room = open_room(school, 1, title=TITLE)
    for reader in (room.boss, room.phones[0], room.visitor()):
        page = reader.get(path)
        assert "<b>C" not in page.text
        if page.status_code == 200:
            assert "&lt;b&gt;C&amp;S" in page.text


def test_banned_student_does_not_count_in_ranks_of_the_day(school: flask.Flask) -> None:
    room = open_room(school, 4)
    for phone in (room.phones[0], room.phones[3]):
        for deal in look(phone.client, "/daily")["deals"]:
            finish(phone.client, deal["address"])
    assert look(room.phones[0].client, "/daily")["classes"][0]["played"] == 2
    room.move("ban", student=room.phones[3].number)
    assert look(room.phones[0].client, "/daily")["classes"][0]["played"] == 1


def test_answer_with_status_500_saves_nothing(tmp_path: Path) -> None:
    app = new_site(tmp_path)

    def change_and_fail() -> tuple[str, int]:
        current_session().keep("half", 1)
        return "", 500

    app.add_url_rule("/half", "half", change_and_fail, methods=["POST"])
    client = app.test_client()
    play(client, TABLE, "deal")
    assert client.post("/half").status_code == 500
    with session_of(client) as session:
        assert "half" not in session
    db.database(app).engine.dispose()


def test_instructor_link_works_for_one_of_two_requests(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both requests have loaded the link before either request deletes it."""
    token = room.hand_on().rpartition("/")[2]
    with room.app.test_request_context(method="POST"):
        link = codes.find_link(token)
        assert link
        monkeypatch.setattr(codes, "find_link", lambda _: link)
        assert codes.consume_link(token) is link
        assert codes.consume_link(token) is None


def test_right_claim_is_saved_once_though_the_round_goes_on(school: flask.Flask) -> None:
    room = open_room(school, 2)
    room.deal(by_hand="Y", speed="Y")
    _, (winner, *_) = call_until_somebody_has_it(room)
    assert claims_right(winner)
    saved = saved_claims(room)
    room.move("go-on")
    room.call()
    assert claims_right(winner)
    assert saved_claims(room) == saved


def claims_right(phone: Phone) -> bool:
    right: bool = phone.claim().get_json()["right"]
    return right


def saved_claims(room: Room) -> list[str]:
    return [key for key in class_rows(room.app) if key.startswith("class_claims")]


def test_homework_is_over_at_its_due_time() -> None:
    homework = Tournament(due=1_000.0, ended=False)
    assert [homework.is_over(now) for now in (999.9, 1_000.0, 1_000.1)] == [False, True, True]


def test_scores_of_a_day_are_deleted_after_a_week(app: flask.Flask, watch: Any) -> None:
    first, second = app.test_client(), app.test_client()

    def play_today(client: Any) -> None:
        for deal in look(client, "/daily")["deals"]:
            finish(client, deal["address"])

    def days_with_scores() -> int:
        with app.app_context():
            rows = db.session().execute(text("SELECT count(DISTINCT day) FROM daily_scores"))
            return int(rows.scalar_one())

    play_today(first)
    watch.pass_by(6 * DAY)
    play_today(second)
    assert days_with_scores() == 2
    watch.pass_by(2 * DAY)
    play_today(app.test_client())
    assert days_with_scores() == 2


def test_hidden_cards_of_a_lost_table_stay_hidden_in_the_history(client: FlaskClient) -> None:
    """A new table that replaced the first table has shown a round with the same number."""
    play(client, TABLE, "deal", deck=BY_HAND)
    play(client, TABLE, "hit", "hit", "hit")  # After a bust, the dealer's 9H stays face down.
    assert "TD" in record_in_the_history(client)
    with session_of(client) as session:
        session["table:simple-21"] = b"\xc0"
    play(client, TABLE, "deal", "stay")
    play(client, TABLE, "new")
    record = record_in_the_history(client)
    assert "TD" in record
    assert "9H" not in record


def record_in_the_history(client: FlaskClient) -> str:
    """Return the first round's record, taken from the redirect of the round's number."""
    location: str = client.get(f"{TABLE}/history/1").headers["Location"]
    return location.partition("deck=")[2]
