"""How many students a machine carries: ``python -m tools.benchmarks.load QUESTION``.

``overload`` lets more students play than the machine can serve, has a class play after them, and
loads a table in 400 browsers at once. ``slow`` lets sixty players
play beside those who send slowly, silently or too much, ``bored`` beside each dear request, sent
from one connection and from eight (:mod:`tools.benchmarks.bored`). Students' programs run in a
process of their own, whose processor time is printed: they share the machine with the server.
"""

import argparse
import asyncio
import multiprocessing
import re
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.support.school import Away, Connection, Tally, after, percentile, report, school, spread
from tests.support.serving import Server, memory
from tools.benchmarks import bored

PLAYERS: Final = 60
PAUSE: Final = (1.0, 3.0)
"""For how many seconds a student thinks: from and to."""

QUICKLY: Final = (0.5, 1.5)
"""The same of those who play beside others, so that a short lesson has many moves."""

MEAN_PAUSE: Final = sum(PAUSE) / 2
BROWSERS: Final = 400
RECOVERS: Final = 5.0
"""Number of seconds after an overload from which on a class is answered as before it."""

GIVES_UP: Final = 60.0
"""Number of seconds after the lesson in which all players must have been answered."""


async def play(
    port: int,
    students: int,
    seconds: float,
    senders: Sequence[bored.Sender],
    pause: tuple[float, float],
) -> tuple[Tally, Counter[int]]:
    """Let a class play beside some senders."""
    answers: Counter[int] = Counter()
    sending = [asyncio.ensure_future(bored.keep_sending(port, one, answers)) for one in senders]
    await asyncio.sleep(1 if senders else 0)
    lesson = asyncio.ensure_future(school(port, students, after(seconds), pause))
    await asyncio.wait({lesson}, timeout=seconds)
    for task in sending:  # before the class counts what was lost
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)
    return await asyncio.wait_for(lesson, GIVES_UP), answers


def _in_own_process(act: Callable[[], Awaitable[Any]]) -> tuple[Any, float]:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    async def run() -> Any:
        return await act()

    result = asyncio.run(run())
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return result, spent.ru_utime + spent.ru_stime


def apart(act: Callable[[], Awaitable[Any]]) -> tuple[Any, float]:
    """Return what comes of something done in a process of its own, and its processor seconds."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_in_own_process, act).result()


def measured(
    server: Server,
    name: str,
    students: int,
    seconds: float,
    senders: Sequence[bored.Sender] = (),
    pause: tuple[float, float] = PAUSE,
) -> Tally:
    """Let a class play at a server, and print how it fared."""
    spent, kept = server.cpu(), memory(server)
    act = partial(play, server.port, students, seconds, senders, pause)
    tally: Tally
    (tally, answers), processor = apart(act)
    own, busy = (100 * spent / seconds for spent in (processor, server.cpu() - spent))
    print(f"  {name}: {report(tally, seconds)};", end=" ")
    if tally.refused:
        print(f"{len(tally.refused)} refused, {spread(tally.refused)};", end=" ")
    for status, number in answers.items():
        print(f"{number} x {status};", end=" ")
    print(f"processor: students' {own:.0f} %, server's {busy:.0f} %;", end=" ")
    print(f"{memory(server) - kept:+.0f} MB", flush=True)
    return tally


# ---- Too many ------------------------------------------------------------------------------------


def measure_overload(sizes: Sequence[int], seconds: float) -> None:
    """Print what too many students see, and how a class fares soon after them."""
    print("students at a move in two seconds, and a class some seconds after them:")
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
        best = max(_crowd(server, students, seconds) for students in sizes)
        for times in (1.5, 2.0):
            rate = _crowd(server, round(times * best * MEAN_PAUSE), seconds)
            print(f"  of {times:g} times what can be answered, {rate / best:.2f} of the best are")
        loads, _ = apart(partial(_load_at_once, server.port, BROWSERS))
        print(f"  {BROWSERS} browsers load a table at once: {spread(loads)};", end=" ")
        print(f"{BROWSERS - len(loads)} refused", flush=True)


def _crowd(server: Server, students: int, seconds: float) -> float:
    """Let students play, and a class after them; return how many moves a second were answered."""
    tally = measured(server, f"{students} students", students, seconds)
    time.sleep(RECOVERS)
    measured(server, f"  {RECOVERS:.0f} s later {PLAYERS}", PLAYERS, RECOVERS)
    return len(tally.seconds) / seconds


async def _load_at_once(port: int, browsers: int) -> list[float]:
    """Let browsers without a cache load the same table; return the seconds of those answered."""
    taken: list[float] = []

    async def load() -> None:
        began, connection = time.perf_counter(), Connection(port)
        try:
            page = (await connection.ask("GET", "/simple-21")).body.decode()
            for path in dict.fromkeys(re.findall(r'(?:href|src)="(/static/[^"#]+)', page)):
                await connection.ask("GET", path)
            taken.append(time.perf_counter() - began)
        except Away:
            pass
        connection.close()

    await asyncio.gather(*(load() for _ in range(browsers)))
    return taken


# ---- Beside others -------------------------------------------------------------------------------


def measure_beside(question: str, only: Sequence[str], seconds: float) -> None:
    """Print what sixty players notice of each kind of sender, and of which they notice most."""
    print(f"{PLAYERS} players beside:")
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder), CLASSES="open", INSTRUCTOR_PASSWORD="a password") as server,
    ):
        named = _senders(question, server)
        taken = {}
        for name, senders in {"nobody": (), **named}.items():
            if name == "nobody" or not only or any(part in name for part in only):
                tally = measured(server, name, PLAYERS, seconds, senders, QUICKLY)
                taken[name] = percentile(tally.seconds, 0.99)
        for name in sorted(taken, key=lambda name: -taken[name])[:5]:
            times = taken[name] / taken["nobody"]
            print(f"  slowest: p99 {1e3 * taken[name]:.0f} ms, {times:.1f} times, {name}")


def _senders(question: str, server: Server) -> Mapping[str, Sequence[bored.Sender]]:
    """Return who sends what beside the players, by names."""
    if question == "slow":
        return bored.SLOW_SENDERS
    target = bored.fill(server)
    return {
        f"{name}, from {number}": [bored.Sender("again", make(target))] * number
        for name, make in bored.REQUESTS.items()
        for number in bored.CONNECTIONS
    }


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", choices=["overload", "slow", "bored"])
    parser.add_argument("--seconds", type=float, help="of each lesson")
    parser.add_argument("--students", type=int, nargs="+", default=[800, 1_600, 3_200])
    parser.add_argument("--only", action="append", default=[], help="a part of a sender's name")
    asked = parser.parse_args()
    if asked.question == "overload":
        measure_overload(asked.students, asked.seconds or 12)
    else:
        measure_beside(
            asked.question, asked.only, asked.seconds or (15, 2.5)[asked.question == "bored"]
        )


if __name__ == "__main__":
    main()
