"""A player's own table at a deal link.

When the round is over it is kept like any other round, with the deal that it was played from: that
is the result, so a player who has finished never begins again, though a session holds
``MAX_TABLES`` of these tables only and drops the oldest finished ones. The tally of the player's
own table is not changed by it. Everyone's results are the rounds of the deal.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames.records.record import Record
from cardgames.records.replay import replay
from cardgames.table import Table
from cardgames.text import Text
from web.deals.days import daily_ids, find_deal, is_over, names_day
from web.deals.models import Deal, OwnResult, own_result, player_of, results_of
from web.deals.scores import note_day
from web.deals.summary import Summary, summarize
from web.history.finished import Ghost, ghost_of
from web.http.sessions import USUAL, PlayerSession, current_session
from web.reach import public_url
from web.tables.location import TableLocation
from web.tables.page import TablePage
from web.tables.rounds import keep_round
from web.tables.rows import TableSlot, counts_of

MAX_TABLES: Final = 10
"""Maximum number of deals at which a session has a table: the oldest finished ones go."""

is_player: Final = re.compile(r"[0-9a-f]{32}").fullmatch
"""Whether a text may stand for a player at a deal."""

ENDINGS: Final = {1: Text("Won"), 0: Text("Tied"), -1: Text("Lost")}
"""How a round ended, by the points that it is worth."""

DEAL_ROW: Final = "deal-table:"
"""How the key of a table's row in a session begins; the deal's id follows."""

MADE_ROW: Final = "made-deals"
"""The key of a session's row of the deals that its player has made."""


class NoDeal(NotFound):
    """There is no deal at an address, or not any more."""

    sentence: ClassVar[Text] = Text(
        "There is no such deal link. It may be over: a link is kept for two weeks. Or a character "
        "of the address is missing."
    )


class DayOver(NoDeal):
    """A daily deal is over, or still to come."""

    sentence = Text("That is not today's deal: each ends with its day, at midnight GMT.")


class CreatedDeals(msgspec.Struct, frozen=True, array_like=True):
    """What a player has made, as the session keeps it."""

    day: int = 0
    today: int = 0
    """How many deals were made on that day."""

    latest: tuple[str, ...] = ()
    """The ids of the last ones, oldest first."""


@dataclass(frozen=True, slots=True)
class DealInfo:
    """What the page of a table shows of its deal."""

    id: str
    deal: Deal
    address: str
    """The whole URL, with the host, for sharing."""

    finished: int
    """How many players have finished."""

    ghost: Ghost | None
    """Another player's line, that goes along with this one's."""

    is_mine: bool
    """Whether this player has made it."""

    is_over: bool
    """Whether nobody can begin it any more."""

    summary: Summary | None
    """Everybody's results, once this player has finished."""

    @property
    def fixed_fields(self) -> Mapping[str, str]:
        """The fixed choices of the deal other than decks, by the names in the form."""
        questions = self.deal.shared.game.deals.questions
        return {
            questions[name].title: (questions[name].options or {}).get(value, value)
            for name, value in self.deal.choices
            if name in questions
        }

    @property
    def place(self) -> tuple[int, int]:
        """The number of a daily deal among those of its day, and how many there are."""
        ids = daily_ids(self.deal.day)
        return ids.index(self.id) + 1, len(ids)

    @property
    def next_id(self) -> str:
        """The next deal of the same day, which is today; empty where there is none."""
        ids = (*daily_ids(self.deal.day), "")
        return ids[ids.index(self.id) + 1] if self.id in ids and not self.is_over else ""

    @property
    def has_deck(self) -> bool:
        """Whether the maker has sent a deck."""
        decks = self.deal.shared.game.deals.decks
        return any(name in decks for name, _ in self.deal.choices)


