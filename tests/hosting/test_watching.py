"""What a running site tells of itself: the log, the counters, the commands; and its limit."""

import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from app import create_app
from cardgames import GAMES
from cardgames.cards import FULL_DECK
from tests.support.serving import ROOT, Player, Server
from tests.support.site import DECK, JSON, TABLE, cookie, play, send, sid, visitor
from web.http import security
from web.settings import Settings
from web.tables import views

NEW = {"move": "new", "step": "0"}


# ---- The log -------------------------------------------------------------------------------


def lines(capfd: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in capfd.readouterr().err.splitlines()]


def test_a_request_is_one_line_that_tells_the_move(
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
    """Decks in every field there is, and a fault in the middle whose text is the whole state."""
    for slug in GAMES:
        client.post(f"/{slug}", data={"move": DECK, "step": DECK, "deck": DECK, DECK: DECK})
        client.post(f"/{slug}", data={"move": "KS", "step": "0"})
        client.post(f"/{slug}", json={"move": ["KS"], "step": 0})
        client.post(f"/{slug}?deck=KS,JH", data={"move": "deal", "step": "0", "deck": DECK})
    value = cookie(client)

    def broken(*_args: Any) -> None:
        raise KeyError(repr(FULL_DECK))

    monkeypatch.setattr(views, "_answer", broken)
    assert client.get(TABLE).status_code == 500
    said = capfd.readouterr().err
    assert value[:16] not in said
    assert re.findall(r"(?i)\b(?:[2-9TJQKA][CDHS])\b", said) == []
    fault = msgspec.json.decode(said.splitlines()[-2])
    assert (fault["level"], fault["error"]) == ("error", "KeyError")
    assert "views.py" in fault["trace"]
    assert "broken" in fault["trace"]


def test_a_log_that_cannot_be_written_refuses_no_move(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from app import create_app; "
        "from web.settings import Settings; "
        "client = create_app(Settings(data_dir=Path(sys.argv[1]))).test_client(); "
        f"print(client.post({TABLE!r}, data={{'move': 'deal', 'step': '0'}}).status_code)"
    )
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", program, str(tmp_path)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=full, check=True)
    assert done.stdout == b"303\n"


@pytest.mark.xdist_group("hosting")
def test_a_served_request_is_logged_on_stderr(tmp_path: Path) -> None:
    with Server(tmp_path) as server, closing(Player(server.port)) as player:
        response, _ = player.request("POST", TABLE, NEW)
        number = response.headers["X-Request-Id"]
        assert f'"id":"{number}"' in server.log()


# ---- The counters --------------------------------------------------------------------------


def test_counters_are_off_unless_asked_for(client: FlaskClient) -> None:
    assert client.get("/metrics").status_code == 404


@pytest.mark.xdist_group("hosting")
def test_counters_are_those_of_all_workers(tmp_path: Path) -> None:
    """Sixty moves on sixty connections: whichever worker is asked tells them all."""
    with Server(tmp_path, METRICS="1") as server:
        for number in range(60):
            with closing(Player(server.port)) as player:
                assert player.json(TABLE, NEW)[0] == 200
                if number % 3 == 0:
                    assert player.json(TABLE, NEW)[0] == 409
        for _ in range(6):
            with closing(Player(server.port)) as player:
                said = player.request("GET", "/metrics")[1]
            counted = dict(line.rsplit(" ", 1) for line in said.splitlines() if line[0] != "#")
            assert counted['cardgames_moves_total{game="simple-21",outcome="accepted"}'] == "60"
            assert counted['cardgames_moves_total{game="simple-21",outcome="out of date"}'] == "20"
            assert counted['cardgames_requests_total{status="4xx"}'] == "20"
            assert float(counted["cardgames_request_seconds_total"]) > 0
    assert said.count("# TYPE") == 3


# ---- The commands --------------------------------------------------------------------------


def command(app: flask.Flask, *words: str) -> str:
    result = app.test_cli_runner().invoke(args=["sessions", *words])
    assert result.exit_code == 0, result.output
    return result.output


def test_sessions_are_counted_purged_and_exported(app: flask.Flask) -> None:
    assert command(app, "count") == "0\n"
    clients = [app.test_client() for _ in range(3)]
    for client in clients:
        for slug in GAMES:
            play(client, f"/{slug}", "new")
        play(client, TABLE, "deal", deck=DECK)
    assert command(app, "count") == "3\n"
    assert command(app, "purge") == "0\n"
    exported = command(app, "export")
    for line in exported.splitlines():
        session = msgspec.json.decode(line)
        assert session["moves"] == len(GAMES) + 1
        assert session["tables"].keys() == GAMES.keys()
        table = session["tables"]["simple-21"]
        assert table["step"] == 2
        assert table["view"]["dealer"]["cards"][1] is None  # what its player sees, no more
    assert not any(sid(client) in exported for client in clients)
    assert exported.count("AH") == 0  # the hole card of the sheet's deck


# ---- The limit -----------------------------------------------------------------------------


def test_a_runaway_session_leaves_room_for_its_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(security, "monotonic", lambda: now[0])
    app = create_app(Settings(data_dir=tmp_path, rate_limit=50))
    others = [app.test_client() for _ in range(security.MIN_ACTIVE_SESSIONS)]
    runaway = app.test_client()

    def statuses(client: FlaskClient, requests: int) -> set[int]:
        return {client.get(TABLE, headers=JSON).status_code for _ in range(requests)}

    runaway.post(TABLE, data=NEW)
    assert statuses(runaway, 200) == {200}  # alone it may go as fast as it can
    for client in others:
        client.post(TABLE, data=NEW)
        assert statuses(client, 20) == {200}
    response = runaway.post(TABLE, data={"move": "new", "step": "1"})
    assert response.status_code == 429
    assert 0 < int(response.headers["Retry-After"]) <= 60
    assert "too fast for a full class" in response.text
    refused = runaway.post(TABLE, data={"move": "new", "step": "1"}, headers=JSON)
    assert refused.get_json().keys() == {"error"}
    assert statuses(others[0], 20) == {200}
    assert statuses(app.test_client(), 200) == {200}  # strangers are not counted
    now[0] += security.WINDOW
    assert send(runaway, {"move": "new"}).status_code == 200


def test_a_class_never_meets_the_limit() -> None:
    """A hundred requests a second, a minute long: nobody clicks so fast."""
    assert Settings().rate_limit >= 100 * 60


def test_no_limit_is_a_limit_of_none(tmp_path: Path) -> None:
    assert Settings.from_environment({"RATE_LIMIT": "0"}).rate_limit == 0
    client = visitor(tmp_path, rate_limit=0)
    assert {client.get(TABLE).status_code for _ in range(10)} == {200}
