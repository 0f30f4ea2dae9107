"""The days of the deal of the day: their numbers, the ids of their deals, days in a row.

A day is one of UTC by the store's clock, which all workers and machines on that store share.
"""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple, Self

import msgspec

_BEFORE_FIRST: Final = date(2025, 12, 31)
"""The day before number 1."""

_parts_of: Final = re.compile(r"(\d{4}-\d\d-\d\d)-([a-z0-9-]+)", re.ASCII).fullmatch


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


class DailyId(NamedTuple):
    """What the id of a daily deal says: the day and the table.

    >>> str(DailyId(326, "simple-21"))
    '2026-11-22-simple-21'
    >>> DailyId.parse("2026-11-22-simple-21")
    DailyId(day=326, slug='simple-21')
    """

    day: int
    slug: str

    def __str__(self) -> str:
        """Return the id."""
        return f"{date_of(self.day)}-{self.slug}"

    @classmethod
    def parse(cls, deal_id: str) -> Self | None:
        """Read an id; return None for one of another kind of deal."""
        parts = _parts_of(deal_id)
        if not parts:
            return None
        try:
            return cls((date.fromisoformat(parts[1]) - _BEFORE_FIRST).days, parts[2])
        except ValueError:  # 30 February
            return None


class Streak(msgspec.Struct, frozen=True, array_like=True):
    """Days in a row on which a session has finished a daily deal."""

    last: int = 0
    """The number of the last of them."""

    run: int = 0
    tables: tuple[str, ...] = ()
    """The slugs of the tables whose deal of that day is finished."""

    def after(self, daily: DailyId) -> "Streak":
        """Return it after a deal is finished; one of a day before the last changes nothing.

        >>> Streak().after(DailyId(5, "war")).after(DailyId(6, "war")).run
        2
        """
        if daily.day < self.last:
            return self
        if daily.day == self.last:
            return Streak(self.last, self.run, (*self.tables, daily.slug))
        run = self.run + 1 if daily.day == self.last + 1 else 1
        return Streak(daily.day, run, (daily.slug,))

    def current(self, today: int) -> int:
        """Return how many days in a row there are up to today, or to yesterday: 0 if broken."""
        return self.run if self.last >= today - 1 else 0
