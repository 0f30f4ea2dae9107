"""What is kept of tournaments: of those who come at once nothing is lost or done twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.class_rows import counters_of, everywhere, member_of
from tests.support.stores import CODE, OTHER
from web.classroom.changes import Change
from web.classroom.class_store import ClassStore
from web.classroom.rows import place_of
from web.classroom.tournaments.store import StoredEntry, TournamentStore
from web.storage.memory import MemoryStore, no_pause
from web.storage.store import Store

pytestmark = pytest.mark.xdist_group("class store")


@pytest.fixture
def store(classes: ClassStore) -> TournamentStore:
    return classes.tournaments


def save(
    store: TournamentStore,
    data: bytes,
    seen: bytes = b"",
    student: int = 1,
    *,
    number: int = 1,
    code: str = CODE,
    finished: bool = False,
) -> bool:
    entry = StoredEntry(number, student, data)
    return store.save_entry(code, entry, seen, finished=finished)


def test_what_was_played_is_written_if_it_is_as_it_was_read(store: TournamentStore) -> None:
    assert save(store, b"\x00one")
    assert not save(store, b"another")
    assert not save(store, b"two", b"else")
    assert save(store, b"two", b"\x00one")
    assert not save(store, b"three", b"\x00one")
    assert not save(store, b"", b"", student=9)
    assert save(store, b"of the second", student=2)
    assert save(store, b"later", number=17)
    assert save(store, b"elsewhere", code=OTHER)
    assert store.entries(CODE, 1) == {1: b"two", 2: b"of the second"}
    assert store.entries_of(CODE, 1, range(1, 21)) == {1: b"two", 17: b"later"}
    assert (store.entries(CODE, 2), store.entries_of(CODE, 3, [1, 17])) == ({}, {})
    assert store.entries("22222", 1) == {}


@everywhere
@pytest.mark.parametrize("seen", [b"", b"before"])
def test_of_many_at_once_one_is_first(store: TournamentStore, seen: bytes) -> None:
    if seen:
        assert save(store, seen)
    with ThreadPoolExecutor(8) as pool:
        written = [*pool.map(lambda at: save(store, b"move %d" % at, seen), range(24))]
    assert written.count(True) == 1
    assert store.entries(CODE, 1) == {1: b"move %d" % written.index(True)}


def test_who_has_finished_is_news_for_the_big_screen_alone(
    classes: ClassStore, store: TournamentStore
) -> None:
    before = counters_of(classes)
    save(store, b"one deal")
    assert counters_of(classes).students == before.students
    save(store, b"all deals", b"one deal", finished=True)
    assert counters_of(classes).students == before.students + 1
    assert not save(store, b"again", b"one deal", finished=True)
    store.keep_costs(CODE, 1, b"costs")
    after = counters_of(classes)
    assert after.students == before.students + 2
    assert after.version == before.version


def test_what_decisions_cost_is_kept_with_the_class(store: TournamentStore) -> None:
    assert store.costs(CODE, 1) == b""
    store.keep_costs(CODE, 1, b"\xffsome")
    store.keep_costs(CODE, 1, b"\xffmore")
    store.keep_costs("22222", 1, b"of no class")
    assert (store.costs(CODE, 1), store.costs(CODE, 2)) == (b"\xffmore", b"")
    assert (store.costs(OTHER, 1), store.costs("22222", 1)) == (b"", b"")


@pytest.mark.parametrize("call", range(1, 12))
def test_an_entry_that_begins_while_its_student_is_forgotten_is_not_left_over(
    classes: ClassStore, store: TournamentStore, rows: MemoryStore, call: int
) -> None:
    gone = Change(gone=(member_of(classes, 1),))
    counters, calls = counters_of(classes), 0

    def begin(moment: str, _: str) -> None:
        nonlocal calls
        calls += moment == "before"
        if calls == call:
            calls += 1
            save(store, b"first move")

    rows.pause = begin
    forgotten = classes.commit(CODE, counters, gone)
    rows.pause = no_pause
    assert forgotten or store.entries(CODE, 1) == {1: b"first move"}
    if forgotten:
        assert not list(rows.scan(place_of(CODE), "entry/").rows)


def test_all_of_it_goes_with_the_student_and_with_the_class(
    classes: ClassStore, store: TournamentStore, rows: Store
) -> None:
    for number in (1, 20):
        save(store, b"first", student=1, number=number)
        save(store, b"second", student=2, number=number)
    save(store, b"elsewhere", code=OTHER)
    store.keep_costs(CODE, 1, b"costs")
    gone = Change(gone=(member_of(classes, 1),))
    assert classes.commit(CODE, counters_of(classes), gone)
    assert store.entries_of(CODE, 1, [1, 20]) == {}
    assert store.entries(CODE, 20) == {2: b"second"}
    assert not save(store, b"from another browser")
    classes.delete(CODE)
    assert (store.entries(CODE, 1), store.costs(CODE, 1)) == ({}, b"")
    assert store.entries(OTHER, 1) == {1: b"elsewhere"}
    assert [*rows.places("class/")] == [place_of(OTHER)]


def test_what_is_kept_of_browsers_is_written_with_the_change(
    classes: ClassStore, store: TournamentStore
) -> None:
    before = counters_of(classes)
    gone, other = (member_of(classes, number) for number in (1, 2))
    assert store.deals_played(CODE) == b""
    assert classes.commit(CODE, before, Change(gone=(gone,), deals_played=b"\x00some"))
    assert store.deals_played(CODE) == b"\x00some"
    # a decision on what was there before comes too late
    assert not classes.commit(CODE, before, Change(gone=(other,), deals_played=b"other"))
    assert classes.commit(CODE, counters_of(classes), Change(gone=(other,)))
    assert store.deals_played(CODE) == b"\x00some"
    assert classes.commit(CODE, counters_of(classes), Change(deals_played=b"less"))
    assert (store.deals_played(CODE), store.deals_played(OTHER)) == (b"less", b"")
    assert classes.commit(CODE, counters_of(classes), Change(deals_played=b""))
    assert store.deals_played(CODE) == b""
    assert classes.commit(CODE, counters_of(classes), Change(deals_played=b"again"))
    classes.delete(CODE)
    assert store.deals_played(CODE) == b""
