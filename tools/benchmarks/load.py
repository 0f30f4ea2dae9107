"""``make load`` measures a class at play: how large it may be, and beside a bored student.

It also measures memory over many moves, and what idle tables cost.
"""

import argparse
import asyncio
import random
import socket
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import msgspec
import psutil

from cardgames import GAMES
from cardgames.table import Table
from tests.support.school import PAGES, after, percentile, report, school
from tests.support.serving import Player, Server, memory
from tools.benchmarks import scenarios
from tools.benchmarks.kept import checkpoint, save
from tools.benchmarks.moves import cost, json_moves
from tools.benchmarks.tables import random_move
from web.storage.session_rows import Kept, packed
from web.storage.sqlite import SQLiteStore
from web.tables.location import TABLE_ROW
from web.tables.rows import pack_table

STEP: Final = 100
MANY: Final = 3_000
AT_MOST_MS: Final = 100


def session(slugs: tuple[str, ...], moves: int, choose: random.Random) -> bytes:
    """Return what the store keeps of somebody who has played some moves at some tables."""
    rows = {}
    for slug in slugs:
        table = Table(GAMES[slug])
        for _ in range(moves):
            table = table.play(*random_move(table, choose)).table
        rows[f"{TABLE_ROW}{slug}"] = msgspec.Raw(pack_table(table, moves))
    return packed(Kept(rows, saves=moves))


def bytes_a_session(slugs: tuple[str, ...], sessions: int = 2_000) -> float:
    """Return how much of the file a session takes that has grown move by move."""
    choose = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        store = SQLiteStore(path)
        for moves in range(5):
            for number in range(sessions):
                save(store, f"{number:032x}", session(slugs, moves * 3, choose))
        checkpoint(path)
        return path.stat().st_size / sessions


def fill(folder: Path, sessions: int) -> None:
    """Put idle sessions into a server's store."""
    choose = random.Random(2)
    kept = [session((slug,), 5, choose) for slug in GAMES for _ in range(20)]
    store = SQLiteStore(folder / "store.db")
    for number in range(sessions):
        save(store, f"{choose.getrandbits(128):032x}", kept[number % len(kept)])
    checkpoint(folder / "store.db")


def measure_class(students: int, seconds: float, silent: int = 0) -> float:
    """Print how a class fares, with some silent connections beside it.

    Returns:
        How long the slowest hundredth of its moves takes, in ms.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder)) as server,
        ExitStack() as held,
    ):
        for _ in range(silent):
            held.enter_context(socket.create_connection(("127.0.0.1", server.port)))
        before = server.cpu()
        psutil.cpu_percent()
        tally = asyncio.run(school(server.port, students, after(seconds)))
        spent = server.cpu() - before
        print(f"{students} students, {silent} silent connections, {seconds:.0f} s:")
        print(f"  {report(tally, seconds)}; CPU {100 * spent / seconds:.0f} % of one, ", end="")
        print(f"{memory(server):.0f} MB")
        print(f"  (the whole machine, students and others included: {psutil.cpu_percent():.0f} %)")
        if flaw := tally.flaw():
            raise SystemExit(flaw)
    return 1e3 * percentile(tally.seconds, 0.99)


def measure_knee(seconds: float) -> None:
    """Print how many students, each at a move in two seconds, may play before they have to wait."""
    print(f"how large a class may be until a move in a hundred takes {AT_MOST_MS} ms:")
    carried, students = 0, STEP
    while students <= MANY and measure_class(students, seconds) <= AT_MOST_MS:
        carried, students = students, students + STEP
    print(f"  the knee: {carried} students are carried, {students} are not")


def measure_memory(moves: int, students: int = 40) -> None:
    """Print the server's memory while a class plays as fast as it can."""
    print(f"memory over {moves} moves of {students} students who do not think:")
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
        played, marks = 0, []
        while played < moves:
            tally = asyncio.run(school(server.port, students, after(10), pause=(0, 0)))
            if flaw := tally.flaw():
                raise SystemExit(flaw)
            played += len(tally.seconds)
            marks.append(memory(server))
            print(f"  {played:>6} moves: {marks[-1]:.1f} MB, {len(tally.seconds) / 10:.0f} moves/s")


def measure_idle(sessions: int) -> None:
    """Print what idle sessions take of the disk, and how much they slow a move."""
    print(f"store for an idle session: {bytes_a_session(PAGES[:1]):.0f} bytes with one table,")
    print(f"  {bytes_a_session(tuple(GAMES)):.0f} bytes with all {len(GAMES)}")
    with tempfile.TemporaryDirectory() as few, tempfile.TemporaryDirectory() as many:
        fill(Path(many), sessions)
        with Server(Path(few)) as empty, Server(Path(many)) as full, ExitStack() as held:
            runs: dict[str, list[float]] = {"empty": [], "full": []}
            contests = {"empty": empty, "full": full}
            actions = {}
            for name, server in contests.items():
                player = Player(server.port)
                held.callback(player.close)
                actions[name] = json_moves(player)
                cost(server, actions[name], 300)
            for _ in range(50):  # in short turns, so that both see the same machine
                for name, server in contests.items():
                    runs[name].append(cost(server, actions[name], 200))
    ratio = sum(runs["full"]) / sum(runs["empty"])
    print(f"a move beside {sessions} idle sessions costs {ratio:.2f} of a move beside none")


def main() -> None:
    """Measure it all, or what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--silent", type=int, default=300)
    parser.add_argument("--moves", type=int, default=60_000)
    parser.add_argument("--idle", type=int, default=100_000)
    parser.add_argument("--knee", type=float, default=20, help="seconds with each size of a class")
    parser.add_argument("--before", metavar="COMMIT", help="an earlier version, for the scenarios")
    parser.add_argument("--no-scenarios", dest="scenarios", action="store_false")
    asked = parser.parse_args()
    with suppress(KeyboardInterrupt):
        if asked.students:
            measure_class(asked.students, asked.seconds)
            measure_class(asked.students, asked.seconds, asked.silent)
        if asked.knee:
            measure_knee(asked.knee)
        if asked.scenarios:
            scenarios.measure([*scenarios.SCENARIOS, scenarios.ATTACKS], asked.before)
        if asked.moves:
            measure_memory(asked.moves)
        if asked.idle:
            measure_idle(asked.idle)


if __name__ == "__main__":
    main()
