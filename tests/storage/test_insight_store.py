"""Which rounds wait to be judged, and what is kept of those that were."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from tests.support.class_rows import counters_of, everywhere, member_of
from tests.support.stores import CODE, OTHER
from web.classroom.class_store import ClassStore
from web.classroom.insight import Play, TablePlay
from web.classroom.insight_store import MAX_WAITING, InsightStore, StoredPlay, TableKey
from web.classroom.model import Change
from web.storage.memory import MemoryStore
from web.storage.store import Store

pytestmark = pytest.mark.xdist_group("class store")

SID = "a" * 32


@pytest.fixture
def store(classes: ClassStore) -> InsightStore:
    return classes.insight


def table(student: int = 1, code: str = CODE, name: bytes = b"\x01\xff") -> TableKey:
    return TableKey(code, student, "blackjack", name)


def rounds(number: int) -> Play:
    return {"blackjack": TablePlay(rounds=number)}


def waiting(store: InsightStore, code: str = "") -> list[tuple[str, int, tuple[int, ...]]]:
    return [(one.at.code, one.at.student, one.numbers) for one in store.waiting(code)]


def test_tables_wait_in_the_order_in_which_they_came(
    store: InsightStore, rows: MemoryStore
) -> None:
    now = rows.clock()
    for seconds, at in enumerate((table(1, OTHER), table(1), table(1, OTHER))):
        rows.clock = lambda seconds=seconds: now + seconds  # type: ignore[misc]
        store.note_rounds(at, SID, [seconds])
    assert waiting(store) == [(OTHER, 1, (0, 2)), (CODE, 1, (1,))]
    assert waiting(store, CODE) == [(CODE, 1, (1,))]


def test_the_newest_rounds_of_a_table_wait(store: InsightStore) -> None:
    store.note_rounds(table(), SID, range(1, MAX_WAITING + 6))
    assert waiting(store) == [(CODE, 1, tuple(range(6, MAX_WAITING + 6)))]


@everywhere
def test_of_two_who_have_judged_one_is_first(store: InsightStore) -> None:
    none = store.play_of(CODE, 1)
    assert none == StoredPlay(1, 0, {}, {})
    judged = {b"\x01": 5}
    plays = [none._replace(play=rounds(number), judged=judged) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        saved = [*pool.map(lambda play: store.save_play(CODE, play), plays)]
    assert sum(saved) == 1
    (kept,) = store.plays(CODE)
    assert (kept.student, kept.play, kept.judged) == (1, rounds(saved.index(True)), judged)
    assert store.save_play(CODE, kept._replace(play=rounds(20)))
    assert not store.save_play(CODE, kept._replace(play=rounds(30)))
    assert store.play_of(CODE, 1).play == rounds(20)


def test_nothing_is_kept_of_who_is_no_student(store: InsightStore) -> None:
    for code, student in ((CODE, 4), (CODE, 0), ("7QXBK", 1)):
        assert not store.is_student(code, student)
        assert not store.save_play(code, StoredPlay(student, 0, rounds(1)))
    assert store.is_student(CODE, 1)
    assert store.plays(CODE) == ()


@pytest.mark.parametrize("how", ["student", "class"])
def test_all_of_it_is_forgotten_with_the_student_and_the_class(
    classes: ClassStore, how: str
) -> None:
    store = classes.insight
    for who in (1, 2):
        assert store.save_play(CODE, StoredPlay(who, 0, rounds(1)))
        store.note_rounds(table(who), SID, [1])
    late = store.play_of(CODE, 1)
    if how == "class":
        classes.delete(CODE)
    else:
        gone = Change(gone=(member_of(classes, 1),))
        assert classes.commit(CODE, counters_of(classes), gone)
    assert not store.save_play(CODE, late)
    left = [2] if how == "student" else []
    assert [one.student for one in store.plays(CODE)] == left
    assert waiting(store) == [(CODE, who, (1,)) for who in left]


@everywhere
def test_sixty_at_once_are_all_noted(store: InsightStore, rows: Store) -> None:
    calls: list[Callable[[], Any]] = [
        partial(store.note_rounds, table(1 + number % 3), SID, [number]) for number in range(60)
    ]
    with ThreadPoolExecutor(16) as pool:
        for future in [pool.submit(call) for call in calls]:
            assert future.result() > rows.read("any").now
    assert sorted(waiting(store)) == [
        (CODE, who, tuple(range(who - 1, 60, 3))) for who in (1, 2, 3)
    ]
