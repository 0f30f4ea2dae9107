"""Real names, one-time links and wrong passwords as rows: nothing is left over, or good twice."""

import time
from pathlib import Path

import pytest

from tests.support.class_rows import a_class, at_once, counters_of, everywhere, member_of, newcomer
from tests.support.machines import Redis
from tests.support.stores import CODE, LATER
from web.classroom.class_store import ClassStore
from web.classroom.codes import PasswordGuesses
from web.classroom.model import Change, RealNames
from web.storage.memory import MemoryStore
from web.storage.redis import RedisStore
from web.storage.store import Store

pytestmark = pytest.mark.xdist_group("class store")

SECRET = "Ottilie Überraschung-Zwölfender"


@pytest.fixture
def store(class_store: ClassStore) -> ClassStore:
    assert class_store.create(CODE, a_class(), LATER)
    return class_store


def change(store: ClassStore, **what: object) -> None:
    written = Change(classroom=a_class(), **what)  # type: ignore[arg-type]
    assert store.commit(CODE, counters_of(store), written)


def join(store: ClassStore, number: int, real: str = "") -> None:
    store.join(CODE, counters_of(store), newcomer(number, real=real))


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


def wait_until_gone(folder: Path, what: bytes) -> None:
    """A Redis writes its log anew in the background."""
    deadline = time.time() + 10
    while what in raw(folder) and time.time() < deadline:
        time.sleep(0.1)
    assert what not in raw(folder)


@pytest.fixture
def folder(store: ClassStore, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    if isinstance(store._store, RedisStore):
        running: Redis = request.getfixturevalue("redis")
        return running._cwd
    return tmp_path


def test_real_names_stand_in_one_place(store: ClassStore) -> None:
    join(store, 1, real=SECRET), join(store, 2), join(store, 3, real="Ben")
    roster = ("Ben", SECRET, "Zoë")
    change(store, roster=roster)
    assert store.real_names(CODE) == RealNames({1: SECRET, 3: "Ben"}, roster)
    assert [store.has_real_name(CODE, number) for number in (1, 2, 3)] == [True, False, True]
    change(store, roster=("Ann",))
    assert store.real_names(CODE).roster == ("Ann",)
    for other in (store.load(CODE), store.students(CODE), store.presence(CODE)):
        assert SECRET not in repr(other)


@pytest.mark.parametrize("rows", ["in_file", "in_redis"], indirect=True)
@pytest.mark.parametrize("how", ["names", "class", "student"])
def test_forgotten_names_are_on_no_disk(store: ClassStore, folder: Path, how: str) -> None:
    roster = (SECRET,) if how != "student" else ()
    for number in range(30):
        join(store, number, real=SECRET if number == 7 else f"Somebody {number}")
    change(store, roster=roster)
    assert SECRET.encode() in raw(folder)
    match how:
        case "names":
            change(store, forget_names=True)
            assert store.real_names(CODE) == RealNames({}, ())
            assert len(store.students(CODE)) == 30
        case "class":
            store.delete(CODE)
        case "student":
            change(store, gone=(member_of(store, 8),))
            assert len(store.real_names(CODE).given) == 29
    wait_until_gone(folder, SECRET.encode())
