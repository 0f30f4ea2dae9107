"""Floods of requests from clients without a session, and players who play during the floods."""

import asyncio
import random
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from tests.support.class_client import Boss
from tests.support.http_client import JSON, AsyncClient, AsyncConnection, Away, Browser, Request

TABLE: Final = "/simple-21"


def a_join(code: str) -> Request:
    """Return a request to join a class with a new name."""
    form = {"name": f"Flood {secrets.token_hex(4)}", "receipt": secrets.token_hex(16)}
    return Browser().prepare("POST", f"/class/{code}/join", form, JSON)


def a_first_move(_: str) -> Request:
    """Return a request for a move at a table, from a browser without a session."""
    return Browser().prepare("POST", TABLE, {"move": "deal", "step": "0"}, JSON)


def a_forged_cookie(_: str) -> Request:
    """Return a GET request with a session cookie that the site did not sign."""
    sid, signature = secrets.token_hex(16), secrets.token_hex(32)
    return Request("GET", "/", {"Cookie": f"cardgames={sid}.{signature}"})


def a_look(_: str) -> Request:
    """Return a GET request without a cookie."""
    return Request("GET", TABLE)


FLOODS: Final[dict[str, Callable[[str], Request]]] = {
    "joins": a_join,
    "first moves": a_first_move,
    "made-up cookies": a_forged_cookie,
    "looks": a_look,
}


@asynccontextmanager
async def flood(
    port: int, connections: int, make: Callable[[str], Request], code: str = ""
) -> AsyncIterator[list[int]]:
    """Send requests over several connections during a block, and yield the statuses."""
    statuses: list[int] = []
    # Each connection waits for its response, so that all connections are busy.
    is_on = asyncio.Event()
    # A single cancellation may be lost if a response arrives at the same time.
    is_over = asyncio.Event()

    async def send() -> None:
        connection = AsyncConnection(port)
        try:
            while not is_over.is_set():
                try:
                    statuses.append((await connection(make(code))).status)
                except Away:
                    statuses.append(503)
                    await asyncio.sleep(0.01)
                if len(statuses) >= connections:
                    is_on.set()
        finally:
            connection.close()

    tasks = [asyncio.ensure_future(send()) for _ in range(connections)]
    try:
        await is_on.wait()
        yield statuses
    finally:
        is_over.set()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass
class Moves:
    """The moves of players during a flood."""

    seconds: list[float] = field(default_factory=list)
    rejected: int = 0


async def play(players: list[AsyncClient], seconds: float, pause: float = 0.1) -> Moves:
    """Play at a table for some seconds; return the times and statuses of the moves."""
    moves, until = Moves(), time.perf_counter() + seconds

    async def play_one(player: AsyncClient) -> None:
        step = (await player.json(TABLE))["step"]
        while time.perf_counter() < until:
            await asyncio.sleep(random.uniform(0.5, 1.5) * pause)
            began = time.perf_counter()
            answer = await player.ask(TABLE, {"move": "new", "step": step}, JSON)
            moves.seconds.append(time.perf_counter() - began)
            step += answer.json.get("error") is None
        moves.rejected += player.unanswered

    await asyncio.gather(*(play_one(player) for player in players))
    return moves


async def seated(port: int, count: int) -> list[AsyncClient]:
    """Return players who have already made their first move."""
    players = [AsyncClient(port) for _ in range(count)]
    for player in players:
        await player.json(TABLE, {"move": "new", "step": 0})
        player.unanswered = 0
    return players


async def beside(
    port: int, kind: str, connections: int, *, players: int = 10, seconds: float = 3.0
) -> Moves:
    """Return the moves that players make while other clients flood the site."""
    boss = Boss(port)
    code = await boss.open(students=20)
    playing = await seated(port, players)
    async with flood(port, connections, FLOODS[kind], code):
        moves = await play(playing, seconds)
    for client in (boss, *playing):
        client.close()
    return moves
