"""One student against the class, as far as the store is concerned.

``tools.benchmarks.scenarios`` runs them. Everything goes through served pages, so that any version
of the site can be measured; the store is only looked into.
"""

import signal
import sqlite3
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from tests.support.serving import Player, Server, redis_server

TABLE: Final = "/blackjack"
POSTS: Final = 4_000
"""How many posts fill a store, and how many more are then measured."""


def stand(player: Player, path: str) -> dict[str, Any]:
    """Play a round to its end by standing, and return the table."""
    table = player.json(path)[1]
    names = [move["name"] for move in table["moves"]]
    if "stay" not in names:
        table = player.json(path, {"move": "deal", "step": str(table["step"])})[1]
        names = [move["name"] for move in table["moves"]]
    if "stay" in names:
        table = player.json(path, {"move": "stay", "step": str(table["step"])})[1]
    return table


def coached(on: str) -> dict[str, str]:
    """Return the form that turns the coach on (``yes``) or off, as now and as up to 66b51c4."""
    return {"table": TABLE[1:], "on": on, "mode": "before" if on == "yes" else "off"}


def make_deal(player: Player, kind: str, seed: str = "") -> str:
    """Make a deal link and return its address."""
    form = {"table": TABLE[1:], "kind": kind, "seed": seed}
    status, answer = player.json("/deals", form)
    if status != 200:
        raise RuntimeError(f"{status} {answer}")
    address: str = answer["address"]
    return address


def at_once(number: int, work: Callable[[int], object], threads: int = 8) -> float:
    """Do something so often, in some threads, and return how long it took."""
    began = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, range(number)):
            pass
    return time.perf_counter() - began


# ---- Deals (15.6) ------------------------------------------------------------------------------


def deals(root: Path, folder: Path) -> Iterator[str]:
    """A thousand cookie-less rounds at a counted deal, and fifty guesses at the seed of another."""
    with Server(folder, root=root) as server, closing(Player(server.port)) as maker:
        address = make_deal(maker, "counted", "week-7")

        def stranger(_: int) -> None:
            with closing(Player(server.port)) as player:
                stand(player, address)

        spent = at_once(1_000, stranger)
        with closing(Player(server.port)) as honest:
            stand(honest, address)
            kept = honest.json(f"{TABLE}/history")[1]["rounds"]
        counts = len(kept) == 1
        yield f"1,000 cookie-less rounds took {spent:.0f} s; an honest round then counts: {counts}"
        dealt = stand(maker, make_deal(maker, "counted", "week-8"))["view"]
        found = False
        began = time.perf_counter()
        for guess in range(50):
            with closing(Player(server.port)) as player:
                path = make_deal(player, "practice", f"week-{guess}")
                found |= stand(player, path)["view"]["dealer"] == dealt["dealer"]
        spent = time.perf_counter() - began
        yield f"50 guesses in {spent:.1f} s found the counted deal's cards: {found}"


# ---- The disk (15.7) ---------------------------------------------------------------------------


def size(folder: Path) -> int:
    """Return how many bytes of the store are in use, what is still in its log of writes too."""
    with closing(sqlite3.connect(folder / "store.db")) as connection:
        pages, free, page = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * page)


def disk(root: Path, folder: Path) -> Iterator[str]:
    """Cookie-less moves and deal links, with a limit of one megabyte that is reached first."""
    for what, path, form in (
        ("sessions", "/simple-21", {"move": "new", "step": "0"}),
        ("deals", "/deals", {"table": "war", "kind": "practice", "players": "2"}),
    ):
        here = folder / what
        here.mkdir()
        sizes = []
        for _ in range(2):
            with Server(here, root=root, MAX_STORE_MB="1") as server:
                statuses, spent = flood(server, path, form, POSTS)
            sizes.append(size(here))
        with (
            Server(here, root=root, MAX_STORE_MB="1") as server,
            closing(Player(server.port)) as newcomer,
        ):
            status = newcomer.json("/simple-21", {"move": "new", "step": "0"})[0]
        yield (
            f"{what}: {sizes[0] / 1e6:.1f} MB after {POSTS:,} posts, {sizes[1] / 1e6:.1f} after "
            f"twice as many ({POSTS / spent:.0f} a second); answered {dict(statuses)}, a newcomer "
            f"{status}"
        )


