"""Rates charts, a second at a time, in the background process."""

import logging
import time
from typing import Final

from cardgames.strategies.best import best_chart
from cardgames.strategies.rating_steps import PartialRating, next_step, steps, steps_done
from web.background import Task
from web.classroom.strategies.model import FAILED, HandedIn, pack_costs, pack_rating, read_chart
from web.classroom.strategies.store import ChartStore
from web.settings import Settings
from web.storage.store import Store

PART: Final = 1.0
"""So many seconds a chart is worked on before the other tasks have their turn."""

log = logging.getLogger("cardgames.classroom")


def make_rater(settings: Settings, store: Store) -> Task:
    """Return what works on the chart that has waited longest."""
    if settings.classes == "off":
        return lambda: False
    return Rater(ChartStore(store))


class Rater:
    """Works on one chart after the other.

    What was found of a chart that is not done yet is in memory alone: a restart takes some seconds'
    work anew.
    """

    def __init__(self, store: ChartStore) -> None:
        """Work on the charts of a store."""
        self._store = store
        self._chart: tuple[str, int] = ("", 0)
        self._so_far = PartialRating()

    def __call__(self) -> bool:
        """Do a part; return False where no chart waits."""
        waiting = self._store.waiting()
        if waiting is None:
            return False
        code, stored = waiting
        if self._chart != (code, stored.number):
            self._chart, self._so_far = (code, stored.number), PartialRating()
        try:
            is_done = self._work_on(read_chart(stored))
        except Exception:  # one chart that cannot be worked out must not hold up all others
            log.exception("chart %d of class %s", stored.number, code)
            self._store.settle(code, stored, FAILED, b"")
            return True
        if is_done:
            rating, costs = pack_rating(self._so_far), pack_costs(self._so_far)
            self._store.settle(code, stored, rating, costs)
        return True

    def _work_on(self, one: HandedIn | None) -> bool:
        """Work on a chart for a second; return whether it is done.

        Raises:
            ValueError: it cannot be read.
        """
        if one is None:
            raise ValueError("another version of the site has written it")
        chart, best, until = one.chart, best_chart(one.table), time.monotonic() + PART
        while steps_done(self._so_far) < steps(one.rules):
            self._so_far = next_step(chart, best, self._so_far)
            if time.monotonic() > until:
                return False
        return True
