"""Where classes are kept: a SQLite file and a Redis must do the same, whoever comes at once."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from tests.support.machines import Redis
from tests.support.stores import CODE, LATER, OTHER
from web.classroom.storage.protocol import (
    MAX_FINISHED,
    Change,
    ClassStore,
    Newcomer,
    Pulse,
    RealNames,
    Refused,
    StoredStudent,
    StudentChange,
)
from web.classroom.storage.redis import RedisClassStore

pytestmark = pytest.mark.xdist_group("class store")

SECRET = "Ottilie Überraschung-Zwölfender"
T = TypeVar("T")


@pytest.fixture
def store(class_store: ClassStore) -> ClassStore:
    assert class_store.create(CODE, b"a class", LATER)
    return class_store


def pulse(store: ClassStore, code: str = CODE) -> Pulse:
    found = store.pulse(code)
    assert found
    return found


def newcomer(number: int, **more: Any) -> Newcomer:
    return Newcomer(b"student %d" % number, f"name {number}", f"browser {number}", **more)


def join(store: ClassStore, number: int, **more: Any) -> int | Refused:
    return store.join(CODE, pulse(store), newcomer(number, **more))


def begin(store: ClassStore, clock: Clock | None = None) -> Pulse:
    """Begin a round, as a deal does."""
    seen = pulse(store)
    begins = Change(
        data=b"a round", clock=clock or Clock(), round=seen.round + 1, is_open=True, next_card=61
    )
    assert store.commit(CODE, seen, begins)
    return pulse(store)


def at_once(calls: list[Callable[[], T]]) -> list[T]:
    with ThreadPoolExecutor(16) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


# ---- Classes -------------------------------------------------------------------------------


def test_a_class_is_kept_and_its_code_is_taken(store: ClassStore) -> None:
    assert not store.create(CODE, b"another", LATER)
    found = store.load(CODE)
    assert found
    assert (found.data, found.expires, found.joined) == (b"a class", LATER, 0)
    assert found.pulse[:6] == (1, 0, 0, 0, 0, False)
    assert found.pulse.clock == Clock()
    assert found.pulse.now == pytest.approx(time.time(), abs=5)
    assert pulse(store)[:7] == found.pulse[:7]
    for missing in (OTHER, "", "'--", "x" * 99):
        assert store.load(missing) is None
        assert store.pulse(missing) is None


def test_a_class_ends_with_its_time_and_its_code_is_free_again(store: ClassStore) -> None:
    soon = int(time.time()) + 2
    assert store.create(OTHER, b"short", soon)
    join(store, 1)
    deadline = time.time() + 10
    while store.load(OTHER) and time.time() < deadline:
        time.sleep(0.1)
    assert store.pulse(OTHER) is None
    assert store.create(OTHER, b"new", LATER)
    found = store.load(OTHER)
    assert found
    assert (found.data, found.joined) == (b"new", 0)


def test_a_class_can_live_longer_and_by_an_instructors_move_shorter(store: ClassStore) -> None:
    def expires() -> int:
        found = store.load(CODE)
        assert found
        return found.expires

    store.touch(CODE, LATER + 500)
    store.touch(CODE, LATER - 500)
    store.touch(OTHER, LATER)
    assert expires() == LATER + 500
    assert store.load(OTHER) is None
    assert store.commit(CODE, pulse(store), Change(data=b"x", expires=LATER - 500))
    assert expires() == LATER - 500


def test_a_forgotten_class_leaves_nothing(store: ClassStore) -> None:
    join(store, 1, real=SECRET)
    begin(store)
    store.claim(CODE, pulse(store), Claim(1, 0, 0, 0), LATER)
    store.note_presence(CODE, {"browser 1": "bingo"})
    assert store.commit(CODE, pulse(store), Change(finished=(1, b"over"), roster=(SECRET,)))
    store.delete(CODE)
    assert store.load(CODE) is None
    assert (store.students(CODE), store.claims(CODE), store.finished(CODE)) == ((), (), ())
    assert store.real_names(CODE) == RealNames({}, ())
    assert (store.presence(CODE), store.student_of(CODE, "browser 1")) == ({}, None)
    assert store.create(CODE, b"again", LATER)
    assert (join(store, 2), store.claims(CODE)) == (1, ())


# ---- Compare and set -----------------------------------------------------------------------


def test_a_change_is_written_once_for_what_was_read(store: ClassStore) -> None:
    seen = pulse(store)
    clock = Clock(3, 1234567890.125, 8, 17)
    assert store.commit(CODE, seen, Change(data=b"\x00\xff moved", clock=clock))
    assert not store.commit(CODE, seen, Change(data=b"late"))
    found = store.load(CODE)
    assert found
    assert (found.data, found.pulse.version, found.pulse.clock) == (b"\x00\xff moved", 2, clock)
    assert not store.commit(OTHER, found.pulse, Change(data=b"nowhere"))


@pytest.mark.parametrize("meanwhile", ["join", "leave", "claim", "move", "right claim"])
def test_nothing_is_written_when_anything_has_changed_meanwhile(
    store: ClassStore, meanwhile: str
) -> None:
    join(store, 1)
    seen = begin(store)
    match meanwhile:
        case "join":
            join(store, 2)
        case "leave":
            assert store.commit(CODE, seen, Change(students=(StudentChange(1, 1, None),)))
        case "claim":
            store.claim(CODE, seen, Claim(1, 0, 0, 0), LATER)
        case "right claim":
            store.claim(CODE, seen, Claim(1, 0, 0, 1), LATER)
        case "move":
            assert store.commit(CODE, seen, Change(data=b"x"))
    before = (store.load(CODE), store.students(CODE))
    change = Change(b"lost", students=(StudentChange(1, 1, b"lost"),), finished=(1, b"lost"))
    assert not store.commit(CODE, seen, change)
    after = (store.load(CODE), store.students(CODE))
    assert [b and b[1:] for b in before] == [a and a[1:] for a in after]
    assert store.finished(CODE) == ()


def test_of_moves_at_once_one_is_written(store: ClassStore) -> None:
    for version in range(1, 21):
        seen = pulse(store)
        assert seen.version == version
        changes = [Change(data=b"%d" % number) for number in range(8)]
        assert sum(at_once([partial(store.commit, CODE, seen, one) for one in changes])) == 1


def test_a_change_that_comes_too_late_is_not_written(store: ClassStore) -> None:
    seen = pulse(store)
    assert not store.commit(CODE, seen, Change(data=b"x", until=seen.now - 1))
    assert store.commit(CODE, seen, Change(data=b"x", until=seen.now + 60))


def test_a_change_of_a_student_who_has_changed_writes_nothing_at_all(store: ClassStore) -> None:
    join(store, 1), join(store, 2)
    assert store.save_student(CODE, StoredStudent(2, 1, b"marked"))
    seen = pulse(store)
    both = (StudentChange(1, 1, b"new"), StudentChange(2, 1, b"lost"))
    assert not store.commit(CODE, seen, Change(data=b"x", students=both))
    assert [one.data for one in store.students(CODE)] == [b"student 1", b"marked"]
    assert pulse(store)[:6] == seen[:6]
    right = (both[0], StudentChange(2, 2, b"kept", browser="phone"))
    assert store.commit(CODE, seen, Change(students=right))
    assert [(one.version, one.data) for one in store.students(CODE)] == [(2, b"new"), (3, b"kept")]
    assert pulse(store).students == seen.students + 1
    assert pulse(store).version == seen.version  # no move of an instructor


# ---- Students ------------------------------------------------------------------------------


def test_students_get_numbers_in_the_order_they_come(store: ClassStore) -> None:
    assert [join(store, number) for number in (5, 6, 7)] == [1, 2, 3]
    assert store.students(CODE) == tuple(
        StoredStudent(number, 1, b"student %d" % (number + 4)) for number in (1, 2, 3)
    )
    assert store.student_of(CODE, "browser 6") == StoredStudent(2, 1, b"student 6")
    assert store.student_of(CODE, "browser 8") is None
    assert store.student_of(OTHER, "browser 6") is None
    assert pulse(store).students == 3


def test_a_browser_joins_once_and_a_nickname_is_for_one(store: ClassStore) -> None:
    assert join(store, 1) == 1
    assert join(store, 1) == 1
    again = replace(newcomer(2), browser="browser 1")
    assert store.join(CODE, pulse(store), again) == 1
    taken = replace(newcomer(2), key="name 1")
    assert store.join(CODE, pulse(store), taken) is Refused.TAKEN
    assert store.join(CODE, pulse(store)._replace(version=7), newcomer(2)) is Refused.CHANGED
    assert store.join(OTHER, pulse(store), newcomer(2)) is Refused.CHANGED
    assert join(store, 2, until=1.0) is Refused.CHANGED
    assert join(store, 2, limit=1) is Refused.FULL
    assert len(store.students(CODE)) == 1
    assert join(store, 2) == 2  # none of these used a number up


def test_a_receipt_finds_the_student_whose_answer_was_lost(store: ClassStore) -> None:
    assert join(store, 1, receipt="paper slip") == 1
    assert store.student_of(CODE, "paper slip") == store.student_of(CODE, "browser 1")
    assert store.commit(CODE, pulse(store), Change(students=(StudentChange(1, 1, None),)))
    assert store.student_of(CODE, "paper slip") is None


def test_a_newcomers_card_never_lets_the_clock_pass_its_bingo(store: ClassStore) -> None:
    begin(store, Clock(stop=20))
    join(store, 1, stop=25)
    assert pulse(store).clock.stop == 20
    join(store, 2, stop=14)
    assert pulse(store).clock.stop == 14
    join(store, 3)
    assert pulse(store).clock.stop == 14


def test_who_leaves_leaves_the_nickname_and_the_browsers(store: ClassStore) -> None:
    join(store, 1, real=SECRET), join(store, 2)
    more = StudentChange(1, 1, b"two phones", browser="phone")
    assert store.commit(CODE, pulse(store), Change(students=(more,)))
    store.note_presence(CODE, {"phone": "bingo", "stranger": "bingo"})
    assert list(store.presence(CODE)) == [1]
    assert store.commit(CODE, pulse(store), Change(students=(StudentChange(1, 2, None),)))
    assert [one.number for one in store.students(CODE)] == [2]
    assert store.student_of(CODE, "phone") is store.student_of(CODE, "browser 1") is None
    assert (store.presence(CODE), store.has_real_name(CODE, 1)) == ({}, False)
    assert join(store, 1, limit=2) == 3  # the same nickname, the same browser, another number


def test_a_nickname_is_changed_and_the_old_one_is_free(store: ClassStore) -> None:
    join(store, 1), join(store, 2)
    rename = StudentChange(1, 1, b"renamed", key="name 2")
    assert not store.commit(CODE, pulse(store), Change(data=b"x", students=(rename,)))
    for version, key in ((1, "new"), (2, "new"), (3, "newer")):
        rename = StudentChange(1, version, b"renamed", key=key)
        assert store.commit(CODE, pulse(store), Change(data=b"x", students=(rename,)))
    taken = replace(newcomer(3), key="newer")
    assert store.join(CODE, pulse(store), taken) is Refused.TAKEN
    for free in ("name 1", "new"):
        assert store.join(CODE, pulse(store), replace(newcomer(3), key=free, browser=free)) not in (
            Refused.TAKEN,
            Refused.CHANGED,
        )


def test_sixty_join_at_once(store: ClassStore) -> None:
    seen = pulse(store)
    calls = [lambda n=n: store.join(CODE, seen, newcomer(n)) for n in range(60)]  # type: ignore[misc]
    assert sorted(at_once(calls)) == list(range(1, 61))
    assert len(store.students(CODE)) == 60
    assert pulse(store).students == 60
    assert pulse(store).version == seen.version
    full = [lambda n=n: join(store, n, limit=64) for n in range(60, 80)]  # type: ignore[misc]
    assert sum(answer is Refused.FULL for answer in at_once(full)) == 16


def test_marks_are_a_students_own(store: ClassStore) -> None:
    join(store, 1)
    before = pulse(store)
    assert store.save_student(CODE, StoredStudent(1, 1, b"marked"))
    assert not store.save_student(CODE, StoredStudent(1, 1, b"old tab"))
    assert not store.save_student(CODE, StoredStudent(2, 0, b"nobody"))
    assert store.student_of(CODE, "browser 1") == StoredStudent(1, 2, b"marked")
    assert pulse(store)[:6] == before[:6]


def test_presence_says_when_and_where(store: ClassStore) -> None:
    join(store, 1), join(store, 2)
    store.note_presence(CODE, {"browser 1": "bingo", "browser 2": ""})
    found = store.presence(CODE)
    assert [(number, one.place) for number, one in found.items()] == [(1, "bingo"), (2, "")]
    assert found[1].at == pytest.approx(pulse(store).now, abs=5)
    store.note_presence(CODE, {"browser 1": "class"})
    assert store.presence(CODE)[1].place == "class"
    store.note_presence(OTHER, {"browser 1": "bingo"})
    assert store.presence(OTHER) == {}


# ---- Rounds --------------------------------------------------------------------------------


def test_sixty_claims_at_once_are_sixty_rows_and_one_is_first(store: ClassStore) -> None:
    seen = begin(store, Clock(14, time.time(), 20, 52))
    calls = [
        lambda n=n: store.claim(CODE, seen, Claim(n, 14, 0, 14 if n % 2 else 0), LATER)  # type: ignore[misc]
        for n in range(1, 61)
    ]
    answers = at_once(calls)
    assert sorted(one.card for one in answers if one) == list(range(1, 61))
    assert sorted(one.card for one in store.claims(CODE)) == list(range(1, 61))
    after = pulse(store)
    assert (after.claims, after.right, after.clock.stop, after.clock.calls) == (60, 30, 14, 14)
    assert after.version == seen.version


def test_of_a_card_and_call_the_first_claim_counts(store: ClassStore) -> None:
    seen = begin(store)
    wrong, right = Claim(3, 0, 0, 0), Claim(3, 0, 0, 5)
    assert store.claim(CODE, seen, wrong, LATER) == wrong
    assert store.claim(CODE, seen, right, LATER) == wrong
    assert store.claims(CODE) == (wrong,)
    assert (pulse(store).claims, pulse(store).right, pulse(store).clock.stop) == (1, 0, 52)
    other = Claim(3, 1, 0, 0)
    assert store.claim(CODE, seen, other, LATER) == other
    many = at_once([lambda: store.claim(CODE, seen, Claim(9, 2, 0, 2), LATER) for _ in range(30)])
    assert many == [Claim(9, 2, 0, 2)] * 30
    assert pulse(store).claims == 3


def test_the_first_right_claim_stops_the_clock_where_it_stood(store: ClassStore) -> None:
    began = time.time() - 100
    seen = begin(store, Clock(2, began, 8, 52))
    assert seen.calls == 14
    store.claim(CODE, seen, Claim(1, 14, 0, 0), LATER)
    assert pulse(store).clock == Clock(2, began, 8, 52)  # a wrong one stops nothing
    store.claim(CODE, seen, Claim(2, 13, 0, 12), LATER)
    assert (pulse(store).clock.stop, pulse(store).calls) == (14, 14)
    stopped = pulse(store)
    later = seen._replace(now=seen.now + 30)
    store.claim(CODE, later, Claim(4, 14, 0, 14), LATER)
    assert pulse(store).clock == stopped.clock
    assert pulse(store).right == 2


def test_going_on_waits_for_the_next_right_claim(store: ClassStore) -> None:
    seen = begin(store, Clock(5))
    store.claim(CODE, seen, Claim(1, 5, 0, 5), LATER)
    seen = pulse(store)
    goes_on = Change(data=b"x", goes_on=True, clock=Clock(5, seen.now, 8, 52))
    assert store.commit(CODE, seen, goes_on)
    seen = pulse(store)
    assert (seen.right, seen.claims, seen.clock.stop) == (0, 1, 52)
    store.claim(CODE, seen, Claim(2, 5, 1, 5), LATER)
    assert (pulse(store).right, pulse(store).clock.stop) == (1, 5)


def test_nothing_can_be_claimed_where_nothing_is_on(store: ClassStore) -> None:
    none = pulse(store)
    assert store.claim(CODE, none, Claim(1, 0, 0, 0), LATER) is None
    seen = begin(store)
    assert store.claim(CODE, none, Claim(1, 0, 0, 0), LATER) is None
    assert store.claim(CODE, seen, Claim(1, 0, 0, 0), seen.now - 1) is None
    assert store.claim(OTHER, seen, Claim(1, 0, 0, 0), LATER) is None
    ends = Change(data=b"x", is_open=False, finished=(1, b"over"))
    assert store.commit(CODE, seen, ends)
    assert store.claim(CODE, pulse(store), Claim(1, 0, 0, 0), LATER) is None
    assert store.claims(CODE) == ()
    assert not pulse(store).is_open


def test_a_new_round_begins_without_the_claims_of_the_last(store: ClassStore) -> None:
    seen = begin(store)
    claim = Claim(1, 0, 0, 1)
    for card in (1, 2, 3):
        store.claim(CODE, seen, replace(claim, card=card), LATER)
    seen = begin(store)
    assert (seen.round, seen.claims, seen.right, store.claims(CODE)) == (2, 0, 0, ())
    assert store.claim(CODE, seen, claim, LATER) == claim
    assert store.claims(CODE) == (claim,)


def test_newcomers_cards_are_given_out_once(store: ClassStore) -> None:
    begin(store)
    numbers = at_once([lambda: store.take_card(CODE) for _ in range(40)])
    assert sorted(numbers) == list(range(61, 101))
    assert pulse(store).version == 2
    for wanted, number in ((50, 101), (200, 200)):  # none is given out again in a round
        assert store.commit(CODE, pulse(store), Change(data=b"x", next_card=wanted))
        assert store.take_card(CODE) == number
    begin(store)
    assert store.take_card(CODE) == 61


def test_the_newest_finished_rounds_are_kept(store: ClassStore) -> None:
    for number in range(1, MAX_FINISHED + 6):
        begin(store)
        over = Change(data=b"x", is_open=False, finished=(number, b"round %d\xff" % number))
        assert store.commit(CODE, pulse(store), over)
    kept = store.finished(CODE)
    assert [number for number, _ in kept] == list(range(6, MAX_FINISHED + 6))
    assert kept[0] == (6, b"round 6\xff")


# ---- Links ---------------------------------------------------------------------------------


def test_a_link_is_good_once(store: ClassStore) -> None:
    store.keep_link("key", b"instructor", 60)
    assert store.link("key") == store.link("key") == b"instructor"
    taken = at_once([lambda: store.take_link("key") for _ in range(20)])
    assert sorted(taken, key=bool) == [None] * 19 + [b"instructor"]
    assert store.link("key") is None


def test_what_is_under_a_key_is_swapped_only_as_it_was_read(store: ClassStore) -> None:
    assert not store.swap_link("tries", b"1", b"2", 60)  # there is nothing yet
    first = at_once([partial(store.swap_link, "tries", None, b"%d" % n, 60) for n in range(8)])
    assert sorted(first) == [False] * 7 + [True]
    kept = store.link("tries")
    assert kept
    assert not store.swap_link("tries", None, b"other", 60)
    assert not store.swap_link("tries", b"other", b"more", 60)
    assert store.swap_link("tries", kept, b"more", 60)
    assert store.link("tries") == b"more"


def test_a_link_ends_with_its_time(store: ClassStore) -> None:
    store.keep_link("short", b"x", 1)
    deadline = time.time() + 10
    while store.link("short") and time.time() < deadline:
        time.sleep(0.05)
    assert store.take_link("short") is None


# ---- Real names ----------------------------------------------------------------------------


def raw(folder: Path) -> bytes:
    """Return every byte that the store has on its disk, or in a Redis."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def wait_until_gone(folder: Path, what: bytes) -> None:
    """A Redis writes its log anew in the background."""
    deadline = time.time() + 10
    while what in raw(folder) and time.time() < deadline:
        time.sleep(0.1)
    assert what not in raw(folder)


