"""The log of a running site."""

import errno
import io
import itertools
import logging
import re
import sys
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from tests.support.site import DECK, JSON, TABLE, cookie
from web import db
from web.tables import views

NEW = {"move": "new", "step": "0"}
RECORD = "war_2_names=Ann,Ben_deal:players=2_turn*3"


# ---- The log -------------------------------------------------------------------------------


def lines(capfd: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in capfd.readouterr().err.splitlines()]


def test_request_is_one_line_with_its_move(
    client: FlaskClient, capfd: pytest.CaptureFixture[str]
) -> None:
    response = client.post(TABLE, data={"move": "deal", "step": "0", "deck": DECK})
    client.post(TABLE, data={"move": "hit", "step": "0"})
    client.post(TABLE, data={"move": "turn", "step": "1"}, headers=JSON)
    client.get(f"{TABLE}/rules?deck=KS")
    client.get("/nowhere")
    first, *others = found = lines(capfd)
    assert 0 <= first.pop("ms") < 10_000
    assert first.pop("id") == response.headers["X-Request-Id"]
    assert first.pop("at")
    assert first == {
        "method": "POST",
        "path": TABLE,
        "table": "simple-21",
        "move": "deal",
        "outcome": "accepted",
        "status": 303,
    }
    assert len({line.get("id") for line in found}) == 5
    assert [(line["status"], line.get("outcome")) for line in others] == [
        (409, "out of date"),
        (422, "refused"),
        (200, None),
        (404, None),
    ]


def test_no_line_has_a_card_a_deck_or_a_cookie(
    client: FlaskClient, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log has no cards, even after invalid decks and an error that contains the state."""
    for slug in GAMES:
        client.post(f"/{slug}", data={"move": DECK, "step": DECK, "deck": DECK, DECK: DECK})
        client.post(f"/{slug}", data={"move": "KS", "step": "0"})
        client.post(f"/{slug}", json={"move": ["KS"], "step": 0})
        client.post(f"/{slug}?deck=KS,JH", data={"move": "deal", "step": "0", "deck": DECK})
    value = cookie(client)

    def broken(*_args: Any, **_values: Any) -> None:
        raise KeyError(repr(FULL_DECK))

    monkeypatch.setattr(views, "render_seat", broken)
    assert client.get(TABLE).status_code == 500
    said = capfd.readouterr().err
    assert value[:16] not in said
    assert re.findall(r"(?i)\b(?:[2-9TJQKA][CDHS])\b", said) == []
    fault = msgspec.json.decode(said.splitlines()[-2])
    assert (fault["level"], fault["error"]) == ("error", "KeyError")
    assert "views.py" in fault["trace"]
    assert "broken" in fault["trace"]


class FullDisk(io.StringIO):
    """A stream to which nothing can be written."""

    def write(self, _: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_unwritable_log_rejects_no_move(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    (handler,) = logging.getLogger("cardgames").handlers
    monkeypatch.setattr(handler, "stream", FullDisk())
    monkeypatch.setattr(sys, "stderr", FullDisk())
    assert client.post(TABLE, data={"move": "deal", "step": "0"}).status_code == 303


def paths(capfd: pytest.CaptureFixture[str]) -> list[str]:
    lines = capfd.readouterr().err.splitlines()
    return [msgspec.json.decode(line)["path"] for line in lines]


ROUTES = {
    "/": "/",
    TABLE: TABLE,
    f"{TABLE}/history": f"{TABLE}/history",
    f"{TABLE}/history?result=KS": f"{TABLE}/history",
    f"{TABLE}/history/17": f"{TABLE}/history/<int(max=999999999):number>",
    f"/replay/{RECORD}": "/replay/<record:token>",
    f"/what-if/{RECORD}?of={RECORD}": "/what-if/<record:text>",
    "/deal/0123456789abcdef": "/deal/<deal_id>",
    "/Ann-KS": "/<slug>",
    "/Ann-KS/rules": "/<slug>/rules",
    f"/replai/{RECORD}": "/?/?",
    "/simple-21/KS/QD": "/simple-21/?",
    "/deal/KS/Ann": "/deal/?",
}


def test_the_log_tells_the_route(client: FlaskClient, capfd: pytest.CaptureFixture[str]) -> None:
    for address in ROUTES:
        client.get(address)
    assert paths(capfd) == [*ROUTES.values()]


def test_no_address_puts_a_card_or_a_name_into_the_log(
    client: FlaskClient, capfd: pytest.CaptureFixture[str]
) -> None:
    """Finished rounds are replayed with links that contain the players' names."""
    form = {"move": "deal", "step": "0", "players": "2", "names": "Annabel,Bartholomew"}
    client.post("/war", data=form)
    client.post("/war", data={"move": "turn", "step": "1", "turns": "all"})
    client.post(TABLE, data={"move": "deal", "step": "0"})
    client.post(TABLE, data={"move": "stay", "step": "1"})
    for slug in ("war", "simple-21"):
        answer = client.get(f"/{slug}/history/1", headers=JSON)
        address = answer.headers["Location"]
        assert client.get(address).status_code == 200
        assert client.get(f"{address}x").status_code == 422
        assert client.get(address.replace("replay", "replai")).status_code == 404
    said = capfd.readouterr().err
    assert "Annabel" not in said
    assert "Bartholomew" not in said
    assert re.findall(r"(?:[2-9TJQKA][CDHS]){2}", said) == []


def test_error_in_an_error_page_is_a_plain_answer(
    client: FlaskClient, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: Any, **_values: Any) -> None:
        raise KeyError("a-secret")

    monkeypatch.setattr("flask.render_template", broken)
    for path, status in (("/a-secret", 404), (TABLE, 500)):
        answer = client.get(path)
        assert (answer.status_code, answer.mimetype) == (status, "text/plain")
        assert answer.headers["Content-Security-Policy"]
        assert answer.text
    said = capfd.readouterr().err
    assert "KeyError" in said
    assert "a-secret" not in said


def test_failed_commit_is_one_message(
    client: FlaskClient, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, tries = db.commit, itertools.count()

    def full_once() -> None:
        if not next(tries):
            raise db.Unavailable("disk full")
        commit()

    monkeypatch.setattr(db, "commit", full_once)
    assert client.post(TABLE, data={"move": "new", "step": "0"}).status_code == 503
    errors = [line for line in capfd.readouterr().err.splitlines() if '"level":"error"' in line]
    assert [msgspec.json.decode(line)["message"] for line in errors] == ["database: disk full"]


def test_no_line_has_a_text_of_the_visitor(
    client: FlaskClient, capfd: pytest.CaptureFixture[str]
) -> None:
    """A visitor's name may be in the method, the URL, the host, the move or the origin."""
    foreign = {"Origin": "http://annabel.example", "Host": "annabel.example"}
    for headers in ({}, foreign, {"Origin": "http://annabel.example"}, JSON):
        client.open(TABLE, method="ANNABEL", headers=headers)
        for path in (TABLE, "/annabel", "/annabel/rules", "/class/annabel/join", "/j/annabel"):
            client.get(path, headers=headers)
            client.get(f"{path}?annabel=annabel", headers=headers)
            form = {"move": "annabel", "step": "annabel", "name": "annabel", "annabel": "annabel"}
            client.post(path, data=form, headers=headers)
    said = capfd.readouterr().err
    assert said.count('"status":') == 4 * 16
    assert "annabel" not in said.lower()
