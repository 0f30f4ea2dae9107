"""What is kept of strategy charts, and which of them wait to be rated."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from tests.support.class_rows import counters_of, everywhere, member_of
from tests.support.stores import CODE, OTHER
from web.classroom.changes import Change
from web.classroom.class_store import ClassStore
from web.classroom.hints import HINT_HOLDS
from web.classroom.strategies.store import (
    MAX_A_DAY,
    MAX_KEPT,
    ChartStore,
    NotTaken,
    StoredChart,
)
from web.storage.memory import MemoryStore
from web.storage.store import StoreUnavailable

pytestmark = pytest.mark.xdist_group("class store")


@pytest.fixture
def store(classes: ClassStore) -> ChartStore:
    return classes.charts


def forget(classes: ClassStore, number: int) -> None:
    gone = Change(gone=(member_of(classes, number),))
    assert classes.commit(CODE, counters_of(classes), gone)


def chart(store: ChartStore, number: int, code: str = CODE) -> StoredChart:
    return next(one for one in store.charts(code) if one.number == number)


def brief(charts: tuple[StoredChart, ...]) -> list[tuple[int, int, bytes, bytes]]:
    return [(one.number, one.student, one.data, one.rating) for one in charts]


def test_charts_are_kept_in_their_order_and_get_their_worth(store: ChartStore) -> None:
    assert store.charts(CODE) == ()
    assert [store.add(CODE, who, b"\x00%d\xff" % who) for who in (2, 1, 2)] == [1, 2, 3]
    assert store.add(OTHER, 1, b"elsewhere") == 1
    assert all(one.handed_in == pytest.approx(time.time(), abs=5) for one in store.charts(CODE))
    assert store.costs(CODE, 2) == b""
    store.settle(CODE, chart(store, 2), b"\xffworth", b"costs\x00")
    store.settle(CODE, chart(store, 2)._replace(number=9), b"nobody's", b"nobody's")
    assert brief(store.charts(CODE)) == [
        (1, 2, b"\x002\xff", b""),
        (2, 1, b"\x001\xff", b"\xffworth"),
        (3, 2, b"\x002\xff", b""),
    ]
    assert (store.costs(CODE, 2), store.costs(CODE, 9), store.costs(OTHER, 2)) == (
        b"costs\x00",
        b"",
        b"",
    )


@everywhere
def test_a_student_hands_in_so_many_a_day_even_at_once(store: ChartStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        added = [*pool.map(lambda _: store.add(CODE, 1, b"chart"), range(12))]
    assert sorted(one for one in added if isinstance(one, int)) == [*range(1, MAX_A_DAY + 1)]
    assert {one for one in added if not isinstance(one, int)} == {NotTaken.TODAY}
    assert store.add(CODE, 2, b"chart") == MAX_A_DAY + 1
    assert store.add(CODE, 4, b"chart") is NotTaken.GONE
    assert store.add("NOSUCH", 1, b"chart") is NotTaken.GONE


def test_a_day_later_they_hand_in_more_till_all_places_are_taken(
    classes: ClassStore, store: ChartStore, rows: MemoryStore
) -> None:
    now = rows.clock()
    classes.extend_expiry(CODE, int(now) + 99 * 86_400)
    for day in range(MAX_KEPT // MAX_A_DAY):
        rows.clock = lambda day=day: now + day * 86_401  # type: ignore[misc]
        added = [store.add(CODE, 1, b"chart") for _ in range(MAX_A_DAY + 1)]
        assert added[-1] is NotTaken.TODAY
        assert NotTaken.TODAY not in added[:-1]
    rows.clock = lambda: now + 20 * 86_400
    assert store.add(CODE, 1, b"chart") is NotTaken.FULL
    assert len(store.charts(CODE)) == MAX_KEPT


def test_charts_wait_until_their_worth_is_known(classes: ClassStore, store: ChartStore) -> None:
    assert store.waiting() is None
    for code, who in ((OTHER, 1), (CODE, 1), (CODE, 2)):
        store.add(code, who, b"chart")
    done = []
    while found := store.waiting():
        code, one = found
        assert (one.data, one.rating) == (b"chart", b"")
        done.append((code, one.number))
        store.settle(code, one, b"rating", b"costs")
    assert done == [(OTHER, 1), (CODE, 1), (CODE, 2)]
    store.add(OTHER, 1, b"chart")
    store.add(CODE, 2, b"chart")
    classes.delete(OTHER)
    found = store.waiting()
    assert found
    assert (found[0], found[1].number) == (CODE, 3)


def test_charts_go_with_their_student(classes: ClassStore, store: ChartStore) -> None:
    for who in (1, 2, 1):
        store.add(CODE, who, b"chart of %d" % who)
    first = chart(store, 1)
    store.settle(CODE, first, b"rating", b"costs")
    forget(classes, 1)
    waiting = store.waiting()
    assert waiting
    assert waiting[1].number == 2
    assert brief(store.charts(CODE)) == [(2, 2, b"chart of 2", b"")]
    assert store.costs(CODE, 1) == b""
    store.settle(CODE, first, b"rating", b"costs")
    assert len(store.charts(CODE)) == 1
    assert store.add(CODE, 2, b"chart") == 4  # no number is used again


def test_charts_go_with_their_class(classes: ClassStore, store: ChartStore) -> None:
    store.add(CODE, 1, b"chart")
    store.add(OTHER, 1, b"chart")
    classes.delete(CODE)
    assert store.charts(CODE) == ()
    assert len(store.charts(OTHER)) == 1


def test_a_hint_is_taken_away_when_nothing_waits_and_it_is_no_longer_believed(
    store: ChartStore, rows: MemoryStore
) -> None:
    now = rows.clock()
    store.add(CODE, 1, b"chart")
    store.settle(CODE, chart(store, 1), b"rating", b"costs")
    assert store.waiting() is None
    assert rows.scan("hints/charts").rows
    rows.clock = lambda: now + HINT_HOLDS + 1
    assert store.waiting() is None
    assert not rows.scan("hints/charts").rows


@pytest.mark.parametrize("writes", range(3))
def test_a_kill_at_any_write_loses_no_chart_that_was_answered(
    classes: ClassStore, rows: MemoryStore, writes: int
) -> None:
    """The hint is written first: a chart that is there is found."""
    killed = 0

    def kill(moment: str, _: str) -> None:
        nonlocal killed
        killed += moment == "after"
        if killed > writes:
            raise StoreUnavailable

    rows.pause = kill
    number: int | NotTaken = 0
    with suppress(StoreUnavailable):
        number = classes.charts.add(CODE, 1, b"chart")
    rows.pause = lambda *_: None
    kept = classes.charts.charts(CODE)
    assert len(kept) == (writes >= 1)
    assert bool(number) == (writes == 2)
    waiting = classes.charts.waiting()
    assert (waiting and waiting[1]) == (kept[0] if kept else None)
