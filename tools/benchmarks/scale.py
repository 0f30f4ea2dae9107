"""What so many players need, and what breaks first: ``python -m tools.benchmarks.scale``.

``--players 10000`` tells how that many fare on given machines; ``--plan`` how many of everything
they need. Both follow from a few figures, which ``--measure`` measures anew on this machine and
prints in the form in which they stand here. docs/scale.md explains them.
"""

import argparse
import math
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, fields
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Final

import psutil

from tests.support.serving import Player, Server, redis_server
from tools.benchmarks.kept import save
from tools.benchmarks.moves import TABLE, cost_at_once, json_moves, page_moves
from web.storage.redis import RedisStore
from web.storage.rounds import NewRound
from web.storage.sqlite import SQLiteStore

CLIENTS: Final = 6
BATCH: Final = 600
ROUNDS: Final = 7
SAMPLES: Final = 200_000
"""So many requests are played through to find how long they wait."""


@dataclass(frozen=True)
class Figures:
    """What one move costs, and what one player keeps."""

    page_cpu: float = 2.32e-3
    """Processor seconds of the site for a move in a browser: POST, 303, GET."""

    json_cpu: float = 1.03e-3
    """The same of a program's: one POST."""

    spread: float = 0.69
    """The standard deviation of a request's processor time, as a part of its mean."""

    redis_page_cpu: float = 2.8e-4
    """What the site pays more for a move in a browser where the store is a Redis."""

    redis_cpu: float = 1.7e-4
    """Processor seconds of Redis for a move in a browser."""

    redis_calls: float = 3.0
    """How often a worker waits for Redis in a move in a browser."""

    file_save: float = 7.4e-5
    """How long the SQLite file is held by one save, in seconds."""

    page_bytes: float = 5_900.0
    """How much is sent for a move in a browser."""

    new_bytes: float = 1_150.0
    """What Redis keeps of a player after the first round."""

    full_bytes: float = 85_000.0
    """What it keeps of one with all histories full."""


@dataclass(frozen=True)
class Plant:
    """What there is to serve with."""

    cores: int
    """Of all machines together that run the site; each has a worker."""

    redis: int
    """How many Redis servers share the players; 0 for the SQLite file of one machine."""

    memory: float
    """Of each Redis, in bytes."""

    network: float
    """What goes out to the players, in bytes a second."""

    trip: float
    """From a worker to Redis and back, in seconds."""


@dataclass(frozen=True)
class Players:
    """Who plays."""

    number: int
    pause: float
    """Seconds from one move of a player to the next."""

    kept: int
    """How many players the store keeps, those of the last two weeks."""

    full: float
    """Which part of these have played so long that their histories are full."""

    @property
    def moves(self) -> float:
        """Return how many moves there are a second."""
        return self.number / self.pause


def uses(figures: Figures, plant: Plant, players: Players) -> dict[str, float]:
    """Return which part of each thing is used; from 1 on it breaks."""
    kept = players.kept * (
        figures.full_bytes * players.full + figures.new_bytes * (1 - players.full)
    )
    shared = {"the network": players.moves * figures.page_bytes / plant.network}
    if not plant.redis:
        busy = players.moves * figures.page_cpu / plant.cores
        return {
            "the site's cores": busy,
            "the SQLite file's lock": players.moves * figures.file_save,
            **shared,
        }
    waits = figures.redis_calls * plant.trip + figures.redis_cpu
    busy = players.moves * (figures.page_cpu + figures.redis_page_cpu + waits) / plant.cores
    return {
        "the site's cores": busy,
        "Redis's cores": players.moves * figures.redis_cpu / plant.redis,
        "Redis's memory": kept / (plant.redis * plant.memory),
        **shared,
    }


