"""Simulated days of a class by seed: no answered move is lost or repeated."""

from pathlib import Path
from typing import Final

import pytest

from tests.simulation.day import simulate
from tests.simulation.world import Faults
from tests.support.commands import python

FREQUENT: Final = Faults(switch=0.3, long=0.05, before=0.005, after=0.005, kill=0.002, leap=0.00002)
"""Fault probabilities for a short day, which therefore has as many faults as a long day."""

HAPPENS: Final = (
    *("moves", "marks", "claims", "calls", "records"),
    *("killed workers", "calls that failed before", "calls that failed after"),
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 7])
def test_lesson_keeps_every_answer(seed: int, tmp_path: Path) -> None:
    counts = simulate(seed, tmp_path, 0.15, 6, FREQUENT)
    assert [what for what in HAPPENS if not counts[what]] == []


@pytest.mark.slow
def test_seed_gives_the_same_history_in_every_process(tmp_path: Path) -> None:
    """Sets have a different order in that process, and nothing may depend on the order."""
    program = (
        "import pathlib, sys, tests.simulation.day as day\n"
        "from tests.simulation.test_days import FREQUENT\n"
        "counts = day.simulate(7, pathlib.Path(sys.argv[1]), 0.1, 5, FREQUENT)\n"
        "print(sorted(counts.items()))"
    )
    histories = [
        python("-c", program, str(tmp_path / number), PYTHONHASHSEED=number).stdout
        for number in ("1", "2")
    ]
    assert "requests" in histories[0]
    assert histories[0] == histories[1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_an_hour_of_sixty_students_loses_no_answer(seed: int, tmp_path: Path) -> None:
    assert simulate(seed, tmp_path, hours=1, students=60)["moves"]
