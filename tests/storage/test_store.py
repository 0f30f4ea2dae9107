"""What every store is: random calls beside a model of twenty lines, and what that cannot show."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from web.storage.memory import MemoryStore
from web.storage.redis import RedisStore
from web.storage.sqlite import SQLiteStore

from tests.support.amounts import few_or_all
from tests.support.machines import Redis
from tests.support.stores import DAY, age, data, end_of, later, made
from web.storage import sqlite
from web.storage.store import Store, decide

NAMES = st.sampled_from(["a", "a/"])
KEYS = st.sampled_from(["k", "k/1", "ë"])
ROWS = st.dictionaries(KEYS, st.none() | st.binary(max_size=2), max_size=2)
LIVES = st.sampled_from([500, 50_500, 5_500, 0])
SEEN = st.dictionaries(KEYS, st.sampled_from(["now", "none", "stale"]), max_size=2)
NO_REVISION = 2**46
"""A revision that no row had, but for a chance that nobody meets."""


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
        self.store = MemoryStore(clock=lambda: 1e9 + self.model.now)

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

    @rule(place=NAMES, keys=st.sets(KEYS), prefix=KEYS)
    def look(self, place: str, keys: set[str], prefix: str) -> None:
        rows = self.model.rows(place)
        found = {key: row.data for key, row in self.store.read(place, *keys).rows.items()}
        assert found == {k: v for k, v in rows.items() if k in keys}
        scanned = {key: row.data for key, row in self.store.scan(place, prefix).rows.items()}
        assert [*scanned.items()] == sorted((k, v) for k, v in rows.items() if k.startswith(prefix))

    @rule(place=NAMES)
    def forget(self, place: str) -> None:
        self.store.forget(place)
        self.model.places.pop(place, None)

    @rule(seconds=st.sampled_from([10_000, 1_000]))
    def wait(self, seconds: int) -> None:
        self.model.now += seconds
        self.pass_(seconds)

    @invariant()
    def the_same_is_there(self) -> None:
        for prefix in ("", "a/"):
            alive = {name for name in self.model.places if self.model.rows(name)}
            found = {*self.store.places(prefix)}
            assert found == {name for name in alive if name.startswith(prefix)}
        for name in ("a", "a/"):
            assert data(self.store, name) == self.model.rows(name)


def machine(kind: str, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> type[Calls]:
    if kind == "memory":
        return Calls
    began, shared = time.time(), RedisStore(redis.url)

    class InAFile(Calls):
        def begin(self) -> None:
            monkeypatch.setattr(sqlite.time, "time", lambda: began + self.model.now)
            self.store = SQLiteStore(Path(mkdtemp()) / "store.db")

        def teardown(self) -> None:
            self.store.close()

    class InRedis(Calls):
        def begin(self) -> None:
            self.store = shared
            shared.redis.flushall()

        def pass_(self, seconds: int) -> None:
            age(shared, seconds)

    return InAFile if kind == "sqlite" else InRedis


@few_or_all("examples", 40, 500)
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
            derandomize=True,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink],
        ),
    )


# ---- Compare and set -------------------------------------------------------------------------


def test_a_revision_never_comes_back(store: Store) -> None:
    revisions = []
    for number in range(40):
        made(store, x=b"same")
        revisions.append(store.read("a", "x")["x"].revision)
        assert store.write("a", {"x": b"same"}, {"x": revisions[-1]})
        revisions.append(store.read("a", "x")["x"].revision)
        if number % 2:
            assert store.write("a", {"x": None}, {})
        else:
            store.forget("a")
    assert len({*revisions}) == 80
    assert min(revisions) > 0


def test_sixty_who_decide_at_once_are_all_counted(store: Store) -> None:
    made(store, count=b"0")

    def join(who: int) -> int:
        def attempt() -> int | None:
            head = store.read("a", "count")["count"]
            number = int(head.data) + 1
            put = {"count": b"%d" % number, f"student/{number:03}": b"%d" % who}
            return number if store.write("a", put, {"count": head.revision}) else None

        return decide(attempt)

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(join, range(60))) == list(range(1, 61))
    students = store.scan("a", "student/").rows.values()
    assert sorted(int(row.data) for row in students) == list(range(60))


# ---- Places and keys ---------------------------------------------------------------------------


def test_keys_stand_in_order_and_are_found_by_their_beginning(store: Store) -> None:
    keys = ["", "*", "a", "a/", "a/1", "a/10", "a/2", "a0", "zoë", "日本", "\U0001f0a1"]
    made(store, **{key: key.encode() for key in reversed(keys)})
    assert list(store.scan("a").rows) == keys
    assert list(store.scan("a", "a/").rows) == ["a/", "a/1", "a/10", "a/2"]
    assert list(store.scan("a", "*").rows) == ["*"]
    assert not store.scan("a", "b").rows
    assert {*store.read("a", "a/", "*", "zoë", "nothing").rows} == {"a/", "*", "zoë"}
    assert not store.read("a").rows


# ---- Time --------------------------------------------------------------------------------------


@pytest.mark.parametrize("put", [{"x": b"2"}, {}])
def test_an_end_is_put_off_and_else_never_brought_forward(
    store: Store, put: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    made(store, x=b"1")
    for days in (20, 1 / 24):
        for keys in ((), put):
            seen = store.read("a", *keys).seen(keys)
            assert store.write("a", put, seen, expires=end_of(store, days * DAY))
    with later(store, 19 * DAY, monkeypatch):
        assert store.read("a", "x").rows


def test_what_comes_too_late_is_not_written(store: Store) -> None:
    made(store, x=b"1")
    now = store.read("a").now
    assert abs(now - time.time()) < 600
    seen = {"x": store.read("a", "x")["x"].revision}
    assert not store.write("a", {"x": b"2"}, {}, before=now - 1)
    assert not store.write("a", {"x": b"2"}, seen, before=now - 1)
    assert not store.write("b", {"x": b"2"}, {}, expires=end_of(store), before=now - 1)
    assert data(store, "a") == {"x": b"1"}
    assert store.write("a", {"x": b"2"}, seen, before=now + 60)


# ---- What an operator asks ---------------------------------------------------------------------


def test_a_store_that_is_well_says_so(store: Store) -> None:
    store.check_read()
    store.check_write()
    assert store.faults() == ""
    before = store.size()
    made(store, x=b"x" * 2_000_000)
    assert store.size() >= before + 1_500_000  # Redis counts the buffers of its connections too
    assert list(store.places()) == ["a"]
    store.close()
    assert data(store, "a").keys() == {"x"}
