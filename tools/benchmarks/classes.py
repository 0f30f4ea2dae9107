"""What a live class costs: ``make bench-class``.

Phones ask "anything new?" once a second and load the page at every call, each from a connection of
its own. Told are the server's processor time, how long the answers took, and the tables' own moves
beside them, in the same run with and without the class; and what it costs those who play that the
class is judged (:mod:`tools.benchmarks.judged`).
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from tests.support.class_client import Boss, Client, Phone
from tests.support.school import percentile
from tests.support.serving import Server

CALLS_EVERY: Final = 5
"""So many seconds there are between two calls."""

PLAYERS: Final = 4
"""So many play at a table beside the class."""


class Times:
    """How long answers took, in milliseconds."""

    def __init__(self) -> None:
        """Begin with none."""
        self.taken: list[float] = []

    def add(self, began: float) -> None:
        """Add one that began at a time."""
        self.taken.append((time.perf_counter() - began) * 1e3)

    def __str__(self) -> str:
        p50, p99 = (percentile(self.taken, share) for share in (0.5, 0.99))
        return f"{len(self.taken)} answers, p50 {p50:.1f} ms, p99 {p99:.1f} ms"


async def look_on(phone: Phone, until: float, asked: Times, pages: Times) -> None:
    """Ask for news about once a second, and load the page when there is any."""
    version, tag = "", ""
    await asyncio.sleep(random.random())
    while time.perf_counter() < until:
        began = time.perf_counter()
        known = {"If-None-Match": tag} if tag else {}
        answer = await phone.ask(f"{phone.base}/updates?at=bingo", headers=known)
        asked.add(began)
        if answer.status == 200:
            tag, told = answer.headers["etag"], answer.json
            if told["version"] != version:
                version = told["version"]
                began = time.perf_counter()
                await phone.ask(f"{phone.base}/bingo")
                pages.add(began)
        await asyncio.sleep(random.uniform(0.8, 1.2))


async def play(client: Client, until: float, taken: Times) -> None:
    """Play Simple 21 in JSON, as fast as a student clicks."""
    table = await client.json("/simple-21")
    while time.perf_counter() < until:
        move = table["moves"][0]["name"]
        began = time.perf_counter()
        table = await client.json("/simple-21", {"move": move, "step": table["step"]})
        taken.add(began)
        await asyncio.sleep(random.uniform(0.1, 0.3))


async def call_cards(boss: Boss, until: float) -> None:
    """Call a card every so often, and deal again when somebody has BINGO!"""
    while time.perf_counter() < until:
        told = await boss.json(boss.desk)
        phase = told["round"]["phase"] if told["round"] else ""
        if phase == "playing":
            await boss.call()
        elif phase == "bingo":
            await boss.move("end")
        else:
            await boss.move("deal", every="0")
        await asyncio.sleep(CALLS_EVERY)


async def school(server: Server, phones: int, seconds: float) -> str:
    """Measure a class of so many phones, and the tables with and without it."""
    boss = Boss(server.port)
    code = await boss.open(students=500)
    sitting = [Phone(server.port, code) for _ in range(phones)]
    began = time.perf_counter()
    for start in range(0, phones, 60):
        await asyncio.gather(*(one.join() for one in sitting[start : start + 60]))
    joined = time.perf_counter() - began
    players = [Client(server.port) for _ in range(PLAYERS)]
    alone, beside, asked, pages = Times(), Times(), Times(), Times()
    until = time.perf_counter() + seconds / 2
    before = server.cpu()
    await asyncio.gather(*(play(one, until, alone) for one in players))
    tables_alone = (server.cpu() - before) / (seconds / 2)
    before, until = server.cpu(), time.perf_counter() + seconds
    await asyncio.gather(
        call_cards(boss, until),
        *(look_on(one, until, asked, pages) for one in sitting),
    )
    class_alone = (server.cpu() - before) / seconds
    until = time.perf_counter() + seconds / 2
    await asyncio.gather(
        call_cards(boss, until),
        *(look_on(one, until, asked, pages) for one in sitting),
        *(play(one, until, beside) for one in players),
    )
    for one in (boss, *sitting, *players):
        one.close()
    return (
        f"{phones} phones (joined in {joined:.1f} s): {100 * class_alone:.1f} % of one processor\n"
        f"  anything new?  {asked}\n"
        f"  pages          {pages}\n"
        f"  tables alone   {alone}, {100 * tables_alone:.1f} % of one processor\n"
        f"  tables beside  {beside}"
    )


def updates_and_hello(server: Server, seconds: float) -> str:
    """Compare what "anything new?" costs with what a page costs, in one interleaved run."""

    async def run() -> str:
        boss = Boss(server.port)
        code = await boss.open()
        phone = Phone(server.port, code)
        await phone.join()
        await boss.move("deal", every="0")
        await boss.call()
        paths = {
            "anything new?": f"{phone.base}/updates?at=bingo",
            "the card": f"{phone.base}/bingo",
            "healthz": "/healthz",
        }
        costs = {name: [0.0, 0] for name in paths}
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            for name, path in paths.items():
                before = server.cpu()
                for _ in range(300):
                    await phone.ask(path)
                costs[name][0] += server.cpu() - before
                costs[name][1] += 300
        boss.close()
        phone.close()
        whole = {name: spent / count * 1e6 for name, (spent, count) in costs.items()}
        base = whole["anything new?"]
        return ", ".join(f"{name} {us:.0f} us ({us / base:.1f})" for name, us in whole.items())

    return asyncio.run(run())


def measured(redis: str, measure: Callable[[Server], str]) -> str:
    """Return what is measured of a server of its own; without a Redis it keeps a file."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder), CLASSES="open", SESSION_STORE=redis) as server,
    ):
        return measure(server)


def main() -> None:
    """Measure it all, or what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phones", type=int, nargs="+", default=[60, 400])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--redis", default="", help="the address of a Redis to measure with")
    asked = parser.parse_args()
    with suppress(KeyboardInterrupt):
        print("one request:", measured(asked.redis, lambda server: updates_and_hello(server, 10)))
        for phones in asked.phones:
            print(measured(asked.redis, partial(_school, phones=phones, seconds=asked.seconds)))


def _school(server: Server, phones: int, seconds: float) -> str:
    return asyncio.run(school(server, phones, seconds))


if __name__ == "__main__":
    main()