class DealLocation(TableLocation, frozen=True):
    """A player's own table at a deal."""

    id: str
    deal: Deal
    ghost: Record | None = None
    """Another player's round, whose line goes along."""

    ghost_player: str = ""
    """What stands for that player; empty for nobody."""

    has_coach: ClassVar[bool] = False
    """Everyone decides alone; the odds are shown when the round is over."""

    @property
    def address(self) -> str:
        """The address of its page, with the other player's line along where it has one."""
        return flask.url_for("deals.show", deal_id=self.id, ghost=self.ghost_player or None)

    def new_salt(self) -> str:
        """Return the salt that all players of the deal have."""
        return self.deal.salt.hex()

    def empty_table(self) -> Table:
        """Return the table before the deal."""
        return self.deal.shared.table

    def vacant(self, session: PlayerSession) -> TableSlot:
        """Return the table where the session has none: as the player's result has it, or empty."""
        result = self._own_result(session)
        if result is None:
            return TableSlot(0, self.empty_table(), unreadable=session.unreadable)
        table, fixed_deal = replay(result.record).last, self.deal.shared.fixed_deal
        return TableSlot(result.step, replace(table, fixed_deal=fixed_deal, finished=1))

    def save(self, session: PlayerSession, slot: TableSlot, finished: tuple[Record, ...]) -> None:
        """Put the table into the session, the result beside it, and the round as well."""
        TableLocation.save(self, session, slot, ())
        for key in _evictable(session, self.key):
            del session[key]
        if not finished or self._own_result(session):  # again only where the table was unreadable
            return
        (record,) = finished
        keep_round(session.sid, record, deal=self.id, step=slot.step)
        session.live(USUAL)  # as long as the deal: everybody sees the result
        if self.deal.day:
            note_day(session, self.deal.day)

    def page(self, session: PlayerSession, table: Table, page: TablePage) -> TablePage:
        """Return the page of the table with what is shown of the deal."""
        return msgspec.structs.replace(page, deal=self.info(session, table))

    def info(self, session: PlayerSession, table: Table) -> DealInfo:
        """Return what is shown of the deal."""
        results = results_of(self.id)
        return DealInfo(
            id=self.id,
            deal=self.deal,
            address=public_url(flask.url_for("deals.show", deal_id=self.id)),
            finished=len(results),
            ghost=self._ghost(table),
            is_mine=self.id in created_deals(session).latest,
            is_over=is_over(self.deal),
            summary=self._summary(session, table, results) if table.result else None,
        )

    def _ghost(self, table: Table) -> Ghost | None:
        """Return the other player's line as far as this one's has come."""
        advisor = self.game.advisor
        if not self.ghost or not advisor:
            return None
        ended = None
        if table.result:
            winners = table.result.winner, self.ghost.result
            mine, other = (ENDINGS[advisor.points[winner]] for winner in winners)
            ended = mine, other
        return ghost_of(table.record, self.ghost, ended)

    def _summary(
        self, session: PlayerSession, table: Table, results: Mapping[str, Record]
    ) -> Summary:
        """Return what a player who has finished the deal sees of it."""
        others = dict(results)
        yours = others.pop(self._player(session), None)
        found, own = self._own_result(session), yours or table.record
        number = found.number if found else 0
        return summarize(self.deal, [*others.values()], own, number=number, kept=own is yours)

    def has_finished(self, session: PlayerSession) -> bool:
        """Say whether the player has finished the deal."""
        return self._own_result(session) is not None

    def _own_result(self, session: PlayerSession) -> OwnResult | None:
        """Return the player's round, once they have finished it."""
        return own_result(session.sid, self.id) if session.is_kept else None

    def with_ghost(self, player: str) -> "DealLocation":
        """Return this table with another player's line along; without one where there is none."""
        result = results_of(self.id).get(player) if is_player(player) else None
        if not result or not self.game.advisor or player == self._player(current_session()):
            return self
        return msgspec.structs.replace(self, ghost=result, ghost_player=player)

    def _player(self, session: PlayerSession) -> str:
        """Return what stands for the player at this deal."""
        return player_of(session.sid, self.id)


def deal_location(deal_id: str) -> DealLocation:
    """Return the player's table at a deal.

    Raises:
        NoDeal: there is no deal with this id, or not any more.
    """
    deal = find_deal(deal_id)
    if deal is None:
        raise DayOver if names_day(deal_id) else NoDeal
    game = deal.shared.game
    return DealLocation(game, f"{DEAL_ROW}{deal_id}", deal_id, deal)


def created_deals(session: PlayerSession) -> CreatedDeals:
    """Return what a session's player has made."""
    return session.value(MADE_ROW, CreatedDeals)


def has_room(session: PlayerSession, key: str) -> bool:
    """Say whether a session can have a table at one deal more."""
    stay = len(_others(session, key)) - len(_evictable(session, key))
    return stay < MAX_TABLES


def _others(session: PlayerSession, key: str) -> list[str]:
    """Return the rows of the other deals at which a session has a table, the oldest first."""
    return [other for other in session if other.startswith(DEAL_ROW) and other != key]


def _evictable(session: PlayerSession, key: str) -> list[str]:
    """Return the rows that must go for a deal to have one: finished first, then of deals gone.

    A result is kept with its deal, so nothing is lost.
    """
    others = _others(session, key)
    too_many = len(others) + 1 - MAX_TABLES
    if too_many <= 0:
        return []
    idle = [other for other in others if counts_of(session[other])[1]]
    if len(idle) < too_many:
        unfinished = (other for other in others if other not in idle)
        idle += [other for other in unfinished if _is_gone(other.partition(":")[2])]
    return idle[:too_many]


def _is_gone(deal_id: str) -> bool:
    deal = find_deal(deal_id)
    return deal is None or is_over(deal)
