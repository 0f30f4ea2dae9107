"""Real earlier versions of the site on the same data, before and in between.

Each is taken out of the repository's own history, and served as it was.
"""

import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.support.machines import Redis
from tools.serving import ROOT, Player, Server
from web.storage.redis import RedisStore

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("redis")]

VERSIONS = {"the version before the redesign": "66b51c4"}
TABLES = ("/simple-21", "/blackjack", "/one-deck")


@pytest.fixture(scope="module", params=VERSIONS.values(), ids=VERSIONS)
def older(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkout of an earlier version."""
    command = ["git", "archive", request.param]
    archive = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        pytest.skip(f"this copy of the repository does not have its history: {request.param}")
    folder = tmp_path_factory.mktemp("older")
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder


@pytest.fixture(params=["sqlite", "redis"])
def environment(request: pytest.FixtureRequest, redis: Redis) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    RedisStore(redis.url).redis.flushall()
    return {"SESSION_STORE": redis.url}


@contextmanager
def served(root: Path, folder: Path, environment: dict[str, str], cookie: str) -> Iterator[Player]:
    """Serve a version on a data directory, for somebody who has a cookie or none."""
    with Server(folder, root=root, **environment) as server, closing(Player(server.port)) as player:
        player.cookie = cookie
        yield player


def finish(player: Player, path: str, rounds: int) -> None:
    """Finish rounds by standing at once."""
    while rounds:
        table = player.json(path)[1]
        names = [move["name"] for move in table["moves"]]
        move = next(name for name in ("stay", "deal", "new") if name in names)
        status, table = player.json(path, {"move": move, "step": str(table["step"])})
        assert status == 200, table
        rounds -= table["view"]["phase"] in ("round over", "game over") and move != "new"


def history(player: Player, path: str) -> dict[int, str]:
    """Return what is exported of each finished round: what was done, and who won."""
    status, answer = player.json(f"{path}/history.json")
    assert status == 200
    return {one["number"]: f"{one['finished']} {one['result']}" for one in answer["rounds"]}


def test_going_back_and_coming_again_loses_no_round(
    tmp_path: Path, older: Path, environment: dict[str, str]
) -> None:
    """Our rounds are there in the older version, its rounds are there afterwards, none twice."""
    with served(ROOT, tmp_path, environment, "") as player:
        for path in TABLES:
            finish(player, path, 3)
        ours = {path: history(player, path) for path in TABLES}
        cookie = player.cookie
    with served(older, tmp_path, environment, cookie) as player:
        for path in TABLES:
            assert player.request("GET", path)[0].status == 200
            finish(player, path, 2)
            assert player.request("GET", f"{path}/history")[0].status == 200
        assert player.cookie == cookie
    with served(ROOT, tmp_path, environment, cookie) as player:
        for path in TABLES:
            both = history(player, path)
            assert len(both) == 5
            assert {number: both[number] for number in ours[path]} == ours[path]
            finish(player, path, 1)
            assert sorted(history(player, path)) == [1, 2, 3, 4, 5, 6]
            for number in range(1, 7):
                answer, _ = player.request("GET", f"{path}/history/{number}")
                assert answer.status == 303
                assert player.request("GET", answer.headers["Location"])[0].status == 200
    assert [line for line in log(tmp_path) if '"status":500' in line] == []


def test_coming_from_it_everything_is_taken_over(
    tmp_path: Path, older: Path, environment: dict[str, str]
) -> None:
    """The open round lies as it lay, at the same step; the history goes on at its number."""
    with served(older, tmp_path, environment, "") as player:
        for path in TABLES:
            finish(player, path, 3)
            open_round(player, path)
        before = {path: player.json(path)[1] for path in TABLES}
        rounds = {path: history(player, path) for path in TABLES}
        address = player.json("/deals", {"table": "blackjack", "kind": "counted"})[1]["address"]
        play_deal(player, address)
        cookie = player.cookie
    with served(ROOT, tmp_path, environment, cookie) as player:
        for path in TABLES:
            after = player.json(path)[1]
            assert (after["step"], shown(after)) == (before[path]["step"], shown(before[path]))
            kept = history(player, path)
            assert {number: kept[number] for number in rounds[path]} == rounds[path]
        assert player.json(address)[1]["moves"] == []  # nobody plays a deal twice
        played = player.json("/blackjack/history.json")[1]["rounds"][0]
        assert address.endswith(played["deal"])
        for path in TABLES:
            finish(player, path, 2)
            assert max(history(player, path)) == len(history(player, path))


def open_round(player: Player, path: str) -> None:
    """Deal, until a round is open."""
    while True:
        table = player.json(path)[1]
        if table["view"]["phase"] == "playing":
            return
        names = [move["name"] for move in table["moves"]]
        move = "deal" if "deal" in names else "new"
        assert player.json(path, {"move": move, "step": str(table["step"])})[0] == 200


def shown(table: dict[str, Any]) -> dict[str, Any]:
    """Return the cards that a player sees."""
    return {name: table["view"][name] for name in ("phase", "player", "dealer", "deck", "tally")}


def play_deal(player: Player, address: str) -> None:
    table = player.json(address)[1]
    while table["moves"]:
        form = {"move": table["moves"][-1]["name"], "step": str(table["step"])}
        table = player.json(address, form)[1]


def log(folder: Path) -> list[str]:
    return (folder / "server.log").read_text().splitlines()
