"""A simulated class whose students play like browsers and notebooks, and count every move.

A student plays either like a browser (POST, 303, GET) at a table whose moves need no choice, or
like a notebook (a single POST with a JSON response) at any table. After each response, the table's
step must have increased by exactly one, and a hit must add exactly one card. At the end the server
must still have every step that it acknowledged. These checks reveal moves that are lost or played
twice.
"""

import asyncio
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tests.support.http_client import JSON, Answer, AsyncClient, Away

PAGES: Final = ("simple-21", "blackjack", "one-deck")
"""The tables whose moves need no choice, so that the forms of a page can be sent unchanged."""

NOTEBOOKS: Final = 5
"""One student in ``NOTEBOOKS`` plays through the JSON interface."""

_SETTLES: Final = 0.1


@dataclass
class Tally:
    """The results of a class."""

    seconds: list[float] = field(default_factory=list)
    """The response times of the answered moves, including the page, in seconds."""

    refused: list[float] = field(default_factory=list)
    """The response times of requests that were rejected under load, in seconds."""

    lost_at: list[float] = field(default_factory=list)
    """The times of answered moves that a table lost."""

    doubled: int = 0
    wrong: list[str] = field(default_factory=list)
    """Wrong responses, and inconsistent cards."""

    unanswered: int = 0
    stale: int = 0
    """Moves that were rejected as out of date. If an app is killed before it responds, a proxy
    sends the move again, and the step prevents the move from being played twice.
    """

    played_unseen: int = 0
    """Number of unanswered or outdated moves that the server had played."""

    @property
    def lost(self) -> int:
        """Number of acknowledged moves that were lost."""
        return len(self.lost_at)

    def fault(self) -> str:
        """Return the faults that are not allowed even if servers are killed."""
        if self.lost or self.doubled or self.wrong:
            return f"{self.lost} lost, {self.doubled} doubled, wrong: {self.wrong[:3]}"
        return ""


class Student:
    """A student who plays at one table and counts the moves."""

    def __init__(
        self, number: int, client: AsyncClient, tally: Tally, slugs: Sequence[str]
    ) -> None:
        """Start to play. The number determines the table and the kind of client."""
        self.notebook = number % NOTEBOOKS == 0
        slugs = slugs if self.notebook else PAGES
        self.path = f"/{slugs[number // NOTEBOOKS % len(slugs)]}"
        self._choose = random.Random(number)
        self._client = client
        self._tally = tally
        self._step = 0
        self._answered_at: dict[int, float] = {}
        self._in_doubt = False
        self._page = ""
        self._table: dict[str, Any] = {}

    async def play(self) -> None:
        """Play one move and check its result."""
        began = time.perf_counter()
        try:
            if not (self._table if self.notebook else self._page):
                await self._look()
                began = time.perf_counter()
            status = await (self._notebook_move() if self.notebook else self._page_move())
        except Away as away:
            self._tally.unanswered += 1
            if away.refused_in:
                self._tally.refused.append(away.refused_in)
            self._page, self._table = "", {}
            return
        if status in (200, 303):
            self._tally.seconds.append(time.perf_counter() - began)
        elif status == 409:
            self._tally.stale += 1
            self._page, self._table = "", {}
        else:
            self._tally.wrong.append(f"{self.path} at step {self._step}: {status}")

    async def check(self) -> None:
        """Load the table, and check that it has the step of the last response."""
        await self._look()

    def leave(self) -> None:
        self._client.close()

    async def _look(self) -> None:
        """Load the table, at the start or after a move without a response."""
        answer = await self._ask("GET", JSON)
        table = answer.json
        if table["step"] == self._step + 1 and self._in_doubt:
            self._tally.played_unseen += 1
            self._step += 1
        self._in_doubt = False
        self._arrived(table["step"], self._step)
        self._table = table
        if not self.notebook:
            self._page = (await self._ask("GET")).text

    async def _page_move(self) -> int:
        names = re.findall(r'name="move" value="([a-z]+)"', self._page)
        form = {"move": self._picked(names), "step": str(self._step)}
        answer = await self._post(None, form)
        if answer.status != 303:
            return answer.status
        self._step += 1
        self._page = ""
        page = (await self._ask("GET")).text
        step = re.search(r'name="step" value="(\d+)"', page)
        self._arrived(int(step[1]) if step else -1, self._step)
        self._page = page
        return answer.status

    async def _notebook_move(self) -> int:
        before = self._table
        moves = {move["name"]: move for move in before["moves"]}
        name = self._picked(list(moves))
        choices = {
            field: self._choose.choice(list(options))
            for field, options in moves[name]["fields"].items()
            if options is not None
        }
        form = {"move": name, "step": str(self._step), **choices}
        answer = await self._post(JSON, form)
        if answer.status != 200:
            return answer.status
        self._table = answer.json
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
        gone = range(step + 1, expected + 1)
        self._tally.lost_at += [self._answered_at.get(number, 0.0) for number in gone]
        self._tally.doubled += max(0, step - expected)
        self._step = step
        self._answered_at[step] = time.monotonic()

    async def _post(self, headers: Mapping[str, str] | None, form: Mapping[str, str]) -> Answer:
        """Send a move. Once the server has acknowledged a move, the move must not be lost."""
        self._in_doubt = True
        answer = await self._ask("POST", headers, form)
        self._in_doubt = answer.status not in (200, 303)
        return answer

    async def _ask(
        self,
        method: str,
        headers: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
    ) -> Answer:
        return await self._client.request(method, self.path, form, headers)


