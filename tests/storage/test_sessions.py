"""Sessions: a signed id, compare-and-set, and nothing lost or invented when a row is not right."""

import re
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import flask
import msgspec
import pytest
from flask.testing import FlaskClient
from web.storage.rounds import rounds_of, session_place
from web.storage.session_rows import ESTABLISHED
from web.storage.sessions import current_session, retry_on_conflict

from tests.support.site import (
    DECK,
    GERMAN,
    JSON,
    TABLE,
    cookie,
    look,
    play,
    send,
    session_of,
    sid,
    store_of,
    visitor,
)
from tests.support.stores import keep, new, numbers, overwrite, war
from web.storage import sqlite
from web.storage import store as definition
from web.storage.store import LIFETIME, StoreUnavailable
from web.tables import views


def rewrite(client: FlaskClient, data: bytes) -> None:
    """Write other bytes over a player's session."""
    overwrite(store_of(client.application), sid(client), data)


# ---- The cookie ----------------------------------------------------------------------------


def test_the_cookie_holds_a_signed_id_and_nothing_else(client: FlaskClient) -> None:
    header = send(client, {"move": "deal"}).headers["Set-Cookie"]
    for part in ("HttpOnly", "SameSite=Lax", "Path=/"):
        assert part in header
    assert "Secure" not in header
    first = cookie(client)
    assert re.fullmatch(r"[0-9a-f]{32}\.[0-9a-f]{64}", first)  # no card's code, even by chance
    assert len(first) <= 128
    play(client, TABLE, "stay")
    assert cookie(client) == first


def test_looking_never_writes_nor_sets_the_cookie_again(client: FlaskClient) -> None:
    play(client, TABLE, "deal")
    store, place = store_of(client.application), session_place(sid(client))
    before = store.scan(place).rows
    for path in ("/", TABLE, f"{TABLE}/rules", "/war", "/healthz"):
        assert "Set-Cookie" not in client.get(path).headers
    assert send(client, {"move": "hit", "step": "7"}).status_code == 409
    assert store.scan(place).rows == before


def forged(value: str) -> list[str]:
    sid, _, signature = value.partition(".")
    flipped = "0" if signature[-1] != "0" else "1"
    return [
        "",
        ".",
        "x",
        sid,
        f"{sid}.",
        f"{sid}.{signature[:-1]}",
        f"{sid}.{signature[:-1]}{flipped}",
        f"{sid}.{signature.upper()}",
        f"{sid[:-1]}{'0' if sid[-1] != '0' else '1'}.{signature}",
        f"{'0' * 32}.{signature}",
        f"{sid}.{signature}.{signature}",
        value + "\u00e9",
        value * 40,
    ]


def test_a_forged_cookie_is_a_stranger(app: flask.Flask, client: FlaskClient) -> None:
    play(client, TABLE, "deal")
    for value in forged(cookie(client)):
        stranger = app.test_client()
        headers = {**JSON, "Cookie": f"cardgames={value}"}
        response = stranger.get(TABLE, headers=headers)
        assert (response.status_code, response.get_json()["step"]) == (200, 0), value
        form = {"move": "deal", "step": "0"}
        assert stranger.post(TABLE, data=form, headers=headers).status_code == 200, value
        assert cookie(stranger) != cookie(client)
    assert look(client)["step"] == 1


def test_an_id_that_the_store_does_not_know_is_not_taken_over(client: FlaskClient) -> None:
    play(client, TABLE, "deal")
    known = cookie(client)
    store_of(client.application).forget(session_place(sid(client)))
    assert look(client)["step"] == 0
    play(client, TABLE, "deal")
    assert cookie(client) != known


def test_older_keys_are_still_believed(tmp_path: Path) -> None:
    old = visitor(tmp_path, secret_key="old")
    play(old, TABLE, "deal")
    for key, fallbacks, step in (("new", ("old",), 1), ("other", (), 0)):
        client = visitor(tmp_path, secret_key=key, secret_key_fallbacks=fallbacks)
        client.set_cookie("cardgames", cookie(old))
        assert look(client)["step"] == step


def test_a_cookie_that_is_too_long_is_none_of_ours(app: flask.Flask) -> None:
    sessions: Any = app.session_interface
    for signed, found in (("a" * 32, "a" * 32), ("a" * 200, None)):
        cookie, _, _ = sessions._new_cookie(signed, "", secure=False).partition(";")
        assert sessions.sid_of(cookie.partition("=")[2]) == found


# ---- Compare and set -----------------------------------------------------------------------

Overtake = Callable[[Callable[[], Any]], None]


@pytest.fixture
def overtake(app: flask.Flask, monkeypatch: pytest.MonkeyPatch) -> Overtake:
    """Have something happen between the next read of a session and its write."""

    def overtake(happens: Callable[[], Any]) -> None:
        write, waiting = store_of(app).write, [happens]

        def late(*args: Any, **more: Any) -> bool:
            if waiting:
                waiting.pop()()
            return write(*args, **more)

        monkeypatch.setattr(store_of(app), "write", late)

    return overtake


