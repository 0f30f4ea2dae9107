"""A class at play: ``make load`` measures the server and checks every move of every student.

A student plays as a browser does (POST, 303, GET) at a twenty-one table, or as a notebook does (one
POST, answered in JSON) at any table. After each answer the table must stand exactly one step
further, a hit must have brought exactly one card, and at the end the server must still have every
step that it answered: so a lost move and one that was played twice both show.
"""

import argparse
import asyncio
import json
import random
import re
import socket
import statistics
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import msgspec
import psutil
from web.sessions import Row, packed
from web.store import SQLiteStore

from cardgames import GAMES
from cardgames.game import Move
from tools.benchmarks.moves import cost, json_moves
from tools.benchmarks.serving import Player, Server

PAGES: Final = ("simple-21", "blackjack", "one-deck")
"""The tables whose moves need no choice: a page's forms can be sent as they are."""

NOTEBOOKS: Final = 5
"""One student in so many plays in JSON."""

_SETTLES: Final = 0.1
_JSON: Final = "Accept: application/json\r\n"


class Answer(NamedTuple):
    """What came back for one request."""

    status: int
    cookie: str
    body: bytes


class Away(Exception):
    """The server did not answer: the move may have been played or not."""


class Connection:
    """One kept-alive connection, opened when it is needed."""

    def __init__(self, port: int, prefix: str = "") -> None:
        """Prepare to connect."""
        self._port = port
        self._prefix = prefix
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, headers: str = "", body: str = "") -> Answer:
        """Send one request and return the answer.

        Raises:
            Away: there was none, or a proxy answered in the server's place.
        """
        form = f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        request = (
            f"{method} {self._prefix}{path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"{headers}{form if body else ''}\r\n{body}"
        )
        try:
            answer = await asyncio.wait_for(self._exchange(request.encode()), 30)
        except (OSError, EOFError, TimeoutError) as error:
            self.close()
            raise Away from error
        if answer.status in (502, 503, 504):
            raise Away
        return answer

    def close(self) -> None:
        """Hang up."""
        if self._streams:
            self._streams[1].close()
            self._streams = None

    async def _exchange(self, request: bytes) -> Answer:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        cookie = re.search(r"(?im)^set-cookie: ([^;]+)", head)
        length = re.search(r"(?im)^content-length: (\d+)", head)
        body = await reader.readexactly(int(length[1])) if length else await _chunks(reader)
        if re.search(r"(?im)^connection: close", head):
            self.close()
        return Answer(int(head[9:12]), cookie[1] if cookie else "", body)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    """Read a body of chunks, as a proxy may send it."""
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


@dataclass
class Tally:
    """What a class has seen."""

    seconds: list[float] = field(default_factory=list)
    """How long each answered move took, the page included."""

    lost: int = 0
    doubled: int = 0
    wrong: list[str] = field(default_factory=list)
    """Answers that nobody should get, and cards that do not add up."""

    unanswered: int = 0
    stale: int = 0
    """Moves told to be out of date: a proxy sends one again whose app was killed before it could
    answer, and the step keeps it from being played twice."""

    played_unseen: int = 0
    """How many of these two had been played."""

    def fault(self) -> str:
        """Say what is wrong even when servers are killed, or nothing."""
        if self.lost or self.doubled or self.wrong:
            return f"{self.lost} lost, {self.doubled} doubled, wrong: {self.wrong[:3]}"
        return ""

    def flaw(self) -> str:
        """Say what is wrong when nothing was killed, or nothing."""
        if self.stale or self.unanswered:
            return f"{self.stale} stale, {self.unanswered} unanswered"
        return self.fault()


