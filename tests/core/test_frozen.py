"""Frozen values with some fields changed: as the standard library's, for what a move changes."""

import dataclasses

import pytest

from cardgames import GAMES
from cardgames.frozen import replace
from cardgames.moves import Action
from cardgames.records.record import Record
from cardgames.table import Table


def test_it_changes_what_the_standard_library_would() -> None:
    table = Table(GAMES["simple-21"]).play("deal").table
    assert replace(table, round=7) == dataclasses.replace(table, round=7) != table
    assert replace(table.state, deck=()) == dataclasses.replace(table.state, deck=())
    record = Record("war", actions=(Action("deal"),))
    assert replace(record, result="tie") == dataclasses.replace(record, result="tie")
    assert hash(replace(record)) == hash(record)


def test_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(TypeError, match="Action has no field"):
        replace(Action("hit"), often=2)
