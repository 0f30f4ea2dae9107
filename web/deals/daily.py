"""The deal of the day: which there are today, how far a player is with each, and their page.

At each table with an advisor it is one deal a day, the same for everybody. It is an ordinary deal
(:mod:`web.deals.deal`) whose id names the day and the table, and whose salt follows from those and
the server's key. A player has one try, and may finish on the next day what was begun on its own.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Literal

import flask
from flask.typing import ResponseReturnValue

from cardgames import GAMES
from cardgames.game import AnyGame
from web.deals.days import DailyId, date_of
from web.deals.deal import todays_deals
from web.deals.location import DEAL_ROW, DealInfo, deal_address, deal_location, streak_of
from web.http.requests import wants_json
from web.http.responses import json_response
from web.http.sessions import PlayerSession, current_session

blueprint = flask.Blueprint("daily", __name__)


@dataclass(frozen=True, slots=True)
class DailyEntry:
    """Today's deal of a table, and how far a player is with it."""

    id: str
    game: AnyGame
    state: Literal["ready", "playing", "over"]


@dataclass(frozen=True, slots=True)
class DailyDeals:
    """Today's deals for a player."""

    day: int
    date: date
    streak: int
    """How many days in a row the player has finished one."""

    entries: tuple[DailyEntry, ...]

    @property
    def ends(self) -> datetime:
        """When the next ones come."""
        return datetime.combine(date_of(self.day + 1), time(), UTC)


def daily_deals(session: PlayerSession) -> DailyDeals:
    """Return today's deals for a session's player."""
    todays, streak = todays_deals(), streak_of(session)
    day = todays[0].day
    done = streak.tables if streak.last == day else ()
    entries = (DailyEntry(str(one), GAMES[one.slug], _state(session, one, done)) for one in todays)
    return DailyDeals(day, date_of(day), streak.current(day), tuple(entries))


@blueprint.get("/daily")
def show() -> ResponseReturnValue:
    """Show today's deals, and what the player has made of them. Nothing is written."""
    session = current_session()
    deals = daily_deals(session)
    results = [(entry, _info(session, entry)) for entry in deals.entries]
    if not wants_json():
        return flask.render_template("deals/daily.html", deals=deals, results=results)
    return json_response(
        {
            "day": deals.day,
            "date": deals.date.isoformat(),
            "ends": deals.ends.isoformat(),
            "streak": deals.streak,
            "deals": [_document(*one) for one in results],
        }
    )


def _state(
    session: PlayerSession, daily: DailyId, done: tuple[str, ...]
) -> Literal["ready", "playing", "over"]:
    if daily.slug in done:
        return "over"
    return "playing" if f"{DEAL_ROW}{daily}" in session else "ready"


def _info(session: PlayerSession, entry: DailyEntry) -> DealInfo:
    """Return how a deal stands, with all that costs a look at the results."""
    location = deal_location(entry.id)
    return location.info(session, location.load(session).table)


def _document(entry: DailyEntry, info: DealInfo) -> dict[str, Any]:
    """Return what the JSON says of a deal of the day."""
    over = info.summary
    return {
        "deal": entry.id,
        "address": deal_address(entry.id),
        "game": entry.game.info.slug,
        "state": entry.state,
        "finished": info.finished,
        "verdict": over and over.verdict,
        "row": over and over.row,
    }
