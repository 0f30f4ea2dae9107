"""Whether what was measured agrees with what is known, or with another measurement."""

import math
from collections import Counter
from collections.abc import Sequence

from cardgames.simulation.distribution import Distribution

ERRORS = 4
"""How many standard errors a seeded measurement may be off."""

SURE = 1e-4
"""Two samples are of the same law unless the chance of that is smaller."""


def near(found: Distribution, mean: float) -> bool:
    """Say whether a distribution may have this mean."""
    return found.mean == mean or abs(found.mean - mean) < ERRORS * found.standard_error


def likely(count: int, total: int, chance: float) -> bool:
    """Say whether something of this chance may have happened so often."""
    return abs(count - total * chance) <= ERRORS * math.sqrt(total * chance * (1 - chance))


def spread(found: Distribution) -> list[int]:
    """Return every single value of a distribution."""
    return [value for value, count in found.counts for _ in range(count)]


def same_law(one: Sequence[int], other: Sequence[int]) -> float:
    """Return the p-value of the two-sample Kolmogorov-Smirnov test (asymptotic, conservative)."""
    first, second = Counter(one), Counter(other)
    below = [0.0, 0.0]
    gap = 0.0
    for value in sorted({*one, *other}):
        below[0] += first[value] / len(one)
        below[1] += second[value] / len(other)
        gap = max(gap, abs(below[0] - below[1]))
    root = math.sqrt(len(one) * len(other) / (len(one) + len(other)))
    reach = (root + 0.12 + 0.11 / root) * gap
    terms = (2 * (-1) ** (k - 1) * math.exp(-2 * k * k * reach * reach) for k in range(1, 101))
    return min(1.0, max(0.0, sum(terms))) if reach > 0.2 else 1.0


def differ(one: Sequence[int], other: Sequence[int]) -> float:
    """Return how far two rows of counts differ: chi-square, in standard normal units."""
    total = sum(one) + sum(other)
    statistic = 0.0
    for a, b in zip(one, other, strict=True):
        for count, row in ((a, sum(one)), (b, sum(other))):
            expected = (a + b) * row / total
            statistic += (count - expected) ** 2 / expected if expected else 0.0
    freedom = len(one) - 1
    # Wilson and Hilferty's cube root.
    return ((statistic / freedom) ** (1 / 3) - 1 + 2 / (9 * freedom)) / math.sqrt(2 / (9 * freedom))
