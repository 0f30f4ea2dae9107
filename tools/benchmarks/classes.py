"""Measures the cost of an active class, as part of ``make load``.

Each phone has its own connection. It polls the student's card with ``If-None-Match`` and ``Prefer:
wait``. At first no card is called, and then a card is called every five seconds. The output
contains the server's processor time while no card is called, the time from a call until the phones
have the page, and the duration of moves at the tables with and without the class. It also contains
the processor time of the server and of the process that simulates the phones. With ``--before
COMMIT``, another version of the site is also measured.
"""

import argparse
import asyncio
import random
import re
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import psutil

from tests.support.class_client import Boss, Phone
from tests.support.school import after, percentile, school, spread
from tests.support.serving import ROOT, Server, processor_seconds
from tools.benchmarks.load import apart
from tools.benchmarks.moves import checkout

CALLS_EVERY: Final = 5
PLAYERS: Final = 4
PAUSE: Final = (0.1, 0.3)
"""The range of a player's thinking time for a move, in seconds."""

PREFER: Final = {"Accept": "text/html", "Prefer": "return=representation, wait=25"}
SETTLE_SECONDS: Final = 5.0
"""Time, in seconds, in which all phones load their first page."""

Times = list[float]
"""Durations of responses, in seconds."""


class Lesson(NamedTuple):
    """The results of a class."""

    alone: Times
    """The durations of moves at the tables without a class."""

    beside: Times
    """The durations of moves at the tables during a class."""

    asked: Times
    """The durations of 304 responses that were not held."""

    news: Times
    """The times from a call until a phone has the page."""

    idle: float
    """The server's share of a processor while no card is called."""


def summary(times: Times) -> str:
    """Return the number of responses, and their durations, as text."""
    return f"{len(times)}, {spread(times)}" if times else "0"


def ratio(times: Times, others: Times) -> str:
    """Return the ratio of the durations of two groups of responses, as text."""
    shares = [percentile(times, share) / percentile(others, share) for share in (0.5, 0.99)]
    return "p50 {:.2f}, p99 {:.2f}".format(*shares)


async def look_on(phone: Phone, until: float, calls: Times, asked: Times, news: Times) -> None:
    """Request the card in the same way as a page.

    Args:
        phone: The student's phone.
        until: The time at which the phone stops.
        calls: The times of the calls so far.
        asked: Receives the duration of each 304 response that was not held, in seconds.
        news: Receives the time from each call until the phone has the page, in seconds.
    """
    page, version, every, shown_calls = f"{phone.base}/bingo", "", 1.0, 0
    await asyncio.sleep(random.random())
    while time.perf_counter() < until:
        began = time.perf_counter()
        answer = await phone.ask(page, headers={**PREFER, "If-None-Match": f'"{version}"'})
        is_held = "wait" in answer.headers.getlist("Preference-Applied")
        if answer.status == 304:
            every = float(answer.headers["Retry-After"])
            asked += [] if is_held else [time.perf_counter() - began]
        elif shown := re.search(rb'data-version="([^"]+)"', answer.body):
            if shown_calls < len(calls):
                news.append(time.perf_counter() - calls[-1])
            version, shown_calls = shown[1].decode(), len(calls)
        await asyncio.sleep(0 if is_held else every * random.uniform(0.8, 1.2))


async def call_cards(boss: Boss, until: float, calls: Times) -> None:
    """Call a card at regular intervals, and deal again when someone has BINGO!"""
    while time.perf_counter() < until:
        await asyncio.sleep(CALLS_EVERY)
        now = (await boss.json(boss.desk))["round"]
        phase = now["phase"] if now else ""
        if phase == "playing":
            calls.append(time.perf_counter())
            await boss.call()
        elif phase == "bingo":
            await boss.move("end")
        else:
            await boss.move("deal", every="0")


async def join(port: int, phones: int) -> tuple[Boss, list[Phone]]:
    """Open a class that simulated phones join."""
    boss = Boss(port)
    code = await boss.open(students=phones)
    sitting = [Phone(port, code) for _ in range(phones)]
    for start in range(0, phones, 40):
        await asyncio.gather(*(phone.join() for phone in sitting[start : start + 40]))
    return boss, sitting


async def measure_idle_share(
    boss: Boss, sitting: Sequence[Phone], seconds: float, server: Sequence[int]
) -> float:
    """Return the server's share of a processor while phones wait and no card is called."""
    await boss.move("deal", every="0")
    until = time.perf_counter() + SETTLE_SECONDS + seconds
    looking = asyncio.gather(*(look_on(phone, until, [], [], []) for phone in sitting))
    await asyncio.sleep(SETTLE_SECONDS)
    before = processor_seconds(map(psutil.Process, server))
    await asyncio.sleep(seconds)
    spent = processor_seconds(map(psutil.Process, server)) - before
    await looking
    return spent / seconds


async def a_class(port: int, phones: int, seconds: float, server: Sequence[int]) -> Lesson:
    """Measure a class without calls, and moves at the tables without and with a class.

    Args:
        port: The server's port.
        phones: The number of students.
        seconds: The duration of the class.
        server: The IDs of the server's processes.
    """
    boss, sitting = await join(port, phones)
    calls, asked, news = Times(), Times(), Times()
    alone = await school(port, PLAYERS, after(seconds / 2), PAUSE)
    idle = await measure_idle_share(boss, sitting, seconds, server)
    until = time.perf_counter() + seconds
    playing = asyncio.ensure_future(school(port, PLAYERS, after(seconds), PAUSE))
    ends = await asyncio.gather(
        call_cards(boss, until, calls),
        *(look_on(phone, until, calls, asked, news) for phone in sitting),
        return_exceptions=True,
    )
    beside = await playing
    if lost := [end for end in ends if isinstance(end, Exception)]:
        print(f"  {len(lost)} of {phones} phones gave up: {lost[0]!r}")
    for client in (boss, *sitting):
        client.close()
    return Lesson(alone.seconds, beside.seconds, asked, news, idle)


def measure(root: Path, phones: int, seconds: float) -> dict[str, str]:
    """Return the cost of a class with this number of phones, on a checkout's server."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder), root=root, CLASSES="open") as server,
    ):
        before = server.cpu()
        ids = [process.pid for process in server.processes()]
        lesson: Lesson
        lesson, own = apart(partial(a_class, server.port, phones, seconds, ids))
        spent = server.cpu() - before
    alone, beside, asked, news, idle = lesson
    return {
        "no call": f"{idle:.1%} of a processor",
        "nothing new": summary(asked),
        "call to page": summary(news),
        "moves alone": summary(alone),
        "moves beside": f"{summary(beside)}; times those alone: {ratio(beside, alone)}",
        "server's processor": f"{spent:.1f} s",
        "phones' processor": f"{own:.1f} s",
    }


def main() -> None:
    """Measure classes of several sizes, and every version at each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phones", type=int, nargs="+", default=[60, 400, 1_000])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--before", metavar="COMMIT", help="another version, in the same run")
    asked = parser.parse_args()
    with ExitStack() as stack:
        roots = [ROOT, *([stack.enter_context(checkout(asked.before))] if asked.before else [])]
        for phones in asked.phones:
            seen = [measure(root, phones, asked.seconds) for root in roots]
            print(f"{phones} phones{', now and before' if asked.before else ''}:")
            for name in seen[0]:
                print(f"  {name:<20}{' | '.join(row[name] for row in seen)}", flush=True)


if __name__ == "__main__":
    main()
