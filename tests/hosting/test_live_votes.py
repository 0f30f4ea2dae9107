"""Sixty phones vote twice over HTTP, while workers are killed with -9."""

import asyncio
import random
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.class_client import JSON, Boss, Phone
from tests.support.counts import before_and_after
from tests.support.machines import Redis
from tests.support.serving import Server

pytestmark = pytest.mark.xdist_group("machines")

LIVES_FOR: Final = 6.0
"""Number of seconds for which a worker is let live: two deaths in 5.5 end granian, which takes them
for a loop of crashes."""


class Killer:
    """Kills one worker after the other, as often as it is let."""

    def __init__(self, server: Server, kills: int) -> None:
        self.server, self.left = server, kills

    def strike(self) -> None:
        """Kill a worker that has lived for long enough, and do not wait for the next."""
        old = [one for one in self.server.workers() if one.create_time() < time.time() - LIVES_FOR]
        for worker in old[: min(1, self.left)]:
            worker.kill()
            self.left -= 1


SITTING = 60
KILLS = 2
STAND = "stay"
"""What is right with ten and six against a ten at Blackjack, where the dealer wins ties."""


async def press(boss: Boss, move: str, **fields: Any) -> Any:
    """Make a move about votes once, whatever is killed meanwhile; return the instructor's page."""
    page = f"/class/{boss.code}/votes"
    step = (await boss.json(page))["step"]
    answer = await boss.ask(page, {"move": move, "step": step, **fields}, JSON)
    if answer.status == 409:  # it was made, and the worker killed before it could answer
        return await boss.json(page)
    assert answer.status == 200, answer.json
    return answer.json


async def vote(phone: Phone, ballot: str, given: dict[str, tuple[str, int]]) -> None:
    """Answer by chance, and some once more; what was answered last is what counts."""
    for _ in range(random.choice((1, 1, 2))):
        choice, sure = random.choice(("hit", STAND)), random.randint(1, 3)
        form = {"vote": 1, "ballot": ballot, "choice": choice, "sure": sure}
        answer = await phone.ask(f"{phone.base}/vote", form, JSON)
        assert answer.status == 200, answer.json
        given[ballot] = choice, sure
        await asyncio.sleep(random.uniform(0, 0.2))


async def lesson(port: int, killer: Killer) -> None:
    """Have a class vote, talk, vote again and see what is right."""
    boss = Boss(port)
    code = await boss.open()
    phones = [Phone(port, code) for _ in range(SITTING)]
    await asyncio.gather(*(phone.join() for phone in phones))
    await press(boss, "ask", table="blackjack", hand="10 6", upcard="10")
    given: list[dict[str, tuple[str, int]]] = [{} for _ in phones]
    until = time.monotonic() + 20 * LIVES_FOR
    for ballot, kills_left in (("1", KILLS - 1), ("2", 0)):
        while killer.left > kills_left:  # until a worker was killed while they answer
            assert time.monotonic() < until, "no worker was found that could be killed"
            asked = [vote(one, ballot, mine) for one, mine in zip(phones, given, strict=True)]
            await asyncio.gather(*asked, asyncio.to_thread(killer.strike))
        shown = await press(boss, "close-vote")
        assert (shown["vote"]["answered"], shown["vote"]["bars"]) == (SITTING, {})
        if ballot == "1":
            await press(boss, "second")
    shown = (await press(boss, "solve"))["vote"]
    first, second, better, worse, of = before_and_after(given, STAND)
    for ballot, sums in (("1", first), ("2", second)):
        bars = shown["bars"][ballot]
        assert {choice: tuple(bar["sure"]) for choice, bar in bars.items()} == sums
        assert sum(bar["number"] for bar in bars.values()) == SITTING
    assert shown["changes"] == {"better": better, "worse": worse, "of": of}
    assert of == SITTING
    for phone, mine in zip(phones, given, strict=True):
        page = await phone.json(f"{phone.base}/vote")
        assert page["yours"] == {
            ballot: {"choice": choice, "sure": sure} for ballot, (choice, sure) in mine.items()
        }
        assert page["vote"] == {key: shown[key] for key in page["vote"]}  # the same for all
    for one in (boss, *phones):
        one.close()


async def prediction(port: int, killer: Killer) -> None:
    """Have a class predict a game of War, and see the result."""
    boss = Boss(port)
    code = await boss.open()
    phones = [Phone(port, code) for _ in range(SITTING)]
    await asyncio.gather(*(phone.join() for phone in phones))
    await press(boss, "predict-war")
    given: dict[int, tuple[str, int]] = {}

    async def predict(number: int, phone: Phone) -> None:
        for _ in range(random.choice((1, 1, 2))):
            choice, turns = random.choice("ab"), random.randint(1, 20)
            form = {"vote": 1, "ballot": 1, "choice": choice, "number": turns}
            answer = await phone.ask(f"{phone.base}/vote", form, JSON)
            assert answer.status == 200, answer.json
            given[number] = choice, turns
            await asyncio.sleep(random.uniform(0, 0.2))

    until = time.monotonic() + 20 * LIVES_FOR
    while killer.left:
        assert time.monotonic() < until, "no worker was found that could be killed"
        asked = [predict(number, phone) for number, phone in enumerate(phones)]
        await asyncio.gather(*asked, asyncio.to_thread(killer.strike))
    await press(boss, "bars")
    await press(boss, "close-vote")
    shown = (await press(boss, "solve"))["vote"]
    bets, numbers = zip(*given.values(), strict=True)
    assert {name: bar["number"] for name, bar in shown["bars"]["1"].items()} == {
        name: bets.count(name) for name in "ab"
    }
    assert shown["guesses"] == sorted([one, numbers.count(one)] for one in {*numbers})
    for one in (boss, *phones):
        one.close()


@pytest.mark.slow
@pytest.mark.parametrize("plan", [lesson, prediction])
@pytest.mark.parametrize("store", ["SQLite", "Redis"])
def test_sixty_answer_once_each_through_kills(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    store: str,
    plan: Callable[[int, Killer], Coroutine[Any, Any, None]],
) -> None:
    redis: Redis | None = request.getfixturevalue("redis") if store == "Redis" else None
    address = redis.url if redis else ""
    with Server(tmp_path, CLASSES="open", SESSION_STORE=address) as server:
        killer = Killer(server, KILLS)
        asyncio.run(plan(server.port, killer))
        assert killer.left == 0
