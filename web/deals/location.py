"""A player's own table at a deal link.

A result is written in the same moment as the move that finishes the round, one a player. It is
asked when a session has no table for a deal, so that who has finished never begins again, though a
session holds ``MAX_TABLES`` of them only and lets the oldest finished ones go. A *counted* deal is
besides a round in the history of the player's own table, numbered like any other; the tally there
is not changed by it. From the thousandth result on (``MAX_RESULTS``) none is kept,
and then none is counted either: so none is ever counted twice.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Final

import flask
import msgspec

from cardgames.records.record import Record
from cardgames.table import Table
from cardgames.text import Text
from web.deals.deal import Deal, NoDeal, PlayerResult, find_deal, results_of
from web.deals.summary import Summary, replayed_round, summarize
from web.http.i18n import LANGUAGES, negotiated
from web.http.preview import Preview, host, preview
from web.storage.protocol import MAX_RESULTS, Result, Round
from web.storage.sessions import Session
from web.tables.location import TableLocation, TableSlot, location_for
from web.tables.page import TablePage
from web.tables.rows import counts_of
from web.tables.stored_round import StoredRound, action_words

MAX_TABLES: Final = 10
"""At so many deals a session can hold a table: the oldest finished ones make room for others."""

DEAL_ROW: Final = "deal-table:"
"""How the key of a table's row in a session begins; the deal's id follows."""


@dataclass(frozen=True, slots=True)
class DealInfo:
    """What the page of a table tells of its deal."""

    id: str
    deal: Deal
    address: str
    """The whole address, to be sent on."""

    preview: Preview
    """What is shown of the address where it is sent."""

    finished: int
    """How many players have finished."""

    seals: tuple[str, ...]
    summary: Summary | None
    """All there is to tell, once this player has finished."""

    @property
    def settled(self) -> Mapping[str, str]:
        """What was settled for the deal but for decks, as the form calls it."""
        questions = self.deal.shared.game.deals.questions
        return {
            questions[name].title: (questions[name].options or {}).get(value, value)
            for name, value in self.deal.choices
            if name in questions
        }

    @property
    def deck_titles(self) -> Mapping[str, str]:
        """What the form calls each of the decks."""
        decks = self.deal.shared.game.deals.decks
        return {name: deck.title for name, deck in decks.items()}

    @property
    def has_deck(self) -> bool:
        """Whether the maker has sent a deck."""
        return any(name in self.deck_titles for name, _ in self.deal.choices)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealPage(TablePage):
    """The page of a table at a deal."""

    deal: DealInfo

    @property
    def chart(self) -> None:
        """No course: one round has none."""
        return None

    @property
    def owns_deck(self) -> bool:
        """Not said: the note on the deal tells where its cards come from."""
        return False


@dataclass(frozen=True, slots=True)
class DealLocation(TableLocation):
    """A player's own table at a deal."""

    id: str
    deal: Deal

    has_coach: ClassVar[bool] = False
    """Everyone decides alone; the odds are told when the round is over."""

    def new_salt(self) -> str:
        """Return the salt that all players of the deal have."""
        return self.deal.salt.hex()

    def empty_table(self) -> Table:
        """Return the table before the deal."""
        return self.deal.shared.table

    def vacant(self, session: Session) -> TableSlot:
        """Return the table where the session has none: as the player's result has it, or empty."""
        known = results_of(self.id) if session.version else {}
        result = known.get(self._player(session))
        if result is None:
            return TableSlot(0, self.empty_table(), unreadable=session.unreadable)
        _, replayed = replayed_round(self.deal, result.moves)
        table = replace(replayed.last, settled=self.deal.shared.settled, finished=1)
        return TableSlot(result.step, table)

    def save(self, session: Session, slot: TableSlot, finished: tuple[Record, ...]) -> None:
        """Put the table into the session, the result beside it, and a counted round as well."""
        TableLocation.save(self, session, slot, ())
        for key in _evictable(session, self.key):
            del session[key]
        if not finished:
            return
        (record,), player = finished, self._player(session)
        known = results_of(self.id) if self.deal.counted else {}
        # Who has a result already has lost the table, and plays again: the first one counts.
        counts = self.deal.counted and player not in known and len(known) < MAX_RESULTS
        result = PlayerResult(
            winner=record.result if self.game.info.winners else "",
            moves=moves_after_deal(record),
            step=slot.step,
            number=self._counted(session, record) if counts else 0,
        )
        data = msgspec.msgpack.encode(result)
        session.side_writes.append(Result(self.id, player, data))

    def page(self, session: Session, table: Table, page: TablePage) -> DealPage:
        """Return the page of the table with what there is to tell of the deal."""
        told = {field.name: getattr(page, field.name) for field in fields(page)}
        return DealPage(**told, deal=self.info(session, table))

    def info(self, session: Session, table: Table) -> DealInfo:
        """Return what there is to tell of the deal."""
        results = results_of(self.id)
        yours = results.get(self._player(session))
        moves = moves_after_deal(table.record)
        over = table.result is not None
        return DealInfo(
            id=self.id,
            deal=self.deal,
            address=whole_address(self.id),
            preview=deal_preview(self.id, self.deal),
            finished=len(results),
            seals=tuple(seal.digest for seal in table.seals.closed),
            summary=summarize(self.deal, list(results.values()), yours, moves) if over else None,
        )

    def _counted(self, session: Session, record: Record) -> int:
        """Put the round into the history of the player's own table, and return its number."""
        own = location_for(self.game.info.slug)
        slot = own.load(session)
        table = replace(slot.table, finished=slot.table.finished + 1)
        own.save(session, TableSlot(slot.step, table), ())
        stored = msgspec.structs.replace(StoredRound.of(record, self.game), deal=self.id)
        session.side_writes.append(Round(self.game.info.slug, table.finished, stored.packed()))
        return table.finished

    def _player(self, session: Session) -> str:
        """Return what stands for the player at this deal; at another it is something else."""
        return hashlib.sha256(f"{session.sid} {self.id}".encode()).hexdigest()[:32]


