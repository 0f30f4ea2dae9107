"""Where strategy charts are kept: the same in a SQLite file and a Redis."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from web.classroom.storage import open_class_store
from web.classroom.storage.charts import MAX_A_DAY, MAX_KEPT, ChartStore, NotTaken, StoredChart
from web.classroom.storage.protocol import Change, ClassStore, Newcomer, StudentChange
from web.classroom.storage.redis import RedisClassStore
from web.classroom.storage.redis_rows import class_key
from web.classroom.storage.sqlite import SQLiteClassStore

from tests.support.stores import CODE, LATER, OTHER

pytestmark = pytest.mark.xdist_group("class store")


@pytest.fixture
def store(classes: ClassStore) -> ChartStore:
    return classes.charts


def forget(classes: ClassStore, number: int) -> None:
    pulse = classes.pulse(CODE)
    assert pulse
    assert classes.commit(CODE, pulse, Change(students=(StudentChange(number, 1, None),)))


def brief(charts: tuple[StoredChart, ...]) -> list[tuple[int, int, bytes, bytes]]:
    return [(one.number, one.student, one.data, one.worth) for one in charts]


def test_charts_are_kept_in_their_order_and_get_their_worth(store: ChartStore) -> None:
    assert store.charts(CODE) == ()
    assert [store.add(CODE, who, b"\x00%d\xff" % who) for who in (2, 1, 2)] == [1, 2, 3]
    assert store.add(OTHER, 1, b"elsewhere") == 1
    assert all(one.handed_in == pytest.approx(time.time(), abs=5) for one in store.charts(CODE))
    assert store.costs(CODE, 2) == b""
    store.settle(CODE, 2, b"\xffworth", b"costs\x00")
    store.settle(CODE, 9, b"nobody's", b"nobody's")
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


def test_a_student_hands_in_so_many_a_day_even_at_once(store: ChartStore) -> None:
    with ThreadPoolExecutor(8) as pool:
        added = [*pool.map(lambda _: store.add(CODE, 1, b"chart"), range(12))]
    assert sorted(one for one in added if isinstance(one, int)) == [*range(1, MAX_A_DAY + 1)]
    assert {one for one in added if not isinstance(one, int)} == {NotTaken.TODAY}
    assert store.add(CODE, 2, b"chart") == MAX_A_DAY + 1
    assert store.add(CODE, 4, b"chart") is NotTaken.GONE
    assert store.add("NOSUCH", 1, b"chart") is NotTaken.GONE


def a_day_later(classes: ClassStore) -> None:
    """Let what the first student has handed in be a day older."""
    if isinstance(classes, SQLiteClassStore):
        classes._file.execute("UPDATE class_chart SET handed_in = handed_in - 86401")
        return
    assert isinstance(classes, RedisClassStore)
    redis, key = classes._client.redis, class_key(CODE)
    packed = redis.hget(key, "charts:1")
    charts = [(n, str(float(at) - 86_401)) for n, at in msgspec.msgpack.decode(packed)]
    redis.hset(key, "charts:1", msgspec.msgpack.encode(charts))


def test_a_day_later_they_hand_in_more_till_all_places_are_taken(
    classes: ClassStore, store: ChartStore
) -> None:
    for _ in range(MAX_KEPT // MAX_A_DAY):
        added = [store.add(CODE, 1, b"chart") for _ in range(MAX_A_DAY + 1)]
        assert added[-1] is NotTaken.TODAY
        assert NotTaken.TODAY not in added[:-1]
        a_day_later(classes)
    assert store.add(CODE, 1, b"chart") is NotTaken.FULL
    assert len(store.charts(CODE)) == MAX_KEPT


def test_charts_wait_until_their_worth_is_known(classes: ClassStore, store: ChartStore) -> None:
    assert store.waiting() is None
    for code, who in ((OTHER, 1), (CODE, 1), (CODE, 2)):
        store.add(code, who, b"chart")
    done = []
    while found := store.waiting():
        code, one = found
        assert (one.data, one.worth) == (b"chart", b"")
        done.append((code, one.number))
        store.settle(code, one.number, b"worth", b"costs")
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
    store.settle(CODE, 1, b"worth", b"costs")
    store.settle(CODE, 2, b"", b"")
    forget(classes, 1)
    waiting = store.waiting()
    assert waiting
    assert waiting[1].number == 2
    assert brief(store.charts(CODE)) == [(2, 2, b"chart of 2", b"")]
    assert store.costs(CODE, 1) == b""
    store.settle(CODE, 1, b"worth", b"costs")
    assert len(store.charts(CODE)) == 1
    assert store.add(CODE, 2, b"chart") == 4  # no number is used again


def test_charts_go_with_their_class(classes: ClassStore, store: ChartStore) -> None:
    store.add(CODE, 1, b"chart")
    store.add(OTHER, 1, b"chart")
    classes.delete(CODE)
    assert store.charts(CODE) == ()
    assert len(store.charts(OTHER)) == 1


def test_nothing_of_a_forgotten_class_is_left_in_the_file(tmp_path: Path) -> None:
    classes = open_class_store(tmp_path, "")
    assert classes.create(CODE, b"a class", LATER)
    pulse = classes.pulse(CODE)
    assert pulse
    classes.join(CODE, pulse, Newcomer(b"student", "name", "browser"))
    classes.charts.add(CODE, 1, b"chart")
    classes.delete(CODE)
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as connection:
        for table in ("class_chart", "class_chart_count"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
