"""Where rounds wait to be judged, and what came of them: the same in a SQLite file and a Redis."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from web.classroom.storage import open_class_store
from web.classroom.storage.insight import MAX_WAITING, InsightStore, Judged, StoredPlay
from web.classroom.storage.protocol import Change, ClassStore, Newcomer, StudentChange
from web.classroom.storage.redis import RedisClassStore
from web.classroom.storage.redis_insight import RedisInsight

from tests.support.machines import Redis
from tests.support.stores import CODE, LATER, OTHER

pytestmark = pytest.mark.xdist_group("class store")


@pytest.fixture
def store(classes: ClassStore) -> InsightStore:
    return classes.insight


def waiting(store: InsightStore, code: str = CODE, most: int = 99) -> list[tuple[int, bytes]]:
    return sorted((one.student, one.data) for one in store.waiting(code, most))


def judge_all(store: InsightStore, data: bytes, code: str = CODE) -> None:
    """Settle every round that waits: each student's play becomes some bytes."""
    rounds = store.waiting(code, 999)
    store.settle(
        code,
        [
            Judged(
                store.play_of(code, who)._replace(data=data),
                tuple(one.number for one in rounds if one.student == who),
            )
            for who in sorted({one.student for one in rounds})
        ],
    )


def test_rounds_wait_until_they_are_judged(store: InsightStore) -> None:
    assert (store.waiting_class(), store.waiting(CODE, 9), store.count_waiting(CODE)) == ("", (), 0)
    store.add_rounds(CODE, 2, [b"\x00one\xff", b"two"])
    store.add_rounds(CODE, 1, [b"three"])
    assert waiting(store) == [(1, b"three"), (2, b"\x00one\xff"), (2, b"two")]
    assert len(store.waiting(CODE, 2)) == 2
    assert (store.waiting_class(), store.count_waiting(CODE), store.count_waiting(OTHER)) == (
        CODE,
        3,
        0,
    )
    judge_all(store, b"judged")
    assert (store.waiting_class(), waiting(store), store.count_waiting(CODE)) == ("", [], 0)
    assert store.plays(CODE) == (StoredPlay(1, 1, b"judged"), StoredPlay(2, 1, b"judged"))
    assert store.play_of(CODE, 3) == StoredPlay(3, 0, b"")
    store.add_rounds(CODE, 2, [b"four"])
    judge_all(store, b"more \x00")
    assert store.plays(CODE) == (StoredPlay(1, 1, b"judged"), StoredPlay(2, 2, b"more \x00"))


def test_classes_wait_in_the_order_in_which_they_came(store: InsightStore) -> None:
    store.add_rounds(OTHER, 1, [b"first"])
    store.add_rounds(CODE, 1, [b"second"])
    store.add_rounds(OTHER, 1, [b"third"])
    assert store.waiting_class() == OTHER
    judge_all(store, b"", OTHER)
    assert store.waiting_class() == CODE
    assert waiting(store) == [(1, b"second")]


def test_of_a_student_so_many_wait_at_most(store: InsightStore) -> None:
    store.add_rounds(CODE, 1, [b"%d" % number for number in range(MAX_WAITING + 5)])
    store.add_rounds(CODE, 2, [b"another's"])
    assert store.count_waiting(CODE) == MAX_WAITING + 1
    assert b"%d" % MAX_WAITING not in {one.data for one in store.waiting(CODE, 9_999)}


def test_nobody_waits_who_is_no_student(store: InsightStore) -> None:
    for code, student in ((CODE, 4), (CODE, 0), ("7QXBK", 1)):
        store.add_rounds(code, student, [b"a round"])
        store.settle(code, [Judged(StoredPlay(student, 0, b"judged"), ())])
    assert store.waiting_class() == ""
    assert (store.plays(CODE), store.count_waiting(CODE)) == ((), 0)


