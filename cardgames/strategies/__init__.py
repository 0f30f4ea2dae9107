"""Strategies for the twenty-one tables: charts and their exact ratings, programs, tournaments.

A :class:`~.chart.StrategyChart` says for each total, soft or hard, and each upcard whether to hit.
Its rating (:func:`~.rating.rate`) is exact, not played::

    >>> from cardgames.games.twentyone import BLACKJACK
    >>> chart = StrategyChart.read(BLACKJACK, "dealer")
    >>> chart.hits(Cell(soft=False, total=16, upcard=10))
    True

A student's ``decide(view)`` is a :class:`~.program.Program`: it runs in a process of its own with
limits and is sent what the page shows and nothing else. A chart can be made from one
(:mod:`.charting`), and programs play the same deals against each other (:mod:`.tournament`).
"""

from cardgames.strategies.chart import Cell, StrategyChart
from cardgames.strategies.rating import Rating, rate

__all__ = ["Cell", "Rating", "StrategyChart", "rate"]
