"""The deals of the day: today's deals, a player's progress, and their pages.

Each day has five deals at one table. The table changes daily, and all players get the same deals.
The deals are ordinary deals (:mod:`web.deals.models`) whose IDs contain the day and the table. The
salts of the deals are derived from the ID and the server's key. A player can play each deal once. A
deal that was begun on its day may be finished on the next day.
"""

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import Any, Final, Literal

import flask
from flask.typing import ResponseReturnValue

from cardgames.game import AnyGame
from cardgames.puzzles import Position, find_theme, why
from cardgames.records.record import Record
from cardgames.shared_deal import PlayedLine, best_record
from cardgames.table import Table
from cardgames.text import Text, format_points
from web.deals.days import daily_ids, day_date, day_game, derive_daily_deals, today
from web.deals.models import count_plays
from web.deals.scores import (
    MIN_PLAYERS,
    DayRank,
    cost_in_points,
    load_streak,
    own_costs,
    own_rank,
    round_cost,
)
from web.deals.seat import DEAL_ROW
from web.history.addresses import replay_address
from web.http.requests import wants_json
from web.http.responses import json_response
from web.http.sessions import PlayerSession, current_session
from web.reach import public_url
from web.tables.advice import advisor_or_404
from web.tables.hooks import hooks

blueprint = flask.Blueprint("daily", __name__)

_ROUNDED: Final = 0.11
"""Maximum rounding error, in points, of the difference between two rounded values."""


State = Literal["ready", "playing", "over"]


@dataclass(frozen=True, slots=True)
class ClassRank:
    """The player's rank in a class, and the number of students who have finished."""

    code: str
    title: str
    students: int
    played: int
    """Number of students who have finished the day's deals."""

    rank: DayRank | None
    """The player's rank, or None if the player has not finished or if there are too few players."""


@dataclass(frozen=True, slots=True)
class DailyDeal:
    """One of today's deals and the player's progress with it."""

    id: str
    state: State
    points: float | None
    """Points given away. None if the deal has not ended, or if its table has no coach."""


@dataclass(frozen=True, slots=True)
class DailyDeals:
    """Today's deals for a player."""

    day: int
    game: AnyGame
    streak: int
    """The number of consecutive days on which the player has finished the deals."""

    deals: tuple[DailyDeal, ...]
    rank: DayRank | None
    """The player's rank among all players of the site."""

    classes: list[ClassRank]

    @property
    def date(self) -> date:
        """The date of the day."""
        return day_date(self.day)

    @property
    def ends(self) -> datetime:
        """The time at which the next day's deals start."""
        return datetime.combine(day_date(self.day + 1), time(), UTC)

    @property
    def played(self) -> int:
        """The number of deals that the player has finished."""
        return sum(deal.state == "over" for deal in self.deals)

    @property
    def next(self) -> DailyDeal | None:
        """The deal with which to continue: an open deal, or otherwise a new deal."""
        by_state = sorted(self.deals, key=lambda deal: deal.state != "playing")
        return next((deal for deal in by_state if deal.state != "over"), None)

    @property
    def points(self) -> float | None:
        """Points given away at all deals, or None if a deal is open or there is no coach."""
        points = [deal.points for deal in self.deals if deal.points is not None]
        return sum(points) if len(points) == len(self.deals) else None

    @property
    def row(self) -> Text | None:
        """The text that the player can share after the last deal.

        The text does not name any card.
        """
        if self.points is None:
            return None
        return Text(
            "Cardgames {day}, {table}: {signs} {points} points",
            day=self.day,
            table=self.game.info.title,
            signs="".join("✗" if deal.points else "✓" for deal in self.deals),
            points=format_points(-self.points),
        )


@dataclass(frozen=True, slots=True)
class PastDeal:
    """A past daily deal, with its best play."""

    id: str
    table: Table
    """The table at the first decision of the deal."""

    record: Record
    """The round with the best play according to the odds."""

    reason: Text
    """The reason why the best play's first move is better. It contains the values of both moves."""

    price: float
    """The points that the other first move gives away."""

    share: float | None
    """The proportion of players who made only the best decisions, or None if there are too few
    players.
    """

    @property
    def best(self) -> PlayedLine:
        """The moves and the winner of the best play."""
        return PlayedLine.of(self.record)