def _hand(table: Mapping[str, Any]) -> int:
    return len(table["view"]["player"]["cards"])


async def school(
    port: int | Sequence[int],
    students: int,
    is_over: Callable[[Tally], bool],
    pause: tuple[float, float] = (1.0, 3.0),
    prefix: str = "",
) -> Tally:
    """Play with a class for a while, and check every table at the end.

    Args:
        port: Port of the site, or ports of its machines, which are used in turn.
        students: Number of students.
        is_over: Function that returns whether the lesson has ended, given the results so far.
        pause: Shortest and longest time between two moves, in seconds.
        prefix: Path at which the site is served.
    """
    tally = Tally()
    ports = [port] if isinstance(port, int) else port
    lobby = AsyncClient(ports[0], prefix)
    tables = (await lobby.json("/"))["tables"]
    lobby.close()
    slugs = [table["game"] for table in tables]

    async def sit(number: int) -> None:
        client = AsyncClient(ports[number % len(ports)], prefix)
        student = Student(number, client, tally, slugs)
        await asyncio.sleep(random.uniform(0, pause[1]))
        while not is_over(tally):
            before = tally.unanswered
            await student.play()
            missed = tally.unanswered > before
            await asyncio.sleep(max(random.uniform(*pause), _SETTLES if missed else 0))
        await _patiently(student)
        student.leave()

    await asyncio.gather(*(sit(number) for number in range(students)))
    return tally


def after(seconds: float) -> Callable[[Tally], bool]:
    """Return a function that ends a lesson after the given time."""
    ends = time.monotonic() + seconds
    return lambda _: time.monotonic() >= ends


async def _patiently(student: Student) -> None:
    """Check a table, allowing time for a killed server to restart."""
    for _ in range(60):
        try:
            await student.check()
        except Away:
            await asyncio.sleep(random.uniform(0.5, 2))
        else:
            return
    raise Away


def percentile(taken: Sequence[float], share: float) -> float:
    """Return a quantile of response times, or NaN without response times."""
    return sorted(taken)[int(len(taken) * share)] if taken else float("nan")


def spread(taken: Sequence[float]) -> str:
    """Return the median and the 99th percentile of response times, as a string."""
    p50, p99 = (1e3 * percentile(taken, share) for share in (0.5, 0.99))
    return f"p50 {p50:.1f} ms, p99 {p99:.1f} ms"


def report(tally: Tally, seconds: float) -> str:
    """Return the results of a class in one line."""
    return (
        f"{len(tally.seconds)} moves, {len(tally.seconds) / seconds:.0f}/s, "
        f"{spread(tally.seconds)}, {tally.lost} lost, {tally.doubled} doubled, "
        f"{len(tally.wrong)} wrong, {tally.stale} stale, {tally.unanswered} unanswered"
    )
