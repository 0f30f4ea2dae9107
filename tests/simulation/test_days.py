"""Days of a class by seed: nothing answered is lost, done twice, or shown before its time."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.simulation.day import simulate
from tests.simulation.world import Faults
from tests.support.amounts import few_or_all
from tests.support.commands import python

FREQUENT: Final = Faults(switch=0.3, long=0.05, before=0.005, after=0.005, kill=0.002, leap=0.00002)
"""Faults for a short day: as many as a long one has."""

HAPPENS: Final = (
    *("moves", "marks", "claims", "calls", "records"),
    *("killed workers", "calls that failed before", "calls that failed after"),
)


@few_or_all("seeds", (1,), range(1, 41))
def test_a_lesson_keeps_all_that_was_answered(seeds: Sequence[int], tmp_path: Path) -> None:
    days = (simulate(seed, tmp_path / str(seed), 0.25, 8, FREQUENT) for seed in seeds)
    counts = sum((day.counts for day in days), Counter[str]())
    assert [what for what in HAPPENS if not counts[what]] == []


@pytest.mark.slow
def test_a_seed_is_one_history(tmp_path: Path) -> None:
    """In another process too, which orders sets in another way."""
    program = (
        "import logging, pathlib, tests.simulation.day as day, tests.simulation.test_days as days\n"
        "logging.disable(logging.CRITICAL)\n"
        f"report = day.simulate(7, pathlib.Path({str(tmp_path)!r}), 0.1, 5, days.FREQUENT)\n"
        "print(sorted(report.counts.items()))"
    )
    done = python("-c", program, PYTHONHASHSEED="1")
    here = simulate(7, tmp_path, hours=0.1, students=5, faults=FREQUENT)
    assert done.stdout.strip() == str(sorted(here.counts.items()))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_an_hour_of_sixty_students_loses_no_answer(seed: int, tmp_path: Path) -> None:
    assert simulate(seed, tmp_path, hours=1, students=60).counts["moves"]
