"""Classes as rows of one place: of those who come at once nothing is lost or done twice."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from web.storage.memory import MemoryStore
from web.storage.redis import RedisStore

from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from cardgames.games.bingo.rules import Mode
from tests.support.class_rows import a_class, a_student, at_once, everywhere, member_of, newcomer
from tests.support.class_rows import counters_of as counters
from tests.support.machines import Redis
from tests.support.stores import CODE, LATER, OTHER
from web.classroom.class_store import MAX_FINISHED, ClassStore, round_over
from web.classroom.codes import PasswordGuesses
from web.classroom.model import Change, Member, RealNames, Refused, RoundData
from web.classroom.roster import Person
from web.classroom.rows import FORMAT, ClassCounters, UnknownFormat, place_of
from web.storage.store import Store, pack

SECRET = "Ottilie Überraschung-Zwölfender"


@pytest.fixture
def store(class_store: ClassStore) -> ClassStore:
    assert class_store.create(CODE, a_class(), LATER)
    return class_store


def join(store: ClassStore, number: int, **more: Any) -> int | Refused:
    return store.join(CODE, counters(store), newcomer(number, **more))


def change(store: ClassStore, number: int, name: str = "", **more: Any) -> Member:
    """Return a change of a student as they are now."""
    member = member_of(store, number)
    named = name or member.student.name
    return replace(member, student=a_student(number, named, **more))


def over(number: int) -> RoundData:
    return RoundData(
        number, Mode.LINE, speed=False, by_hand=False, salt=b"", dealt=(), began=0, every=0
    )


def begin(store: ClassStore, clock: Clock | None = None) -> ClassCounters:
    """Begin a round, as a deal does."""
    seen = counters(store)
    number, clock = seen.round + 1, clock or Clock()
    none = {"round": number, "is_open": True, "claims": 0, "right": 0, "next_card": 61}
    begins = Change(a_class("a round"), clock, none, {"claims": None})
    assert store.commit(CODE, seen, begins)
    return counters(store)


def claims(store: ClassStore) -> tuple[Claim, ...]:
    found = store.load(CODE)
    return found.claims if found else ()


# ---- Classes -------------------------------------------------------------------------------


def test_a_class_is_kept_and_its_code_is_taken(store: ClassStore) -> None:
    assert not store.create(CODE, a_class("another"), LATER)
    found = store.load(CODE)
    assert found
    assert found[1:] == (a_class(), ())
    assert found.counters == ClassCounters(FORMAT, LATER, now=found.counters.now)
    assert counters(store).now == pytest.approx(found.counters.now, abs=5)
    for missing in (OTHER, "", "'--", "x" * 99):
        assert store.load(missing) is None
        assert store.counters(missing) is None


@pytest.mark.parametrize("how", ["as made", "shortened", "lengthened"])
def test_a_class_ends_with_its_time_and_its_code_is_free_again(
    store: ClassStore, rows: MemoryStore, how: str
) -> None:
    now = int(time.time())
    match how:
        case "as made":
            store.delete(CODE)
            assert store.create(CODE, a_class(), now + 60)
        case "shortened":
            ends = Change(a_class(), counters={"expires": now + 60})
            assert store.commit(CODE, counters(store), ends)
        case "lengthened":
            store.extend_expiry(CODE, LATER - 500)
            assert counters(store).expires == LATER
            store.extend_expiry(CODE, now := LATER + 500)
            store.extend_expiry(OTHER, LATER)
    join(store, 1)
    last = counters(store)
    rows.clock = lambda: now - 1
    assert store.load(CODE)
    rows.clock = lambda: now + 61
    assert store.load(CODE) is store.counters(CODE) is store.load(OTHER) is None
    assert store.join(CODE, last, newcomer(2)) is Refused.CHANGED
    assert store.take_card(CODE) == 1
    assert not [*rows.places("class/")]
    assert store.create(CODE, a_class("new"), now + 200)
    assert (counters(store).joined, store.students(CODE)) == (0, ())


def test_a_class_of_an_unknown_format_is_left_as_it_is(store: ClassStore, rows: Store) -> None:
    join(store, 1)
    row = rows.read(place_of(CODE), "head")["head"]
    for data in (b"\x91\x02", b"\x92\x01\x7f", b"\x92\x03\x7f", b"\xc1"):
        assert rows.write(place_of(CODE), {"head": data}, {})
        before = rows.scan(place_of(CODE)).rows
        for ask in (store.load, store.counters, store.take_card):
            with pytest.raises(UnknownFormat):
                ask(CODE)
        with pytest.raises(UnknownFormat):
            store.create(CODE, a_class(), LATER)
        assert rows.scan(place_of(CODE)).rows == before
    assert rows.write(place_of(CODE), {"head": row.data}, {})
    assert store.load(CODE)


# ---- Compare and set -----------------------------------------------------------------------


@everywhere
def test_a_change_is_written_once_for_what_was_read(store: ClassStore) -> None:
    seen = counters(store)
    clock = Clock(3, 1234567890.125, 8, 17)
    assert store.commit(CODE, seen, Change(classroom=a_class("moved"), clock=clock))
    assert not store.commit(CODE, seen, Change(classroom=a_class("late")))
    found = store.load(CODE)
    assert found
    assert (found.classroom.title, found.counters.version) == ("moved", 2)
    assert found.counters.clock == clock
    assert not store.commit(OTHER, found.counters, Change(classroom=a_class("nowhere")))


@pytest.mark.parametrize("meanwhile", ["join", "leave", "claim", "move", "right claim"])
def test_nothing_is_written_when_anything_has_changed_meanwhile(
    store: ClassStore, meanwhile: str
) -> None:
    join(store, 1)
    seen = begin(store)
    lost = (change(store, 1, "lost"),)
    moves: dict[str, Callable[[], object]] = {
        "join": lambda: join(store, 2),
        "leave": lambda: store.commit(CODE, seen, Change(gone=(member_of(store, 1),))),
        "claim": lambda: store.claim(CODE, seen, Claim(1, 0, 0, 0), LATER),
        "right claim": lambda: store.claim(CODE, seen, Claim(1, 0, 0, 1), LATER),
        "move": lambda: store.commit(CODE, seen, Change(classroom=a_class())),
    }
    assert moves[meanwhile]()
    before = (store.load(CODE), store.students(CODE))
    assert not store.commit(
        CODE, seen, Change(a_class("lost"), rows=round_over(over(1)), students=lost)
    )
    after = (store.load(CODE), store.students(CODE))
    assert [b and b[1:] for b in before] == [a and a[1:] for a in after]
    assert store.finished(CODE) == ()


def test_a_change_that_comes_too_late_is_not_written(store: ClassStore) -> None:
    seen = counters(store)
    for seconds in (-1, 60):
        change = Change(classroom=a_class(), until=seen.now + seconds)
        assert store.commit(CODE, seen, change) == (seconds > 0)


def test_a_change_of_a_student_who_has_changed_writes_nothing_at_all(store: ClassStore) -> None:
    join(store, 1), join(store, 2)
    seen, both = counters(store), (change(store, 1, "new"), change(store, 2, "lost"))
    second = member_of(store, 2)
    marked = msgspec.structs.replace(second.student, marks=(1, 5))
    assert store.save_student(CODE, replace(second, student=marked))
    assert not store.save_student(CODE, second)  # an old tab
    assert not store.save_student(CODE, replace(second, number=3, version=0))
    assert not store.commit(CODE, seen, Change(classroom=a_class("x"), students=both))
    assert [one.student.name for one in store.students(CODE)] == ["name 1", "name 2"]
    assert member_of(store, 2).student.marks == (1, 5)
    right = (both[0], change(store, 2, "kept", browsers=("browser 2", "phone")))
    assert store.commit(CODE, seen, Change(students=right))
    assert [one.student.name for one in store.students(CODE)] == ["new", "kept"]
    assert store.student_of(CODE, "phone") == member_of(store, 2)
    after = counters(store)  # no move of an instructor
    assert (after.students, after.version) == (seen.students + 1, seen.version)


# ---- Students ------------------------------------------------------------------------------


def test_a_browser_joins_once_and_a_nickname_is_for_one(store: ClassStore) -> None:
    assert join(store, 1) == 1
    assert join(store, 1) == 1
    assert join(store, 2, browsers=("browser 1",)) == 1
    assert join(store, 2, name="NAME  1") is Refused.TAKEN
    old = msgspec.structs.replace(counters(store), version=7)
    assert store.join(CODE, old, newcomer(2)) is Refused.CHANGED
    assert store.join(OTHER, counters(store), newcomer(2)) is Refused.CHANGED
    assert join(store, 2, until=1.0) is Refused.CHANGED
    assert join(store, 2, limit=1) is Refused.FULL
    assert join(store, 2) == 2  # none of these used a number up
    found = [(one.number, one.student) for one in store.students(CODE)]
    assert found == [(number, a_student(number)) for number in (1, 2)]
    assert store.student_of(CODE, "browser 2") == member_of(store, 2)
    assert store.student_of(OTHER, "browser 2") is None


def test_a_newcomers_card_never_lets_the_clock_pass_its_bingo(store: ClassStore) -> None:
    begin(store, Clock(stop=20))
    for number, (stop, expected) in enumerate([(25, 20), (14, 14), (None, 14)]):
        join(store, number, stop=stop)
        assert counters(store).clock.stop == expected


def test_who_leaves_leaves_the_nickname_and_the_browsers(store: ClassStore, rows: Store) -> None:
    join(store, 1, real=SECRET), join(store, 2)
    more = change(store, 1, browsers=("browser 1", "phone"))
    assert store.commit(CODE, counters(store), Change(students=(more,)))
    store.note_presence(CODE, {"phone": "bingo", "stranger": "bingo"})
    assert list(store.presence(CODE)) == [1]
    assert store.commit(CODE, counters(store), Change(gone=(member_of(store, 1),)))
    assert [one.number for one in store.students(CODE)] == [2]
    assert store.student_of(CODE, "phone") is store.student_of(CODE, "browser 1") is None
    assert (store.presence(CODE), store.has_real_name(CODE, 1)) == ({}, False)
    kept = rows.scan(place_of(CODE)).rows
    assert {*kept} == {"head", "class", "seen", "student/0002", "browser/browser 2", "name/name2"}
    assert join(store, 1, limit=2) == 3  # the same nickname, the same browser, another number
    assert store.commit(CODE, counters(store), Change(gone=tuple(store.students(CODE))))
    assert {*rows.scan(place_of(CODE)).rows} == {"head", "class", "seen"}, "two at once"


def test_a_browser_that_has_become_another_students_stays_theirs(store: ClassStore) -> None:
    join(store, 1), join(store, 2)
    moves = change(store, 2, browsers=("browser 2", "browser 1"))
    assert store.commit(CODE, counters(store), Change(students=(moves,)))
    assert store.student_of(CODE, "browser 1") == member_of(store, 2)
    assert store.commit(CODE, counters(store), Change(gone=(member_of(store, 1),)))
    assert store.student_of(CODE, "browser 1") == member_of(store, 2)


def test_a_nickname_is_changed_and_the_old_one_is_free(store: ClassStore) -> None:
    join(store, 1), join(store, 2)
    taken = Change(classroom=a_class(), students=(change(store, 1, "Name 2"),))
    assert not store.commit(CODE, counters(store), taken)
    for name in ("new", "new", "newer"):
        renamed = Change(classroom=a_class(), students=(change(store, 1, name),))
        assert store.commit(CODE, counters(store), renamed)
    assert join(store, 3, name="newer") is Refused.TAKEN
    assert [join(store, 4, name="name 1"), join(store, 5, name="new")] == [3, 4]


@everywhere
def test_sixty_join_at_once(store: ClassStore) -> None:
    seen = counters(store)
    calls = [lambda n=n: store.join(CODE, seen, newcomer(n)) for n in range(60)]  # type: ignore[misc]
    assert sorted(at_once(calls)) == list(range(1, 61))
    assert len(store.students(CODE)) == counters(store).students == 60
    assert counters(store).version == seen.version
    full = [lambda n=n: join(store, n, limit=64) for n in range(60, 80)]  # type: ignore[misc]
    assert sum(answer is Refused.FULL for answer in at_once(full)) == 16


# ---- Rounds --------------------------------------------------------------------------------


@everywhere
def test_sixty_claims_at_once_are_sixty_rows_and_one_is_first(store: ClassStore) -> None:
    seen = begin(store, Clock(14, time.time(), 20, 52))
    calls = [
        lambda n=n: store.claim(CODE, seen, Claim(n, 14, 0, 14 if n % 2 else 0), LATER)  # type: ignore[misc]
        for n in range(1, 61)
    ]
    answers = at_once(calls)
    assert sorted(one.card for one in answers if one) == list(range(1, 61))
    assert sorted(one.card for one in claims(store)) == list(range(1, 61))
    after = counters(store)
    assert (after.claims, after.right, after.clock.stop, after.clock.calls) == (60, 30, 14, 14)


def test_of_a_card_and_call_the_first_claim_counts(store: ClassStore) -> None:
    seen = begin(store)
    wrong, right = Claim(3, 0, 0, 0), Claim(3, 0, 0, 5)
    assert store.claim(CODE, seen, wrong, LATER) == wrong
    assert store.claim(CODE, seen, right, LATER) == wrong
    assert claims(store) == (wrong,)
    assert (counters(store).claims, counters(store).right, counters(store).clock.stop) == (1, 0, 52)
    other = Claim(3, 1, 0, 0)
    assert store.claim(CODE, seen, other, LATER) == other
    many = at_once([lambda: store.claim(CODE, seen, Claim(9, 2, 0, 2), LATER) for _ in range(30)])
    assert many == [Claim(9, 2, 0, 2)] * 30
    assert counters(store).claims == 3
    seen = begin(store)  # which has none of the last round's
    assert (seen.round, seen.claims, seen.right, claims(store)) == (2, 0, 0, ())


def test_the_first_right_claim_stops_the_clock_where_it_stood(
    store: ClassStore, rows: MemoryStore
) -> None:
    now = time.time()
    rows.clock = lambda: now
    began = now - 100
    seen = begin(store, Clock(2, began, 8, 52))
    assert seen.calls == 14
    store.claim(CODE, seen, Claim(1, 14, 0, 0), LATER)
    assert counters(store).clock == Clock(2, began, 8, 52)  # a wrong one stops nothing
    store.claim(CODE, seen, Claim(2, 13, 0, 12), LATER)
    assert (counters(store).clock.stop, counters(store).calls) == (14, 14)
    stopped = counters(store)
    later = msgspec.structs.replace(seen, now=seen.now + 30)
    store.claim(CODE, later, Claim(4, 14, 0, 14), LATER)
    assert counters(store).clock == stopped.clock
    assert counters(store).right == 2


def test_nothing_can_be_claimed_where_nothing_is_on(store: ClassStore) -> None:
    none = counters(store)
    assert store.claim(CODE, none, Claim(1, 0, 0, 0), LATER) is None
    seen = begin(store)
    assert store.claim(CODE, none, Claim(1, 0, 0, 0), LATER) is None
    assert store.claim(CODE, seen, Claim(1, 0, 0, 0), seen.now - 1) is None
    assert store.claim(OTHER, seen, Claim(1, 0, 0, 0), LATER) is None
    ends = Change(a_class(), None, {"is_open": False}, round_over(over(1)))
    assert store.commit(CODE, seen, ends)
    assert store.claim(CODE, counters(store), Claim(1, 0, 0, 0), LATER) is None
    assert claims(store) == ()
    assert not counters(store).is_open


@everywhere
def test_newcomers_cards_are_given_out_once(store: ClassStore) -> None:
    begin(store)
    numbers = at_once([lambda: store.take_card(CODE) for _ in range(40)])
    assert sorted(numbers) == list(range(61, 101))
    assert counters(store).version == 2
    for wanted, number in ((50, 101), (200, 200)):  # none is given out again in a round
        assert store.commit(
            CODE, counters(store), Change(a_class(), counters={"next_card": wanted})
        )
        assert store.take_card(CODE) == number
    begin(store)
    assert store.take_card(CODE) == 61


def test_the_newest_finished_rounds_are_kept(store: ClassStore) -> None:
    for number in range(1, MAX_FINISHED + 6):
        begin(store)
        ends = Change(a_class(), None, {"is_open": False}, round_over(over(number)))
        assert store.commit(CODE, counters(store), ends)
    assert store.finished(CODE) == tuple(map(over, range(6, MAX_FINISHED + 6)))


def changed(store: ClassStore, **what: object) -> None:
    written = Change(classroom=a_class(), **what)  # type: ignore[arg-type]
    assert store.commit(CODE, counters(store), written)


# ---- Links ---------------------------------------------------------------------------------


@everywhere
def test_a_link_is_good_once(store: ClassStore, rows: Store) -> None:
    store.links.keep("key", b"instructor", 60)
    assert store.links.find("key") == store.links.find("key") == b"instructor"
    taken = at_once([lambda: store.links.take("key") for _ in range(20)])
    assert sorted(taken, key=bool) == [None] * 19 + [b"instructor"]
    assert store.links.find("key") is None
    assert not [*rows.places("link/")]
    if isinstance(rows, MemoryStore):
        store.links.keep("short", b"x", 600)
        now = time.time()
        rows.clock = lambda: now + 601
        assert store.links.find("short") is store.links.take("short") is None


# ---- Passwords -----------------------------------------------------------------------------


@everywhere
def test_wrong_passwords_at_once_count_one_by_one(rows: Store) -> None:
    guesses = PasswordGuesses(rows)
    assert guesses.may_pass(is_right=True)
    answers = at_once([lambda: guesses.may_pass(is_right=False) for _ in range(20)])
    assert (answers.count(False), answers.count(None)) == (10, 10)
    assert guesses.may_pass(is_right=True) is None


def test_a_minute_later_the_right_password_is_taken(rows: MemoryStore) -> None:
    guesses, now = PasswordGuesses(rows), time.time()
    for second in range(12):
        rows.clock = lambda second=second: now + second  # type: ignore[misc]
        guesses.may_pass(is_right=False)
    rows.clock = lambda: now + 59.9
    assert guesses.may_pass(is_right=True) is None
    rows.clock = lambda: now + 60
    assert guesses.may_pass(is_right=True)


# ---- Real names ----------------------------------------------------------------------------


def raw(folder: Path) -> bytes:
    """Return every byte that the store has on its disk, or in a Redis."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def wait_until_gone(store: ClassStore, folder: Path, what: bytes) -> None:
    """A Redis writes its log anew in the background; others write meanwhile."""
    deadline = time.time() + 120
    while what in raw(folder) and time.time() < deadline:
        time.sleep(0.1)
        store._store.write("class/OTHER", {"x": b"y"}, {}, expires=LATER)
    assert what not in raw(folder)


