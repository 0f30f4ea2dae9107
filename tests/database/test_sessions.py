"""Sessions: a signed ID, and no lost or invented data if the stored session is invalid."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import flask
import msgspec
import pytest
from flask.testing import FlaskClient
from sqlalchemy import delete, update

from tests.support.classroom import Watch
from tests.support.site import (
    JSON,
    TABLE,
    cookie,
    look,
    play,
    rows_kept,
    send,
    session_of,
    sid,
    visitor,
)
from web import db
from web.commands import upkeep
from web.db.models import SavedSession
from web.http.sessions import DAY, ESTABLISHED, USUAL
from web.signing import HexSigner


def rewrite(client: FlaskClient, data: bytes) -> None:
    """Replace the stored bytes of a player's session."""
    with db.database(client.application).engine.begin() as connection:
        connection.execute(
            update(SavedSession).where(SavedSession.id == sid(client)).values(data=data)
        )


# ---- The cookie ----------------------------------------------------------------------------


def test_the_cookie_holds_a_signed_id_and_nothing_else(client: FlaskClient) -> None:
    header = send(client, {"move": "deal"}).headers["Set-Cookie"]
    for part in ("HttpOnly", "SameSite=Lax", "Path=/"):
        assert part in header
    assert "Secure" not in header
    first = cookie(client)
    assert re.fullmatch(r"[0-9a-f]{32}\.[0-9a-f]{64}", first)  # contains no card's code
    assert len(first) <= 128
    play(client, TABLE, "stay")
    assert cookie(client) == first


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


def test_unknown_session_id_is_not_adopted(client: FlaskClient) -> None:
    play(client, TABLE, "deal")
    known = cookie(client)
    with db.database(client.application).engine.begin() as connection:
        connection.execute(delete(SavedSession))
    assert look(client)["step"] == 0
    play(client, TABLE, "deal")
    assert cookie(client) != known


def test_new_key_ends_all_sessions(tmp_path: Path) -> None:
    before = visitor(tmp_path, secret_key="old")
    play(before, TABLE, "deal")
    for key, step in (("old", 1), ("new", 0)):
        client = visitor(tmp_path, secret_key=key)
        client.set_cookie("cardgames", cookie(before))
        assert look(client)["step"] == step


def test_overlong_cookie_is_ignored(app: flask.Flask) -> None:
    sessions: Any = app.session_interface
    signer = HexSigner(app, "cardgames-session")
    for key, found in (("a" * 32, "a" * 32), ("a" * 200, "")):
        assert sessions.find_sid(f"{key}.{signer.get_signature(key).decode()}") == found


# ---- Invalid rows ------------------------------------------------------------------------------

LOST = "could not be restored"


NOT_ONE: Final = {
    b"": "DecodeError",
    b"\xc1garbage": "DecodeError",
    b"\x93\x01\x02\x03": "ValidationError",
    b"\x80no": "DecodeError",
}
"""Invalid stored sessions, and the exception that the log names for each."""


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


CHANGES: dict[str, Callable[[dict[str, Any], dict[str, Any]], object]] = {
    "a field is missing": lambda _row, state: state.pop("events"),
    "a phase is none": lambda _row, state: state.update(hole_down="bidding"),
    "a card is none": lambda _row, state: state.update(deck=["1X", *state["deck"][1:]]),
    "a record is none": lambda row, _state: row.update(record="deal*deal"),
    "a count is none": lambda row, _state: row.update(shown_to=[[1]]),
}
"""Changes after which a table's row or state cannot be read."""


@pytest.mark.parametrize("what", CHANGES)
def test_unreadable_table_restarts_at_its_step(client: FlaskClient, what: str) -> None:
    """An invalid value is rejected and never replaced by a default.

    The player's other tables are preserved.
    """
    play(client, TABLE, "deal", "stay", "deal")
    play(client, "/blackjack", "deal")
    with session_of(client) as session:
        row = msgspec.msgpack.decode(session["table:simple-21"])
        CHANGES[what](row, row["state"])
        session["table:simple-21"] = msgspec.msgpack.encode(row)
    page = client.get(TABLE)
    assert page.status_code == 200
    assert LOST in page.text
    table = look(client)
    assert (table["step"], table["view"]["phase"]) == (3, "ready")
    assert send(client, {"move": "deal", "step": "0"}).status_code == 409
    play(client, TABLE, "deal", "stay")
    numbers = [one["number"] for one in look(client, f"{TABLE}/history")["rounds"]]
    assert numbers == [2, 1]  # No round number is reused.
    assert look(client, "/blackjack")["step"] == 1


def test_rows_of_another_version_stay_and_do_no_harm(client: FlaskClient) -> None:
    """The session contains a game that no longer exists, and a field from a newer version."""
    play(client, TABLE, "deal")
    with session_of(client) as session:
        row = msgspec.msgpack.decode(session["table:simple-21"])
        row["state"]["insurance"] = 5
        session["table:simple-21"] = msgspec.msgpack.encode({**row, "more": 1})
        session["table:canasta"] = b"\x80"
    assert client.get("/").status_code == 200
    assert look(client)["step"] == 1
    play(client, TABLE, "stay")
    with session_of(client) as session:
        assert "table:canasta" in session


def test_an_expired_session_is_gone_and_purged(client: FlaskClient, watch: Watch) -> None:
    play(client, TABLE, "deal", *["new"] * ESTABLISHED)
    watch.now += USUAL * DAY - 60
    assert look(client)["step"] == 1 + ESTABLISHED
    watch.now += 2 * DAY
    assert look(client)["step"] == 0
    database = db.database(client.application)
    assert [upkeep.purge(database), upkeep.purge(database)] == [1, 0]
    assert rows_kept(client.application) == 0


def test_session_lives_longer_after_a_few_moves(client: FlaskClient, watch: Watch) -> None:
    answer = send(client, {"move": "new"})
    assert f"Max-Age={DAY};" in answer.headers["Set-Cookie"]
    play(client, TABLE, *["new"] * (ESTABLISHED - 2))
    answer = send(client, {"move": "new"})
    assert f"Max-Age={USUAL * DAY};" in answer.headers["Set-Cookie"]
    watch.now += 2 * DAY
    assert look(client)["step"] == ESTABLISHED