def test_what_two_have_judged_counts_once(store: InsightStore) -> None:
    """A second process, on another machine, has taken the same rounds."""
    store.add_rounds(CODE, 1, [b"a round"])
    store.add_rounds(CODE, 2, [b"another's"])
    (mine, theirs) = store.waiting(CODE, 9)
    first = Judged(StoredPlay(1, 0, b"once"), (mine.number,))
    late = Judged(StoredPlay(1, 0, b"twice"), (mine.number,))
    store.settle(CODE, [first])
    store.add_rounds(CODE, 1, [b"a later round"])
    store.settle(CODE, [late, Judged(StoredPlay(2, 0, b"other"), (theirs.number,))])
    assert store.plays(CODE) == (StoredPlay(1, 1, b"once"), StoredPlay(2, 1, b"other"))
    assert waiting(store) == [(1, b"a later round")]
    (later,) = store.waiting(CODE, 9)
    for data in (b"again", b"twice again"):  # both have read the first version
        store.settle(CODE, [Judged(StoredPlay(1, 1, data), (later.number,))])
    assert store.play_of(CODE, 1) == StoredPlay(1, 2, b"again")
    assert waiting(store) == []


@pytest.mark.parametrize("how", ["student", "class"])
def test_all_of_it_is_forgotten_with_the_student_and_the_class(
    classes: ClassStore, how: str
) -> None:
    store = classes.insight
    for who in (1, 2):
        store.add_rounds(CODE, who, [b"judged"])
    judge_all(store, b"play")
    for who in (1, 2):
        store.add_rounds(CODE, who, [b"waits"])
    late = Judged(StoredPlay(1, 1, b"too late"), (store.waiting(CODE, 1)[0].number,))
    if how == "class":
        classes.delete(CODE)
        left: tuple[StoredPlay, ...] = ()
    else:
        pulse = classes.pulse(CODE)
        (first, *_) = classes.students(CODE)
        assert pulse
        gone = Change(students=(StudentChange(1, first.version, None),))
        assert classes.commit(CODE, pulse, gone)
        left = (StoredPlay(2, 1, b"play"),)
    store.settle(CODE, [late])
    assert store.plays(CODE) == left
    assert waiting(store) == [(2, b"waits")] * len(left)
    assert store.waiting_class() == (CODE if left else "")


def test_a_file_of_an_older_version_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    classes = open_class_store(tmp_path, "")
    assert classes.create(CODE, b"a class", LATER)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE class_waiting")
        connection.execute("DROP TABLE class_play")
        connection.execute("DROP TRIGGER class_play_gone")
    store = open_class_store(tmp_path, "").insight
    assert (store.waiting_class(), store.plays(CODE)) == ("", ())


def test_a_round_that_comes_while_its_class_is_found_empty_is_not_lost(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is added just before the class is taken out of the queue."""
    classes = RedisClassStore(redis.url)
    classes._client.redis.flushall()
    store = classes.insight
    assert classes.create(CODE, b"a class", LATER)
    pulse = classes.pulse(CODE)
    assert pulse
    assert classes.join(CODE, pulse, Newcomer(b"student", "name", "browser")) == 1
    store.add_rounds(CODE, 1, [b"a round"])
    judge_all(store, b"play")
    counted, came = RedisInsight.count_waiting, list[bool]()

    def counted_early(self: RedisInsight, code: str) -> int:
        found = counted(self, code)
        if not came:
            came.append(True)
            store.add_rounds(CODE, 1, [b"in between"])
        return found

    store._queue.add(CODE)
    monkeypatch.setattr(RedisInsight, "count_waiting", counted_early)
    assert store.waiting_class() == CODE
    assert waiting(store) == [(1, b"in between")]


def test_sixty_at_once_are_all_kept(store: InsightStore) -> None:
    calls: list[Callable[[], Any]] = [
        partial(store.add_rounds, CODE, 1 + number % 3, [b"%d" % number]) for number in range(60)
    ]
    with ThreadPoolExecutor(16) as pool:
        for future in [pool.submit(call) for call in calls]:
            future.result()
    assert {one.data for one in store.waiting(CODE, 99)} == {b"%d" % n for n in range(60)}
    assert store.count_waiting(CODE) == 60