def latency(
    figures: Figures, plant: Plant, players: Players, seed: int = 1
) -> tuple[float, float] | None:
    """Return how long a move takes, in the middle and for the slowest hundredth.

    A worker answers one request after the other, and each request comes to any of them. How long
    one waits follows from how long the one before it has waited (Lindley's recursion). A move is
    two requests. None where more comes than can be answered.
    """
    found = uses(figures, plant, players)
    if max(found["the site's cores"], found.get("Redis's cores", 0)) >= 1:
        return None
    luck = random.Random(seed)
    part = found.get("Redis's cores", 0.0)
    one_call = figures.redis_cpu / figures.redis_calls
    queue = one_call * part / (2 * (1 - part))  # a queue of equal jobs
    waits = (plant.trip + one_call + queue) * figures.redis_calls / 2 if plant.redis else 0.0
    cpu = (figures.page_cpu + (figures.redis_page_cpu if plant.redis else 0.0)) / 2
    shape = 1 / figures.spread**2
    apart = plant.cores / (2 * players.moves)
    waited, seen = 0.0, []
    for _ in range(SAMPLES):
        service = luck.gammavariate(shape, cpu / shape) + waits
        seen.append(waited + service)
        waited = max(0.0, waited + service - luck.expovariate(1 / apart))
    pairs = sorted(one + luck.choice(seen) for one in seen)
    return pairs[len(pairs) // 2], pairs[int(len(pairs) * 0.99)]


def tell(figures: Figures, plant: Plant, players: Players) -> Iterator[str]:
    """Yield how players fare on a plant."""
    store = f"{plant.redis} Redis" if plant.redis else "a SQLite file"
    yield (
        f"{players.number:,} players, a move in {players.pause:g} s each ({players.moves:,.0f}/s); "
        f"{players.kept:,} players kept; {plant.cores:,} cores, {store}"
    )
    found = uses(figures, plant, players)
    for name, part in found.items():
        yield f"  {name + ':':<24} {part:8.1%}{'  breaks' if part >= 1 else ''}"
    if seconds := latency(figures, plant, players):
        middle, slowest = (1e3 * one for one in seconds)
        yield f"  a move takes {middle:.1f} ms, for the slowest hundredth {slowest:.1f} ms"
    name, part = max(found.items(), key=lambda one: one[1])
    yield f"  first to break: {name}, at {players.number / part:,.0f} players"


def plan(figures: Figures, plant: Plant, players: Players) -> Plant:
    """Return how much of everything so many players need, with room left of each."""
    one = Plant(1, 1, plant.memory, plant.network, plant.trip)
    found = uses(figures, one, players)
    return Plant(
        cores=math.ceil(found["the site's cores"] / 0.6),
        redis=max(
            1, math.ceil(found["Redis's cores"] / 0.5), math.ceil(found["Redis's memory"] / 0.6)
        ),
        memory=plant.memory,
        network=players.moves * figures.page_bytes / 0.6,
        trip=plant.trip,
    )


# ---- The figures -------------------------------------------------------------------------------


def measure() -> Figures:
    """Measure the figures on this machine, SQLite and Redis in turns."""
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(3)]
        address, process = stack.enter_context(redis_server(folders[0]))
        redis = psutil.Process(process.pid)
        in_file = stack.enter_context(Server(folders[1], WORKERS="1"))
        on_redis = stack.enter_context(Server(folders[2], WORKERS="1", SESSION_STORE=address))
        actions: dict[str, tuple[Server, list[Callable[[], None]]]] = {}
        for name, server, make in (
            ("page", in_file, page_moves),
            ("json", in_file, json_moves),
            ("redis page", on_redis, page_moves),
        ):
            actions[name] = server, [make(Player(server.port)) for _ in range(CLIENTS)]
            cost_at_once(*actions[name], BATCH)
        runs: dict[str, list[float]] = {name: [] for name in (*actions, "redis")}
        for _ in range(ROUNDS):
            for name, (server, each) in actions.items():
                before = redis.cpu_times()
                runs[name].append(cost_at_once(server, each, BATCH))
                after = redis.cpu_times()
                if name == "redis page":
                    spent = after.user - before.user + after.system - before.system
                    runs["redis"].append(spent / BATCH)
        with closing(Player(in_file.port)) as player:
            player.request("POST", TABLE, {"move": "deal", "step": "0"})
            size = len(player.request("GET", TABLE)[1])
        spread = spread_of(in_file)
        new, full = kept_bytes(f"{address}/1")
    found = {name: median(costs) for name, costs in runs.items()}
    return Figures(
        page_cpu=found["page"],
        json_cpu=found["json"],
        spread=spread,
        redis_page_cpu=max(0.0, found["redis page"] - found["page"]),
        redis_cpu=found["redis"],
        file_save=held_by_a_save(),
        page_bytes=size + 1_000.0,
        new_bytes=new,
        full_bytes=full,
    )


