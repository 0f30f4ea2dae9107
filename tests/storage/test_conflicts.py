"""Many requests of one player at once: each is played in turn, and none is turned away."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient

from tests.support.machines import Redis
from tests.support.serving import Player, Server
from web.storage import store

pytestmark = pytest.mark.xdist_group("redis")

JSON = {"Accept": "application/json"}
TABLE = "/simple-21"


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Note every pause instead of making it."""
    naps: list[float] = []
    monkeypatch.setattr(store.time, "sleep", naps.append)
    return naps


def overtake(app: flask.Flask, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    """Let the first saves find that somebody else was faster."""
    kept = app.session_interface.store  # type: ignore[attr-defined]
    write: Callable[..., bool] = kept.write
    left = [times]

    def overtaken(*args: Any, **more: Any) -> bool:
        left[0] -= 1
        return left[0] < 0 and write(*args, **more)

    monkeypatch.setattr(kept, "write", overtaken)


def test_who_is_overtaken_often_is_played_all_the_same(
    app: flask.Flask, client: FlaskClient, naps: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post(TABLE, data={"move": "deal", "step": "0"})
    overtake(app, monkeypatch, 20)  # as often as nearly everybody is, of fifty at once
    assert client.post(TABLE, data={"move": "stay", "step": "1"}).status_code == 303
    assert client.get(TABLE, headers=JSON).get_json()["step"] == 2
    assert len(naps) == 20


def test_the_pauses_are_short_and_no_two_requests_make_the_same(
    app: flask.Flask, client: FlaskClient, naps: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that pauses does nothing else, so all of them together are a moment."""
    overtake(app, monkeypatch, 10**6)
    client.post(TABLE, data={"move": "deal", "step": "0"})
    first, naps[:] = [*naps], []
    client.post(TABLE, data={"move": "deal", "step": "0"})
    assert first != naps
    assert max(first + naps) < 0.01
    assert sum(first) < 0.2


@pytest.mark.usefixtures("naps")
def test_who_is_always_overtaken_is_told_what_happened(
    app: flask.Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post(TABLE, data={"move": "deal", "step": "0"})
    overtake(app, monkeypatch, 10**6)
    answer = client.post(TABLE, data={"move": "hit", "step": "1"})
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "came first" in answer.text
    assert "cannot save" not in answer.text
    german = {"Accept-Language": "de"}
    answer = client.post(TABLE, data={"move": "hit", "step": "1"}, headers=german)
    assert "immer wieder zuvor" in answer.text


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_a_burst_of_one_player_over_many_workers(tmp_path: Path, redis: Redis, kind: str) -> None:
    """Fifty switches of the coach at once, and eight same moves, at four workers."""
    address = redis.url if kind == "redis" else ""
    with Server(tmp_path, WORKERS="4", SESSION_STORE=address) as server:
        with closing(Player(server.port)) as player:
            assert player.json(TABLE, {"move": "deal", "step": "0"})[0] == 200
        copies = [Player(server.port) for _ in range(24)]
        for copy in copies:
            copy.cookie = player.cookie

        def switch(number: int) -> int:
            form = {"table": "simple-21", "mode": "after" if number % 2 else "off"}
            return copies[number % 24].request("POST", "/coach", form)[0].status

        with ThreadPoolExecutor(24) as pool:
            statuses = list(pool.map(switch, range(24)))
            assert set(statuses) == {303}
            moves = [
                pool.submit(copy.json, TABLE, {"move": "stay", "step": "1"}) for copy in copies
            ]
            assert sorted(move.result()[0] for move in moves) == [200] + [409] * 23
        for copy in copies:
            copy.close()
