"""The site's wheel: its contents, and a server that runs from an installed wheel."""

import os
import pty
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.support.http_client import Client
from tests.support.machines import built_wheel
from tests.support.serving import ROOT, Server, free_port, listens

pytestmark = pytest.mark.slow

START = ("-c", "from app import command; command()")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(ROOT / "tools" / "wheel", tmp_path_factory.mktemp("site-wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def served(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("served"), *START, root=installed) as running:
        yield running


def metadata(folder: Path) -> str:
    (file,) = folder.glob("*.dist-info/METADATA")
    return file.read_text()


def test_wheel_has_the_sites_requirements_and_commands(installed: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stated = {line[15:] for line in metadata(installed).splitlines() if "Requires-Dist" in line}
    names = {line.split("<")[0].split(">")[0].split("[")[0] for line in stated}
    assert names == {
        line.split("<")[0].split(">")[0].split("[")[0]
        for line in project["optional-dependencies"]["site"]
    }
    (scripts,) = installed.glob("*.dist-info/entry_points.txt")
    assert "cardgames = app:command" in scripts.read_text()


def test_nothing_of_the_tests_the_tools_or_the_machine_is_in_it(installed: Path) -> None:
    tops = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert tops == {"app.py", "cardgames", "course", "web"}
    assert not [*installed.rglob("*.pyc")]
    licences = [path.name for path in (installed / "web" / "files").iterdir() if path.is_file()]
    assert sorted(licences) == ["LICENSE", "NOTICE"]


def test_every_page_is_served_from_it(served: Server) -> None:
    base = f"http://127.0.0.1:{served.port}"
    for path in ("/", "/war", "/simple-21/rules", "/lab", "/sheets", "/class/guide", "/healthz"):
        with urlopen(f"{base}{path}", timeout=120) as answer:
            assert answer.status == 200
    player = Client(served.port)
    assert player.json("/blackjack", {"move": "deal", "step": "0"})[0] == 200
    player.close()


def test_terminal_shows_a_working_instructor_link(installed: Path, tmp_path: Path) -> None:
    port = free_port()
    shown, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *START, "--port", str(port), "--data", str(tmp_path / "data")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed), "HOST": "127.0.0.1"},
        stdout=theirs,
        stderr=subprocess.STDOUT,
    )
    try:
        text = ""
        while "Each is good once" not in text:
            text += os.read(shown, 4_096).decode()
        assert f"Cardgames is at http://127.0.0.1:{port}/" in text
        while not listens(port):
            assert process.poll() is None
            time.sleep(0.05)
        (link,) = (line for line in text.split() if "/class/instructor/" in line)
        with urlopen(link, timeout=120) as page:
            assert "<button" in page.read().decode()
    finally:
        process.terminate()
        process.wait(120)
    assert (tmp_path / "data" / "secret_key").exists()


def test_in_a_log_no_link_is_printed(served: Server) -> None:
    assert "/class/instructor/" not in served.log()
    assert "in a second terminal: cardgames instructor-link" in served.log()
