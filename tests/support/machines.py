"""Other servers that the tests start: PostgreSQL and nginx."""

import asyncio
import os
import re
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from tests.support.school import Tally, after, school
from tests.support.serving import ROOT, listens

COMPOSE = (ROOT / "compose.yaml").read_text()
HOSTING = (ROOT / "docs" / "hosting.md").read_text()


def program(name: str) -> str:
    """Return the path of a program on the PATH or in /usr/sbin."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    assert found, f"{name} is missing: `make test` installs it."
    return found


def sample(language: str) -> str:
    """Return the only sample in the given language in docs/hosting.md."""
    found: str
    (found,) = re.findall(rf"```{language}\n(.*?)```", HOSTING, re.DOTALL)
    return found


def unit_lines(name: str) -> list[str]:
    """Return the values of one directive in the sample systemd unit."""
    return re.findall(rf"^{name}=(.*)$", sample("ini"), re.MULTILINE)


def unit_environment() -> dict[str, str]:
    """Return the settings in the sample systemd unit."""
    pairs = (pair for line in unit_lines("Environment") for pair in shlex.split(line))
    return dict(pair.split("=", 1) for pair in pairs)


def wait_until(is_so: Callable[[], object], within: float = 120) -> None:
    """Wait until a condition is true, and fail after the given number of seconds."""
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
    """Simulate fast players until an event happens and enough moves are answered.

    Args:
        port: Port of the site, or ports of its machines.
        moves: Minimum number of answered moves.
        while_: Function that changes the site while the class plays.
        students: Number of students.
        within: Maximum time, in seconds.
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
    """A program that listens on a port and is stopped at the end of a ``with`` block."""

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


def postgres_programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, or None if it is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


class PostgreSQL:
    """A PostgreSQL server with a separate cluster, on a socket in a folder.

    PostgreSQL does not run as root, so root runs it as the user that Debian's package creates.
    """

    def __init__(self) -> None:
        programs = postgres_programs()
        assert programs, "PostgreSQL is missing: `make test` installs it."
        self._programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="cardgames-postgresql-"))
        self._cluster = self.folder / "cluster"
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            self.folder.chmod(0o755)
        self.run("initdb", "--pgdata", self._cluster, "--username", "cards", "--auth", "trust")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, program: str, *arguments: object) -> str:
        """Run one of PostgreSQL's programs and return its output."""
        as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*as_user, str(self._programs / program), *map(str, arguments)]
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off -c max_connections=60"
        log = self.folder / "log"
        self.run("pg_ctl", "start", "-w", "-D", self._cluster, "-l", log, "-o", options)

    def stop(self, mode: str = "fast") -> None:
        """Stop the server.

        ``fast`` closes all connections, and ``immediate`` simulates a crash.
        """
        self.run("pg_ctl", "stop", "-w", "-D", self._cluster, "-m", mode)

    def new_database(self) -> str:
        """Create an empty database and return its URL for ``DATABASE_URL``."""
        name = f"cards_{secrets.token_hex(4)}"
        self.run("createdb", "--host", self.folder, "--username", "cards", name)
        return self.url(name)

    def url(self, name: str) -> str:
        """Return the URL of one of the server's databases."""
        return f"postgresql+psycopg://cards@/{name}?host={self.folder}"


@contextmanager
def nginx(folder: Path, port: int, text: str, names: Mapping[str, str]) -> Iterator[int]:
    """Run nginx with a configuration or a ``server`` block.

    Some strings of the configuration are replaced.
    """
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
    """Build a project's wheel into an empty folder, like ``make wheel``.

    The build has no network.
    """
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
