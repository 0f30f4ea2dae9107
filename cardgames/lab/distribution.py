"""Distributions of integers, and confidence intervals for probabilities."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Self


@dataclass(frozen=True, slots=True)
class Distribution:
    """The counts of integers, as pairs of value and count.

    The values are in ascending order.

    >>> Distribution.of([3, 1, 3])
    Distribution(counts=((1, 1), (3, 2)))
    """

    counts: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, values: Iterable[int]) -> Self:
        """Return the distribution of one or more values."""
        return cls(tuple(sorted(Counter(values).items())))

    @property
    def size(self) -> int:
        """The total number of values."""
        return sum(count for _, count in self.counts)

    @property
    def mean(self) -> float:
        """The mean."""
        return sum(value * count for value, count in self.counts) / self.size

    def quantile(self, share: float) -> int:
        """Return the smallest value that the given proportion of values does not exceed.

        >>> Distribution.of(range(1, 101)).quantile(0.05)
        5
        """
        sums = list(accumulate(count for _, count in self.counts))
        place = bisect_left(sums, share * self.size)
        value, _ = self.counts[min(place, len(sums) - 1)]
        return value

    def histogram(self, max_classes: int) -> tuple[tuple[int, int, int], ...]:
        """Return classes of equal width, each with its first value, last value and count.

        Args:
            max_classes: Maximum number of classes. The result may contain one class more.

        >>> Distribution.of([3, 4, 4, 9]).histogram(5)
        ((3, 4, 3), (5, 6, 0), (7, 8, 0), (9, 10, 1))
        """
        lowest, highest = self.counts[0][0], self.counts[-1][0]
        width = _round_width((highest - lowest) // max_classes + 1)
        classes: Counter[int] = Counter()
        for value, count in self.counts:
            classes[(value - 1) // width] += count
        return tuple(
            (width * place + 1, width * (place + 1), classes[place])
            for place in range(min(classes), max(classes) + 1)
        )


def _round_width(least: int) -> int:
    """Return the first of 1, 2, 5, 10, 20, 50 … that is at least the given number."""
    scale: int = 10 ** (len(str(least)) - 1)
    return min(step * scale for step in (1, 2, 5, 10) if step * scale >= least)


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Return the 95% confidence interval of a probability, after Wilson (1927).

    The interval stays between 0 and 1 and is accurate for few trials too, unlike an interval of two
    standard errors on each side.

    Args:
        hits: The number of successes.
        trials: The number of trials.

    Returns:
        The lower and the upper end of the interval.

    >>> [round(end, 4) for end in wilson(0, 10)]
    [0.0, 0.2775]
    >>> [round(end, 4) for end in wilson(5, 31)]
    [0.0709, 0.3263]
    """
    z = 1.959963984540054
    share, spread = hits / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    reach = math.sqrt(share * (1 - share) * spread + spread * spread / 4) / (1 + spread)
    return max(0.0, middle - reach), min(1.0, middle + reach)
