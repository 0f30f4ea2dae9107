"""The Dockerfile, built and started: by buildah, which needs no daemon and no rights over networks.

The base image comes from Debian's own archive by debootstrap, in the place of python:3.11-slim.
"""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.machines import listens
from tests.support.serving import ROOT, Player, free_port

pytestmark = pytest.mark.slow

BASE, IMAGE = "localhost/cardgames-base", "localhost/cardgames"
TABLE = "/simple-21"
HEALTH = (".venv/bin/python", "-m", "web.health_check")


class Buildah:
    """buildah with a storage of its own, all of which is removed in the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        storage = (f"--root={folder}/root", f"--runroot={folder}/run", "--storage-driver=vfs")
        self._command = ("buildah", *storage)

    def command(self, name: str, *words: str) -> list[str]:
        isolation = ("--isolation=chroot",) if name in ("build", "run", "from") else ()
        return [*self._command, name, *isolation, *words]

    def __call__(self, name: str, *words: str, cwd: Path = ROOT) -> str:
        """Run a command, and return all that it says."""
        command = self.command(name, *words)
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def inspect(self, image: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self("inspect", "--type=image", image))
        return found


def of_the_system(*command: str) -> str:
    """Return the first line of what a command says."""
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return said.splitlines()[0]


def debian(folder: Path) -> None:
    """Put a small Debian with a Python into a folder, from wherever this machine's comes from."""
    release = dict(re.findall(r"(?m)^(\w+)=\"?([^\"\n]*)", Path("/etc/os-release").read_text()))
    suite = release["VERSION_CODENAME"]
    known = ("Created-By: Packages", f"Release: {suite}")
    mirror = of_the_system("apt-get", "indextargets", "--format", "$(SITE)", *known)
    packages = "--include=python3,python3-venv,ca-certificates"
    command = ["debootstrap", "--variant=minbase", packages, suite, str(folder), mirror]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no base image could be made: {done.stdout.strip()[-200:]}")


def package_index() -> Iterator[str]:
    """Yield how the build reaches the Python packages: as this machine does."""
    for path in (Path("/etc/pip.conf"), Path("/etc/ssl/certs"), *local_packages()):
        if path.exists():
            yield f"--volume={path}:{path}:ro"
    for name in os.environ:
        if name.startswith("PIP_"):
            yield f"--env={name}"


def local_packages() -> list[Path]:
    """Return the folders of this machine that pip is set to look in."""
    said = subprocess.run(["pip", "config", "list"], capture_output=True, text=True, check=False)
    found = re.findall(r"(?:file://|')(/[^/'\s]+)", said.stdout)
    return [Path(path) for path in dict.fromkeys(found) if path not in ("/etc", "/usr")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Buildah, str]]:
    """Build the image; give what builds, and what it said."""
    if os.geteuid():
        pytest.skip("only an administrator can make a base image by debootstrap")
    for name in ("buildah", "debootstrap"):
        if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin"):
            pytest.skip(f"{name} is not installed, and `make test-slow` could not install it")
    folder = tmp_path_factory.mktemp("container")
    buildah = Buildah(folder)
    try:
        debian(folder / "debian")
        scratch = buildah("from", "scratch").strip()
        buildah("add", "--quiet", scratch, str(folder / "debian"), "/")
        buildah("commit", "--quiet", "--rm", scratch, BASE)
        options = ("--format=docker", f"--from={BASE}", f"--tag={IMAGE}", *package_index())
        yield buildah, buildah("build", *options, ".")
    finally:
        for name in ("rm", "rmi"):
            subprocess.run(buildah.command(name, "--all"), capture_output=True, check=False)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(buildah: Buildah, port: int) -> Iterator[str]:
    """Start the image's own command, on this machine's loopback; give the container's name."""
    container = buildah("from", IMAGE).strip().splitlines()[-1]
    config = buildah.inspect(IMAGE)["Docker"]["config"]
    with started(buildah, container, port, config["Cmd"]):
        yield container


@contextmanager
def started(
    buildah: Buildah, container: str, port: int, command: Sequence[str]
) -> Iterator[subprocess.Popen[str]]:
    words = (f"--env=PORT={port}", "--env=HOST=127.0.0.1", container, "--", *command)
    process = subprocess.Popen(
        buildah.command("run", *words),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not listens(port):
            assert process.poll() is None, process.communicate()[0]
            assert time.monotonic() < deadline
            time.sleep(0.1)
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=30)
        deadline = time.monotonic() + 30
        while listens(port):
            assert time.monotonic() < deadline, "the server outlives its container"
            time.sleep(0.1)


def serving(port: int) -> list[psutil.Process]:
    """Return the processes that listen on a port."""
    found = psutil.net_connections(kind="tcp")
    pids = {one.pid for one in found if one.laddr and one.laddr.port == port and one.pid}
    return [psutil.Process(pid) for pid in pids if psutil.Process(pid).status() != "zombie"]


def test_the_image_is_built_without_a_warning(built: tuple[Buildah, str]) -> None:
    _, said = built
    assert [line for line in said.splitlines() if "warn" in line.lower()] == []


def test_the_image_says_how_it_is_started_and_asked(built: tuple[Buildah, str]) -> None:
    buildah, _ = built
    config = buildah.inspect(IMAGE)["Docker"]["config"]
    assert config["User"] == "10001"
    assert config["Cmd"] == [".venv/bin/python", "app.py"]
    assert config["Volumes"] == {"/data": {}}
    assert config["Healthcheck"]["Test"][-1] == "web.health_check"


def test_a_container_serves_keeps_and_is_well(built: tuple[Buildah, str]) -> None:
    """It plays as its own user, keeps its data for itself, cannot change its code."""
    buildah, _ = built
    port = free_port()
    with running(buildah, port) as container:
        with closing(Player(port)) as player:
            for step in range(5):
                assert player.json(TABLE, {"move": "new", "step": str(step)})[0] == 200
            cookie = player.cookie
            sheet = re.search(r'href="(/static/[^"]+\.css)"', player.request("GET", "/")[1])
            assert sheet
        with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as browser:
            browser.request("GET", sheet[1], headers={"Accept-Encoding": "br"})
            assert browser.getresponse().headers["Content-Encoding"] == "br"
        buildah("run", f"--env=PORT={port}", container, "--", *HEALTH)
        servers = serving(port)
        assert servers
        for process in servers:
            assert process.uids().real == 10_001
            data = Path("/proc", str(process.pid), "root", "data")
            for path, mode in ((data, 0o700), (data / "store.db", 0o600)):
                found = path.stat()
                assert (found.st_uid, found.st_mode & 0o777) == (10_001, mode)
        for path in ("/srv/cardgames/app.py", "/srv/cardgames/new", "/etc/passwd"):
            done = subprocess.run(
                buildah.command("run", container, "--", "sh", "-c", f"echo >> {path}"),
                capture_output=True,
                check=False,
            )
            assert done.returncode != 0, path
    command = buildah.inspect(IMAGE)["Docker"]["config"]["Cmd"]
    with started(buildah, container, port, command), closing(Player(port)) as player:
        player.cookie = cookie
        assert player.json(TABLE)[1]["step"] == 5
