"""Sixty students play ten deals over HTTP, while the workers of their site are killed with -9.

Each has two browsers, presses in both at once and reloads. Afterwards every entry is there once,
and the places are those of arithmetic that knows nothing of entries, jobs or the ledger.
"""

import random
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.served_class import ServedClass
from tests.support.serving import Player, Server
from tests.support.tournaments import at_random, given_away, places, stands_on
from web.classroom.class_store import ClassStore
from web.classroom.tournaments import Tournament
from web.storage import open_store

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("machines")]

STUDENTS, DEALS, KILLS = 60, 10, 6
LIVES_FOR = 6.0
"""A worker is let live for so many seconds: two deaths in 5.5 end granian, which takes them for a
loop of crashes."""

THINKS = 1.2
"""So many seconds somebody thinks at most, so that there is time for some to be killed."""

Told = tuple[int, dict[str, Any]]


@dataclass
class Student:
    """A student with two browsers, who presses in both."""

    name: str
    browsers: tuple[Player, Player]
    base: str
    seed: int
    twice: int = 0
    """Moves of which both presses were accepted."""

    unanswered: int = 0

    def ask(self, which: int, path: str, form: dict[str, str] | None = None) -> Told | None:
        """Ask something in one of the browsers; None where no answer came."""
        player = self.browsers[which]
        try:
            return player.json(f"{self.base}{path}", form)
        except (OSError, HTTPException, ValueError):
            self.unanswered += 1
            player.close()
            time.sleep(0.1)
            return None

    def entries(self) -> list[dict[str, Any]]:
        """Return what the site keeps of this student's tournaments."""
        while not (told := self.ask(0, "/me.json")) or told[0] != 200:
            pass
        found: list[dict[str, Any]] = told[1]["tournaments"]
        return found

    def press(self, path: str, form: dict[str, str], rng: random.Random) -> None:
        """Press the same in both browsers at once, and reload one of them."""
        answers: list[Told | None] = []
        threads = [
            threading.Thread(target=lambda which=which: answers.append(self.ask(which, path, form)))
            for which in (0, 1)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        accepted = [answer for answer in answers if answer and answer[0] == 200]
        self.twice += len(accepted) > 1
        self.ask(rng.randrange(2), path)

    def play(self) -> None:
        """Play all deals."""
        rng = random.Random(self.seed)
        decide = stands_on(17) if self.seed % 3 == 0 else at_random(self.seed)
        while True:
            told = self.ask(rng.randrange(2), "/tournament/1")
            if not told or told[0] != 200:
                continue
            if told[1]["next"] is None:
                return
            path = f"/tournament/1/deal/{told[1]['next']['deal']}"
            table = self.ask(rng.randrange(2), path)
            if not table or table[0] != 200 or not table[1]["moves"]:
                continue
            names = [move["name"] for move in table[1]["moves"]]
            name = "deal" if names == ["deal"] else decide(table[1]["view"])
            time.sleep(rng.uniform(0, THINKS))
            self.press(path, {"move": name, "step": str(table[1]["step"])}, rng)


def kill_workers(server: Server, over: threading.Event) -> int:
    """Kill one worker after the other with -9 until all have played; return how many."""
    killed = 0
    while not over.wait(0.2) and killed < KILLS:
        with suppress(psutil.Error):
            for worker in server.workers():
                if worker.create_time() < time.time() - LIVES_FOR:
                    worker.send_signal(signal.SIGKILL)
                    killed += 1
                    break
    return killed


def words(moves: str) -> list[str]:
    """Return single moves from the words of a record, where one may stand for several."""
    pairs = (word.partition("*") for word in moves.split())
    return [name for name, _, times in pairs for _ in range(int(times or 1))]


def replaying(moves: str) -> Callable[[dict[str, Any]], str]:
    left = iter(words(moves))
    return lambda _: next(left)


def tournament_of(folder: Path, code: str) -> Tournament:
    stored = ClassStore(open_store(folder, "")).load(code)
    assert stored
    return stored.classroom.tournaments[0]


def test_each_entry_is_there_once_and_every_place_is_right(tmp_path: Path) -> None:
    over = threading.Event()
    with (
        Server(tmp_path, CLASSES="open", WORKERS="2") as server,
        closing(ServedClass(server)) as room,
        ThreadPoolExecutor(STUDENTS + 1) as pool,
        ExitStack() as hang_up,
    ):
        room.join(STUDENTS)
        step = str(room.desk()["step"])
        form = {"move": "make", "step": step, "table": "blackjack", "deals": str(DEALS)}
        assert room.boss.json(f"{room.base}/tournaments", form)[0] == 200
        students = []
        for seed, player in enumerate(room.students):
            own = player.json(room.base)[1]["student"]
            second = Player(server.port)
            hang_up.callback(second.close)
            again = {"name": own["name"], "code": own["rejoin"]}
            assert second.json(f"{room.base}/rejoin", again)[0] == 200
            students.append(Student(own["name"], (player, second), room.base, seed))
        killing = pool.submit(kill_workers, server, over)
        playing = [pool.submit(student.play) for student in students]
        for one in playing:
            one.result(timeout=600)
        over.set()
        killed = killing.result()
        told: dict[str, Any] = {}
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with suppress(OSError, HTTPException, ValueError):
                told = room.boss.json(f"{room.base}/tournament/1")[1]
                if told["to_come"] == 0:
                    break
            time.sleep(0.2)
        kept = {student.name: student.entries() for student in students}
    tournament = tournament_of(tmp_path, room.code)
    totals = {}
    for name, entries in kept.items():
        (entry,) = entries
        assert len(entry["plays"]) == DEALS
        totals[name] = sum(
            given_away(tournament, deal, replaying(play["moves"]))
            for deal, play in enumerate(entry["plays"], 1)
        )
    rows = {row["name"]: row for row in told["students"]}
    assert len(rows) == STUDENTS == told["finished"]
    expected = places(totals, fewest=True)
    for name, row in rows.items():
        assert row["points"] == pytest.approx(100 * totals[name], abs=1e-7)
        assert row["place"] == expected[name]
    assert sum(student.twice for student in students) == 0
    assert killed >= 2
    unanswered = sum(student.unanswered for student in students)
    print(f"\n{killed} workers killed, {unanswered} requests without an answer")  # noqa: T201
    assert all(row["played"] == DEALS for row in rows.values())
