"""Each POST is one transaction: it is saved completely or not at all, and serialized.

Each test in this module runs on both SQLite and PostgreSQL.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from sqlalchemy import Connection, event, insert, text
from sqlalchemy.exc import IntegrityError

from tests.support.site import JSON, TABLE, cookie, look, play, rows_kept, send
from web import db
from web.db import engines
from web.db.models import Round
from web.http.sessions import current_session
from web.tables import views

ORPHAN = {
    "session_id": "nobody",
    "game": "war",
    "number": 1,
    "finished": 0,
    "record": "",
    "result": "",
    "deal": "",
    "table_id": b"",
    "table_round": 1,
    "step": 1,
}
"""A round that refers to a missing session, so that only the commit fails."""


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Call all functions concurrently, and return their results."""
    ready = threading.Barrier(len(calls))

    def call(one: Callable[[], Any]) -> Any:
        ready.wait(60)
        return one()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [*pool.map(call, calls)]


def status_of(client: FlaskClient, address: str, form: dict[str, str]) -> int:
    """Send a move, and return the status of the response."""
    return client.post(address, data=form, headers=JSON).status_code


def another_tab(client: FlaskClient) -> FlaskClient:
    """Return another window of a player's browser."""
    other = client.application.test_client()
    other.set_cookie("cardgames", cookie(client))
    return other


@contextmanager
def statements(app: flask.Flask) -> Iterator[list[str]]:
    """Record the statements that an app sends to its database."""
    seen: list[str] = []
    engine = db.database(app).engine

    def note(_: Connection, __: Any, statement: str, *___: Any) -> None:
        seen.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", note)


# ---- All or nothing ----------------------------------------------------------------------------


def test_failed_view_saves_nothing(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    before, rows = play(client, TABLE, "deal"), rows_kept(client.application)

    def broken(*_: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(views, "_document", broken)  # fails after the round was saved
        assert send(client, {"move": "stay", "step": "1"}).status_code == 500
    assert look(client) == before
    assert rows_kept(client.application) == rows


@pytest.mark.parametrize("status", [404, 422, 503])
def test_rejection_rolls_back_earlier_writes(new_app: flask.Flask, status: int) -> None:
    app = new_app
    app.add_url_rule("/half", "half", lambda: half_done(status), methods=["POST"])
    client = app.test_client()
    play(client, TABLE, "deal")
    rows = rows_kept(app)
    assert client.post("/half", headers=JSON).status_code == status
    assert rows_kept(app) == rows
    with client.session_transaction() as session:
        assert "half" not in session


def half_done(status: int) -> None:
    current_session().keep("half", 1)
    row = {**ORPHAN, "session_id": current_session().sid}
    db.session().connection().execute(insert(Round), row)
    flask.abort(status)


def test_failed_commit_leaves_no_transaction_open(app: flask.Flask) -> None:
    """Neither a pooled connection nor a waiting writer sees an uncommitted change."""
    database = db.database(app)
    for _ in range(3):
        with pytest.raises(IntegrityError), database.session(writes=True) as session:
            session.connection().execute(insert(Round), ORPHAN)
    assert rows_kept(app) == 0
    client = app.test_client()
    play(client, TABLE, "deal", "stay")
    assert look(client)["step"] == 2


def test_failed_commit_is_an_error_without_a_move(new_app: flask.Flask) -> None:
    app = new_app

    @app.post("/orphan")
    def orphan() -> str:
        current_session().keep("orphan", 1)
        db.session().connection().execute(insert(Round), ORPHAN)
        return "kept"

    client = app.test_client()
    before = play(client, TABLE, "deal")
    assert client.post("/orphan").status_code == 500
    with client.session_transaction() as session:
        assert "orphan" not in session
    assert look(client) == before


# ---- GET requests ------------------------------------------------------------------------------


def test_looking_writes_nothing_and_sets_no_cookie(client: FlaskClient) -> None:
    play(client, TABLE, "deal", "stay")
    tables = (TABLE, f"{TABLE}/history", f"{TABLE}/rules", "/war")
    with statements(client.application) as seen:
        for path in ("/", *tables, "/history", "/daily"):
            answer = client.get(path)
            assert (answer.status_code, "Set-Cookie" in answer.headers) == (200, False)
        assert send(client, {"move": "hit", "step": "7"}).status_code == 409
    assert seen
    assert {statement.split()[0] for statement in seen} == {"SELECT"}


def test_a_visitor_without_a_cookie_asks_nothing_of_the_database(app: flask.Flask) -> None:
    with statements(app) as seen:
        assert app.test_client().get(TABLE).status_code == 200
    assert seen == []


def test_a_move_is_one_select_and_one_update(client: FlaskClient) -> None:
    play(client, TABLE, "deal")
    with statements(client.application) as seen:
        assert send(client, {"move": "new", "step": "1"}).status_code == 200
    assert [statement.split()[0] for statement in seen] == ["SELECT", "UPDATE"]


# ---- Concurrent requests -----------------------------------------------------------------------


def test_a_double_click_is_one_move(client: FlaskClient) -> None:
    play(client, TABLE, "deal")
    other = another_tab(client)
    for step in range(1, 31):
        form = {"move": "new" if step % 2 else "deal", "step": str(step)}
        moves = [partial(status_of, tab, TABLE, form) for tab in (client, other)]
        assert sorted(at_once(moves)) == [200, 409]
    assert look(client)["step"] == 31


def test_two_tabs_at_two_tables_lose_no_move(client: FlaskClient) -> None:
    play(client, TABLE, "new")
    play(client, "/blackjack", "new")
    other = another_tab(client)
    for step in range(1, 41):
        form = {"move": "new", "step": str(step)}
        moves = [
            partial(status_of, client, TABLE, form),
            partial(status_of, other, "/blackjack", form),
        ]
        assert at_once(moves) == [200, 200]
    assert (look(client)["step"], look(client, "/blackjack")["step"]) == (41, 41)


def test_a_reader_sees_one_moment(app: flask.Flask) -> None:
    """Rows that other requests write during a request appear only in the next request."""
    client = app.test_client()
    play(client, TABLE, "deal")
    count, database = text("SELECT count(*) FROM sessions"), db.database(app)
    with database.session(writes=False) as reader:
        assert reader.scalar(count) == 1
        play(app.test_client(), TABLE, "deal")
        assert reader.scalar(count) == 1
    with database.session(writes=False) as reader:
        assert reader.scalar(count) == 2


def test_waiting_requests_get_the_lock_in_order() -> None:
    lock, order = engines.FairLock(), []
    assert lock.acquire(0)
    threads = []
    for number in range(8):
        threads.append(threading.Thread(target=take, args=(lock, number, order)))
        threads[-1].start()
        while len(lock._waiting) <= number:
            pass
    assert not lock.acquire(0.01), "the last in the row goes away"
    lock.release()
    for thread in threads:
        thread.join(60)
    assert order == [*range(8)]
    assert lock.acquire(0)


def take(lock: engines.FairLock, number: int, order: list[int]) -> None:
    assert lock.acquire(60)
    order.append(number)
    lock.release()