class Student:
    """Somebody who plays at one table and counts."""

    def __init__(self, number: int, port: int, tally: Tally, prefix: str = "") -> None:
        """Sit down; the number decides where, and how."""
        self.notebook = number % NOTEBOOKS == 0
        slugs = tuple(GAMES) if self.notebook else PAGES
        self.path = f"/{slugs[number // NOTEBOOKS % len(slugs)]}"
        self._choose = random.Random(number)
        self._connection = Connection(port, prefix)
        self._tally = tally
        self._cookie = ""
        self._step = 0
        self._in_doubt = False
        self._page = b""
        self._table: dict[str, Any] = {}

    async def play(self) -> None:
        """Play one move and check what became of it."""
        try:
            if not (self._table if self.notebook else self._page):
                await self._look()
            began = time.perf_counter()
            status = await (self._notebook_move() if self.notebook else self._page_move())
        except Away:
            self._tally.unanswered += 1
            self._page, self._table = b"", {}
            return
        if status in (200, 303):
            self._tally.seconds.append(time.perf_counter() - began)
        elif status == 409:
            self._tally.stale += 1
            self._page, self._table = b"", {}
        else:
            self._tally.wrong.append(f"{self.path} at step {self._step}: {status}")

    async def check(self) -> None:
        """Look at the table: it must stand where the last answer left it."""
        await self._look()

    def leave(self) -> None:
        """Stand up."""
        self._connection.close()

    async def _look(self) -> None:
        """Look at the table, after sitting down or after a move without an answer."""
        answer = await self._ask("GET", _JSON)
        table = json.loads(answer.body)
        if table["step"] == self._step + 1 and self._in_doubt:
            self._tally.played_unseen += 1
            self._step += 1
        self._in_doubt = False
        self._arrived(table["step"], self._step)
        self._table = table
        if not self.notebook:
            self._page = (await self._ask("GET")).body

    async def _page_move(self) -> int:
        names = [name.decode() for name in re.findall(rb'name="move" value="([a-z]+)"', self._page)]
        form = {"move": self._picked(names), "step": str(self._step)}
        answer = await self._post("", form)
        if answer.status != 303:
            return answer.status
        self._step += 1
        self._page = b""
        page = (await self._ask("GET")).body
        step = re.search(rb'name="step" value="(\d+)"', page)
        self._arrived(int(step[1]) if step else -1, self._step)
        self._page = page
        return answer.status

    async def _notebook_move(self) -> int:
        before = self._table
        moves = {move["name"]: move for move in before["moves"]}
        name = self._picked(list(moves))
        choices = filled(Move(**moves[name]), self._choose)
        form = {"move": name, "step": str(self._step), **choices}
        answer = await self._post(_JSON, form)
        if answer.status != 200:
            return answer.status
        self._table = json.loads(answer.body)
        self._arrived(self._table["step"], self._step + 1)
        if name == "hit" and self._table["view"]["phase"] == "playing":
            drawn = _hand(self._table) - _hand(before)
            if drawn != 1:
                self._tally.wrong.append(f"{self.path}: a hit brought {drawn} cards")
        return answer.status

    def _picked(self, names: list[str]) -> str:
        playing = [name for name in names if name != "new"]
        return self._choose.choice(playing or names)

    def _arrived(self, step: int, expected: int) -> None:
        self._tally.lost += max(0, expected - step)
        self._tally.doubled += max(0, step - expected)
        self._step = step

    async def _post(self, headers: str, form: Mapping[str, str]) -> Answer:
        """Send a move; once it is accepted it must not be lost."""
        self._in_doubt = True
        answer = await self._ask("POST", headers, urlencode(form))
        self._in_doubt = answer.status not in (200, 303)
        return answer

    async def _ask(self, method: str, headers: str = "", body: str = "") -> Answer:
        if self._cookie:
            headers += f"Cookie: {self._cookie}\r\n"
        answer = await self._connection.ask(method, self.path, headers, body)
        self._cookie = answer.cookie or self._cookie
        return answer


def _hand(table: Mapping[str, Any]) -> int:
    return len(table["view"]["player"]["cards"])


def filled(move: Move, choose: random.Random) -> dict[str, str]:
    """Fill in a move's fields: one of each list's options, and nothing where text is free."""
    return {
        name: choose.choice(list(options))
        for name, options in move.fields.items()
        if options is not None
    }


async def school(
    port: int,
    students: int,
    seconds: float,
    pause: tuple[float, float] = (1.0, 3.0),
    prefix: str = "",
) -> Tally:
    """Let a class play for a while and check every table at the end."""
    tally = Tally()
    ends = time.monotonic() + seconds

    async def sit(number: int) -> None:
        student = Student(number, port, tally, prefix)
        await asyncio.sleep(random.uniform(0, min(seconds / 4, pause[1])))
        while time.monotonic() < ends:
            before = tally.unanswered
            await student.play()
            missed = tally.unanswered > before
            await asyncio.sleep(max(random.uniform(*pause), _SETTLES if missed else 0))
        await _patiently(student)
        student.leave()

    await asyncio.gather(*(sit(number) for number in range(students)))
    return tally


