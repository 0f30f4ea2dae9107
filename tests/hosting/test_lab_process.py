"""The lab's low-priority process during requests to a served site."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from tests.support.http_client import Client
from tests.support.machines import wait_until
from tests.support.serving import Server
from web.lab.pool import NICE

MAX_NICE = 19
SHORT = "/lab?game=bingo&rounds=100&seed={}"
LONG = "/lab?game=war&players=6&rounds=2000&seed={}"
"""A task of the lab that takes one second."""

PATIENT = """
from app import command
from web.commands import serve
serve.STOPS_WITHIN = 100
command()
"""
"""The site. A site whose workers have enough time to stop, even on a busy machine.
"""


@pytest.fixture
def ending(tmp_path: Path) -> Iterator[Server]:
    """A server that the test stops."""
    with Server(tmp_path, "-c", PATIENT, WORKERS="1") as running:
        yield running


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("lasting"), WORKERS="1") as running:
        yield running


@pytest.fixture
def server(lasting: Server) -> Server:
    """A ready server with a single worker, which keeps running after the test."""
    wait_until(lambda: len(lasting.workers()) == 1)
    return lasting


def labs(server: Server) -> list[psutil.Process]:
    """Return the lab processes that have a lower priority than their worker."""
    found = []
    for worker in server.workers():
        with suppress(psutil.NoSuchProcess):
            lowest = min(worker.nice() + NICE, MAX_NICE)
            found += [
                process
                for process in worker.children()
                if "spawn_main" in " ".join(process.cmdline()) and process.nice() == lowest
            ]
    return found


def ask(server: Server, path: str, seed: int = 1) -> int:
    with closing(Client(server.port)) as player:
        player.json("/simple-21", {"move": "new", "step": "0"})  # with a session, it is not queued
        return player.get(path.format(seed)).status


def test_a_crowd_at_the_lab_is_refused_and_holds_up_nobody(server: Server) -> None:
    """The lab's process is paused until all other requests have been answered."""
    assert ask(server, SHORT) == 200
    (lab,) = labs(server)
    lab.suspend()
    with ThreadPoolExecutor(6) as pool, closing(Client(server.port)) as player:
        player.json("/simple-21", {"move": "new", "step": "0"})
        try:
            asked = [pool.submit(ask, server, SHORT, seed) for seed in range(2, 8)]
            wait_until(lambda: sum(one.done() for one in asked) == 4)
            assert [one.result() for one in asked if one.done()] == [503] * 4
            for step in range(1, 21):
                assert player.json("/simple-21", {"move": "new", "step": str(step)})[0] == 200
            assert player.get("/deals").status == 200
            assert sum(one.done() for one in asked) == 4
        finally:
            lab.resume()
        assert sorted(one.result() for one in asked) == [200] * 2 + [503] * 4


def test_all_processes_end_with_their_server(ending: Server) -> None:
    assert ask(ending, SHORT) == 200
    everybody = ending.processes()
    with ThreadPoolExecutor() as pool:
        pool.submit(ask, ending, LONG).add_done_callback(lambda one: one.exception())
        everybody[0].kill()
        everybody[0].wait()
        _, alive = psutil.wait_procs(everybody[1:], timeout=120)
        assert alive == []


@pytest.mark.slow
def test_a_server_with_a_lab_stops_when_it_is_asked_to(ending: Server) -> None:
    assert ask(ending, SHORT) == 200
    everybody = ending.processes()
    everybody[0].terminate()
    _, alive = psutil.wait_procs(everybody, timeout=120)
    assert alive == []
    assert "refused to gracefully stop" not in ending.log()


def test_the_labs_process_ends_with_its_worker(server: Server) -> None:
    assert ask(server, SHORT) == 200
    (worker,), (lab,) = server.workers(), labs(server)
    worker.kill()
    _, alive = psutil.wait_procs([lab], timeout=120)
    assert alive == []
