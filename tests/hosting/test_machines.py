"""Several machines: two copies of the site, one PostgreSQL server, and nginx.

The tests kill each of these services.
"""

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.support.http_client import Client
from tests.support.machines import COMPOSE, PostgreSQL, class_plays, nginx, wait_until
from tests.support.serving import ROOT, Server, free_port
from tests.support.site import TABLE

KEY = "the same key on both machines, and long enough"


def app(folder: Path, database: str) -> Server:
    folder.mkdir(exist_ok=True)
    return Server(folder, DATABASE_URL=database, SECRET_KEY=KEY, TRUSTED_PROXIES="1", WORKERS="1")


@contextmanager
def machines(folder: Path, postgresql: PostgreSQL) -> Iterator[tuple[Server, Server, int]]:
    """Start the services of compose.yaml: two apps, and nginx in front of them."""
    (conf,) = re.findall(r"\./(\S+):/etc/nginx/nginx\.conf:ro", COMPOSE)
    port, database = free_port(), postgresql.new_database()
    with app(folder / "1", database) as one, app(folder / "2", database) as two:
        names = {
            "app1:8000": f"127.0.0.1:{one.port}",
            "app2:8000": f"127.0.0.1:{two.port}",
            "listen 80;": f"listen 127.0.0.1:{port};",
        }
        with nginx(folder / "nginx", port, (ROOT / conf).read_text(), names):
            yield one, two, port


# ---- Two machines --------------------------------------------------------------------------


@pytest.mark.slow
def test_both_apps_serve_every_player(tmp_path: Path, postgresql: PostgreSQL) -> None:
    with machines(tmp_path, postgresql) as (one, two, port), closing(Client(port)) as player:
        for step in range(20):
            assert player.json(TABLE, {"move": "new", "step": str(step)})[0] == 200
        for server in (one, two):
            assert '"move":"new","outcome":"accepted"' in server.log()
            with closing(Client(server.port)) as direct:
                direct.cookies = player.cookies
                assert direct.json(TABLE)[1]["step"] == 20
        form = {"move": "deal", "step": "20"}
        with ThreadPoolExecutor(8) as pool:
            copies = []
            for number in range(8):
                copy = Client((one, two)[number % 2].port)
                copy.cookies = player.cookies
                copies.append(copy)
            statuses = list(pool.map(lambda copy: copy.json(TABLE, form)[0], copies))
            for copy in copies:
                copy.close()
        assert sorted(statuses) == [200] + [409] * 7


@pytest.mark.slow
def test_killing_the_apps_in_turn_loses_no_move(tmp_path: Path, postgresql: PostgreSQL) -> None:
    """Forty students play on the site behind nginx.

    Each app is killed with SIGKILL and restarted.
    """
    with machines(tmp_path, postgresql) as (one, two, port):

        def kill_and_restart() -> None:
            for server in (one, two):
                time.sleep(1.5)
                server.kill()
                time.sleep(1)
                server.__enter__()
                wait_until(lambda server=server: is_well(server))  # type: ignore[misc]
                # The apps are killed one after another, because nginx retries an unreachable app
                # after two seconds.
                time.sleep(3)

        tally = class_plays(port, 500, kill_and_restart, students=40)
    assert tally.fault() == ""
    # A move whose app was killed is sent to the other app, so every player receives a response.
    assert tally.unanswered == 0
    assert tally.stale < 40


def is_well(server: Server) -> bool:
    try:
        with closing(Client(server.port)) as player:
            return player.get("/healthz").text == "ok"
    except OSError:
        return False


def test_compose_starts_the_tested_services() -> None:
    services = re.findall(r"^  (\w+):$", COMPOSE.partition("services:")[2], re.MULTILINE)
    assert services[:4] == ["app1", "app2", "postgresql", "nginx"]
    assert COMPOSE.count("<<: *app") == 2
    assert "DATABASE_URL: postgresql+psycopg://" in COMPOSE
    assert 'TRUSTED_PROXIES: "1"' in COMPOSE
    assert "SECRET_KEY: ${SECRET_KEY:?" in COMPOSE  # Without a key, compose does not start.
    conf = (ROOT / "docs" / "compose.nginx.conf").read_text()
    assert re.findall(r"server (app\d):8000", conf) == ["app1", "app2"]
    for volume in ("app1", "app2", "database"):
        assert f'volumes: ["{volume}:' in COMPOSE
        assert re.search(rf"^  {volume}:$", COMPOSE.partition("\nvolumes:")[2], re.MULTILINE)
