"""The expected call of the first BINGO! of several cards, interpolated from exact values.

The values were computed with the inclusion-exclusion principle, applied to the patterns of one
card. The result is exact because each card has its own bingo deck. Between these values, linear
interpolation over the logarithm of the number of cards has an error of at most 0.1 calls for the
mean, and at most 0.03 for the proportion of ties.
"""

from bisect import bisect
from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

from cardgames.class_bingo.card import Kind
from cardgames.games.bingo.rules import Mode


class Expectation(NamedTuple):
    """Expected results of a round."""

    calls: float
    """The mean number of calls to the first BINGO!"""

    tied: float
    """The proportion of rounds in which two or more cards have BINGO! at the same call."""


_CARDS: Final = (1, 2, 3, 5, 10, 20, 30, 60, 120, 250, 500, 1_000)
"""The numbers of cards in play for which the table has values."""

_CALLS: Final = {
    Kind(Mode.LINE): (
        *(28.85, 25.11, 23.14, 20.88, 18.18, 15.84),
        *(14.63, 12.80, 11.22, 9.80, 8.65, 7.68),
    ),
    Kind(Mode.LINE, speed=True): (
        *(10.07, 8.36, 7.54, 6.66, 5.68, 4.88),
        *(4.49, 3.91, 3.42, 3.00, 2.68, 2.38),
    ),
    Kind(Mode.CORNERS): (
        *(42.40, 37.92, 35.16, 31.73, 27.37, 23.51),
        *(21.49, 18.44, 15.86, 13.56, 11.75, 10.22),
    ),
    Kind(Mode.CORNERS, speed=True): (
        *(19.54, 15.78, 13.78, 11.66, 9.42, 7.72),
        *(6.91, 5.78, 4.90, 4.15, 3.59, 3.13),
    ),
    Kind(Mode.FULL): (
        *(50.88, 50.16, 49.66, 48.99, 48.04, 47.09),
        *(46.54, 45.61, 44.70, 43.77, 42.91, 42.08),
    ),
    Kind(Mode.FULL, speed=True): (
        *(27.51, 27.05, 26.63, 25.88, 24.43, 22.72),
        *(21.87, 20.92, 20.17, 19.12, 18.12, 17.49),
    ),
}
_TIED: Final = {
    Kind(Mode.LINE): (
        *(0.000, 0.042, 0.060, 0.078, 0.100, 0.121),
        *(0.133, 0.155, 0.179, 0.208, 0.238, 0.273),
    ),
    Kind(Mode.LINE, speed=True): (
        *(0.000, 0.167, 0.225, 0.281, 0.342, 0.396),
        *(0.426, 0.477, 0.526, 0.589, 0.634, 0.628),
    ),
    Kind(Mode.CORNERS): (
        *(0.000, 0.045, 0.048, 0.054, 0.063, 0.074),
        *(0.082, 0.096, 0.114, 0.135, 0.158, 0.185),
    ),
    Kind(Mode.CORNERS, speed=True): (
        *(0.000, 0.180, 0.179, 0.198, 0.228, 0.264),
        *(0.287, 0.329, 0.377, 0.431, 0.486, 0.541),
    ),
    Kind(Mode.FULL): (
        *(0.000, 0.303, 0.266, 0.264, 0.271, 0.278),
        *(0.282, 0.288, 0.295, 0.303, 0.310, 0.317),
    ),
    Kind(Mode.FULL, speed=True): (
        *(0.000, 0.860, 0.804, 0.719, 0.608, 0.603),
        *(0.670, 0.763, 0.690, 0.609, 0.679, 0.809),
    ),
}


def expected(kind: Kind, cards: int) -> Expectation:
    """Return the expected results of a round with at least one card in play.

    >>> expected(Kind(), 30)
    Expectation(calls=14.63, tied=0.133)
    >>> expected(Kind(), 60).calls < expected(Kind(), 45).calls < expected(Kind(), 30).calls
    True
    """
    return Expectation(_interpolated(_CALLS[kind], cards), _interpolated(_TIED[kind], cards))


def _interpolated(values: Sequence[float], cards: int) -> float:
    """Return a value interpolated over the logarithm of the number of cards."""
    after = min(bisect(_CARDS, cards), len(_CARDS) - 1)
    low, high = _CARDS[after - 1], _CARDS[after]
    share = min(1.0, log(cards / low) / log(high / low))
    return round(values[after - 1] + share * (values[after] - values[after - 1]), 3)