def deal_location(deal_id: str) -> DealLocation:
    """Return the player's table at a deal.

    Raises:
        NoDeal: there is none of this id, or none any more.
    """
    deal = find_deal(deal_id)
    if deal is None:
        raise NoDeal
    game = deal.shared.game
    return DealLocation(game, f"{DEAL_ROW}{deal_id}", f"/deal/{deal_id}", deal_id, deal)


def deal_address(deal_id: str) -> str:
    """Return the address of a deal."""
    return f"{flask.request.script_root}/deal/{deal_id}"


def whole_address(deal_id: str) -> str:
    """Return the address of a deal as it is sent on, the host with it."""
    return host() + deal_address(deal_id)


def deal_preview(deal_id: str, deal: Deal) -> Preview:
    """Return what is shown of a deal's address, in the language of who made it: never a card."""
    return preview(
        whole_address(deal_id),
        deal.game,
        Text("{game}: your cards are dealt", game=deal.shared.game.info.title),
        Text(
            "Play one round with the same cards as everyone who has this link, and see then who "
            "decided what. No account, nothing to install."
        ),
        deal.language if deal.language in LANGUAGES else negotiated(),
    )


def moves_after_deal(record: Record) -> str:
    """Return what was done after the deal, as words of a record."""
    return action_words(replace(record, actions=record.actions[1:]))


def has_room(session: Session, key: str) -> bool:
    """Say whether a session can have a table at one deal more."""
    stay = len(_others(session, key)) - len(_evictable(session, key))
    return stay < MAX_TABLES


def _others(session: Session, key: str) -> list[str]:
    """Return the rows of the other deals at which a session has a table, the oldest first."""
    return [other for other in session if other.startswith(DEAL_ROW) and other != key]


def _evictable(session: Session, key: str) -> list[str]:
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
        idle += [other for other in unfinished if not find_deal(other.partition(":")[2])]
    return idle[:too_many]
