"""A player's table at a deal link, with functions to load, save and describe the table.

A finished round is saved like any other round, together with the ID of its deal. It is the player's
result at the deal. A player can therefore play a deal only once, although a session stores at most
``MAX_TABLES`` of these tables and deletes the oldest finished table. The tally of the
player's own table does not change.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, NamedTuple

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames.records.record import Record
from cardgames.records.replay import replay
from cardgames.table import Table
from cardgames.text import Text
from web.deals.days import daily_ids, find_deal, is_over, names_day
from web.deals.models import Deal, OwnResult, load_results, own_result, player_key
from web.deals.rules import Summary, summarize
from web.deals.scores import note_day
from web.history.queries import Ghost, load_ghost
from web.http.sessions import USUAL, PlayerSession
from web.reach import public_url
from web.tables.models import read_counts
from web.tables.queries import save_round
from web.tables.seat import Seat, read_row, write_row

MAX_TABLES: Final = 10
"""Maximum number of deals for which a session has a table. Old finished tables are deleted."""

is_player: Final = re.compile(r"[0-9a-f]{32}").fullmatch
"""Matches strings that can be the key of a player at a deal."""

ENDINGS: Final = {1: Text("Won"), 0: Text("Tie"), -1: Text("Lost")}
"""The name of a result, keyed by the player's points."""

OFFER: Final = Text("Make a deal link: the same cards for everyone")

DEAL_ROW: Final = "deal-table:"
"""The beginning of the session key of a deal's table, before the deal's ID."""

MADE_ROW: Final = "made-deals"
"""The session key of the deals that the player has created."""


class NoDeal(NotFound):
    """Raised if there is no deal at the URL, or the deal has expired."""

    sentence: ClassVar[Text] = Text(
        "This deal link does not exist. It may have expired after two weeks, or part of the link "
        "is missing."
    )


class DailyDealOver(NoDeal):
    """Raised if the day of a daily deal has ended or has not begun."""

    sentence = Text("That is not today's deal. Deals change at midnight GMT.")


class CreatedDeals(msgspec.Struct, frozen=True):
    """The deals that a player has created, as stored in the session."""

    day: int = 0
    today: int = 0
    """The number of deals that the player created on this day."""

    latest: tuple[str, ...] = ()
    """The IDs of the newest deals, in the order of creation."""


@dataclass(frozen=True, slots=True)
class DealInfo:
    """The values of a table's page that describe the table's deal."""

    id: str
    deal: Deal
    address: str
    """The complete URL, including the host, for sharing."""

    finished: int
    """The number of players who have finished the deal."""

    ghost: Ghost | None
    """Another player's moves, at most as many as this player has made."""

    is_mine: bool
    """Whether the player created the deal."""

    is_over: bool
    """Whether the deal can no longer be started."""

    summary: Summary | None
    """The results of all players, available once the player has finished."""

    @property
    def fixed_fields(self) -> Mapping[str, str]:
        """The deal's fixed choices, except decks, keyed by their names in the form."""
        questions = self.deal.shared.game.deals.questions
        return {
            questions[name].title: (questions[name].options or {}).get(value, value)
            for name, value in self.deal.choices
            if name in questions
        }

    @property
    def place(self) -> tuple[int, int]:
        """The number of a daily deal within its day, and the number of deals per day."""
        ids = daily_ids(self.deal.day)
        return ids.index(self.id) + 1, len(ids)

    @property
    def next_id(self) -> str:
        """The ID of today's next deal, or an empty string if this is the last deal."""
        ids = (*daily_ids(self.deal.day), "")
        return ids[ids.index(self.id) + 1] if self.id in ids and not self.is_over else ""

    @property
    def has_deck(self) -> bool:
        """Whether the deal's creator supplied a deck."""
        decks = self.deal.shared.game.deals.decks
        return any(name in decks for name, _ in self.deal.choices)


class DealPlace(NamedTuple):
    """The deal link to which a table belongs."""

    id: str
    deal: Deal
    ghost: Record | None = None
    """Another player's round, which is shown next to the player's own round."""

    ghost_player: str = ""
    """The other player's key at the deal, or an empty string."""


def load_deal(session: PlayerSession, deal_id: str, ghost: str = "") -> Seat:
    """Return the player's table at a deal.

    Args:
        session: The player's session.
        deal_id: The deal's ID.
        ghost: The key of another player, whose moves are shown next to the player's own moves.

    Raises:
        NoDeal: If there is no deal with this ID, or the deal has expired.
    """
    deal = find_deal(deal_id)
    if deal is None:
        raise DailyDealOver if names_day(deal_id) else NoDeal
    place = _with_ghost(session, DealPlace(deal_id, deal), ghost)
    url = flask.url_for("deals.show", deal_id=deal_id, ghost=place.ghost_player or None)
    empty = Seat(
        url=url,
        table=deal.shared.table,
        salt=deal.salt.hex(),
        kind="deal",
        place=place,
        layout="deals/table.html",
    )
    return read_row(session, f"{DEAL_ROW}{deal_id}", empty) or _finished_seat(session, empty)


