"""Every store, so that each test of one holds of the others."""

from pathlib import Path

import pytest

from tests.support.machines import Redis
from tests.support.stores import CODE, LATER, OTHER
from web.classroom.storage import open_class_store
from web.classroom.storage.protocol import ClassStore, Newcomer
from web.classroom.storage.redis import RedisClassStore
from web.storage.memory import MemoryStore
from web.storage.redis import RedisStore
from web.storage.sqlite import SQLiteStore
from web.storage.store import Store


@pytest.fixture
def in_memory() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def in_file(tmp_path: Path) -> SQLiteStore:
    return SQLiteStore(tmp_path / "kept.db")


@pytest.fixture
def in_redis(redis: Redis) -> RedisStore:
    store = RedisStore(redis.url)
    store.redis.flushall()
    return store


@pytest.fixture(params=["in_memory", "in_file", "in_redis"])
def store(request: pytest.FixtureRequest) -> Store:
    chosen: Store = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture
def classes_in_file(tmp_path: Path) -> ClassStore:
    return open_class_store(tmp_path, "")


@pytest.fixture
def classes_in_redis(redis: Redis) -> RedisClassStore:
    store = RedisClassStore(redis.url)
    store._client.redis.flushall()
    return store


@pytest.fixture(params=["classes_in_file", "classes_in_redis"])
def class_store(request: pytest.FixtureRequest) -> ClassStore:
    """A place for classes, with none in it."""
    chosen: ClassStore = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture
def classes(class_store: ClassStore) -> ClassStore:
    """Two classes: of three students, and of one."""
    for code, students in ((CODE, 3), (OTHER, 1)):
        assert class_store.create(code, b"a class", LATER)
        for number in range(1, students + 1):
            pulse = class_store.pulse(code)
            assert pulse
            newcomer = Newcomer(b"student", f"name {number}", f"browser {number}")
            assert class_store.join(code, pulse, newcomer) == number
    return class_store
