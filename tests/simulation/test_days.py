"""Simulated days of a class by seed: no answered move is lost or repeated."""

from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.simulation.day import simulate
from tests.simulation.world import Faults

FREQUENT: Final = Faults(switch=0.3, long=0.05, before=0.005, after=0.005, kill=0.002)
"""Fault probabilities with which a short day has as many faults as a long day."""

HAPPENS: Final = (
    *("moves", "marks", "claims", "calls", "records"),
    *("killed workers", "calls that failed before", "calls that failed after"),
)


@pytest.mark.slow
def test_lessons_keep_every_answer(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    for seed in (1, 2, 7):
        counts += simulate(seed, tmp_path, 0.15, 6, FREQUENT)
    # A single lesson may have no round that is covered by hand.
    assert [what for what in HAPPENS if not counts[what]] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_minutes_of_sixty_students_lose_no_answer(seed: int, tmp_path: Path) -> None:
    assert simulate(seed, tmp_path, hours=0.05, students=60)["moves"]
