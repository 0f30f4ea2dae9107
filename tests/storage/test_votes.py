"""Answers of a vote as rows: each comes before the ballot closes, or not at all."""

import time

import msgspec
import pytest
from web.storage.memory import MemoryStore, no_pause

from tests.support.class_rows import a_class, at_once, counters_of, newcomer
from tests.support.stores import CODE, at_call
from web.classroom.class_store import ClassStore
from web.classroom.model import Change
from web.classroom.questions import posed
from web.classroom.votes import Answer, Vote

ASKED = Vote(1, 0.0, posed("blackjack", "10 6", "10"))
GIVEN = Answer("hit", 2)


def a_vote(students: int) -> tuple[MemoryStore, ClassStore]:
    """Return a class whose first vote is open."""
    rows = MemoryStore()
    store = ClassStore(rows)
    assert store.create(CODE, a_class(), int(time.time()) + 1_000)
    for number in range(1, students + 1):
        assert store.join(CODE, counters_of(store), newcomer(number)) == number
    classroom = msgspec.structs.replace(a_class(), votes=(ASKED,), show="vote")
    assert store.commit(CODE, counters_of(store), Change(classroom))
    return rows, store


def close(store: ClassStore) -> bool:
    closed = msgspec.structs.replace(ASKED, is_open=False)
    classroom = msgspec.structs.replace(a_class(), votes=(closed,), show="vote")
    return store.commit(CODE, counters_of(store), Change(classroom))


@pytest.mark.parametrize("meanwhile", ["the vote is closed", "the student is forgotten"])
def test_an_answer_that_is_overtaken_is_not_kept(meanwhile: str) -> None:
    """Between what the answer reads and what it writes."""
    rows, store = a_vote(1)
    seen, gone = counters_of(store), Change(gone=store.students(CODE))
    done: list[bool] = []

    def forget() -> bool:
        return store.commit(CODE, counters_of(store), gone)

    change = forget if "forgotten" in meanwhile else lambda: close(store)
    at_call(rows, 2, lambda: done.append(change()))
    assert not store.votes.answer(CODE, seen, ASKED, 1, GIVEN)
    assert done == [True]
    assert store.votes.answers(CODE, 1) == []


@pytest.mark.parametrize("call", range(1, 12))
def test_an_answer_while_its_student_is_forgotten_is_not_left_over(call: int) -> None:
    rows, store = a_vote(1)
    seen, gone = counters_of(store), Change(gone=store.students(CODE))
    at_call(rows, call, lambda: store.votes.answer(CODE, seen, ASKED, 1, GIVEN))
    assert store.commit(CODE, seen, gone)
    rows.pause = no_pause
    assert store.votes.answers(CODE, 1) == []


def test_sixty_who_answer_at_once_are_in_nobodys_way() -> None:
    _, store = a_vote(60)
    seen = counters_of(store)
    kept = at_once(
        [
            lambda number=number: store.votes.answer(CODE, seen, ASKED, number, GIVEN)
            for number in range(1, 61)
        ]
    )
    assert kept == [True] * 60
    assert store.votes.answers(CODE, 1) == [{1: GIVEN}] * 60
    after = counters_of(store)
    assert msgspec.structs.replace(after, now=seen.now) == seen, "that would wake sixty phones"


def test_a_tally_is_counted_once() -> None:
    counted = ASKED.counted([{1: GIVEN}] * 3)
    assert counted.counts == ({"hit": (0, 3, 0)},)
    assert counted.counted([]) is counted