def _finished_seat(session: PlayerSession, empty: Seat) -> Seat:
    """Return an empty seat at a deal, or a seat with a finished player's result."""
    result = find_own_result(session, empty.place.id)
    if result is None:
        return msgspec.structs.replace(empty, unreadable=session.unreadable)
    table = replace(replay(result.record).last, fixed_deal=empty.table.fixed_deal, finished=1)
    return msgspec.structs.replace(empty, table=table, step=result.step)


def save_deal(session: PlayerSession, seat: Seat, finished: tuple[Record, ...]) -> None:
    """Save the table in the session, and save a finished round as the player's result.

    Args:
        session: The player's session.
        seat: The table after the move.
        finished: A tuple with the record of the round, if the move ended the round.
    """
    place: DealPlace = seat.place
    key = f"{DEAL_ROW}{place.id}"
    write_row(session, key, seat)
    for other in _evictable(session, key):
        del session[other]
    # A result can already exist, but only if the table could not be loaded.
    if not finished or find_own_result(session, place.id):
        return
    (record,) = finished
    save_round(session.sid, record, deal=place.id, step=seat.step)
    # The session must last as long as the deal, because all players see the result.
    session.live(USUAL)
    if place.deal.day:
        note_day(session, place.deal.day)


def panel(session: PlayerSession, seat: Seat) -> Mapping[str, Any]:
    """Return a table's deal, for the table's page."""
    return {"deal": describe_deal(session, seat)}


def offer_panel(_session: PlayerSession, seat: Seat) -> Mapping[str, Any]:
    """Return the link to the form that creates a deal link for the player's own table."""
    return {"links": (OFFER, "deals.form", "table", seat.table.game.info.slug)}


def describe_deal(session: PlayerSession, seat: Seat) -> DealInfo:
    """Return the values of a table's page that describe the table's deal."""
    place: DealPlace = seat.place
    results = load_results(place.id)
    return DealInfo(
        id=place.id,
        deal=place.deal,
        address=public_url(flask.url_for("deals.show", deal_id=place.id)),
        finished=len(results),
        ghost=_shown_ghost(place, seat.table),
        is_mine=place.id in created_deals(session).latest,
        is_over=is_over(place.deal),
        summary=_summary(session, seat, results) if seat.table.result else None,
    )


def _shown_ghost(place: DealPlace, table: Table) -> Ghost | None:
    """Return the ghost's moves, at most as many as the player has made."""
    advisor = table.game.advisor
    if not place.ghost or not advisor:
        return None
    ended = None
    if table.result:
        winners = table.result.winner, place.ghost.result
        own_ending, other_ending = (ENDINGS[advisor.points[winner]] for winner in winners)
        ended = own_ending, other_ending
    return load_ghost(table.record, place.ghost, ended)


def _summary(session: PlayerSession, seat: Seat, results: Mapping[str, Record]) -> Summary:
    """Return the summary of a deal for a player who has finished the deal."""
    place: DealPlace = seat.place
    others = dict(results)
    yours = others.pop(player_key(session.sid, place.id), None)
    stored, own_record = find_own_result(session, place.id), yours or seat.table.record
    number = stored.number if stored else 0
    return summarize(
        place.deal, [*others.values()], own_record, number=number, kept=own_record is yours
    )


def find_own_result(session: PlayerSession, deal_id: str) -> OwnResult | None:
    """Return the player's round of a deal, or None if the player has not finished."""
    return own_result(session.sid, deal_id) if session.is_kept else None


def _with_ghost(session: PlayerSession, place: DealPlace, player: str) -> DealPlace:
    """Return a deal link, with another player's round if this round can be shown."""
    result = load_results(place.id).get(player) if is_player(player) else None
    has_advisor = place.deal.shared.game.advisor is not None
    if not result or not has_advisor or player == player_key(session.sid, place.id):
        return place
    return place._replace(ghost=result, ghost_player=player)


def created_deals(session: PlayerSession) -> CreatedDeals:
    """Return the deals that a session's player created."""
    return session.value(MADE_ROW, CreatedDeals)


def has_room(session: PlayerSession, key: str) -> bool:
    """Return whether a session can have a table at another deal."""
    stay = len(_others(session, key)) - len(_evictable(session, key))
    return stay < MAX_TABLES


def _others(session: PlayerSession, key: str) -> list[str]:
    """Return the rows of a session's tables at other deals, the oldest first."""
    return [other for other in session if other.startswith(DEAL_ROW) and other != key]


def _evictable(session: PlayerSession, key: str) -> list[str]:
    """Return the rows to delete to make room for a table at another deal.

    Finished tables are first, followed by tables of expired deals. The result is stored with the
    deal, so no result is lost.
    """
    others = _others(session, key)
    too_many = len(others) + 1 - MAX_TABLES
    if too_many <= 0:
        return []
    idle = [other for other in others if read_counts(session[other])[1]]
    if len(idle) < too_many:
        unfinished = (other for other in others if other not in idle)
        idle += [other for other in unfinished if _is_gone(other.partition(":")[2])]
    return idle[:too_many]


def _is_gone(deal_id: str) -> bool:
    deal = find_deal(deal_id)
    return deal is None or is_over(deal)
