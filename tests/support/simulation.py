"""Simulations done in one go, and small ones to ask for."""

from functools import reduce
from operator import add
from typing import Any

from cardgames.simulation import Experiment, count_steps, play_step, run

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
