"""What is kept of tournaments: of those who come at once nothing is lost or done twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.class_rows import counters_of, everywhere, member_of
from tests.support.stores import CODE, OTHER
from web.classroom.changes import Change
from web.classroom.class_store import ClassStore
from web.classroom.rows import place_of
from web.classroom.tournaments import (
    DecisionCost,
    Entry,
    Play,
    Tournament,
    TournamentStore,
)
from web.storage.memory import MemoryStore, no_pause
from web.storage.store import Store

COSTS = ((DecisionCost(0.25, 0.0), DecisionCost(0.0, 0.5)),)

pytestmark = pytest.mark.xdist_group("class store")


@pytest.fixture
def store(classes: ClassStore) -> TournamentStore:
    return classes.tournaments


def tournament(number: int = 1, deals: int = 2) -> Tournament:
    return Tournament(number, "", "blackjack", deals, "play", "best", 0.0, 0.0, b"salt")


def played(*moves: str, winner: str = "") -> Entry:
    return Entry(tuple(Play(move, winner) for move in moves))


def save(
    store: TournamentStore,
    entry: Entry,
    seen: int = 0,
    student: int = 1,
    *,
    number: int = 1,
    code: str = CODE,
) -> bool:
    return store.save_entry(code, tournament(number), student, entry, seen)


def revision(store: TournamentStore, student: int = 1) -> int:
    return store.entries_of(CODE, student, [1])[1].revision


def test_what_was_played_is_written_if_it_is_as_it_was_read(store: TournamentStore) -> None:
    one, two = played("hit"), played("stay")
    assert save(store, one)
    first = revision(store)
    assert not save(store, two)
    assert not save(store, two, first + 1)
    assert save(store, two, first)
    assert not save(store, one, first)
    assert not save(store, one, student=9)
    assert save(store, one, student=2)
    assert save(store, one, number=17)
    assert save(store, one, code=OTHER)
    assert store.entries(CODE, 1) == {1: two, 2: one}
    found = store.entries_of(CODE, 1, range(1, 21))
    assert {number: stored.entry for number, stored in found.items()} == {1: two, 17: one}
    assert (store.entries(CODE, 2), store.entries_of(CODE, 3, [1, 17])) == ({}, {})
    assert store.entries("22222", 1) == {}


@everywhere
@pytest.mark.parametrize("before", ["nothing", "a move"])
def test_of_many_at_once_one_is_first(store: TournamentStore, before: str) -> None:
    seen = 0
    if before == "a move":
        assert save(store, played("before"))
        seen = revision(store)
    with ThreadPoolExecutor(8) as pool:
        written = [*pool.map(lambda at: save(store, played(f"move {at}"), seen), range(24))]
    assert written.count(True) == 1
    assert store.entries(CODE, 1) == {1: played(f"move {written.index(True)}")}


def test_who_has_finished_is_news_for_the_big_screen_alone(
    classes: ClassStore, store: TournamentStore
) -> None:
    before = counters_of(classes)
    save(store, played("stay", winner="dealer"))
    assert counters_of(classes).students == before.students
    seen = revision(store)
    save(store, played("stay", "stay", winner="dealer"), seen)
    assert counters_of(classes).students == before.students + 1
    assert not save(store, played("hit", "stay", winner="dealer"), seen)
    store.keep_costs(CODE, 1, COSTS)
    after = counters_of(classes)
    assert after.students == before.students + 2
    assert after.version == before.version


def test_the_version_changes_with_each_student_round_and_cost(store: TournamentStore) -> None:
    versions = [store.version(CODE, 1)]

    def is_new() -> bool:
        versions.append(store.version(CODE, 1))
        return versions[-1] not in versions[:-1]

    assert save(store, played("hit"))
    assert is_new()
    assert save(store, played("hit*2"), revision(store))
    assert not is_new()  # a move within a round changes no standings
    assert save(store, played("hit*2 stay", winner="tie"), revision(store))
    assert is_new()
    assert save(store, played("stay", winner="tie"), student=2)
    assert is_new()
    store.keep_costs(CODE, 1, COSTS)
    assert is_new()
    assert save(store, played("stay", winner="tie"), number=2)
    assert not is_new()


def test_what_decisions_cost_is_kept_with_the_class(store: TournamentStore) -> None:
    assert store.costs(CODE, 1) == ()
    store.keep_costs(CODE, 1, ())
    store.keep_costs(CODE, 1, COSTS)
    store.keep_costs("22222", 1, COSTS)
    assert (store.costs(CODE, 1), store.costs(CODE, 2)) == (COSTS, ())
    assert (store.costs(OTHER, 1), store.costs("22222", 1)) == ((), ())


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
            save(store, played("first"))

    rows.pause = begin
    forgotten = classes.commit(CODE, counters, gone)
    rows.pause = no_pause
    assert forgotten or store.entries(CODE, 1) == {1: played("first")}
    if forgotten:
        assert not list(rows.scan(place_of(CODE), "entry/").rows)


def test_all_of_it_goes_with_the_student_and_with_the_class(
    classes: ClassStore, store: TournamentStore, rows: Store
) -> None:
    for number in (1, 20):
        save(store, played("first"), student=1, number=number)
        save(store, played("second"), student=2, number=number)
    save(store, played("elsewhere"), code=OTHER)
    store.keep_costs(CODE, 1, COSTS)
    gone = Change(gone=(member_of(classes, 1),))
    assert classes.commit(CODE, counters_of(classes), gone)
    assert store.entries_of(CODE, 1, [1, 20]) == {}
    assert store.entries(CODE, 20) == {2: played("second")}
    assert not save(store, played("from another browser"))
    classes.delete(CODE)
    assert (store.entries(CODE, 1), store.costs(CODE, 1)) == ({}, ())
    assert store.entries(OTHER, 1) == {1: played("elsewhere")}
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
