"""Whether what was measured agrees with what is known, or with another measurement."""

import math

from cardgames.simulation.distribution import Distribution

ERRORS = 4
"""How many standard errors a seeded measurement may be off."""


def near(found: Distribution, mean: float) -> bool:
    """Say whether a distribution may have this mean."""
    return found.mean == mean or abs(found.mean - mean) < ERRORS * found.standard_error


def likely(count: int, total: int, chance: float) -> bool:
    """Say whether something of this chance may have happened so often."""
    return abs(count - total * chance) <= ERRORS * math.sqrt(total * chance * (1 - chance))
