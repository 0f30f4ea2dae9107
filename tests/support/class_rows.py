"""What the tests of the classroom's layers share: a class and its students, as they are kept."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

import pytest

from tests.support.stores import CODE
from web.classroom.class_store import ClassStore
from web.classroom.model import Classroom, Member, Newcomer, Student
from web.classroom.rows import ClassCounters

T = TypeVar("T")

everywhere: Final = pytest.mark.parametrize(
    "rows", ["in_memory", "in_file", "in_redis"], indirect=True
)
"""Marks a test of a layer that is run on every store, and not in memory alone."""


def a_class(title: str = "a class") -> Classroom:
    return Classroom(title, "free", "may", 200, 14, 0.0, "opener")


def a_student(number: int, name: str = "", **more: Any) -> Student:
    fields = {"browsers": (f"browser {number}",), **more}
    return Student(name=name or f"name {number}", offered=False, joined=0.0, **fields)


def newcomer(number: int, name: str = "", **more: Any) -> Newcomer:
    own = {key: more.pop(key) for key in ("browsers",) if key in more}
    return Newcomer(a_student(number, name, **own), **more)


def counters_of(store: ClassStore, code: str = CODE) -> ClassCounters:
    found = store.counters(code)
    assert found
    return found


def member_of(store: ClassStore, number: int, code: str = CODE) -> Member:
    return next(one for one in store.students(code) if one.number == number)


def at_once(calls: list[Callable[[], T]]) -> list[T]:
    with ThreadPoolExecutor(16) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]
