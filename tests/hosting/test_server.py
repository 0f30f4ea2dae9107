"""The served site, as a class sees it: two workers, many clients at once, and processes killed."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from threading import Barrier

import psutil
import pytest

from tests.support.serving import Player, Server

TABLE = "/simple-21"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("server")) as running:
        yield running


Sit = Callable[..., Player]


@pytest.fixture
def sit(server: Server) -> Iterator[Sit]:
    """Sit down at the server; everybody stands up at the end of the test."""
    with ExitStack() as seats:

        def sit(cookie: str = "") -> Player:
            player = Player(server.port)
            player.cookie = cookie
            return seats.enter_context(closing(player))

        yield sit


def at_once(players: list[Player], forms: list[tuple[str, dict[str, str]]]) -> list[int]:
    """Send one form from each player at the same moment, and return the statuses."""
    barrier = Barrier(len(players))

    def send(player: Player, path: str, form: dict[str, str]) -> int:
        barrier.wait()
        return player.json(path, form)[0]

    with ThreadPoolExecutor(len(players)) as pool:
        sent = [
            pool.submit(send, player, *form) for player, form in zip(players, forms, strict=True)
        ]
        return [future.result() for future in sent]


def test_eight_copies_of_one_hit_draw_one_card_twenty_times_of_twenty(sit: Sit) -> None:
    player = sit()
    _, table = player.json(TABLE, {"move": "deal", "step": "0"})
    copies = [sit(player.cookie) for _ in range(8)]
    for _ in range(20):
        before = table["view"]
        if before["phase"] != "playing":
            _, table = player.json(TABLE, {"move": "deal", "step": str(table["step"])})
            before = table["view"]
        form = {"move": "hit", "step": str(table["step"])}
        statuses = at_once(copies, [(TABLE, form)] * 8)
        assert sorted(statuses) == [200] + [409] * 7
        step = table["step"]
        _, table = player.json(TABLE)
        assert table["step"] == step + 1
        after = table["view"]
        assert len(after["player"]["cards"]) == len(before["player"]["cards"]) + 1


def kill_workers_until_the_server_starts_again(server: Server) -> None:
    """Kill each worker as soon as it is there, until the log has another line about it."""
    (parent, *_) = server.processes()
    oldest = min(
        parent.children(), key=psutil.Process.create_time
    )  # does what is in the background
    before = server.log().count("the server starts again in")
    deadline = time.monotonic() + 120
    while server.log().count("the server starts again in") == before:
        assert time.monotonic() < deadline, server.log()
        for child in parent.children():
            if child != oldest:
                with suppress(psutil.NoSuchProcess):
                    child.kill()
        time.sleep(0.1)


@pytest.mark.slow
def test_the_site_serves_again_when_its_workers_die_again_and_again(tmp_path: Path) -> None:
    """It stops at SIGTERM as ever, in a pause too."""
    with Server(tmp_path) as server:
        (parent, *_) = server.processes()
        kill_workers_until_the_server_starts_again(server)
        deadline = time.monotonic() + 120
        while not server.workers():
            assert time.monotonic() < deadline, server.log()
            time.sleep(0.1)
        with closing(Player(server.port)) as player:
            assert player.json(TABLE, {"move": "deal", "step": "0"})[0] == 200
        assert parent.is_running()
        kill_workers_until_the_server_starts_again(server)
        children = parent.children(recursive=True)
        parent.terminate()
        _, alive = psutil.wait_procs([parent, *children], timeout=120)
        assert alive == []