@pytest.fixture
def other_tab(client: FlaskClient) -> FlaskClient:
    """A second browser window of the player, who has dealt at two tables."""
    play(client, TABLE, "deal")
    play(client, "/blackjack", "deal")
    other = client.application.test_client()
    other.set_cookie("cardgames", cookie(client))
    return other


def test_a_move_at_another_table_meanwhile_is_kept(
    client: FlaskClient, other_tab: FlaskClient, overtake: Overtake
) -> None:
    """Between our read and our write another tab plays Blackjack: both moves stand."""
    overtake(lambda: play(other_tab, "/blackjack", "stay"))
    assert send(client, {"move": "stay", "step": "1"}).status_code == 200
    assert (look(client)["step"], look(client, "/blackjack")["step"]) == (2, 2)


def test_the_same_move_twice_at_once_counts_once(
    client: FlaskClient, other_tab: FlaskClient, overtake: Overtake
) -> None:
    overtake(lambda: play(other_tab, TABLE, "hit"))
    assert send(client, {"move": "hit", "step": "1"}).status_code == 409
    assert len(look(client)["view"]["player"]["cards"]) == 3


def test_an_uploaded_deck_is_read_again_when_the_move_is_run_again(
    client: FlaskClient, other_tab: FlaskClient, overtake: Overtake
) -> None:
    overtake(lambda: play(other_tab, TABLE, "stay"))
    upload = (BytesIO(DECK.encode()), "shuffledDeck.txt")
    form = {"move": "deal", "step": "0", "deck": upload}
    answer = client.post("/one-deck", data=form, headers=JSON).get_json()
    assert answer["view"]["player"]["cards"] == ["KS", "QS"]
    assert answer["view"]["stacked"]


