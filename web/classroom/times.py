"""Times as pages say them: by the clock of the server."""

from datetime import datetime
from typing import Final

from cardgames.text import Text

_DAYS: Final = (
    *(Text("Mon {time}"), Text("Tue {time}"), Text("Wed {time}"), Text("Thu {time}")),
    *(Text("Fri {time}"), Text("Sat {time}"), Text("Sun {time}")),
)
_NEAR: Final = 6 * 86_400
"""Number of seconds within which a day of the week says enough."""


def local_time(at: float) -> datetime:
    """Return a time by the clock of the server."""
    return datetime.fromtimestamp(at).astimezone()


def time_text(at: float, now: float) -> str:
    """Say when something is: with the day, and with the date if it is far.

    Args:
        at: the time, in seconds since 1970.
        now: when it is said.
    """
    when = local_time(at)
    if when.date() == local_time(now).date():
        return f"{when:%H:%M}"
    if abs(at - now) < _NEAR:
        return _DAYS[when.weekday()].fill(time=f"{when:%H:%M}")
    return date_text(at)


def date_text(at: float) -> str:
    """Return a time with its date."""
    return f"{local_time(at):%Y-%m-%d %H:%M}"
