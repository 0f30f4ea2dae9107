"""The number of students that a machine can serve: ``make load``.

More students play than the machine can serve. A few seconds later a class plays, and then 400
browsers load a table at the same time. The simulated students run in their own process, whose
processor time is printed, because they share the machine with the server.
"""

import argparse
import asyncio
import multiprocessing
import re
import resource
import tempfile
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.support.http_client import AsyncClient, Away
from tests.support.school import Tally, after, report, school, spread
from tests.support.serving import Server

PLAYERS: Final = 60
PAUSE: Final = (1.0, 3.0)
"""The range of a student's thinking time, in seconds."""

BROWSERS: Final = 400
RECOVERS: Final = 5.0
"""Maximum number of seconds that the site may take to recover from an overload."""

GIVES_UP: Final = 60.0
"""Maximum number of seconds that players wait for responses after the lesson."""


async def play(port: int, students: int, seconds: float) -> Tally:
    """Simulate a class, and wait until every table has been checked."""
    return await asyncio.wait_for(school(port, students, after(seconds), PAUSE), seconds + GIVES_UP)


def _in_own_process(act: Callable[[], Coroutine[Any, Any, Any]]) -> tuple[Any, float]:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    result = asyncio.run(act())
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return result, spent.ru_utime + spent.ru_stime


def apart(act: Callable[[], Coroutine[Any, Any, Any]]) -> tuple[Any, float]:
    """Run a function in its own process; return its result and CPU time in seconds."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_in_own_process, act).result()


def measured(server: Server, name: str, students: int, seconds: float) -> Tally:
    """Simulate a class on a server, and print the results."""
    spent = server.cpu()
    tally: Tally
    tally, processor = apart(partial(play, server.port, students, seconds))
    own, busy = (100 * spent / seconds for spent in (processor, server.cpu() - spent))
    print(f"  {name}: {report(tally, seconds)};", end=" ")
    if tally.refused:
        print(f"{len(tally.refused)} rejected, {spread(tally.refused)};", end=" ")
    print(f"processor: students' {own:.0f}%, server's {busy:.0f}%", flush=True)
    return tally


def _crowd(server: Server, students: int, seconds: float) -> float:
    """Simulate many students, and then a class.

    Return the number of answered moves per second.
    """
    tally = measured(server, f"{students} students", students, seconds)
    time.sleep(RECOVERS)
    measured(server, f"  {RECOVERS:.0f} s later {PLAYERS}", PLAYERS, RECOVERS)
    return len(tally.seconds) / seconds


async def _load_at_once(port: int, browsers: int) -> list[float]:
    """Load a table in browsers that have no cached files.

    Return the durations of the responses.
    """
    taken: list[float] = []

    async def load() -> None:
        began, client = time.perf_counter(), AsyncClient(port)
        try:
            page = (await client.request("GET", "/simple-21")).text
            for path in dict.fromkeys(re.findall(r'(?:href|src)="(/static/[^"#]+)', page)):
                await client.request("GET", path)
            taken.append(time.perf_counter() - began)
        except Away:
            pass
        client.close()

    await asyncio.gather(*(load() for _ in range(browsers)))
    return taken


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=12, help="duration of each lesson")
    parser.add_argument("--students", type=int, nargs="+", default=[800, 1_600, 3_200])
    asked = parser.parse_args()
    print("Each student makes a move every two seconds. A class follows some seconds later:")
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
        best = max(_crowd(server, students, asked.seconds) for students in asked.students)
        for times in (1.5, 2.0):
            rate = _crowd(server, round(times * best * sum(PAUSE) / 2), asked.seconds)
            print(
                f"  at {times:g} times the capacity, {rate / best:.2f} of the best rate is answered"
            )
        loads, _ = apart(partial(_load_at_once, server.port, BROWSERS))
        print(f"  {BROWSERS} browsers load a table concurrently: {spread(loads)};", end=" ")
        print(f"{BROWSERS - len(loads)} rejected", flush=True)


if __name__ == "__main__":
    main()
