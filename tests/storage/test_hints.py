"""Hints: believed from when they were last written, and only taken away as they were read."""

import pytest

from web.storage.hints import HINT_HOLDS, Hint, Hints
from web.storage.memory import MemoryStore
from web.storage.store import NEVER


class Kept:
    """Hints in a place of their own, and the clock."""

    def __init__(self) -> None:
        self.now = 1e9
        self.store = MemoryStore(clock=lambda: self.now)
        self.hints = Hints(self.store, "hints/test")

    def only(self) -> Hint:
        (hint,) = self.hints.all()
        return hint


@pytest.fixture
def kept() -> Kept:
    return Kept()


def test_a_hint_is_believed_from_when_it_was_last_written(kept: Kept) -> None:
    for _ in range(2):
        assert kept.hints.note("a") == kept.now + HINT_HOLDS
        kept.now += HINT_HOLDS - 1
        assert not kept.only().is_over
    kept.now += 2
    assert kept.only().is_over
    assert kept.only().first == 1e9


def test_a_hint_that_was_written_meanwhile_is_not_taken_away(kept: Kept) -> None:
    kept.hints.note("a", lambda _: b"1")
    before = kept.only()
    kept.hints.note("a", lambda data: data + b"2")
    assert not kept.hints.replace(before, None)
    assert kept.only().data == b"12"
    assert kept.hints.replace(kept.only(), b"3")
    assert (kept.only().data, kept.only().latest) == (b"3", 1e9)
    assert kept.hints.replace(kept.only(), None)
    assert not kept.hints.all()


def test_what_waits_longest_comes_first(kept: Kept) -> None:
    for key in ("b/1", "a/1", "b/2", "a/1"):
        kept.hints.note(key)
        kept.now += 1
    assert [hint.key for hint in kept.hints.all()] == ["b/1", "a/1", "b/2"]
    assert [hint.key for hint in kept.hints.all("b/")] == ["b/1", "b/2"]


def test_beside_a_row_that_is_gone_nothing_is_written(kept: Kept) -> None:
    hints = Hints(kept.store, "deal", "due/", beside="own")
    assert hints.note("a") == NEVER
    assert kept.store.write("deal", {"own": b"1"}, {}, expires=2_000_000_000)
    assert hints.note("a") == kept.now + HINT_HOLDS
    assert [hint.key for hint in hints.all()] == ["a"]
    assert {*kept.store.scan("deal").rows} == {"own", "due/a"}
