"""Glicko-2: how well a player does, how sure that is, and how steadily.

After Mark Glickman, "Example of the Glicko-2 system" (2022), with its own example:

    >>> student = Rating(1500, 200, 0.06)
    >>> games = (Rating(1400, 30), 1), (Rating(1550, 100), 0), (Rating(1700, 300), 0)
    >>> after = rated(student, games)
    >>> round(after.rating, 2), round(after.deviation, 2), round(after.volatility, 5)
    (1464.05, 151.52, 0.06)

The paper has 1464.06, by figures rounded on the way.
"""

from collections.abc import Iterable
from math import exp, log, pi, sqrt
from typing import Final

import msgspec

TAU: Final = 0.5
"""How much the volatility may change: the paper's own choice, of 0.3 to 1.2."""

_SCALE: Final = 173.7178
_MEAN: Final = 1500.0
_ENOUGH: Final = 1e-6


class Rating(msgspec.Struct, frozen=True, array_like=True):
    """How well somebody plays, or how hard a puzzle is."""

    rating: float = _MEAN
    deviation: float = 350.0
    """The true rating lies within two of these, 95 times in 100."""

    volatility: float = 0.06


def rated(player: Rating, games: Iterable[tuple[Rating, float]]) -> Rating:
    """Return a player's rating after the games of one period.

    Args:
        player: the rating before.
        games: the other side of each game, and its result: 1 won, 0 lost.
    """
    mu, phi = (player.rating - _MEAN) / _SCALE, player.deviation / _SCALE
    information = gain = 0.0
    for other, score in games:
        weight = 1 / sqrt(1 + 3 * (other.deviation / _SCALE / pi) ** 2)
        expected = 1 / (1 + exp(-weight * (mu - (other.rating - _MEAN) / _SCALE)))
        information += weight**2 * expected * (1 - expected)
        gain += weight * (score - expected)
    sigma = _volatility(player.volatility, phi, 1 / information, gain / information)
    after = 1 / sqrt(1 / (phi**2 + sigma**2) + information)
    return Rating(_MEAN + _SCALE * (mu + after**2 * gain), _SCALE * after, sigma)


def _volatility(sigma: float, phi: float, variance: float, delta: float) -> float:
    """Return the new volatility: step 5 of the paper, by the Illinois method."""
    a = log(sigma**2)

    def f(x: float) -> float:
        spread = phi**2 + variance + exp(x)
        return exp(x) * (delta**2 - spread) / (2 * spread**2) - (x - a) / TAU**2

    low, high = a, log(max(delta**2 - phi**2 - variance, 1e-300))
    if delta**2 <= phi**2 + variance:
        high = next(a - k * TAU for k in range(1, 1_000) if f(a - k * TAU) >= 0)
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _ENOUGH:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return exp(low / 2)
