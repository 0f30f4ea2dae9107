"""The process beside a served site: it plays, is restarted, and loses nothing of a run."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.support.machines import wait_until
from tests.support.serving import Player, Server
from web.background import NICE

LONG = {"experiment": "war", "games": "100000", "seed": "5"}
"""Sixteen seconds of work and more: enough to be interrupted."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path) as running:
        yield running


def niced(server: Server) -> list[int]:
    return [process.pid for process in server.processes() if process.nice() == NICE]


def begin(player: Player, form: dict[str, str]) -> str:
    """Start a run, after a move so that it may be long, and return its address."""
    step = player.json("/simple-21")[1]["step"]
    assert player.json("/simple-21", {"move": "new", "step": str(step)})[0] == 200
    response, _ = player.request("POST", "/lab", form)
    assert response.status == 303
    return response.headers["Location"]


def test_the_process_is_started_again_and_ends_with_its_server(server: Server) -> None:
    wait_until(lambda: len(niced(server)) == 1)
    (first,) = niced(server)
    psutil.Process(first).kill()
    wait_until(lambda: niced(server) not in ([], [first]))
    everybody = server.processes()
    with closing(Player(server.port)) as player:
        address = begin(player, LONG)
        wait_until(lambda: player.json(address)[1]["phase"] == "running")
    everybody[0].kill()
    everybody[0].wait()
    _, alive = psutil.wait_procs(everybody[1:], timeout=10)
    assert alive == []