def test_a_view_that_fails_has_saved_nothing(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = play(client, TABLE, "deal")

    def broken(*_args: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(views, "_document", broken)
        assert send(client, {"move": "hit", "step": "1"}).status_code == 500
    assert look(client) == before


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Note every pause instead of making it."""
    naps: list[float] = []
    monkeypatch.setattr(definition.time, "sleep", naps.append)
    return naps


def always(times: int, monkeypatch: pytest.MonkeyPatch, app: flask.Flask) -> None:
    """Let saves find a number of times that somebody else was faster."""
    write, left = store_of(app).write, iter(range(times))

    def overtaken(*args: Any, **more: Any) -> bool:
        return next(left, None) is None and write(*args, **more)

    monkeypatch.setattr(store_of(app), "write", overtaken)


def test_who_is_overtaken_often_is_played_all_the_same(
    app: flask.Flask, client: FlaskClient, naps: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    play(client, TABLE, "deal")
    always(20, monkeypatch, app)  # as often as nearly everybody is, of fifty at once
    assert send(client, {"move": "stay", "step": "1"}).status_code == 200
    assert len(naps) == 20


def test_who_is_always_overtaken_is_told_after_short_pauses_of_their_own(
    app: flask.Flask, client: FlaskClient, naps: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that pauses does nothing else, so all of them together are a moment."""
    play(client, TABLE, "deal")
    always(10**6, monkeypatch, app)
    answer = client.post(TABLE, data={"move": "hit", "step": "1"})
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "came first" in answer.text
    assert "cannot save" not in answer.text
    first, naps[:] = [*naps], []
    answer = client.post(TABLE, data={"move": "hit", "step": "1"}, headers=GERMAN)
    assert "immer wieder zuvor" in answer.text
    assert first != naps
    assert len(first) == 50
    assert max(first + naps) < 0.01
    assert sum(first) < 0.2


# ---- Rows that are not right ---------------------------------------------------------------

LOST = "could not be read"


NOT_ONE: Final = {
    b"": "DecodeError",
    b"\xc1garbage": "DecodeError",
    b"\x93\x01\x02\x03": "ValidationError",
    b"\x78\x9cno": "error",
}
"""What is no session, and as what the log tells it."""


@pytest.mark.parametrize(("data", "fault"), NOT_ONE.items())
def test_an_undecodable_session_is_begun_anew_with_a_note(
    client: FlaskClient, data: bytes, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    play(client, TABLE, "deal")
    known = cookie(client)
    rewrite(client, data)
    response = client.get(TABLE)
    assert response.status_code == 200
    assert LOST in response.text
    assert f"a session could not be read and is begun anew: {fault}" in caplog.messages
    play(client, TABLE, "deal")
    assert cookie(client) == known
    assert LOST not in client.get(TABLE).text


CHANGES: dict[str, Callable[[list[Any], dict[str, Any]], object]] = {
    "a field is missing": lambda _row, state: state.pop("events"),
    "a phase is none": lambda _row, state: state.update(hole_down="bidding"),
    "a card is none": lambda _row, state: state.update(deck=["1X", *state["deck"][1:]]),
    "a move is none": lambda row, _state: row.__setitem__(10, "deal*deal"),
    "a count is none": lambda row, _state: row.__setitem__(2, [[1]]),
}
"""What may be wrong with the row of a table, which is an array: the round's state is its fourth."""


@pytest.mark.parametrize("what", CHANGES)
def test_a_table_that_cannot_be_read_is_begun_anew_at_its_step(
    client: FlaskClient, what: str
) -> None:
    """What is not right fails to load and is not invented; the other tables stay."""
    play(client, TABLE, "deal", "stay", "deal")
    play(client, "/blackjack", "deal")
    with session_of(client) as session:
        row = msgspec.msgpack.decode(session["table:simple-21"])
        assert isinstance(row[3], dict)
        CHANGES[what](row, row[3])
        session["table:simple-21"] = msgspec.Raw(msgspec.msgpack.encode(row))
    page = client.get(TABLE)
    assert page.status_code == 200
    assert LOST in page.text
    table = look(client)
    assert (table["step"], table["view"]["phase"]) == (3, "ready")
    assert send(client, {"move": "deal", "step": "0"}).status_code == 409
    play(client, TABLE, "deal", "stay")
    numbers = [one["number"] for one in look(client, f"{TABLE}/history")["rounds"]]
    assert numbers == [2, 1]  # and no number is used again
    assert look(client, "/blackjack")["step"] == 1


def test_rows_of_another_version_stay_and_do_no_harm(client: FlaskClient) -> None:
    """A game that is gone, and a field that this version does not know yet."""
    play(client, TABLE, "deal")
    with session_of(client) as session:
        row = msgspec.msgpack.decode(session["table:simple-21"])
        row[3]["insurance"] = 5
        session["table:simple-21"] = msgspec.Raw(msgspec.msgpack.encode([*row, "more"]))
        session["table:canasta"] = msgspec.Raw(b"\x80")
    assert client.get("/").status_code == 200
    assert look(client)["step"] == 1
    play(client, TABLE, "stay")
    with session_of(client) as session:
        assert "table:canasta" in session


def test_an_expired_session_is_gone_and_purged(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(client, TABLE, "deal", *["new"] * ESTABLISHED)
    now, store = time.time(), store_of(client.application)
    monkeypatch.setattr(sqlite.time, "time", lambda: now + LIFETIME - 60)
    assert look(client)["step"] == 1 + ESTABLISHED
    monkeypatch.setattr(sqlite.time, "time", lambda: now + LIFETIME + 2 * 86_400)
    assert look(client)["step"] == 0
    assert [store.purge(), store.purge()] == [2, 0]  # and when the signing key was in use


def test_a_store_that_does_not_answer_is_a_503_and_comes_back(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(client, TABLE, "deal")

    def away(*_args: Any, **_more: Any) -> None:
        raise StoreUnavailable("the disk is full")

    asks = {
        "read": lambda: client.get(TABLE),
        "write": lambda: client.post(TABLE, data={"move": "hit", "step": "1"}),
        "check_read": lambda: client.get("/healthz"),
        "check_write": lambda: client.get("/readyz"),
        "scan": lambda: client.get(f"{TABLE}/history"),
    }
    for question, ask in asks.items():
        with monkeypatch.context() as patch:
            patch.setattr(store_of(client.application), question, away)
            response = ask()
            assert response.status_code == 503
            assert response.headers["Retry-After"]
            assert "the disk is full" not in response.text
            if question == "read":
                assert client.get("/", headers=JSON).status_code == 503
        assert ask().status_code in (200, 303)
    assert look(client)["step"] == 2


# ---- What stands beside a session ----------------------------------------------------------


@pytest.fixture
def met(app: flask.Flask) -> list[int]:
    """Add a page whose every call keeps a round; note how many each found beside its session."""
    met: list[int] = []

    @app.post("/keep")
    @retry_on_conflict
    def keep() -> str:
        met.append(len(current_session().side_writes))
        current_session().side_writes.append(new(len(met)))
        return "kept"

    return met


def test_a_view_saves_what_it_has_put_beside_its_session(
    client: FlaskClient, met: list[int]
) -> None:
    for _ in range(3):
        assert client.post("/keep").status_code == 200
    assert numbers(store_of(client.application), sid(client)) == [3, 2, 1]
    assert met == [0, 0, 0]


def test_a_view_that_is_run_again_starts_with_nothing_beside(
    client: FlaskClient, met: list[int], overtake: Overtake
) -> None:
    client.post("/keep")
    store, player = store_of(client.application), sid(client)

    def saved_meanwhile() -> None:
        assert keep(store, player)

    overtake(saved_meanwhile)
    assert client.post("/keep").status_code == 200
    assert met == [0, 0, 0]
    assert rounds_of(store, player, "war") == (war(2, new(3).data), war(1))
