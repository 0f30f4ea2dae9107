"""Comparison of the lab's measurements with known values."""

import math

from cardgames.lab.distribution import Distribution

ERRORS = 4
"""Maximum deviation of a seeded measurement, in standard errors."""


def near(found: Distribution, mean: float) -> bool:
    """Return whether the mean of a measured distribution agrees with an expected mean."""
    squares = sum((value - found.mean) ** 2 * count for value, count in found.counts)
    error = math.sqrt(squares / (found.size - 1) / found.size)
    return abs(found.mean - mean) < ERRORS * error or found.mean == mean


def likely(count: int, total: int, chance: float) -> bool:
    """Return whether a count is plausible for an event with the given probability."""
    return abs(count - total * chance) <= ERRORS * math.sqrt(total * chance * (1 - chance))
