"""What is said of tournaments: the sentences that code, and not a template, chooses."""

from datetime import datetime
from typing import Final

from cardgames.text import Text
from web.classroom.tournaments.model import (
    MAX_TITLE,
    MAX_TOURNAMENTS,
    Points,
    Ranking,
    Screen,
    Tournament,
)

BAD_TITLE: Final = Text(
    "A tournament has a title of at most {most} characters, all of them visible.", most=MAX_TITLE
)
BAD_TIME: Final = Text("A time is written like {example}.")
ENDS_FIRST: Final = Text("A tournament ends after it has begun, and not in the past.")
ENDS_LATE: Final = Text(
    "This class is kept for {days} days after you last opened it: let the tournament end earlier, "
    "or keep the class longer."
)
TOO_MANY: Final = Text("A class has {most} tournaments at most.", most=MAX_TOURNAMENTS)
IS_OVER: Final = Text("This tournament is over.")
NOT_OPEN: Final = Text("This tournament opens {time}.")
STEPPED_OUT: Final = Text("You have stepped out: step in again to play.")
NEXT_DEAL: Final = Text("The deals are played in their order: deal {number} is next.")
NO_DEAL: Final = Text("This tournament has no such deal.")
PLAYED_BEFORE: Final = Text(
    "This browser has played deal {number} already, for a student who was forgotten."
)
ALL_PLAYED: Final = Text("You have played all deals of this tournament.")
NO_REPLAY: Final = Text("Replays open when the tournament is over.")
NO_LINK: Final = Text("Its deals become links when the tournament is over.")
_NO_TITLE: Final = Text("Tournament {number}")

RANKINGS: Final[dict[Ranking, Text]] = {
    "play": Text("How well they play"),
    "result": Text("How many they win"),
}
SCREENS: Final[dict[Screen, Text]] = {
    "best": Text("The best five"),
    "nobody": Text("Nobody"),
}
POINTS: Final[dict[Points, Text]] = {
    "end": Text("When it ends"),
    "now": Text("After each deal"),
}

_DAYS: Final = (
    *(Text("Mon {time}"), Text("Tue {time}"), Text("Wed {time}"), Text("Thu {time}")),
    *(Text("Fri {time}"), Text("Sat {time}"), Text("Sun {time}")),
)
_NEAR: Final = 6 * 86_400
"""Within so many seconds a day of the week says enough."""


def title_text(tournament: Tournament) -> str:
    """Return what a tournament is called."""
    return tournament.title or _NO_TITLE.fill(number=tournament.number)


def time_text(at: float, now: float) -> str:
    """Say when something is, by the clock of the server: with the day, and the date if it is far.

    Args:
        at: the time.
        now: when it is said.
    """
    when, today = (datetime.fromtimestamp(one).astimezone() for one in (at, now))
    if when.date() == today.date():
        return f"{when:%H:%M}"
    if abs(at - now) < _NEAR:
        return _DAYS[when.weekday()].fill(time=f"{when:%H:%M}")
    return f"{when:%Y-%m-%d %H:%M}"


def when_text(tournament: Tournament, now: float, *, is_over: bool) -> Text:
    """Say when a tournament can be played."""
    if is_over:
        return Text("over")
    if now < tournament.opens:
        return Text("opens {time}", time=time_text(tournament.opens, now))
    if tournament.due:
        return Text("till {time}", time=time_text(tournament.due, now))
    return Text("open")