@pytest.fixture
def folder(store: ClassStore, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    if isinstance(store, RedisClassStore):
        running: Redis = request.getfixturevalue("redis")
        return running._cwd
    return tmp_path


def test_real_names_stand_in_one_place(store: ClassStore) -> None:
    join(store, 1, real=SECRET), join(store, 2), join(store, 3, real="Ben")
    roster = ("Ben", SECRET, "Zoë")
    assert store.commit(CODE, pulse(store), Change(data=b"x", roster=roster))
    assert store.real_names(CODE) == RealNames({1: SECRET, 3: "Ben"}, roster)
    assert [store.has_real_name(CODE, number) for number in (1, 2, 3)] == [True, False, True]
    assert store.commit(CODE, pulse(store), Change(data=b"x", roster=("Ann",)))
    assert store.real_names(CODE).roster == ("Ann",)
    for other in (store.load(CODE), store.students(CODE), store.presence(CODE)):
        assert SECRET not in repr(other)


@pytest.mark.parametrize("how", ["names", "class", "student"])
def test_forgotten_names_are_on_no_disk(store: ClassStore, folder: Path, how: str) -> None:
    roster = (SECRET,) if how != "student" else ()
    for number in range(30):
        join(store, number, real=SECRET if number == 7 else f"Somebody {number}")
    assert store.commit(CODE, pulse(store), Change(data=b"x", roster=roster))
    assert SECRET.encode() in raw(folder)
    match how:
        case "names":
            assert store.commit(CODE, pulse(store), Change(data=b"y", forget_names=True))
            assert store.real_names(CODE) == RealNames({}, ())
            assert len(store.students(CODE)) == 30
        case "class":
            store.delete(CODE)
        case "student":
            leaves = StudentChange(8, 1, None)
            assert store.commit(CODE, pulse(store), Change(students=(leaves,)))
            assert len(store.real_names(CODE).given) == 29
    wait_until_gone(folder, SECRET.encode())


# ---- Redis ---------------------------------------------------------------------------------


def test_all_of_a_class_is_in_one_slot_of_a_cluster(classes_in_redis: RedisClassStore) -> None:
    classes_in_redis.create(CODE, b"x", LATER)
    join(classes_in_redis, 1, real="Ann")
    begin(classes_in_redis)
    classes_in_redis.claim(CODE, pulse(classes_in_redis), Claim(1, 0, 0, 0), LATER)
    keys = list(classes_in_redis._client.redis.scan_iter())
    assert keys
    assert all(b"{%s}" % CODE.encode() in key for key in keys)
    assert all(classes_in_redis._client.redis.ttl(key) > 0 for key in keys)
