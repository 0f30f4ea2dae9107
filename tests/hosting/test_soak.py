"""Two classes play while everything goes wrong in turn: ``make soak`` (``SOAK_SECONDS``, 600).

One site keeps its sessions in a file, the other in a Redis. Workers are killed, the disk is full,
Redis hangs, and slow and silent senders hold connections. No answered move may be lost or played
twice, and workers that were never killed must need no more memory and open files than before.
"""

import asyncio
import itertools
import os
import random
import resource
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import psutil
import pytest

from tests.support.machines import Redis
from tests.support.school import Tally, after, report, school
from tests.support.serving import Server
from tools.benchmarks.bored import SLOW_SENDERS, keep_sending

SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))
STUDENTS = 25
PAUSE = (0.1, 0.4)
FAULT = 3.0
"""Number of seconds for which the disk is full or Redis hangs."""

MAX_FAULTS = 80
MAX_MEMORY = 4.0
"""Maximum number of MB by which the last third of the time may exceed the middle one."""

MAX_FILES = 8
"""The same of open files: as many as there are players' connections more at one look."""


@dataclass
class Site:
    """A served site, its class, and what its oldest worker takes."""

    name: str
    server: Server
    memory: list[float] = field(default_factory=list)
    files: list[float] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    oldest: psutil.Process | None = None
    kills: int = 0

    def look(self) -> None:
        if self.oldest is None:
            self.oldest = min(self.server.workers(), key=lambda process: process.create_time())
        self.memory.append(self.oldest.memory_full_info().uss / 1e6)
        self.files.append(self.oldest.num_fds())

    def kill_a_worker(self) -> None:
        """Kill a worker that is not the oldest."""
        for process in [one for one in self.server.workers() if one != self.oldest][:1]:
            process.kill()

    def fill_disk(self) -> None:
        """Let no process make a file longer for a moment, as a full disk does."""
        for most in (1, resource.RLIM_INFINITY):
            for process in self.server.processes():
                with suppress(psutil.NoSuchProcess):
                    process.rlimit(psutil.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            time.sleep(FAULT if most == 1 else 0)

    def __str__(self) -> str:
        return f"{self.name}: {report(self.tally, SECONDS)}; {growth(self.memory):+.1f} MB"


def growth(looks: list[float]) -> float:
    """Return by how much the last third exceeds the middle one: caches fill in the first."""
    third = max(1, len(looks) // 3)
    return median(looks[-third:]) - median(looks[third : 2 * third] or [0.0])


def freeze(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGSTOP)
    time.sleep(FAULT)
    process.send_signal(signal.SIGCONT)


async def lesson(port: int) -> Tally:
    """Let a class play beside slow and silent senders."""
    kinds = [kind for kind in SLOW_SENDERS.values() if len(kind) == 64]
    senders = random.Random(1).sample([*itertools.chain(*kinds)], 16)
    sending = [asyncio.ensure_future(keep_sending(port, one, Counter())) for one in senders]
    tally = await school(port, STUDENTS, after(SECONDS), PAUSE)
    for task in sending:
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)
    return tally


@contextmanager
def two_sites(folder: Path) -> Iterator[tuple[list[Site], "subprocess.Popen[bytes]"]]:
    """Serve a site that keeps its sessions in a file, and one with a Redis; yield that too."""
    for name in ("file", "redis", "redis-site"):
        (folder / name).mkdir()
    with ExitStack() as stack:
        redis = stack.enter_context(Redis(folder / "redis"))
        file = stack.enter_context(Server(folder / "file", WORKERS="2"))
        other = Server(folder / "redis-site", WORKERS="2", SESSION_STORE=redis.url)
        assert redis.process
        yield [Site("file", file), Site("Redis", stack.enter_context(other))], redis.process


@pytest.mark.slow
def test_nothing_answered_is_lost_and_nothing_grows(tmp_path: Path) -> None:
    with two_sites(tmp_path) as (sites, redis), ThreadPoolExecutor(2) as pool:
        lessons = [pool.submit(asyncio.run, lesson(site.server.port)) for site in sites]
        ends = time.monotonic() + SECONDS
        time.sleep(FAULT)
        kill_one, kill_other = (site.kill_a_worker for site in sites)
        faults: Iterator[Callable[[], None]] = itertools.cycle(
            (kill_one, lambda: freeze(redis), kill_other, sites[0].fill_disk)
        )
        pause = max(FAULT, SECONDS / MAX_FAULTS - FAULT)
        while time.monotonic() < ends - FAULT - pause:
            for site in sites:
                site.look()
            next(faults)()
            time.sleep(pause)
        for site, played in zip(sites, lessons, strict=True):
            site.look()
            site.tally = played.result()
            assert len(site.tally.seconds) > SECONDS, "the class has hardly played"
            assert site.tally.unanswered > 0, "nothing went wrong"
            assert site.tally.fault() == "", site
            assert growth(site.memory) < MAX_MEMORY, site
            assert growth(site.files) < MAX_FILES, site


def kill_often(site: Site, kills: int) -> None:
    """Kill a worker, all processes, a worker, the parent alone, each once moves are answered."""
    while site.kills < kills:
        before = len(site.tally.seconds)
        time.sleep(random.uniform(0.5, 1.5))
        waits_until = time.monotonic() + 120
        while len(site.tally.seconds) == before:
            assert time.monotonic() < waits_until, "nobody was answered for two minutes"
            time.sleep(0.05)
        way, site.kills = site.kills % 4, site.kills + 1
        if way % 2 == 0:  # one alone: two within seconds are taken for a broken site
            for worker in site.server.workers()[-1:]:
                worker.kill()
            continue
        (site.server.kill if way == 1 else site.server.kill_parent)()
        site.server.__enter__()


def play_through(site: Site, kills: int) -> Site:
    """Let a class play until its site was killed often enough."""
    with ThreadPoolExecutor(1) as pool:
        killing = pool.submit(kill_often, site, kills)

        def is_over(tally: Tally) -> bool:
            site.tally = tally
            return killing.done()

        asyncio.run(school(site.server.port, STUDENTS, is_over, PAUSE))
        killing.result()
    return site


@pytest.mark.slow
def test_kills_of_every_kind_lose_nothing_that_was_answered(tmp_path: Path) -> None:
    kills = int(os.environ.get("SOAK_KILLS", "4"))
    with two_sites(tmp_path) as (sites, _), ThreadPoolExecutor(2) as pool:
        for site in pool.map(lambda site: play_through(site, kills), sites):
            assert site.kills == kills
            assert site.tally.seconds
            assert site.tally.fault() == "", site
