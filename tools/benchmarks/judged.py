"""What *insight* costs those who play: part of ``make bench-class``.

As many players as a small class play Blackjack in turns of some seconds: in one turn they are in no
class and nothing is judged; in the next they are its students, and more rounds than theirs wait all
the time, and are judged beside them. Told is how long a move took in both, in one run.
"""

import asyncio
import random
import secrets
import time
from typing import Final

from cardgames import GAMES
from cardgames.table import Table
from tests.support.class_client import Boss, Client, Phone
from tests.support.school import percentile
from tests.support.serving import Server
from web.classroom.insight_store import InsightStore, TableKey
from web.storage import open_store
from web.storage.rounds import NewRound, rows_with, session_place
from web.storage.store import Store
from web.tables.stored_round import StoredRound

PLAYERS: Final = 12
TURN: Final = 5.0
"""So many seconds a turn lasts."""

BACKLOG: Final = 2_400
"""Number of rounds that wait at the beginning of a turn: more than are judged in it."""

SLUG: Final = "blackjack"


def random_round(at: bytes, number: int) -> NewRound:
    """Return a round that nobody has played before, as its table keeps it."""
    salt = secrets.token_hex(16)
    table, records = Table(GAMES[SLUG]).play("deal", {}, lambda: salt)
    while not records:
        table, records = table.play(random.choice(["hit", "stay"]), {}, lambda: salt)
    stored = StoredRound.of(records[0], GAMES[SLUG]).at_table(at, number)
    return NewRound(SLUG, stored.packed())


async def play(client: Client, until: float, taken: list[float]) -> None:
    """Play Blackjack in JSON, as fast as a student clicks."""
    table = await client.json(f"/{SLUG}")
    while time.perf_counter() < until:
        names = {move["name"] for move in table["moves"]}
        move = random.choice(["hit", "stay"]) if "stay" in names else "deal"
        began = time.perf_counter()
        table = await client.json(f"/{SLUG}", {"move": move, "step": table["step"]})
        taken.append(1e3 * (time.perf_counter() - began))
        await asyncio.sleep(random.uniform(0.1, 0.3))


def fill(store: Store, code: str) -> None:
    """Let rounds of all students of a class wait: each at a table of their own."""
    numbers = range(1, BACKLOG // PLAYERS + 1)
    for student in range(1, PLAYERS + 1):
        sid, table = secrets.token_hex(16), secrets.token_bytes(4)
        at = TableKey(code, student, SLUG, table)
        until = InsightStore(store).note_rounds(at, sid, numbers)
        rounds = rows_with(store, sid, {}, [random_round(table, number) for number in numbers])
        store.write(session_place(sid), rounds.put, {}, expires=int(until) + 3_600)


async def drained(store: Store, code: str) -> None:
    """Wait until all rounds of a class are judged."""
    while InsightStore(store).count_waiting(code):  # noqa: ASYNC110 - another process judges
        await asyncio.sleep(0.05)


async def turns(server: Server, redis: str, seconds: float) -> str:
    """Measure in turns for so many seconds."""
    boss = Boss(server.port)
    code = await boss.open()
    students = [Phone(server.port, code) for _ in range(PLAYERS)]
    for one in students:
        await one.join()
    visitors = [Client(server.port) for _ in range(PLAYERS)]
    store = open_store(server.data_dir, redis)
    alone: list[float] = []
    judged: list[float] = []
    counted, left, niced, ends = 0, 0, 0.0, time.perf_counter() + seconds
    while time.perf_counter() < ends:
        until = time.perf_counter() + TURN
        await asyncio.gather(*(play(one, until, alone) for one in visitors))
        fill(store, code)
        began, spent = time.perf_counter(), judge_seconds(server)
        until = began + TURN
        await asyncio.gather(*(play(one, until, judged) for one in students))
        niced += (judge_seconds(server) - spent) / (time.perf_counter() - began)
        counted += 1
        left += InsightStore(store).count_waiting(code)
        await drained(store, code)
    rounds = counted * BACKLOG - left
    for browser in (boss, *students, *visitors):
        browser.close()
    p50, p99 = (percentile(judged, share) / percentile(alone, share) for share in (0.5, 0.99))
    return (
        f"{PLAYERS} at Blackjack in turns of {TURN:.0f} s, while {rounds} other rounds were judged "
        f"({100 * niced / counted:.0f} % of a processor, stepped back)\n"
        f"  in no class, nothing judged  {_told(alone)}\n"
        f"  a class that is judged       {_told(judged)}\n"
        f"  ratio                        p50 {p50:.2f}, p99 {p99:.2f}"
    )


def judge_seconds(server: Server) -> float:
    """Return the processor seconds of those of a server's processes that step back."""
    times = [one.cpu_times() for one in server.processes() if one.nice() > 0]
    return float(sum(one.user + one.system for one in times))


def _told(taken: list[float]) -> str:
    p50, p99 = (percentile(taken, share) for share in (0.5, 0.99))
    return f"{len(taken)} moves, p50 {p50:.1f} ms, p99 {p99:.1f} ms"


def judged_class(server: Server, redis: str = "", seconds: float = 60) -> str:
    """Return what a judged class costs those who play."""
    return asyncio.run(turns(server, redis, seconds))
