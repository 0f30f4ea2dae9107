"""What the deals of a day have cost their players: days in a row, ranks, and how all have played.

What a decision costs follows from the round's record. A player has a score once all deals of the
day are over, so nobody is ranked by the deals that they have left out.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final, NamedTuple

import msgspec

from cardgames.advice import POINTS
from cardgames.records.line import InvalidRecord
from cardgames.shared_deal import PlayedLine, play_optimally
from cardgames.table import Table
from cardgames.text import Text
from web.deals import models
from web.deals.days import DEALS, daily_deals_of, daily_ids
from web.deals.models import Deal
from web.http.sessions import PlayerSession
from web.tables.rounds import decisions_in, parsed

MIN_PLAYERS: Final = 3
"""Minimum number of players of whom a rank or a share is shown: with fewer it names somebody."""

COST_UNITS: Final = 10**9
"""Parts of a round in which a cost is counted: equal plays cost the same."""

STREAK_ROW: Final = "daily"
"""The key of a session's row of its days in a row."""

_ORDINALS: Final = {1: Text("{number}st"), 2: Text("{number}nd"), 3: Text("{number}rd")}
_ORDINAL: Final = Text("{number}th")
_TEENS: Final = range(11, 14)


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


class Rank(NamedTuple):
    """Where a player stands among all who have a score."""

    place: int
    players: int

    @property
    def text(self) -> Text:
        """The place as an ordinal number."""
        last = 0 if self.place % 100 in _TEENS else self.place % 10
        return _ORDINALS.get(last, _ORDINAL).fill(number=self.place)


@dataclass(frozen=True, slots=True)
class PastDeal:
    """A deal of a day that is over: its best play, and how many have found it."""

    id: str
    table: Table
    """As it was at the first decision."""

    best: PlayedLine
    """The best play by the odds."""

    players: int
    found: int
    """How many of the players have decided best each time."""

    @property
    def share(self) -> float | None:
        """The share of the players who have found the best play; None of too few of them."""
        return self.found / self.players if self.players >= MIN_PLAYERS else None


def note_day(session: PlayerSession, day: int) -> None:
    """Keep a player's score once all deals of a day are over, and count the day."""
    records = models.own_records(session.sid, daily_ids(day))
    if len(records) == DEALS:  # before that, no move waits for its costs
        models.keep_score(session.sid, day, sum(map(cost_of, records.values())))
        session.keep(STREAK_ROW, streak_of(session).after(day))


def own_costs(session: PlayerSession, day: int) -> dict[str, int]:
    """Return what each deal of a day that a player has finished has cost them, by its id."""
    found = models.own_records(session.sid, daily_ids(day)) if session.is_kept else {}
    return {deal_id: cost_of(record) for deal_id, record in found.items()}


def own_rank(sid: str, day: int) -> Rank | None:
    """Return where a player stands on a day; None before the end, and among too few."""
    cost = models.score_of(sid, day)
    return None if cost is None else rank_among(*models.rank_on(day, cost))


def rank_among(place: int, players: int) -> Rank | None:
    """Return a rank among some players; None among too few."""
    return Rank(place, players) if players >= MIN_PLAYERS else None


def streak_of(session: PlayerSession) -> Streak:
    """Return the days in a row of a session."""
    return session.value(STREAK_ROW, Streak)


def cost_of(record: str) -> int:
    """Return what the decisions of a round have cost, in billionths of a round."""
    try:
        return sum(round(one.cost * COST_UNITS) for one in decisions_in(parsed(record)))
    except InvalidRecord:  # of another version of the site
        return 0


def points_of(cost: int) -> float:
    """Return a cost in points."""
    return POINTS * cost / COST_UNITS


def past_deals(day: int) -> list[PastDeal]:
    """Return the deals of a day that is over, with how all have played them."""
    deals = daily_deals_of(day)
    plays: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for deal_id, record, count in models.plays_of(deals):
        plays[deal_id].append((cost_of(record), count))
    return [_past_deal(deal_id, deal, plays[deal_id]) for deal_id, deal in deals.items()]


def _past_deal(deal_id: str, deal: Deal, plays: list[tuple[int, int]]) -> PastDeal:
    return PastDeal(
        id=deal_id,
        table=deal.shared.dealt(),
        best=play_optimally(deal.shared),
        players=sum(count for _, count in plays),
        found=sum(count for cost, count in plays if not cost),
    )
