"""Every store, so that each test of one holds of the others."""

from pathlib import Path

import pytest
from web.storage.memory import MemoryStore
from web.storage.redis import RedisStore
from web.storage.sqlite import SQLiteStore

from tests.support.class_rows import a_class, newcomer
from tests.support.machines import Redis
from tests.support.stores import CODE, LATER, OTHER
from web.classroom.class_store import ClassStore
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
def rows(request: pytest.FixtureRequest) -> Store:
    """In memory; in every store for the tests that are ``@everywhere``."""
    chosen: Store = request.getfixturevalue(getattr(request, "param", "in_memory"))
    return chosen


@pytest.fixture
def class_store(rows: Store) -> ClassStore:
    """A place for classes, with none in it."""
    return ClassStore(rows)


@pytest.fixture
def classes(class_store: ClassStore) -> ClassStore:
    """Two classes: of three students, and of one."""
    for code, students in ((CODE, 3), (OTHER, 1)):
        assert class_store.create(code, a_class(), LATER)
        for number in range(1, students + 1):
            counters = class_store.counters(code)
            assert counters
            assert class_store.join(code, counters, newcomer(number)) == number
    return class_store