async def _patiently(student: Student) -> None:
    """Check a table, with time for a server to come back."""
    for _ in range(60):
        try:
            await student.check()
        except Away:
            await asyncio.sleep(0.5)
        else:
            return
    raise Away


def memory(server: Server) -> float:
    """Return what the server's processes keep for themselves alone, in MB."""
    return sum(process.memory_full_info().uss for process in server.processes()) / 1e6


def session(slugs: tuple[str, ...], moves: int, choose: random.Random) -> bytes:
    """Return what the store keeps of somebody who has played some moves at some tables."""
    rows = {}
    for slug in slugs:
        game, state = GAMES[slug], GAMES[slug].start()
        for _ in range(moves):
            legal = [move for move in game.moves(state) if move.name != "new"]
            move = choose.choice(legal or list(game.moves(state)))
            state = game.play(state, move.name, filled(move, choose), choose)
        rows[slug] = Row(moves, msgspec.Raw(msgspec.msgpack.encode(state)))
    return packed(msgspec.msgpack.encode(rows))


def bytes_a_session(slugs: tuple[str, ...], sessions: int = 2_000) -> float:
    """Return how much of the file a session takes that has grown move by move."""
    choose = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sessions.db"
        store = SQLiteStore(path)
        for moves in range(5):
            for number in range(sessions):
                store.save(f"{number:032x}", moves, session(slugs, moves * 3, choose))
        store.checkpoint()
        return path.stat().st_size / sessions


def fill(folder: Path, sessions: int) -> None:
    """Put idle sessions into a server's store."""
    choose = random.Random(2)
    kept = [session((slug,), 5, choose) for slug in GAMES for _ in range(20)]
    store = SQLiteStore(folder / "sessions.db")
    for number in range(sessions):
        store.save(f"{choose.getrandbits(128):032x}", 0, kept[number % len(kept)])
    store.checkpoint()


def report(tally: Tally, server: Server, seconds: float, spent: float) -> str:
    """Return what a class has seen, in one line."""
    milliseconds = sorted(1e3 * second for second in tally.seconds)
    middle = statistics.median(milliseconds)
    slowest = milliseconds[int(len(milliseconds) * 0.99)]
    return (
        f"{len(milliseconds)} moves, {len(milliseconds) / seconds:.0f}/s, p50 {middle:.1f} ms, "
        f"p99 {slowest:.1f} ms, {tally.lost} lost, {tally.doubled} doubled, {len(tally.wrong)} "
        f"wrong, {tally.stale} stale, {tally.unanswered} unanswered; "
        f"CPU {100 * spent / seconds:.0f} % of one, {memory(server):.0f} MB"
    )


def measure_class(students: int, seconds: float, silent: int) -> None:
    """Print how a class fares, with some silent connections beside it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder)) as server,
        ExitStack() as held,
    ):
        for _ in range(silent):
            held.enter_context(socket.create_connection(("127.0.0.1", server.port)))
        before = server.cpu()
        psutil.cpu_percent()
        tally = asyncio.run(school(server.port, students, seconds))
        spent = server.cpu() - before
        print(f"{students} students, {silent} silent connections, {seconds:.0f} s:")
        print(f"  {report(tally, server, seconds, spent)}")
        print(f"  (the whole machine, students and others included: {psutil.cpu_percent():.0f} %)")
        if flaw := tally.flaw():
            raise SystemExit(flaw)


def measure_memory(moves: int, students: int = 40) -> None:
    """Print the server's memory while a class plays as fast as it can."""
    print(f"memory over {moves} moves of {students} students who do not think:")
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
        played, marks = 0, []
        while played < moves:
            tally = asyncio.run(school(server.port, students, 10, pause=(0, 0)))
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
    asked = parser.parse_args()
    with suppress(KeyboardInterrupt):
        measure_class(asked.students, asked.seconds, 0)
        measure_class(asked.students, asked.seconds, asked.silent)
        if asked.moves:
            measure_memory(asked.moves)
        if asked.idle:
            measure_idle(asked.idle)


if __name__ == "__main__":
    main()
