"""Both stores, so that every test of one holds of the other."""

from pathlib import Path

import pytest

from tests.support.machines import Redis
from web.storage.protocol import Store
from web.storage.redis import RedisStore
from web.storage.sqlite import SQLiteStore


@pytest.fixture
def in_file(tmp_path: Path) -> SQLiteStore:
    return SQLiteStore(tmp_path / "kept.db")


@pytest.fixture
def in_redis(redis: Redis) -> RedisStore:
    store = RedisStore(redis.url)
    store.redis.flushall()
    return store


@pytest.fixture(params=["in_file", "in_redis"])
def store(request: pytest.FixtureRequest) -> Store:
    chosen: Store = request.getfixturevalue(request.param)
    return chosen