def spread_of(server: Server) -> float:
    """Return how much a request's time differs from others', by the server's own log."""
    lines = [line for line in server.log().splitlines()[-4_000:] if '"table"' in line]
    times = sorted(float(line.partition('"ms":')[2].partition(",")[0]) for line in lines)
    times = times[: int(len(times) * 0.99)]  # the machine has other things to do
    return stdev(times) / fmean(times)


def kept_bytes(address: str) -> tuple[float, float]:
    """Return what Redis keeps of a new player, and of one with five full histories."""
    store = RedisStore(address)

    def player(sid: str, rounds: int, data: int) -> int:
        newest: Mapping[str, int] = {}
        for _ in range(rounds):
            finished = [NewRound(game, os.urandom(60)) for game in "abcde"][
                : 5 if rounds > 1 else 1
            ]
            newest = save(store, sid, os.urandom(data), finished, newest)
        found: int = store.redis.memory_usage(f"cardgames1:session/{sid}", samples=0)
        return found

    return float(player("new", 1, 700)), float(player("full", 200, 2_200))


def held_by_a_save() -> float:
    """Return how long the SQLite file is held by a save, where two processes do nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        SQLiteStore(path)
        with get_context("spawn").Pool(2) as pool:
            counts = pool.map(saves, [(path, number) for number in range(2)])
        return 1 / sum(counts)


def saves(job: tuple[Path, int]) -> float:
    """Return how many saves a second one process gets in."""
    path, number = job
    store, sid = SQLiteStore(path), f"{number:032x}"
    began = time.perf_counter()
    for _ in range(10_000):
        save(store, sid, os.urandom(700))
    return 10_000 / (time.perf_counter() - began)


def main() -> None:
    """Tell, plan or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=10_000)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between a player's moves")
    parser.add_argument(
        "--kept", type=int, default=0, help="players of two weeks; ten times as many"
    )
    parser.add_argument("--full", type=float, default=0.1, help="part of them with full histories")
    parser.add_argument("--cores", type=int, default=4)
    parser.add_argument("--redis", type=int, default=1, help="0: a SQLite file")
    parser.add_argument("--memory", type=float, default=16.0, help="GB of each Redis")
    parser.add_argument("--network", type=float, default=1.0, help="Gbit/s to the players")
    parser.add_argument("--trip", type=float, default=0.2, help="ms to Redis and back")
    parser.add_argument("--plan", action="store_true", help="what so many players need")
    parser.add_argument("--measure", action="store_true", help="measure the figures first")
    asked = parser.parse_args()
    figures = Figures()
    if asked.measure:
        figures = measure()
        for field in fields(Figures):
            print(f"    {field.name}: float = {asdict(figures)[field.name]:.3g}")
    kept = asked.kept or 10 * asked.players
    players = Players(asked.players, asked.pause, kept, asked.full)
    plant = Plant(
        asked.cores, asked.redis, asked.memory * 1e9, asked.network * 1e9 / 8, asked.trip / 1e3
    )
    if asked.plan:
        plant = plan(figures, plant, players)
        print(
            f"{asked.players:,} players need {plant.cores:,} cores, {plant.redis} Redis of "
            f"{asked.memory:g} GB, {plant.network * 8 / 1e9:.1f} Gbit/s"
        )
    for line in tell(figures, plant, players):
        print(line)


if __name__ == "__main__":
    main()
