"""What is kept beside a class: hints, insight, tournaments; nothing lost, or done twice."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from web.storage.memory import MemoryStore, no_pause

from cardgames.shared_deal import DecisionCost
from tests.support.class_rows import counters_of, everywhere, member_of
from tests.support.stores import CODE, at_call
from web.classroom.class_store import ClassStore
from web.classroom.insight import MAX_WAITING, InsightStore, StoredPlay, TableKey, TablePlay
from web.classroom.insight import Play as HowPlayed
from web.classroom.model import Change
from web.classroom.rows import place_of
from web.classroom.tournaments import Entry, Play, Tournament, TournamentStore
from web.storage.hints import HINT_HOLDS, Hint, Hints
from web.storage.store import NEVER

COSTS = ((DecisionCost(0.25, 0.0), DecisionCost(0.0, 0.5)),)


@pytest.fixture
def insight(classes: ClassStore) -> InsightStore:
    return classes.insight


@pytest.fixture
def entries(classes: ClassStore) -> TournamentStore:
    return classes.tournaments


# ---- Hints ---------------------------------------------------------------------------------------


class KeptHints:
    """Hints in a place of their own, and the clock."""

    def __init__(self) -> None:
        self.now = 1e9
        self.store = MemoryStore(clock=lambda: self.now)
        self.hints = Hints(self.store, "hints/test")

    def only(self) -> Hint:
        (hint,) = self.hints.all()
        return hint


@pytest.fixture
def kept() -> KeptHints:
    return KeptHints()


def test_a_hint_is_believed_from_when_it_was_last_written(kept: KeptHints) -> None:
    for _ in range(2):
        assert kept.hints.note("a") == kept.now + HINT_HOLDS
        kept.now += HINT_HOLDS - 1
        assert not kept.only().is_over
    kept.now += 2
    assert kept.only().is_over
    assert kept.only().first == 1e9


def test_a_hint_that_was_written_meanwhile_is_not_taken_away(kept: KeptHints) -> None:
    kept.hints.note("a", lambda data: data + b"1")
    before = kept.only()
    kept.hints.note("a", lambda data: data + b"2")
    assert not kept.hints.replace(before, None)
    assert kept.only().data == b"12"
    assert kept.hints.replace(kept.only(), b"3")
    assert (kept.only().data, kept.only().latest) == (b"3", 1e9)
    assert kept.hints.replace(kept.only(), None)
    assert not kept.hints.all()


def test_what_waits_longest_comes_first(kept: KeptHints) -> None:
    for key in ("b/1", "a/1", "b/2", "a/1"):
        kept.hints.note(key)
        kept.now += 1
    assert [hint.key for hint in kept.hints.all()] == ["b/1", "a/1", "b/2"]
    assert [hint.key for hint in kept.hints.all("b/")] == ["b/1", "b/2"]


def test_beside_a_row_that_is_gone_nothing_is_written(kept: KeptHints) -> None:
    hints = Hints(kept.store, "deal", "due/", beside="own")
    assert hints.note("a") == NEVER
    assert kept.store.write("deal", {"own": b"1"}, {}, expires=2_000_000_000)
    assert hints.note("a") == kept.now + HINT_HOLDS
    assert [hint.key for hint in hints.all()] == ["a"]
    assert {*kept.store.scan("deal").rows} == {"own", "due/a"}


# ---- Insight -------------------------------------------------------------------------------------

SID = "a" * 32


def table_key(student: int = 1, code: str = CODE, name: bytes = b"\x01\xff") -> TableKey:
    return TableKey(code, student, "blackjack", name)


def rounds_played(number: int) -> HowPlayed:
    return {"2026-11-23": {"blackjack": TablePlay(rounds=number)}}


def waiting_in(insight: InsightStore, code: str = "") -> list[tuple[str, int, tuple[int, ...]]]:
    return [(one.at.code, one.at.student, one.numbers) for one in insight.waiting(code)]


def test_the_newest_rounds_of_a_table_wait(insight: InsightStore) -> None:
    insight.note_rounds(table_key(), SID, range(1, MAX_WAITING + 6))
    assert waiting_in(insight) == [(CODE, 1, tuple(range(6, MAX_WAITING + 6)))]


@everywhere
def test_of_two_who_have_judged_one_is_first(insight: InsightStore) -> None:
    none = insight.play_of(CODE, 1)
    assert none == StoredPlay(1, 0, {}, {})
    judged = {b"\x01": 5}
    plays = [none._replace(days=rounds_played(number), judged=judged) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        saved = [*pool.map(lambda play: insight.save_play(CODE, play), plays)]
    assert sum(saved) == 1
    (kept,) = insight.plays(CODE)
    assert (kept.student, kept.days, kept.judged) == (1, rounds_played(saved.index(True)), judged)
    assert insight.save_play(CODE, kept._replace(days=rounds_played(20)))
    assert not insight.save_play(CODE, kept._replace(days=rounds_played(30)))
    assert insight.play_of(CODE, 1).days == rounds_played(20)


def test_nothing_is_kept_of_who_is_no_student(insight: InsightStore) -> None:
    for code, student in ((CODE, 4), (CODE, 0), ("7QXBK", 1)):
        assert not insight.is_student(code, student)
        assert not insight.save_play(code, StoredPlay(student, 0, rounds_played(1)))
    assert insight.is_student(CODE, 1)
    assert insight.plays(CODE) == ()


@pytest.mark.parametrize("how", ["student", "class"])
def test_all_of_it_is_forgotten_with_the_student_and_the_class(
    classes: ClassStore, how: str
) -> None:
    insight = classes.insight
    for who in (1, 2):
        assert insight.save_play(CODE, StoredPlay(who, 0, rounds_played(1)))
        insight.note_rounds(table_key(who), SID, [1])
    late = insight.play_of(CODE, 1)
    if how == "class":
        classes.delete(CODE)
    else:
        gone = Change(gone=(member_of(classes, 1),))
        assert classes.commit(CODE, counters_of(classes), gone)
    assert not insight.save_play(CODE, late)
    left = [2] if how == "student" else []
    assert [one.student for one in insight.plays(CODE)] == left
    assert waiting_in(insight) == [(CODE, who, (1,)) for who in left]


# ---- Tournaments ---------------------------------------------------------------------------------


def tournament(number: int = 1, deals: int = 2) -> Tournament:
    return Tournament(number, "", "blackjack", deals, "play", "best", 0.0, 0.0, b"salt")


def played(*moves: str, winner: str = "") -> Entry:
    return Entry(tuple(Play(move, winner) for move in moves))


def save_entry(
    entries: TournamentStore,
    entry: Entry,
    seen: int = 0,
    student: int = 1,
    *,
    number: int = 1,
    code: str = CODE,
) -> bool:
    return entries.save_entry(code, tournament(number), student, entry, seen)


def entry_revision(entries: TournamentStore, student: int = 1) -> int:
    return entries.entries_of(CODE, student, [1])[1].revision


@everywhere
@pytest.mark.parametrize("before", ["nothing", "a move"])
def test_of_many_at_once_one_is_first(entries: TournamentStore, before: str) -> None:
    seen = 0
    if before == "a move":
        assert save_entry(entries, played("before"))
        seen = entry_revision(entries)
    with ThreadPoolExecutor(8) as pool:
        written = [*pool.map(lambda at: save_entry(entries, played(f"move {at}"), seen), range(24))]
    assert written.count(True) == 1
    assert entries.entries(CODE, 1) == {1: played(f"move {written.index(True)}")}


def test_the_version_changes_with_each_student_round_and_cost(entries: TournamentStore) -> None:
    versions = [entries.version(CODE, 1)]

    def is_new() -> bool:
        versions.append(entries.version(CODE, 1))
        return versions[-1] not in versions[:-1]

    assert save_entry(entries, played("hit"))
    assert is_new()
    assert save_entry(entries, played("hit*2"), entry_revision(entries))
    assert not is_new()  # a move within a round changes no standings
    assert save_entry(entries, played("hit*2 stay", winner="tie"), entry_revision(entries))
    assert is_new()
    assert save_entry(entries, played("stay", winner="tie"), student=2)
    assert is_new()
    entries.keep_costs(CODE, 1, COSTS)
    assert is_new()
    assert save_entry(entries, played("stay", winner="tie"), number=2)
    assert not is_new()


@pytest.mark.parametrize("call", range(1, 12))
def test_an_entry_that_begins_while_its_student_is_forgotten_is_not_left_over(
    classes: ClassStore, entries: TournamentStore, rows: MemoryStore, call: int
) -> None:
    gone = Change(gone=(member_of(classes, 1),))
    counters = counters_of(classes)
    at_call(rows, call, lambda: save_entry(entries, played("first")))
    forgotten = classes.commit(CODE, counters, gone)
    rows.pause = no_pause
    assert forgotten or entries.entries(CODE, 1) == {1: played("first")}
    if forgotten:
        assert not list(rows.scan(place_of(CODE), "entry/").rows)
