"""The container image, built and run as described in docs/hosting.md and compose.yaml."""

import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.support.container import SERVICE, Container, Image, missing
from tests.support.http_client import Client
from tests.support.machines import COMPOSE, PostgreSQL, nginx
from tests.support.serving import ROOT, free_port
from tests.support.site import TABLE

pytestmark = pytest.mark.slow

APP = (".venv/bin/python", "app.py")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    if reason := missing():
        pytest.skip(reason)
    return Image(tmp_path_factory.mktemp("image"))


@pytest.fixture(scope="module")
def container(image: Image, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Container]:
    with Container(image, tmp_path_factory.mktemp("container"), free_port()) as running:
        yield running


def test_container_has_no_rights(container: Container) -> None:
    status = container.run("cat", "/proc/1/status").stdout
    assert re.findall(r"Uid:\t(\d+)", status) == ["10001"]
    assert set(re.findall(r"Cap\w+:\t(\w+)", status)) == {"0" * 16}
    assert "NoNewPrivs:\t1" in status
    assert "Read-only file system" in container.run("touch", "/srv/cardgames/x").stderr
    assert container.run("touch", "/data/x").returncode == 0


def test_commands_work_in_the_container(container: Container) -> None:
    assert "make" not in container.log()
    assert "This is a container" in container.log()
    assert ".venv/bin/python app.py instructor-link" in container.log()
    health = container.run(".venv/bin/python", "-m", "web.commands.health")
    assert health.returncode == 0, health.stderr
    check = container.run(*APP, "check")
    assert check.returncode == 0, check.stdout
    assert f"Cardgames is running on port {container.port}" in check.stdout
    assert "Set PUBLIC_URL" in check.stdout
    backup = container.run(*APP, "backup", "/data/cardgames.backup")
    assert backup.returncode == 0, backup.stderr
    link = container.run(*APP, "instructor-link")
    assert link.returncode == 0, link.stderr
    with closing(Client(container.port)) as player:
        path = re.findall(r"/class/instructor/\w+", link.stdout)[0]
        assert player.post(path, {}).status_code == 303
        answer = player.post("/class/new", {"title": "CS1"})
        assert answer.status_code == 303
        assert "CS1" in player.get(answer.headers["Location"]).text


def test_every_page_and_package_is_in_the_image(container: Container) -> None:
    with closing(Client(container.port)) as player:
        for entry in player.json("/")[1]["tables"]:
            assert player.get(f"/{entry['game']}").status_code == 200
            assert player.get(f"/{entry['game']}/rules").status_code == 200
        for path in ("/class", "/class/guide", "/daily", "/lab", "/practise", "/puzzles"):
            assert player.get(path).status_code == 200, path
        page = player.get("/sheets/simple-21/try").text
        assert "data-python" in page  # CPython for browsers
        package = player.json("/sheets")[1]["package"]
        assert package, "the students' wheel"
        path = package.partition(f":{container.port}")[2]
        with urlopen(f"http://127.0.0.1:{container.port}{path}") as answer:
            assert answer.read(2) == b"PK"
    driver = container.run(".venv/bin/python", "-c", "import psycopg; print(psycopg.pq.__impl__)")
    assert driver.stdout == "binary\n"


def test_volume_keeps_tables_and_key(image: Image, tmp_path: Path) -> None:
    first = Container(image, tmp_path / "app", free_port())
    with first, closing(Client(first.port)) as player:
        assert player.json(TABLE, {"move": "deal", "step": "0"})[0] == 200
    with first, closing(Client(first.port)) as again:
        again.cookies = player.cookies
        assert again.json(TABLE)[1]["step"] == 1
        assert again.json(TABLE, {"move": "stay", "step": "1"})[0] == 200


def test_compose_apps_play_behind_nginx(
    image: Image, postgresql: PostgreSQL, tmp_path: Path
) -> None:
    """The services in compose.yaml, with the same settings but Debian's PostgreSQL and nginx."""
    (conf,) = re.findall(r"\./(\S+):/etc/nginx/nginx\.conf:ro", COMPOSE)
    settings = {
        "SECRET_KEY": "the same key for both apps, and long enough",
        "DATABASE_URL": postgresql.new_database(),
        "TRUSTED_PROXIES": SERVICE["environment"]["TRUSTED_PROXIES"],
    }
    assert settings.keys() <= SERVICE["environment"].keys()
    socket = [postgresql.folder]
    with ExitStack() as stack:
        apps = [
            stack.enter_context(Container(image, tmp_path / name, free_port(), socket, **settings))
            for name in ("app1", "app2")
        ]
        port = free_port()
        names = {f"app{number}:8000": f"127.0.0.1:{app.port}" for number, app in enumerate(apps, 1)}
        names["listen 80;"] = f"listen 127.0.0.1:{port};"
        stack.enter_context(nginx(tmp_path / "nginx", port, (ROOT / conf).read_text(), names))
        player = stack.enter_context(closing(Client(port)))
        for step in range(20):
            assert player.json(TABLE, {"move": "new", "step": str(step)})[0] == 200
        for app in apps:
            assert '"move":"new","outcome":"accepted"' in app.log()
            with closing(Client(app.port)) as direct:
                direct.cookies = player.cookies
                assert direct.json(TABLE)[1]["step"] == 20
