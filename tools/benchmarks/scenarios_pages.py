"""One student who asks for what takes long: replays, hands played differently, simulations.

``tools.benchmarks.scenarios`` runs them, through served pages, so that any version can be measured.
"""

import asyncio
import itertools
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from typing import Final

from tests.support.serving import Player, Server
from tools.benchmarks.bored_student import Sender, beside
from tools.benchmarks.lab import NOT_TAKEN, start_run
from tools.benchmarks.scenarios_storage import TABLE, stand

A_SECOND: Final = 3
"""How many dear pages somebody without a cookie asks for in a second."""

ROUNDS: Final = 20
WARS: Final = 5
SLOW_STEPS: Final = 40

STRANGERS: Final = 40
"""So many visitors without a cookie ask for as many simulated games as there can be."""

LARGE: Final = {"experiment": "war", "games": "1000000", "players": "6"}
SMALL: Final = {"experiment": "war", "games": "10000"}
WAITS_AT_MOST: Final = 120.0
"""After so many seconds a student's run counts as one that does not come."""


def war(player: Player) -> None:
    """Play a war of six to its end."""
    for form in ({"move": "deal", "players": "6"}, {"move": "turn", "turns": "all"}):
        status, table = player.json("/war", {**form, "step": str(player.json("/war")[1]["step"])})
        if status != HTTPStatus.OK:
            raise RuntimeError(f"{status}: {table}")


def addresses(server: Server) -> list[str]:
    """Return pages that compute and need no cookie, every one of another round."""
    found = []
    with closing(Player(server.port)) as player:
        for number in range(1, ROUNDS + 1):
            stand(player, TABLE)
            replay = player.request("GET", f"{TABLE}/history/{number}")[0].headers["Location"]
            found += [f"{replay}?step=1", f"{replay.replace('/replay/', '/what-if/')}?step=1"]
        for number in range(1, WARS + 1):
            war(player)
            replay = player.request("GET", f"/war/history/{number}")[0].headers["Location"]
            found += [f"{replay}?step={step}" for step in range(0, SLOW_STEPS * 5, 5)]
    random.Random(1).shuffle(found)
    return found


def asks(pages: Sequence[str]) -> Sender:
    """Return a sender that asks for one page after the other, once a second."""
    following = itertools.cycle(pages)

    async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(f"GET {next(following)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            await writer.drain()
            if not await reader.read(1_000_000):
                return
            await asyncio.sleep(1)

    return send


def pages(root: Path, folder: Path) -> Iterator[str]:
    """Sixty players beside three dear pages a second, asked for without a cookie."""
    with Server(folder, root=root) as server:
        dear = addresses(server)
        yield f"nobody asks: {beside(server, [])}"
        senders = [asks(dear[number::A_SECOND]) for number in range(A_SECOND)]
        yield f"{A_SECOND} a second: {beside(server, senders)}"


def lab(root: Path, folder: Path) -> Iterator[str]:
    """Forty strangers ask the lab for a million games each, then a student for ten thousand."""
    with Server(folder, root=root) as server:
        taken = 0
        for _ in range(STRANGERS):
            with closing(Player(server.port)) as stranger:
                taken += start_run(stranger, LARGE) != NOT_TAKEN
        with closing(Player(server.port)) as student:
            student.json(TABLE, {"move": "deal", "step": "0"})
            began = time.monotonic()
            address = start_run(student, SMALL)
            ends = began + WAITS_AT_MOST
            while address != NOT_TAKEN and time.monotonic() < ends:
                if student.json(f"{address}/status")[1]["phase"] == "done":
                    break
                time.sleep(0.2)
            waited = time.monotonic() - began
    came = f"is done after {waited:.1f} s" if waited < WAITS_AT_MOST else "does not come"
    came = "is refused" if address == NOT_TAKEN else came
    yield f"{taken} of {STRANGERS} are taken; the student's {came}"
