"""How many students a machine carries: ``python -m tools.benchmarks.load``.

Three questions, each with a command of its own: ``class`` (a class at play, and how large it may
be), ``overload`` (more students than the machine can serve, then a class again, and everybody who
loads a table at once) and ``bored`` (sixty players beside somebody who sends slowly, silently or
too much, :mod:`tools.benchmarks.bored`). Students' programs run in a process of their own, whose
processor time is printed: they share the machine with the server.
"""

import argparse
import asyncio
import multiprocessing
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.support.school import Connection, Tally, after, percentile, school
from tests.support.serving import Server, memory
from tools.benchmarks import bored

PLAYERS: Final = 60
AT_MOST_MS: Final = 100
"""From which p99 on a class is too large."""

RECOVERS: Final = 5.0
"""Number of seconds after an overload from which on a class is answered as before it."""

GIVES_UP: Final = 60.0
"""Number of seconds after the lesson in which all players must have been answered."""


class Lesson(NamedTuple):
    """What students have seen, and what their programs took."""

    tally: Tally
    answers: Counter[int]
    """How often somebody beside the class was answered with which status."""

    seconds: float
    processor: float
    """Processor seconds of the students' own process."""

    def __str__(self) -> str:
        """Return it in one line."""
        tally, moves = self.tally, self.tally.seconds
        p50, p99 = (1e3 * percentile(moves, share) for share in (0.5, 0.99))
        text = f"{len(moves) / self.seconds:.0f} moves/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms"
        if tally.refused:
            late = 1e3 * percentile(tally.refused, 0.99)
            text += f"; {len(tally.refused)} refused, p99 {late:.0f} ms"
        if flaw := tally.flaw():
            text += f"; {flaw}"
        if self.answers:
            text += (
                f"; answered {', '.join(f'{n} x {status}' for status, n in self.answers.items())}"
            )
        return f"{text}; students' processor {100 * self.processor / self.seconds:.0f} %"


async def play(
    port: int, students: int, seconds: float, senders: Sequence[bored.Sender]
) -> tuple[Tally, Counter[int]]:
    """Let a class play beside some senders."""
    answers: Counter[int] = Counter()
    sending = [asyncio.ensure_future(bored.keep_sending(port, one, answers)) for one in senders]
    await asyncio.sleep(1 if senders else 0)
    lesson = asyncio.ensure_future(school(port, students, after(seconds)))
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


def lesson(
    server: Server, students: int, seconds: float, senders: Sequence[bored.Sender] = ()
) -> Lesson:
    """Let a class play at a server, and return what it has seen."""
    act = partial(play, server.port, students, seconds, senders)
    (tally, answers), processor = apart(act)
    return Lesson(tally, answers, seconds, processor)


def measured(server: Server, students: int, seconds: float) -> Lesson:
    """Let a class play, and print how it fared."""
    before = server.cpu()
    seen = lesson(server, students, seconds)
    spent = 100 * (server.cpu() - before) / seconds
    print(
        f"  {students:>5} students: {seen}, server's {spent:.0f} %, {memory(server):.0f} MB",
        flush=True,
    )
    return seen


def measure_class(students: int, seconds: float) -> None:
    """Print how a class fares, and how large it may be until it has to wait."""
    print("a class at play, each student at a move in two seconds:")
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
        while (
            percentile(measured(server, students, seconds).tally.seconds, 0.99) * 1e3 < AT_MOST_MS
        ):
            students += students // 2


async def _load_at_once(port: int, browsers: int) -> list[float]:
    """Let browsers without a cache load the same table in the same moment; return the seconds."""
    files = ("/simple-21", "/static/site.css", "/static/base.js")

    async def load() -> float:
        began, connection = time.perf_counter(), Connection(port)
        for path in files:
            with suppress(Exception):
                await connection.ask("GET", path)
        connection.close()
        return time.perf_counter() - began

    return await asyncio.gather(*(load() for _ in range(browsers)))


def measure_overload(sizes: Sequence[int], seconds: float) -> None:
    """Print what too many students see, and how a class fares soon after them."""
    print("more students than can be served, each at a move in two seconds:")
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
        for students in sizes:
            measured(server, students, seconds)
            time.sleep(RECOVERS)
            print(f"     {RECOVERS:.0f} s later", end="")
            measured(server, PLAYERS, RECOVERS)
        loads, _ = apart(partial(_load_at_once, server.port, 400))
        p50, p99 = (1e3 * percentile(loads, share) for share in (0.5, 0.99))
        print(f"  400 browsers load a table at once: p50 {p50:.0f} ms, p99 {p99:.0f} ms")


def measure_bored(names: Sequence[str], seconds: float) -> None:
    """Print what sixty players notice of each kind of sender."""
    print(f"{PLAYERS} players beside:")
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder), CLASSES="open", INSTRUCTOR_PASSWORD="a password") as server,
    ):
        target = bored.fill(server)
        for name in names or bored.NAMES:
            before, kept = server.cpu(), memory(server)
            seen = lesson(server, PLAYERS, seconds, bored.senders(name, target))
            busy = 100 * (server.cpu() - before) / seconds
            grown = memory(server) - kept
            print(f"  {name}: {seen}, server's {busy:.0f} %, {grown:+.0f} MB", flush=True)


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", nargs="?", choices=["class", "overload", "bored"])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--students", type=int, nargs="+", default=[])
    parser.add_argument("--only", action="append", default=[], help="a kind of sender, by its name")
    asked = parser.parse_args()
    if asked.question in (None, "class"):
        measure_class((asked.students or [200])[0], asked.seconds)
    if asked.question in (None, "overload"):
        measure_overload(asked.students or [400, 800, 1_600, 3_200], asked.seconds)
    if asked.question in (None, "bored"):
        measure_bored(asked.only, asked.seconds)


if __name__ == "__main__":
    main()
