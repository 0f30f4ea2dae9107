"""What every store promises, by examples: all or nothing, one of many at once."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.stores import DAY, end_of, later
from web.storage import store as definition
from web.storage.store import ABSENT, Store, TooManyConflicts, decide

pytestmark = pytest.mark.xdist_group("stores")


def data(store: Store, place: str) -> dict[str, bytes]:
    return {key: row.data for key, row in store.scan(place).rows.items()}


def made(store: Store, place: str = "a", **rows: bytes) -> None:
    assert store.write(place, rows, dict.fromkeys(rows, 0), expires=end_of(store))


# ---- Compare and set -------------------------------------------------------------------------


def test_a_write_of_what_was_not_read_is_refused(store: Store) -> None:
    made(store, x=b"1", y=b"\x00\xff")
    assert not store.write("a", {"x": b"2"}, {"x": 0}, expires=end_of(store))
    seen = store.read("a", "x")["x"]
    assert store.write("a", {"x": b"2"}, {"x": seen.revision})
    assert not store.write("a", {"x": b"3"}, {"x": seen.revision})
    assert not store.write("a", {"x": b"3"}, {"x": seen.revision}, expires=end_of(store))
    assert data(store, "a") == {"x": b"2", "y": b"\x00\xff"}


def test_a_write_is_done_whole_or_not_at_all(store: Store) -> None:
    made(store, x=b"1", y=b"1")
    seen = store.read("a", "x", "y", "z")
    assert seen["z"] == ABSENT
    old = {"x": seen["x"].revision, "y": seen["y"].revision, "z": 0}
    assert store.write("a", {"y": b"2"}, {})
    assert not store.write("a", {"x": b"3", "y": None, "z": b"3"}, old)
    assert data(store, "a") == {"x": b"1", "y": b"2"}
    now = {**old, "y": store.read("a", "y")["y"].revision}
    assert store.write("a", {"x": b"3", "y": None, "z": b"3"}, now)
    assert data(store, "a") == {"x": b"3", "z": b"3"}


def test_a_row_may_depend_on_another_that_is_not_written(store: Store) -> None:
    made(store, x=b"1")
    seen = store.read("a", "x")["x"].revision
    assert store.write("a", {"y": b"1"}, {"x": seen, "z": 0})
    assert store.write("a", {"x": b"2"}, {})
    assert not store.write("a", {"y": b"2"}, {"x": seen})


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


def test_of_simultaneous_writers_one_is_first(store: Store) -> None:
    made(store, x=b"")
    with ThreadPoolExecutor(8) as pool:
        for _ in range(30):
            seen = store.read("a", "x")["x"].revision
            write = [
                lambda n=n, seen=seen: store.write("a", {"x": b"%d" % n}, {"x": seen})
                for n in range(8)
            ]
            done = list(pool.map(lambda one: one(), write))
            assert sum(done) == 1
            assert data(store, "a") == {"x": b"%d" % done.index(True)}


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


def test_who_is_always_overtaken_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    naps: list[float] = []
    monkeypatch.setattr(definition.time, "sleep", naps.append)
    with pytest.raises(TooManyConflicts):
        decide(lambda: None)
    assert len(naps) == 50
    assert sum(naps) < 0.2


# ---- Places and keys ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 300, 2_000, 100_000])
def test_bytes_of_any_length_come_back(store: Store, size: int) -> None:
    every = bytes(range(256)) * (size // 256 + 1)
    made(store, x=every[:size])
    assert data(store, "a") == {"x": every[:size]}


def test_keys_stand_in_order_and_are_found_by_their_beginning(store: Store) -> None:
    keys = ["", "*", "a", "a/", "a/1", "a/10", "a/2", "a0", "zoë", "日本", "\U0001f0a1"]
    made(store, **{key: key.encode() for key in reversed(keys)})
    assert list(store.scan("a").rows) == keys
    assert list(store.scan("a", "a/").rows) == ["a/", "a/1", "a/10", "a/2"]
    assert list(store.scan("a", "*").rows) == ["*"]
    assert not store.scan("a", "b").rows
    assert {*store.read("a", "a/", "*", "zoë", "nothing").rows} == {"a/", "*", "zoë"}
    assert not store.read("a").rows


def test_places_are_apart_and_found_by_their_beginning(store: Store) -> None:
    names = ["class/A", "class/B", "classes", "deal/A", "zoë"]
    for name in names:
        made(store, name, x=name.encode())
    assert sorted(store.places()) == names
    assert sorted(store.places("class/")) == ["class/A", "class/B"]
    store.forget("class/A")
    store.forget("class/C")
    assert not store.scan("class/A").rows
    assert data(store, "class/B") == {"x": b"class/B"}
    assert sorted(store.places()) == names[1:]


def test_with_its_last_row_a_place_is_gone(store: Store) -> None:
    made(store, x=b"1", y=b"2")
    assert store.write("a", {"x": None, "y": None}, {})
    assert list(store.places()) == []
    assert not store.write("a", {"x": b"1"}, {})
    assert store.write("a", {}, {}, expires=end_of(store))
    assert list(store.places()) == []


def test_nothing_is_written_to_a_place_that_is_not_there(store: Store) -> None:
    assert not store.write("a", {"x": b"1"}, {})
    assert not store.write("a", {"x": b"1"}, {"x": 0})
    assert not store.write("a", {"x": b"1"}, {"x": 7}, expires=end_of(store))
    assert not store.scan("a").rows


# ---- Time --------------------------------------------------------------------------------------


def test_a_place_ends_with_all_its_rows(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    made(store, x=b"1")
    assert store.write("b", {"x": b"1"}, {}, expires=end_of(store, DAY))
    with later(store, DAY - 60, monkeypatch):
        assert sorted(store.places()) == ["a", "b"]
    with later(store, 120 if list(store.places()) == ["a"] else DAY + 60, monkeypatch):
        assert list(store.places()) == ["a"]
        assert not store.read("b", "x").rows
        assert not store.scan("b").rows
        assert not store.write("b", {"x": b"2"}, {})
        assert store.write("b", {"y": b"3"}, {"x": 0}, expires=end_of(store, DAY))
        assert data(store, "b") == {"y": b"3"}


def test_a_write_may_end_a_place_sooner(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    made(store, x=b"1")
    assert not store.write("a", {"x": b"2"}, {"x": 2**46}, ends=end_of(store, DAY))
    seen = {"x": store.read("a", "x")["x"].revision}
    assert store.write("a", {"x": b"2"}, seen, ends=end_of(store, DAY))
    assert data(store, "a") == {"x": b"2"}
    with later(store, DAY + 60, monkeypatch):
        assert not list(store.places())


LATER: dict[str, Callable[[Store, int], bool]] = {
    "with a row": lambda store, end: store.write("a", {"x": b"2"}, {}, expires=end),
    "with a row that was seen": lambda store, end: store.write(
        "a", {"x": b"2"}, {"x": store.read("a", "x")["x"].revision}, expires=end
    ),
    "alone": lambda store, end: store.write("a", {}, {}, expires=end),
}


@pytest.mark.parametrize("how", LATER)
def test_an_end_is_put_off_and_else_never_brought_forward(
    store: Store, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.write("a", {"x": b"1"}, {}, expires=end_of(store, DAY))
    assert LATER[how](store, end_of(store, 10 * DAY))
    assert LATER[how](store, end_of(store, 60))
    with later(store, 9 * DAY, monkeypatch):
        assert store.read("a", "x").rows


def test_what_comes_too_late_is_not_written(store: Store) -> None:
    made(store, x=b"1")
    now = store.read("a").now
    assert abs(now - time.time()) < 5
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
    made(store, x=b"x" * 50_000)
    assert store.size() >= before + 45_000
    assert list(store.places()) == ["a"]
    store.close()
    assert data(store, "a").keys() == {"x"}
