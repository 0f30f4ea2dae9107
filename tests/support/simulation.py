"""Simulations done in one go, and whether what they measure agrees with what is known."""

import math
from functools import reduce
from operator import add
from typing import Any

from cardgames.simulation import Experiment, count_steps, play_step, run
from cardgames.simulation.distribution import Distribution

STAYS = "\n".join(f"hard {total} SSSSSSSSSS" for total in range(4, 17))
"""A strategy whose exact chances are quickly worked out."""


def whole(experiment: Experiment) -> Any:
    """Return the whole result of an experiment."""
    *_, (done, result) = run(experiment)
    assert done == count_steps(experiment)
    return result


def steps_of(experiment: Experiment, *steps: int) -> Any:
    """Return the sum of some steps of an experiment."""
    parts: list[Any] = [play_step(experiment, step) for step in steps]
    return reduce(add, parts)


ERRORS = 4
"""How many standard errors a seeded measurement may be off."""


def near(found: Distribution, mean: float) -> bool:
    """Say whether a distribution may have this mean."""
    return found.mean == mean or abs(found.mean - mean) < ERRORS * found.standard_error


def likely(count: int, total: int, chance: float) -> bool:
    """Say whether something of this chance may have happened so often."""
    return abs(count - total * chance) <= ERRORS * math.sqrt(total * chance * (1 - chance))
