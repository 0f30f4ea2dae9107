"""Other programs that the tests start beside the site: a Redis and an nginx, on loopback ports."""

import asyncio
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from tests.support.school import Tally, after, school
from tests.support.serving import ROOT, free_port, listens

COMPOSE = (ROOT / "compose.yaml").read_text()
HOSTING = (ROOT / "docs" / "hosting.md").read_text()


def program(name: str) -> str:
    """Return where a program is; Debian keeps servers in /usr/sbin, which is not on every PATH."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    assert found, f"{name} is missing: `make test` installs it."
    return found


def sample(language: str) -> str:
    """Return the one sample of a language in docs/hosting.md."""
    found: str
    (found,) = re.findall(rf"```{language}\n(.*?)```", HOSTING, re.DOTALL)
    return found


def unit_lines(name: str) -> list[str]:
    """Return what the sample of a systemd unit says of something."""
    return re.findall(rf"^{name}=(.*)$", sample("ini"), re.MULTILINE)


def unit_environment() -> dict[str, str]:
    """Return the settings in the sample of a systemd unit."""
    pairs = (pair for line in unit_lines("Environment") for pair in shlex.split(line))
    return dict(pair.split("=", 1) for pair in pairs)


def wait_until(is_so: Callable[[], object], within: float = 120) -> None:
    """Wait for something to be so; fail where it is not within so many seconds."""
    ends = time.monotonic() + within
    while not is_so():
        assert time.monotonic() < ends, "it did not come about in time"
        time.sleep(0.05)


def class_plays(
    port: int | Sequence[int],
    moves: int,
    while_: Callable[[], object] = lambda: None,
    students: int = 30,
    within: float = 120,
) -> Tally:
    """Let a class play quickly until something has happened and enough moves were answered.

    Args:
        port: where the site is, or where its machines are.
        moves: how many moves are enough.
        while_: what happens to the site meanwhile.
        students: how many play.
        within: after so many seconds it is over in any case.
    """
    too_late = after(within)
    with ThreadPoolExecutor(1) as pool:
        happening = pool.submit(while_)

        def is_over(tally: Tally) -> bool:
            return (happening.done() and len(tally.seconds) >= moves) or too_late(tally)

        tally = asyncio.run(school(port, students, is_over, pause=(0.02, 0.1)))
        happening.result()
    assert len(tally.seconds) >= moves, "the class has hardly played"
    return tally


class Program:
    """A program that listens on a port, ended at the end of a ``with`` block."""

    def __init__(self, port: int, command: Sequence[str], cwd: Path) -> None:
        self.port, self._command, self._cwd = port, command, cwd
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with (self._cwd / "program.log").open("ab") as log:
            self.process = subprocess.Popen(self._command, cwd=self._cwd, stdout=log, stderr=log)
        ends = time.monotonic() + 120
        while self.process.poll() is None and time.monotonic() < ends:
            if listens(self.port):
                return self
            time.sleep(0.05)
        raise RuntimeError((self._cwd / "program.log").read_text())

    def __exit__(self, *_error: object) -> None:
        self.stop(signal.SIGTERM)

    def stop(self, how: signal.Signals) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(20)
            finally:
                self.process.kill()


class Redis(Program):
    """A redis-server as compose.yaml starts it."""

    def __init__(self, folder: Path) -> None:
        (line,) = re.findall(r"command: redis-server (.*)", COMPOSE)
        port = free_port()
        here = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
        super().__init__(port, [program("redis-server"), *line.split(), *here], folder)
        self.url = f"redis://127.0.0.1:{port}/0"


@contextmanager
def nginx(folder: Path, port: int, text: str, names: Mapping[str, str]) -> Iterator[int]:
    """Run nginx with a whole configuration, or a ``server`` block, with some words replaced."""
    for name, here in names.items():
        assert name in text, name
        text = text.replace(name, here)
    if "http {" not in text:
        text = f"events {{\n}}\nhttp {{\n{text}\n}}"
    folder.mkdir(exist_ok=True)
    paths = "".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    text = text.replace("http {", f"http {{ access_log off; {paths}", 1)
    (folder / "nginx.conf").write_text(text)
    user = "user root;" if os.geteuid() == 0 else ""
    settings = f"daemon off; pid {folder}/nginx.pid; {user}"
    files = ["-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    command = [program("nginx"), *files, "-g", settings]
    tested = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stderr
    assert "warn" not in tested.stderr, tested.stderr
    with Program(port, command, folder):
        yield port


def built_wheel(project: Path, target: Path) -> Path:
    """Build a project's wheel as ``make wheel`` does, without a network, into an empty folder."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", target],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = target.glob("*.whl")
    return wheel
