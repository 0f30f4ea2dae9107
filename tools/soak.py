"""A soak: two classes play while everything goes wrong in turn: ``make soak``.

One site keeps its sessions in a file, the other in a Redis. Beside each class a bored student holds
silent connections and sends a byte at a time. Meanwhile workers are killed, the disk is full for a
moment, and Redis hangs for one. At the end no answered move may be lost or doubled, and the workers
that were never killed must need no more memory and no more open files than in the beginning.

``--kills 200`` does nothing but kill, as often as can be: a worker, all processes, a worker, the
parent alone, in turn. Again no answered move may be lost or doubled.
"""

import argparse
import asyncio
import itertools
import random
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

import psutil

from tests.support.school import Tally, after, report, school
from tests.support.serving import Server, redis_server
from tools.benchmarks.bored_student import Sender, beginnings, keep_sending, silent, slow

STUDENTS: Final = 25
PAUSE: Final = (0.1, 0.4)
"""How long a student thinks about a move, in seconds: from and to."""

SENDERS: Final = 16
FAULT: Final = 3.0
"""How long the disk is full or Redis hangs, in seconds."""

QUIET: Final = 3.0
"""So long after a fault memory and open files are looked at."""

BETWEEN: Final = (0.5, 1.5)
"""How long a class plays between two kills at least, in seconds: from and to."""

FAULTS: Final = 80
"""So many faults there are at most: the longer the soak, the longer the pauses between them."""


