"""Random calls of every store, beside a model of twenty lines."""

import time
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.support.amounts import few_or_all
from tests.support.machines import Redis
from tests.support.stores import age
from web.storage import sqlite
from web.storage.memory import MemoryStore
from web.storage.redis import RedisStore
from web.storage.sqlite import SQLiteStore
from web.storage.store import Store

pytestmark = pytest.mark.xdist_group("stores")

NAMES = st.sampled_from(["a", "a/", "b"])
KEYS = st.sampled_from(["", "k", "k/1", "k/2", "ë"])
ROWS = st.dictionaries(KEYS, st.none() | st.binary(max_size=5), max_size=3)
LIVES = st.sampled_from([0, 500, 5_500, 50_500])
NO_REVISION = 2**46
"""A revision that no row had, but for a chance that nobody meets."""

SEEN = st.dictionaries(KEYS, st.sampled_from(["now", "none", "stale"]), max_size=3)


class Model:
    """Places are an end and rows; ends are never met to the second."""

    def __init__(self) -> None:
        self.now = 0
        self.places: dict[str, tuple[int, dict[str, bytes]]] = {}

    def rows(self, place: str) -> dict[str, bytes]:
        end, rows = self.places.get(place, (0, {}))
        return rows if end > self.now else {}

    def write(
        self, place: str, put: dict[str, bytes | None], *, agrees: bool, lives: int, left: int
    ) -> bool:
        known = self.places[place][0] if self.rows(place) else 0
        if not agrees or not (known or lives):
            return False
        after = {k: v for k, v in (self.rows(place) | put).items() if v is not None}
        end = self.now + left if left else max(known, lives and self.now + lives)
        self.places[place] = (end, after)
        return True


class Calls(RuleBasedStateMachine):
    """The calls of a store, each checked against the model's."""

    store: Store

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.met: dict[str, set[int]] = {}
        self.begin()

    def begin(self) -> None:
        """Empty the store."""

    def pass_(self, seconds: int) -> None:
        """Let time pass for the store."""

    @rule(place=NAMES, put=ROWS, seen=SEEN, lives=LIVES, left=st.just(0) | LIVES)
    def write(
        self, place: str, put: dict[str, bytes | None], seen: dict[str, str], lives: int, left: int
    ) -> None:
        rows = self.store.scan(place).rows
        for row in rows.values():
            self.met.setdefault(place, set()).add(row.revision)
        stale = self.met.get(place, set()) - {row.revision for row in rows.values()}
        revisions, agrees = {}, True
        for key, what in seen.items():
            there = key in self.model.rows(place)
            now = rows[key].revision if key in rows else 0
            revisions[key] = {"now": now, "none": 0, "stale": next(iter(stale), NO_REVISION)}[what]
            agrees = agrees and (what == "now" or (what == "none" and not there))
        now = int(self.store.read(place).now)
        expires, ends = lives and now + lives, left and now + left
        written = self.store.write(place, put, revisions, expires=expires, ends=ends)
        assert written == self.model.write(place, put, agrees=agrees, lives=lives, left=left)

    @rule(place=NAMES, keys=st.sets(KEYS))
    def read(self, place: str, keys: set[str]) -> None:
        found = {key: row.data for key, row in self.store.read(place, *keys).rows.items()}
        assert found == {k: v for k, v in self.model.rows(place).items() if k in keys}

    @rule(place=NAMES, prefix=KEYS)
    def scan(self, place: str, prefix: str) -> None:
        found = {key: row.data for key, row in self.store.scan(place, prefix).rows.items()}
        expected = {k: v for k, v in self.model.rows(place).items() if k.startswith(prefix)}
        assert list(found.items()) == sorted(expected.items())

    @rule(place=NAMES)
    def forget(self, place: str) -> None:
        self.store.forget(place)
        self.model.places.pop(place, None)

    @rule(seconds=st.sampled_from([1_000, 10_000]))
    def wait(self, seconds: int) -> None:
        self.model.now += seconds
        self.pass_(seconds)

    @rule()
    def purge(self) -> None:
        while self.store.purge():
            pass

    @invariant()
    def the_same_places_are_there(self) -> None:
        alive = {place for place in self.model.places if self.model.rows(place)}
        assert {*self.store.places()} == alive


class InMemory(Calls):
    def begin(self) -> None:
        self.store = MemoryStore(clock=lambda: 1e9 + self.model.now)


def machine(kind: str, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> type[Calls]:
    if kind == "memory":
        return InMemory
    if kind == "sqlite":
        began = time.time()

        class InAFile(Calls):
            def begin(self) -> None:
                monkeypatch.setattr(sqlite.time, "time", lambda: began + self.model.now)
                self.store = SQLiteStore(Path(mkdtemp()) / "store.db")

            def teardown(self) -> None:
                self.store.close()

        return InAFile
    shared = RedisStore(redis.url)

    class InRedis(Calls):
        def begin(self) -> None:
            self.store = shared
            shared.redis.flushall()

        def pass_(self, seconds: int) -> None:
            age(shared, seconds)

    return InRedis


@few_or_all("examples", 25, 400)
@pytest.mark.parametrize("kind", ["memory", "sqlite", "redis"])
def test_random_calls_agree_with_the_model(
    kind: str, examples: int, redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_state_machine_as_test(
        machine(kind, redis, monkeypatch),
        settings=settings(
            max_examples=examples,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
        ),
    )
