"""The lab's process of low priority beside a served site."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic

import psutil
import pytest

from tests.support.machines import wait_until
from tests.support.serving import Player, Server
from web.lab.pool import NICE

LONG = "/lab?game=war&players=6&rounds=2000&seed={}"
"""A second of work and the start of a process: long enough for others to come meanwhile."""


@pytest.fixture
def ending(tmp_path: Path) -> Iterator[Server]:
    """A server that the test brings to its end."""
    with Server(tmp_path, WORKERS="1") as running:
        yield running


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("lasting"), WORKERS="1") as running:
        yield running


@pytest.fixture
def server(lasting: Server) -> Server:
    """A server that outlives the test, and its worker, which may be a new one."""
    wait_until(lambda: len(lasting.workers()) == 1)
    return lasting


def niced(server: Server) -> list[int]:
    found = []
    for process in server.processes():
        with suppress(psutil.NoSuchProcess):
            if process.nice() == NICE:
                found.append(process.pid)
    return found


def ask(server: Server, seed: int) -> int:
    with closing(Player(server.port)) as player:
        player.json("/simple-21", {"move": "new", "step": "0"})
        return player.request("GET", LONG.format(seed))[0].status


def test_a_crowd_at_the_lab_is_refused_and_holds_up_nobody(server: Server) -> None:
    with ThreadPoolExecutor(6) as pool, closing(Player(server.port)) as player:
        player.json("/simple-21", {"move": "new", "step": "0"})
        asked = [pool.submit(ask, server, seed) for seed in range(6)]
        wait_until(lambda: sum(one.done() for one in asked) == 4)
        assert [one.result() for one in asked if one.done()] == [503] * 4
        began = monotonic()
        for _ in range(20):
            assert player.json("/simple-21")[0] == 200
        assert player.request("GET", "/deals")[0].status == 200
        assert monotonic() - began < 2
        assert sorted(one.result() for one in asked) == [200] * 2 + [503] * 4


def test_all_processes_end_with_their_server(ending: Server) -> None:
    with ThreadPoolExecutor() as pool:
        pool.submit(ask, ending, 1).add_done_callback(lambda one: one.exception())
        wait_until(lambda: len(niced(ending)) == 1)
        everybody = ending.processes()
        everybody[0].kill()
        everybody[0].wait()
        _, alive = psutil.wait_procs(everybody[1:], timeout=120)
        assert alive == []


def test_a_server_with_a_lab_stops_when_it_is_asked_to(ending: Server) -> None:
    with closing(Player(ending.port)) as player:
        assert player.request("GET", "/lab?game=bingo&rounds=100&seed=1")[0].status == 200
    everybody = ending.processes()
    everybody[0].terminate()
    _, alive = psutil.wait_procs(everybody, timeout=30)
    assert alive == []
    assert "refused to gracefully stop" not in ending.log()


def test_the_labs_process_ends_with_its_worker(server: Server) -> None:
    with closing(Player(server.port)) as player:
        assert player.request("GET", "/lab?game=bingo&rounds=100&seed=1")[0].status == 200
    (worker,) = server.workers()
    (lab,) = (one for one in worker.children() if one.nice() == NICE)
    worker.kill()
    _, alive = psutil.wait_procs([lab], timeout=30)
    assert alive == []