@pytest.fixture
def folder(store: ClassStore, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    if isinstance(store._store, RedisStore):
        running: Redis = request.getfixturevalue("redis")
        return running._cwd
    return tmp_path


@pytest.mark.parametrize("rows", ["in_file", "in_redis"], indirect=True)
@pytest.mark.parametrize("how", ["names", "class", "student"])
def test_forgotten_names_are_on_no_disk(store: ClassStore, folder: Path, how: str) -> None:
    roster = (Person("Ann", SECRET, SECRET),) if how != "student" else ()
    for number in range(30):
        join(store, number, real=SECRET if number == 7 else f"Somebody {number}")
    changed(store, rows={"roster": pack(roster)})
    assert SECRET.encode() in raw(folder)
    match how:
        case "names":
            changed(store, rows=store.without_real_names(CODE))
            assert store.real_names(CODE) == RealNames({}, ())
            assert len(store.students(CODE)) == 30
        case "class":
            store.delete(CODE)
        case "student":
            changed(store, gone=(member_of(store, 8),))
            assert len(store.real_names(CODE).given) == 29
    wait_until_gone(store, folder, SECRET.encode())


def test_names_forgotten_while_redis_writes_its_log_anew_are_on_no_disk(
    in_redis: RedisStore, redis: Redis
) -> None:
    """It refuses to begin twice, and what it began before the names were forgotten has them."""
    store = ClassStore(in_redis)
    assert store.create(CODE, a_class(), LATER)
    join(store, 1, real=SECRET)
    for place in range(20):
        assert in_redis.write(f"class/{place}", {"x": b"y"}, {}, expires=LATER)
    in_redis.redis.config_set("rdbcompression", "no")  # else a name in the new log is none to us
    in_redis.redis.config_set("rdb-key-save-delay", 100_000)  # microseconds
    try:
        in_redis.scrub()
        store.delete(CODE)
        assert in_redis.redis.info("persistence")["aof_rewrite_in_progress"]
        wait_until_gone(store, redis._cwd, SECRET.encode())
    finally:
        in_redis.redis.config_set("rdb-key-save-delay", 0)
