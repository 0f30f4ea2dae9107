"""What finished rounds cost the store: ``python -m tools.benchmarks.history``."""

import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from tests.support.serving import redis_server
from tools.benchmarks.kept import checkpoint, save
from web.storage.redis import RedisStore
from web.storage.rounds import MAX_ROUNDS, NewRound
from web.storage.sqlite import SQLiteStore
from web.storage.store import Store

TABLE: Final = "simple-21"
PLAYERS: Final = 50
RECORDS: Final = (45, 75)
"""Bytes of a round, a short one and a long: Blackjack's are about 48, War's and Bingo's 74. Random
ones, so that nothing is gained by what rounds have in common."""

SESSION: Final = 700
"""Bytes of a session: of somebody at one table."""

BATCHES: Final = 9
SAVES: Final = 500
"""How many saves are in a batch: enough that the file's log is folded in about once in each."""


class Player:
    """Somebody who moves and finishes rounds, straight in a store."""

    def __init__(self, store: Store, number: int, record: int = RECORDS[0]) -> None:
        """Begin a session; its rounds have so many bytes."""
        self._store, self._sid, self._record = store, f"{number:032x}", record
        self._newest: Mapping[str, int] = {}
        self._tables = 0
        self.move()

    def move(self, *beside: NewRound) -> None:
        """Save the session once more."""
        data = os.urandom(SESSION)
        self._newest = save(self._store, self._sid, data, beside, self._newest)

    def finish(self) -> None:
        """Save the session, and a further round beside it."""
        self.move(NewRound(TABLE, os.urandom(self._record)))

    def finish_elsewhere(self) -> None:
        """Save the session, and the first round of a further table beside it."""
        self._tables += 1
        self.move(NewRound(f"{TABLE}-{self._tables}", os.urandom(self._record)))


def play(players: list[Player]) -> None:
    """Let everybody finish as many rounds as are kept, side by side."""
    order = random.Random(1)
    for _ in range(MAX_ROUNDS):
        for player in order.sample(players, len(players)):
            player.finish()


def seconds(action: Callable[[], None]) -> float:
    """Return what one of a batch takes."""
    began = time.perf_counter()
    for _ in range(SAVES):
        action()
    return (time.perf_counter() - began) / SAVES


def report(kind: str, stores: Sequence[Store], size: Callable[[Store], int]) -> None:
    """Print how one kind of store fares; four of it are needed, all of them empty."""
    empty, one, *full = stores
    for store, record in zip(full, RECORDS, strict=True):
        players = [Player(store, number, record) for number in range(PLAYERS)]
        before = size(store)
        play(players)
        grown = (size(store) - before) / 1e6
        kept = PLAYERS * MAX_ROUNDS
        print(f"{kind}: {kept:,} rounds of {record} bytes take {grown:.2f} MB (goal 1)")
    veteran = Player(one, 0)
    play([veteran])
    newcomer = Player(empty, 0)
    contests = {
        "a save": newcomer.move,
        "a save beside 10,000 rounds": players[0].move,
        "a save with a round, none before it": newcomer.finish_elsewhere,
        "a save with a round, beside 200": veteran.finish,
        "a save with a round, beside 10,000": players[1].finish,
    }
    runs: dict[str, list[float]] = {name: [] for name in contests}
    for _ in range(BATCHES):
        for name, action in contests.items():
            runs[name].append(seconds(action))
    for name, costs in runs.items():
        ratio = median(mine / plain for mine, plain in zip(costs, runs["a save"], strict=True))
        print(f"  {name:<36} {median(costs) * 1e6:6.0f} us, {ratio:5.2f} saves")


def in_files() -> None:
    """Measure SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {SQLiteStore(path): path for path in (Path(folder) / name for name in "abcd")}

        def size(store: Store) -> int:
            assert isinstance(store, SQLiteStore)
            checkpoint(paths[store])
            return paths[store].stat().st_size

        report("SQLite", tuple(paths), size)


def in_memory(store: Store) -> int:
    """Return what Redis says that its keys take; the whole process takes now more, now less."""
    assert isinstance(store, RedisStore)
    keys = store.redis.scan_iter(count=1_000)
    return sum(store.redis.memory_usage(key, samples=0) for key in keys)


def in_redis() -> None:
    """Measure Redis."""
    with tempfile.TemporaryDirectory() as folder, redis_server(Path(folder)) as (address, _):
        report("Redis", [RedisStore(f"{address}/{database}") for database in range(4)], in_memory)


def main() -> None:
    """Print the sizes and the costs."""
    in_files()
    if shutil.which("redis-server"):
        in_redis()
    else:
        print("Redis: there is no redis-server here")


if __name__ == "__main__":
    main()
