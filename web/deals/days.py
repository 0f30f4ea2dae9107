"""The days of the deal of the day: their numbers, their table, the ids of their deals.

A day is one of UTC by the store's clock, which all workers and machines on that store share.
"""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final

import msgspec

from cardgames import GAMES
from cardgames.game import AnyGame

DEALS: Final = 5
"""Number of deals of a day."""

_BEFORE_FIRST: Final = date(2025, 12, 31)
"""The day before number 1."""

_TABLES: Final = tuple(game for game in GAMES.values() if game.advisor)

names_day: Final = re.compile(r"\d{4}-\d\d-\d\d-.*", re.ASCII).fullmatch
"""Whether an id of a deal names a day."""


def day_number(now: float) -> int:
    """Return the number of the day of a time.

    >>> day_number(datetime(2026, 1, 1, 0, 0, 0, tzinfo=UTC).timestamp())
    1
    >>> day_number(datetime(2026, 11, 22, 23, 59, 59, tzinfo=UTC).timestamp())
    326
    """
    return (datetime.fromtimestamp(now, UTC).date() - _BEFORE_FIRST).days


def date_of(day: int) -> date:
    """Return the date of a day by its number.

    >>> date_of(326)
    datetime.date(2026, 11, 22)
    """
    return _BEFORE_FIRST + timedelta(days=day)


def game_of(day: int) -> AnyGame:
    """Return the game that a day's deals are of: each day the next one with an advisor."""
    return _TABLES[day % len(_TABLES)]


def daily_ids(day: int) -> tuple[str, ...]:
    """Return the ids of a day's deals, in the order in which they are played.

    >>> daily_ids(326)[0]
    '2026-11-22-one-deck-1'
    """
    return tuple(f"{date_of(day)}-{game_of(day).info.slug}-{one + 1}" for one in range(DEALS))


class Streak(msgspec.Struct, frozen=True, array_like=True):
    """Days in a row of which a session has finished all deals."""

    last: int = 0
    """The number of the last of them."""

    run: int = 0

    def after(self, day: int) -> "Streak":
        """Return it after a day is finished; one before the last changes nothing.

        >>> Streak().after(5).after(6).run
        2
        """
        if day <= self.last:
            return self
        return Streak(day, self.run + 1 if day == self.last + 1 else 1)

    def current(self, today: int) -> int:
        """Return how many days in a row there are up to today, or to yesterday: 0 if broken."""
        return self.run if self.last >= today - 1 else 0
