"""What is kept of strategy charts, and which of them wait to be rated."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import msgspec
import pytest

from cardgames.strategies.rating_steps import PartialRating
from tests.support.class_rows import counters_of, everywhere, member_of
from tests.support.stores import CODE, OTHER
from web.classroom.class_store import ClassStore
from web.classroom.model import Change
from web.classroom.rows import place_of
from web.classroom.strategies import (
    MAX_A_DAY,
    MAX_KEPT,
    Chart,
    ChartStore,
    NotTaken,
)
from web.storage.hints import HINT_HOLDS
from web.storage.memory import MemoryStore
from web.storage.store import Store, StoreUnavailable

pytestmark = pytest.mark.xdist_group("class store")


@pytest.fixture
def store(classes: ClassStore) -> ChartStore:
    return classes.charts


def forget(classes: ClassStore, number: int) -> None:
    gone = Change(gone=(member_of(classes, number),))
    assert classes.commit(CODE, counters_of(classes), gone)


ROWS = "hard 16   HSSSSSHHHH\n"
RATING = PartialRating((-0.125,), ((0.25, -0.5),), (1.5, 0.75))


def add(store: ChartStore, code: str, student: int, rows: str = ROWS) -> int | NotTaken:
    return store.add(code, student, "one-deck", rows)


def chart(store: ChartStore, number: int, code: str = CODE) -> Chart:
    return next(one for one in store.charts(code) if one.number == number)


def brief(charts: tuple[Chart, ...]) -> list[tuple[int, int, str, str]]:
    return [(one.number, one.student, one.kept.rows, one.kept.phase) for one in charts]


def test_charts_are_kept_in_their_order_and_get_their_rating(
    store: ChartStore, rows: Store
) -> None:
    assert store.charts(CODE) == ()
    assert [add(store, CODE, who, f"chart {at}") for at, who in enumerate((2, 1, 2))] == [1, 2, 3]
    assert add(store, OTHER, 1, "elsewhere") == 1
    charts = store.charts(CODE)
    assert all(one.kept.handed_in == pytest.approx(time.time(), abs=5) for one in charts)
    assert chart(store, 2).rating is None
    store.settle(CODE, chart(store, 2), RATING)
    store.settle(CODE, chart(store, 3), None)
    store.settle(CODE, chart(store, 2)._replace(number=9), RATING)
    assert brief(store.charts(CODE)) == [
        (1, 2, "chart 0", "waiting"),
        (2, 1, "chart 1", "rated"),
        (3, 2, "chart 2", "failed"),
    ]
    assert chart(store, 2).rating == replace(RATING, costs=())
    assert (chart(store, 3).rating, chart(store, 1, OTHER).rating) == (None, None)
    assert brief(store.charts(CODE, 2)) == [
        (1, 2, "chart 0", "waiting"),
        (3, 2, "chart 2", "failed"),
    ]
    kept = rows.scan(place_of(CODE), "cost/").rows
    assert {key: msgspec.msgpack.decode(row.data) for key, row in kept.items()} == {
        "cost/chart/0002": [[0.25, -0.5]],
        "cost/chart/0003": [],
    }


def test_the_same_chart_again_keeps_its_number(store: ChartStore) -> None:
    assert [add(store, CODE, 1), add(store, CODE, 2), add(store, CODE, 1)] == [1, 2, 1]
    assert store.add(CODE, 1, "blackjack", ROWS) == 3
    assert len(store.charts(CODE)) == 3


@everywhere
def test_a_student_hands_in_so_many_a_day_even_at_once(store: ChartStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        added = [*pool.map(lambda at: store.add(CODE, 1, "one-deck", f"{at}"), range(12))]
    assert sorted(one for one in added if isinstance(one, int)) == [*range(1, MAX_A_DAY + 1)]
    assert {one for one in added if not isinstance(one, int)} == {NotTaken.TODAY}
    assert add(store, CODE, 2) == MAX_A_DAY + 1
    assert add(store, CODE, 4) is NotTaken.GONE
    assert add(store, "NOSUCH", 1) is NotTaken.GONE


def test_a_day_later_they_hand_in_more_till_all_places_are_taken(
    classes: ClassStore, store: ChartStore, rows: MemoryStore
) -> None:
    now = rows.clock()
    classes.extend_expiry(CODE, int(now) + 99 * 86_400)
    for day in range(MAX_KEPT // MAX_A_DAY):
        rows.clock = lambda day=day: now + day * 86_401  # type: ignore[misc]
        added = [add(store, CODE, 1, f"{day} {at}") for at in range(MAX_A_DAY + 1)]
        assert added[-1] is NotTaken.TODAY
        assert NotTaken.TODAY not in added[:-1]
    rows.clock = lambda: now + 20 * 86_400
    assert add(store, CODE, 1) is NotTaken.FULL
    assert len(store.charts(CODE)) == MAX_KEPT


def test_charts_wait_until_their_worth_is_known(classes: ClassStore, store: ChartStore) -> None:
    assert store.waiting() is None
    for code, who in ((OTHER, 1), (CODE, 1), (CODE, 2)):
        add(store, code, who)
    done = []
    while found := store.waiting():
        code, one = found
        assert (one.kept.rows, one.kept.phase) == (ROWS, "waiting")
        done.append((code, one.number))
        store.settle(code, one, RATING)
    assert done == [(OTHER, 1), (CODE, 1), (CODE, 2)]
    add(store, OTHER, 1, "another")
    add(store, CODE, 2, "another")
    classes.delete(OTHER)
    found = store.waiting()
    assert found
    assert (found[0], found[1].number) == (CODE, 3)


def test_charts_go_with_their_student(classes: ClassStore, store: ChartStore, rows: Store) -> None:
    for at, who in enumerate((1, 2, 1)):
        add(store, CODE, who, f"chart {at}")
    first = chart(store, 1)
    store.settle(CODE, first, RATING)
    forget(classes, 1)
    waiting = store.waiting()
    assert waiting
    assert waiting[1].number == 2
    assert brief(store.charts(CODE)) == [(2, 2, "chart 1", "waiting")]
    assert not rows.scan(place_of(CODE), "cost/").rows
    store.settle(CODE, first, RATING)
    assert len(store.charts(CODE)) == 1
    assert add(store, CODE, 2) == 4  # no number is used again


def test_a_hint_is_taken_away_when_nothing_waits_and_it_is_no_longer_believed(
    store: ChartStore, rows: MemoryStore
) -> None:
    now = rows.clock()
    add(store, CODE, 1)
    store.settle(CODE, chart(store, 1), RATING)
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
        number = add(classes.charts, CODE, 1)
    rows.pause = lambda *_: None
    kept = classes.charts.charts(CODE)
    assert len(kept) == (writes >= 1)
    assert bool(number) == (writes == 2)
    waiting = classes.charts.waiting()
    assert (waiting and waiting[1]) == (kept[0] if kept else None)