def flood(
    server: Server, path: str, form: Mapping[str, str], posts: int
) -> tuple[Counter[int], float]:
    """Post a form so often without a cookie; return what was answered, and how long it took."""
    statuses: Counter[int] = Counter()

    def post(_: int) -> None:
        with closing(Player(server.port)) as player:
            for _ in range(posts // 4):
                player.cookie = ""
                statuses[player.json(path, form)[0]] += 1

    return statuses, at_once(4, post, threads=4)


def purge(root: Path, folder: Path) -> Iterator[str]:
    """Expired deals while new ones come."""
    with Server(folder, root=root):
        pass
    with closing(sqlite3.connect(folder / "store.db")) as connection, connection:
        names = ((f"deal/{number:016x}",) for number in range(2_000))
        connection.executemany("INSERT INTO place (name, expires) VALUES (?, 1)", names)
    form = {"table": "war", "kind": "practice", "players": "2"}
    with Server(folder, root=root) as server:

        def one(_: int) -> None:
            with closing(Player(server.port)) as player:
                player.json("/deals", form)

        at_once(1_000, one)
    with closing(sqlite3.connect(folder / "store.db")) as connection:
        (left,) = connection.execute("SELECT count(*) FROM place WHERE expires <= 1").fetchone()
    yield f"of 2,000 expired deals {left} are left after 1,000 new ones"


# ---- History (15.9) ----------------------------------------------------------------------------


def history(root: Path, folder: Path) -> Iterator[str]:
    """Two hundred rounds, exported: for the first time, again, and by a worker that is new."""
    for coach in ("no", "yes"):
        here = folder / coach
        here.mkdir()
        with Server(here, root=root, WORKERS="1") as server, closing(Player(server.port)) as player:
            player.json(TABLE, {"move": "deal", "step": "0"})
            player.request("POST", "/coach", coached(coach))
            before, began = server.cpu(), time.perf_counter()
            for _ in range(200):
                stand(player, TABLE)
            played, spent = server.cpu() - before, time.perf_counter() - began
            first, again = (export(server, player) for _ in range(2))
            cookie = player.cookie
        with Server(here, root=root, WORKERS="1") as server, closing(Player(server.port)) as other:
            other.cookie = cookie
            anew = export(server, other)
        yield (
            f"coach {coach}: 200 rounds in {spent:.1f} s ({played / 200 * 1e3:.1f} ms of processor "
            f"each); exported with {first:.2f} s of processor, again {again:.2f} s, by a new "
            f"worker {anew:.2f} s"
        )


def export(server: Server, player: Player) -> float:
    """Return how many seconds of processor the export of a history takes."""
    began = server.cpu()
    status, answer = player.json(f"{TABLE}/history.json")
    if status != 200 or len(answer["rounds"]) < 190:
        raise RuntimeError(f"{status} {str(answer)[:100]}")
    return server.cpu() - began


# ---- At the same time (15.12) ------------------------------------------------------------------


def conflicts(root: Path, folder: Path) -> Iterator[str]:
    """Posts of one player at once, at eight workers on one Redis."""
    with (
        redis_server(folder) as (address, _),
        Server(folder, root=root, WORKERS="8", SESSION_STORE=address) as server,
        closing(Player(server.port)) as player,
    ):
        player.json(TABLE, {"move": "deal", "step": "0"})
        for name, parallel, rounds in (("five posts", 5, 60), ("fifty switches", 50, 6)):
            statuses: Counter[int] = Counter()
            slowest = 0.0
            for _ in range(rounds):
                players = [Player(server.port) for _ in range(parallel)]
                gate = threading.Barrier(parallel)

                def switch(
                    number: int, players: list[Player] = players, gate: threading.Barrier = gate
                ) -> None:
                    one = players[number]
                    one.cookie = player.cookie
                    gate.wait()
                    form = coached("yes" if number % 2 else "no")
                    statuses[one.request("POST", "/coach", form)[0].status] += 1  # noqa: B023

                slowest = max(slowest, at_once(parallel, switch, parallel))
                for one in players:
                    one.close()
            refused = statuses[503] / sum(statuses.values())
            yield f"{name} at once: {refused:.1%} answered 503; the slowest {slowest:.2f} s"


# ---- Stores that hang (15.11) ------------------------------------------------------------------


def hanging(root: Path, folder: Path) -> Iterator[str]:
    """A foreign lock on the file for ten seconds, and a Redis that is frozen for ten."""
    (folder / "file").mkdir()
    with (
        Server(folder / "file", root=root, WORKERS="1") as server,
        closing(Player(server.port)) as player,
    ):
        player.json(TABLE, {"move": "deal", "step": "0"})
        path = folder / "file" / "store.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield f"the file is held by another program: {watched(server, player)}"
            other.execute("ROLLBACK")
    (folder / "redis").mkdir()
    with (
        redis_server(folder / "redis") as (address, process),
        Server(folder / "redis", root=root, WORKERS="1", SESSION_STORE=address) as server,
        closing(Player(server.port)) as player,
    ):
        player.json(TABLE, {"move": "deal", "step": "0"})
        process.send_signal(signal.SIGSTOP)
        yield f"Redis is frozen: {watched(server, player)}"
        process.send_signal(signal.SIGCONT)


def watched(server: Server, player: Player) -> str:
    """Return how long pages take that need no store, while players move, for ten seconds."""
    ends = time.monotonic() + 10
    waits: dict[str, list[float]] = {"a move": [], "a page without a store": []}

    def ask(name: str, cookie: str) -> None:
        with closing(Player(server.port)) as one:
            one.cookie = cookie
            while time.monotonic() < ends:
                began = time.perf_counter()
                if cookie:
                    one.request("POST", TABLE, {"move": "new", "step": "1"})
                else:
                    one.request("GET", f"{TABLE}/rules")
                waits[name].append(time.perf_counter() - began)
                time.sleep(0.05)

    threads = [
        threading.Thread(target=ask, args=(name, player.cookie if name == "a move" else ""))
        for name in waits
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ", ".join(
        f"{name}: longest {max(found):.2f} s, median {statistics.median(found) * 1e3:.0f} ms "
        f"({len(found)})"
        for name, found in waits.items()
    )
