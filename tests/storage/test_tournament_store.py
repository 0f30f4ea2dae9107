"""What is kept of tournaments: of those who come at once nothing is lost or done twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.class_rows import counters_of, everywhere, member_of
from tests.support.stores import CODE
from web.classroom.class_store import ClassStore
from web.classroom.model import Change
from web.classroom.rows import place_of
from web.classroom.tournaments import (
    DecisionCost,
    Entry,
    Play,
    Tournament,
    TournamentStore,
)
from web.storage.memory import MemoryStore, no_pause

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