def daily_deals(session: PlayerSession) -> DailyDeals:
    """Return today's deals for a session's player."""
    day = today()
    game, ids = day_game(day), daily_ids(day)
    costs = own_costs(session, day)
    has_coach = game.advisor is not None
    deals = (
        DailyDeal(
            deal_id,
            _state(session, deal_id, costs),
            cost_in_points(costs[deal_id]) if has_coach and deal_id in costs else None,
        )
        for deal_id in ids
    )
    rank = own_rank(session.sid, day) if has_coach and len(costs) == len(ids) else None
    classes: list[ClassRank] = [rank for ranks in hooks().day_ranks for rank in ranks(day)]
    streak = load_streak(session).current(day)
    return DailyDeals(day, game, streak, tuple(deals), rank, classes)


@blueprint.get("/daily")
def show() -> ResponseReturnValue:
    """Show today's deals and the player's results. Writes nothing."""
    deals, address = daily_deals(current_session()), public_url(flask.url_for(".show"))
    if not wants_json():
        return flask.render_template("deals/daily.html", daily=deals, address=address)
    return json_response(
        {
            "day": deals.day,
            "date": deals.date.isoformat(),
            "ends": deals.ends.isoformat(),
            "game": deals.game.info.slug,
            "streak": deals.streak,
            "deals": [_document(deals.game, deal) for deal in deals.deals],
            "points": deals.points,
            "rank": deals.rank and deals.rank._asdict(),
            "classes": [_class_document(rank) for rank in deals.classes],
            "row": deals.row and f"{deals.row}\n{address}",
        }
    )


@blueprint.get("/daily/yesterday")
def yesterday() -> ResponseReturnValue:
    """Show yesterday's deals with their best play.

    The page has a separate URL, because it names cards. The page omits deals that the player has
    begun and may still finish.

    Raises:
        NotFound: If the table has no coach.
    """
    session, day = current_session(), today() - 1
    game, costs = day_game(day), own_costs(session, day)
    advisor_or_404(game)
    past = [deal for deal in past_deals(day) if _state(session, deal.id, costs) != "playing"]
    if wants_json():
        documents = [
            {
                "deal": deal.id,
                "view": deal.table.view(),
                "best": deal.best.moves,
                "winner": deal.best.winner,
                "share": deal.share,
            }
            for deal in past
        ]
        return json_response({"day": day, "deals": documents})
    return flask.render_template(
        "deals/yesterday.html",
        game=game,
        day=day,
        deals=past,
        points={
            deal.id: _points_shown(cost_in_points(costs[deal.id]), deal.price)
            for deal in past
            if deal.id in costs
        },
        address_of=replay_address,
    )


def past_deals(day: int) -> Iterator[PastDeal]:
    """Yield the deals of a past day with the results of all players."""
    deals = derive_daily_deals(day)
    players, finished = Counter[str](), Counter[str]()
    for deal_id, record, count in count_plays(deals):
        players[deal_id] += count
        finished[deal_id] += 0 if round_cost(record) else count
    for deal_id, deal in deals.items():
        is_shown = players[deal_id] >= MIN_PLAYERS
        share = finished[deal_id] / players[deal_id] if is_shown else None
        table = deal.shared.dealt()
        reason, price = _first_decision(table)
        yield PastDeal(deal_id, table, best_record(deal.shared), reason, price, share)


def _first_decision(table: Table) -> tuple[Text, float]:
    """Return the reason for a table's best first move, and the difference in value."""
    situation = advisor_or_404(table.game).situation(table.state)
    position = Position(table.game.info.slug, situation.hand, situation.upcard)
    position = replace(position, theme=find_theme(position))
    odds = position.odds
    # The points are computed from the two rounded values that the reason shows.
    hit, stay = (round(100 * move.ev, 1) for move in (odds.hit, odds.stay))
    return why(position, odds), abs(hit - stay)


def _points_shown(points: float, price: float) -> float:
    """Return the points given away, or the price if it differs only by rounding."""
    return price if abs(points - price) < _ROUNDED else points


def _state(session: PlayerSession, deal_id: str, costs: Container[str]) -> State:
    """Return a player's progress with a deal."""
    if deal_id in costs:
        return "over"
    return "playing" if f"{DEAL_ROW}{deal_id}" in session else "ready"


def _document(game: AnyGame, deal: DailyDeal) -> dict[str, Any]:
    """Return a deal of the day as JSON."""
    return {
        "deal": deal.id,
        "address": flask.url_for("deals.show", deal_id=deal.id),
        "game": game.info.slug,
        "state": deal.state,
        "points": deal.points,
    }


def _class_document(class_rank: ClassRank) -> dict[str, Any]:
    """Return a player's rank in a class, as JSON."""
    rank = class_rank.rank and class_rank.rank.place
    return {
        "class": class_rank.code,
        "students": class_rank.students,
        "played": class_rank.played,
        "rank": rank,
    }
