"""Sixty phones over HTTP, in a class whose workers are killed with -9 all the time.

Every round is judged beside the server, by the sheet's rules and the salt that it opens afterwards.
"""

import asyncio
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import psutil
import pytest

from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.games.bingo.rules import PATTERNS, Mode, dealt, face_down_positions
from tests.support.class_client import Boss, Phone
from tests.support.machines import Redis
from tests.support.serving import Server

pytestmark = pytest.mark.xdist_group("machines")

LIVES_FOR = 6.0
"""A worker is let live for so many seconds: two deaths in 5.5 end granian, which takes them for a
loop of crashes."""


def order(salt: str, number: int) -> Cards:
    return tuple(sorted(FULL_DECK, key=lambda c: sha256(f"{salt} {number} {c}".encode()).digest()))


def true_grid(salt: str, card: int) -> Cards:
    return dealt(order(salt, card + 1))[0]  # every card has a deck of its own


def has_bingo(grid: Cards, called: list[str], document: dict[str, Any]) -> bool:
    down = face_down_positions(grid, [Card(code) for code in called], speed=document["speed"])
    return any(pattern <= down.keys() for pattern in PATTERNS[Mode(document["mode"])])


def workers_of(server: Server) -> list[psutil.Process]:
    """Return the processes that answer: children of the server that are no helpers of Python's."""
    found = []
    for process in server.processes()[1:]:
        with suppress(psutil.Error):
            line = " ".join(process.cmdline())
            if "spawn_main" in line or "app.py" in line:
                found.append(process)
    return [one for one in found if "resource_tracker" not in " ".join(one.cmdline())]


class Killer:
    """Kills one worker after the other, as often as it is let."""

    def __init__(self, server: Server, kills: int) -> None:
        self.server, self.left, self.killed = server, kills, 0

    def strike(self) -> None:
        """Kill a worker that has lived for long enough, and do not wait for the next."""
        if not self.left:
            return
        old = time.time() - LIVES_FOR
        with suppress(psutil.Error):
            for worker in workers_of(self.server):
                if worker.create_time() < old:
                    worker.send_signal(signal.SIGKILL)
                    self.left -= 1
                    self.killed += 1
                    return


@contextmanager
def serving(folder: Path, workers: int, redis: Redis | None) -> Iterator[Server]:
    settings = {"CLASSES": "open", "WORKERS": str(workers)}
    if redis:
        settings["SESSION_STORE"] = redis.url
    with Server(folder, **settings) as server:
        yield server


async def play_automatic(boss: Boss, phones: list[Phone], killer: Killer) -> None:
    """Play a round that the server covers and ends; look at it from everywhere."""
    status, document = await boss.move("deal", every="0", mode="L")
    assert status == 200, document
    seen: list[str] = []
    while document["round"]["phase"] == "playing":
        if random.random() < 0.3:
            killer.strike()
        document, some = await asyncio.gather(
            boss.call(), asyncio.gather(*(one.bingo() for one in random.sample(phones, 5)))
        )
        for looked in (*(one["round"]["called"] for one in some), document["round"]["called"]):
            shorter, longer = sorted((looked, seen), key=len)
            assert longer[: len(shorter)] == shorter
            seen = longer
    called = document["round"]["called"]
    status, document = await boss.move("end")
    assert status == 200, document
    salt = document["round"]["salt"]
    assert called == [str(card) for card in order(salt, 1)[: len(called)]]
    assert len(set(called)) == len(called)
    has = [
        one.name
        for one in phones
        if has_bingo(true_grid(salt, one.number), called, document["round"])
    ]
    before = [
        one
        for one in phones
        if has_bingo(true_grid(salt, one.number), called[:-1], document["round"])
    ]
    assert before == []
    assert [(one["place"], sorted(one["names"])) for one in document["round"]["places"]] == [
        (1, sorted(has))
    ]


async def school_day(server: Server, kills: int, phones: int, rounds: int) -> None:
    """Have a class join, and play rounds of both kinds while workers are killed."""
    boss = Boss(server.port)
    code = await boss.open(real="may")
    sitting = [Phone(server.port, code) for _ in range(phones)]
    await asyncio.gather(*(one.join(real=f"Somebody {n}") for n, one in enumerate(sitting)))
    assert sorted(one.number for one in sitting) == list(range(1, phones + 1))
    assert len({one.name for one in sitting}) == phones
    killer = Killer(server, kills)
    for _ in range(rounds):
        await play_automatic(boss, sitting, killer)
    until = time.monotonic() + 20 * LIVES_FOR
    while killer.left:  # what was not killed on the way, while they look at the last round
        assert time.monotonic() < until, "no worker was found that could be killed"
        killer.strike()
        looked = await asyncio.gather(*(one.bingo() for one in sitting[:5]))
        assert {one["round"]["number"] for one in looked} == {rounds}
        await asyncio.sleep(0.1)
    document = await boss.json(f"{boss.desk}?names=yes")
    assert [one["number"] for one in document["students"]] == [*range(1, phones + 1)]
    assert {one["real"] for one in document["students"]} == {f"Somebody {n}" for n in range(phones)}
    assert document["round"]["number"] == rounds
    table = (await boss.ask(f"{boss.desk}/rounds.csv")).body.decode("utf-8-sig").splitlines()
    assert len(table) == 1 + rounds * phones
    for one in (boss, *sitting):
        one.close()


@pytest.mark.parametrize("store", ["SQLite", "Redis"])
def test_a_class_plays_through_kills(
    tmp_path: Path, request: pytest.FixtureRequest, store: str
) -> None:
    redis = request.getfixturevalue("redis") if store == "Redis" else None
    with serving(tmp_path, 2, redis) as server:
        asyncio.run(school_day(server, kills=2, phones=20, rounds=2))
