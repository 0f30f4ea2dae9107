"""Floods of requests from clients without a session.

The requests of players and newcomers succeed.
"""

import asyncio
import random
from collections.abc import Iterator

import pytest

from tests.support.class_client import Boss, Phone
from tests.support.floods import FLOODS, Moves, a_join, beside, flood, play, seated
from tests.support.serving import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("floods"), CLASSES="open") as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("connections", [100, 300])
@pytest.mark.parametrize("kind", FLOODS)
def test_no_move_is_rejected_beside_a_flood(server: Server, kind: str, connections: int) -> None:
    moves = asyncio.run(beside(server.port, kind, connections))
    assert moves.rejected == 0
    assert len(moves.seconds) >= 10


@pytest.mark.slow
def test_phones_join_within_ten_seconds_beside_a_flood(server: Server) -> None:
    """400 new phones open the page of their class and join. No phone is rejected."""

    async def join(port: int) -> tuple[list[Phone], Moves]:
        full, boss = Boss(port), Boss(port)
        flooded, code = await full.open(students=20), await boss.open(students=400)
        phones, players = [Phone(port, code) for _ in range(400)], await seated(port, 10)

        async def arrive(phone: Phone) -> None:
            await asyncio.sleep(random.uniform(0, 10))
            await phone.ask(f"/j/{code}")
            await phone.ask(phone.base)
            await phone.join()

        async with flood(port, 300, a_join, flooded):
            moves = asyncio.ensure_future(play(players, 10))
            await asyncio.gather(*map(arrive, phones))
            ended = await moves
        for client in (full, boss, *phones, *players):
            client.close()
        await asyncio.sleep(0)  # The event loop closes the connections in its next iteration.
        return phones, ended

    phones, moves = asyncio.run(join(server.port))
    assert sorted(phone.number for phone in phones) == [*range(1, 401)]
    assert sum(phone.unanswered for phone in phones) == 0
    assert moves.rejected == 0