@dataclass
class Use:
    """What the process of a site takes that lives from the beginning to the end."""

    memory: list[float] = field(default_factory=list)
    """In MB, at one look after the other."""

    files: list[int] = field(default_factory=list)
    """Open files and connections."""

    def growth(self) -> tuple[float, int]:
        """Return by how much the last third of the looks exceeds the middle one, as medians.

        The first third is left out: caches fill there.
        """
        third = max(1, len(self.memory) // 3)
        memory = median(self.memory[-third:]) - median(self.memory[third : 2 * third] or [0.0])
        files = median(self.files[-third:]) - median(self.files[third : 2 * third] or [0])
        return memory, round(files)


@dataclass
class Site:
    """A served site, its class, and what its oldest worker takes."""

    name: str
    server: Server
    use: Use = field(default_factory=Use)
    tally: Tally = field(default_factory=Tally)
    oldest: psutil.Process | None = None
    kills: int = 0

    def look(self) -> None:
        """Note what the oldest worker takes now."""
        if self.oldest is None:
            self.oldest = min(self.server.workers(), key=lambda process: process.create_time())
        self.use.memory.append(self.oldest.memory_full_info().uss / 1e6)
        self.use.files.append(self.oldest.num_fds())

    def kill_a_worker(self) -> None:
        """Kill a worker that is not the oldest."""
        for process in self.server.workers():
            if process != self.oldest:
                process.kill()
                return

    def told(self, seconds: float) -> str:
        """Return in two lines how the class fared, and what the oldest worker takes."""
        memory, files = self.use.growth()
        return (
            f"{self.name}: {report(self.tally, seconds)}\n"
            f"  its oldest worker: {self.use.memory[-1]:.1f} MB ({memory:+.1f}), "
            f"{self.use.files[-1]} open files ({files:+d})"
        )


def fill_disk(site: Site) -> None:
    """Let no process of a site make a file longer, as a full disk does, and then let it again."""
    processes = site.server.processes()
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.rlimit(psutil.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
    time.sleep(FAULT)
    for process in {*processes, *site.server.processes()}:
        with suppress(psutil.NoSuchProcess):
            process.rlimit(psutil.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def freeze(process: "subprocess.Popen[bytes]") -> None:
    """Let a process hang for a while."""
    process.send_signal(signal.SIGSTOP)
    time.sleep(FAULT)
    process.send_signal(signal.SIGCONT)


async def lesson(port: int, seconds: float) -> Tally:
    """Let a class play beside a bored student."""
    senders: list[Sender] = [
        kind(beginning)
        for beginning, kind in zip(
            itertools.islice(itertools.cycle(beginnings()), SENDERS),
            itertools.cycle((silent, slow)),
            strict=False,
        )
    ]
    sending = [asyncio.ensure_future(keep_sending(port, sender)) for sender in senders]
    tally = await school(port, STUDENTS, after(seconds), PAUSE)
    for task in sending:
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)
    return tally


@contextmanager
def two_sites() -> Iterator[tuple[list[Site], "subprocess.Popen[bytes]"]]:
    """Serve a site that keeps its sessions in a file, and one with a Redis; yield that too."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name in ("file", "redis", "redis-site"):
            (folder / name).mkdir()
        address, redis = stack.enter_context(redis_server(folder / "redis"))
        servers = {
            "in a file": Server(folder / "file", WORKERS="2"),
            "in Redis": Server(folder / "redis-site", WORKERS="2", SESSION_STORE=address),
        }
        yield [Site(name, stack.enter_context(server)) for name, server in servers.items()], redis


def soak(seconds: float, tell: Callable[[str], object] = lambda _: None) -> list[Site]:
    """Let two classes play for so long while everything goes wrong; return what became of them.

    Args:
        seconds: how long.
        tell: called from time to time with what has happened.
    """
    with ExitStack() as stack:
        sites, redis = stack.enter_context(two_sites())
        pool = stack.enter_context(ThreadPoolExecutor(2))
        lessons: list[Future[Tally]] = [
            pool.submit(asyncio.run, lesson(site.server.port, seconds)) for site in sites
        ]
        ends = time.monotonic() + seconds
        time.sleep(QUIET)
        faults: Iterator[tuple[str, Callable[[], None]]] = itertools.cycle(
            (
                ("a worker is killed", sites[0].kill_a_worker),
                ("Redis hangs", lambda: freeze(redis)),
                ("a worker is killed", sites[1].kill_a_worker),
                ("the disk is full", lambda: fill_disk(sites[0])),
            )
        )
        pause = max(QUIET, seconds / FAULTS - FAULT)
        while time.monotonic() < ends - FAULT - pause:
            for site in sites:
                site.look()
            name, happen = next(faults)
            happen()
            time.sleep(pause)
            used = ", ".join(
                f"{site.use.memory[-1]:.1f} MB and {site.use.files[-1]} files" for site in sites
            )
            tell(f"{ends - time.monotonic():4.0f} s left; {used}; {name}")
        for site in sites:
            site.look()
        for site, done in zip(sites, lessons, strict=True):
            site.tally = done.result()
        return sites


# ---- Kills alone ---------------------------------------------------------------------------


def kill_often(site: Site, kills: int, ends: float) -> None:
    """Kill a site's processes a number of times while its class plays, and start them again."""
    while site.kills < kills and time.monotonic() < ends:
        before = len(site.tally.seconds)
        time.sleep(random.uniform(*BETWEEN))
        while len(site.tally.seconds) == before:
            time.sleep(0.05)
        way = site.kills % 4
        if way % 2 == 0:  # one alone: two within seconds are taken for a broken site
            for worker in site.server.workers()[-1:]:
                worker.kill()
                site.kills += 1
            continue
        if way == 1:
            site.server.kill()
        else:
            site.server.kill_parent()
        site.kills += 1
        site.server.__enter__()


def play_through(site: Site, kills: int, seconds: float) -> Site:
    """Let a class play until its site was killed often enough, or the time is over."""
    with ThreadPoolExecutor(1) as pool:
        killing = pool.submit(kill_often, site, kills, time.monotonic() + seconds)

        def is_over(tally: Tally) -> bool:
            site.tally = tally
            return killing.done()

        try:
            asyncio.run(school(site.server.port, STUDENTS, is_over, PAUSE))
        finally:
            killing.result()
    return site


def killed_often(kills: int, seconds: float) -> list[Site]:
    """Let two classes play while their sites are killed, and print how they fared."""
    with two_sites() as (sites, _), ThreadPoolExecutor(2) as pool:
        began = time.monotonic()
        for site in pool.map(lambda site: play_through(site, kills // 2, seconds), sites):
            print(
                f"{site.name}: {site.kills} kills, {report(site.tally, time.monotonic() - began)}"
            )
        return sites


def main() -> None:
    """Soak, and print what was lost and what grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--kills", type=int, help="only kill, at most so often, half at each site")
    asked = parser.parse_args()
    if asked.kills:
        sites = killed_often(asked.kills, asked.seconds)
    else:
        sites = soak(asked.seconds, print)
        for site in sites:
            print(site.told(asked.seconds))
    if faults := [f"{site.name}: {site.tally.fault()}" for site in sites if site.tally.fault()]:
        raise SystemExit("\n".join(faults))


if __name__ == "__main__":
    main()
