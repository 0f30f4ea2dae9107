"""A deal link as a class meets it: sixty at once, in two stores, and processes killed."""

import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import product
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from tests.support.hidden import cards_named
from tests.support.machines import Redis
from tests.support.serving import Player, Server
from tests.support.site import BY_HAND, JSON, id_of
from web.deals.storage import results
from web.storage import open_store
from web.storage.redis import RedisStore

pytestmark = pytest.mark.xdist_group("served deals")
FORM = {"table": "simple-21", "kind": "counted", "deck": BY_HAND}


@pytest.fixture(params=["sqlite", "redis"])
def environment(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    redis: Redis = request.getfixturevalue("redis")
    RedisStore(redis.url).redis.flushall()
    return {"SESSION_STORE": redis.url}


def undealt(deck: list[str], table: dict[str, Any]) -> set[str]:
    """The cards that nobody at this table can know; the fourth is the hole card."""
    if table["view"]["phase"] == "ready":
        return set(deck)
    down = {deck[3]} if None in table["view"]["dealer"]["cards"] else set()
    hits = len(table["view"]["player"]["cards"]) - 2
    return down | set(deck[4 + hits :])


def results_of(player: Player, address: str) -> Any:
    """Ask for the results until the server, which may have too many waiting, answers."""
    for _ in range(100):
        status, results = player.json(f"{address}/results")
        if status == 200:
            return results
        assert status == 503
        time.sleep(0.1)
    raise AssertionError("it never answers")


def one_of_sixty(port: int, address: str, number: int, start: Barrier) -> dict[str, Any]:
    """Play a deal over HTTP as fast as one can; return all that was seen on the way."""
    rng = random.Random(number)
    with closing(Player(port)) as player:
        start.wait()
        seen: list[tuple[dict[str, Any], list[str]]] = []
        table = player.json(address)[1]
        while True:
            asked = product((address, f"{address}/results"), ({}, JSON))
            answers = (player.request("GET", path, headers=headers) for path, headers in asked)
            seen.append((table, [f"{response.headers}{text}" for response, text in answers]))
            if not table["moves"]:
                return {"seen": seen, "results": results_of(player, address)}
            move = rng.choice(table["moves"])["name"]
            form = {"move": move, "step": str(table["step"])}
            double = player.json(address, form), player.json(address, form)  # a double click
            assert [status for status, _ in double] == [200, 409]
            table = double[0][1]


def test_sixty_at_once_meet_the_same_cards_and_see_none_too_early(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    deck = BY_HAND.split("\n")
    with Server(tmp_path, WORKERS="2", **environment) as server:
        with closing(Player(server.port)) as maker:
            address = maker.json("/deals", FORM)[1]["address"]
            start = Barrier(60)
            with ThreadPoolExecutor(60) as pool:
                futures = [
                    pool.submit(one_of_sixty, server.port, address, number, start)
                    for number in range(60)
                ]
                played = [future.result() for future in futures]
            views: dict[Any, Any] = {}
            for table, texts in (seen for one in played for seen in one["seen"]):
                over, hand = not table["moves"], table["view"]["player"]["cards"]
                assert hand == [deck[0], deck[2], *deck[4:]][: len(hand)]
                view = views.setdefault((len(hand), table["step"], over), table["view"])
                assert table["view"] == view  # equal decisions, equal tables
                if not over:
                    hidden = undealt(deck, table)
                    assert len(hidden) > 40
                    for text in texts:
                        assert not cards_named(text) & hidden
            ends = Counter(one["results"]["yours"] for one in played)
            for step, move in enumerate(("deal", "stay")):
                maker.json(address, {"move": move, "step": str(step)})
            final = maker.json(f"{address}/results")[1]
        ends["lost"] += 1
        assert final["finished"] == 61
        assert ends == {name: count for name, count in final["ends"].items() if count}
        first = final["decisions"][0]
        assert first["hit"]["players"] + first["stay"]["players"] == 61
    store = open_store(tmp_path, environment.get("SESSION_STORE", ""))
    assert len(results(store, id_of(address)).came) == 61
