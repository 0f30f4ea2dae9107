"""A player's own table at a deal link.

A result is written beside the player's session, with the move that finishes the round, so that who
has finished never begins again, though a session holds ``MAX_TABLES`` of these tables only and lets
the oldest finished ones go. A *counted* deal is besides a round in the history of the player's own
table, numbered like any other; the tally there is not changed by it. Both depend on nobody else.

A copy of the result is then added to the deal, for everyone's results: it may lie on another
server (:mod:`web.deals.storage`). Whatever happens in between, the copy is added when somebody
looks at the deal, and however often it is added it is there once.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import flask
import msgspec

from cardgames.advice import Decision
from cardgames.records.record import Record
from cardgames.table import Table
from cardgames.text import Text
from web.deals.deal import (
    PLAYED,
    Deal,
    NoDeal,
    PlayedDeal,
    PlayerResult,
    add_result,
    find_deal,
    own_result,
    results_of,
)
from web.deals.storage import due
from web.deals.summary import Summary, replayed_round, summarize
from web.http.i18n import LANGUAGES, negotiated
from web.http.sharing import Preview, host, preview
from web.rounds.finished import number_of_deal
from web.storage.rounds import NewRound
from web.storage.sessions import Session, store
from web.tables.location import TableLocation, TableSlot
from web.tables.page import TablePage
from web.tables.rows import counts_of
from web.tables.stored_round import StoredRound, action_words

MAX_TABLES: Final = 10
"""Maximum number of deals at which a session has a table: the oldest finished ones go."""

DEAL_ROW: Final = "deal-table:"
"""How the key of a table's row in a session begins; the deal's id follows."""


@dataclass(frozen=True, slots=True)
class DealInfo:
    """What the page of a table shows of its deal."""

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
    def deck_titles(self) -> Mapping[str, str]:
        """What the form calls each of the decks."""
        decks = self.deal.shared.game.deals.decks
        return {name: deck.title for name, deck in decks.items()}

    @property
    def has_deck(self) -> bool:
        """Whether the maker has sent a deck."""
        return any(name in self.deck_titles for name, _ in self.deal.choices)


class DealLocation(TableLocation, frozen=True):
    """A player's own table at a deal."""

    id: str
    deal: Deal

    has_coach: ClassVar[bool] = False
    """Everyone decides alone; the odds are shown when the round is over."""

    def new_salt(self) -> str:
        """Return the salt that all players of the deal have."""
        return self.deal.salt.hex()

    def empty_table(self) -> Table:
        """Return the table before the deal."""
        return self.deal.shared.table

    def vacant(self, session: Session) -> TableSlot:
        """Return the table where the session has none: as the player's result has it, or empty."""
        result = self._own_result(session)
        if result is None:
            return TableSlot(0, self.empty_table(), unreadable=session.unreadable)
        _, replayed = replayed_round(self.deal, result.moves)
        table = replace(replayed.last, fixed_deal=self.deal.shared.fixed_deal, finished=1)
        return TableSlot(result.step, table)

    def save(
        self,
        session: Session,
        slot: TableSlot,
        finished: tuple[Record, ...],
        decisions: tuple[Decision, ...] | None = None,  # noqa: ARG002 - there is no coach
    ) -> None:
        """Put the table into the session, the result beside it, and a counted round as well."""
        TableLocation.save(self, session, slot, ())
        for key in _evictable(session, self.key):
            del session[key]
        if not finished or self._own_result(session):  # again only where the table was unreadable
            return
        (record,) = finished
        result = PlayerResult(
            winner=record.result if self.game.info.winners else "",
            moves=moves_after_deal(record),
            step=slot.step,
        )
        own = msgspec.msgpack.encode(PlayedDeal(self.id, result))
        session.side_writes.append(NewRound(PLAYED, own))
        if self.deal.counted:
            stored = msgspec.structs.replace(StoredRound.of(record, self.game), deal=self.id)
            session.side_writes.append(NewRound(self.game.info.slug, stored.packed()))
        player = self._player(session)
        sid = session.sid.encode()
        session.before_save.append(lambda: due(store(), self.id).note(player, lambda _: sid))
        session.after_save.append(lambda: add_result(self.id, player, result))

    def page(self, session: Session, table: Table, page: TablePage) -> TablePage:
        """Return the page of the table with what is shown of the deal."""
        return msgspec.structs.replace(page, deal=self.info(session, table))

    def info(self, session: Session, table: Table) -> DealInfo:
        """Return what is shown of the deal."""
        results = results_of(self.id)
        return DealInfo(
            id=self.id,
            deal=self.deal,
            address=whole_address(self.id),
            preview=deal_preview(self.id, self.deal),
            finished=len(results),
            seals=tuple(seal.digest for seal in table.seals.closed),
            summary=self._summary(session, table, results) if table.result else None,
        )

    def _summary(
        self, session: Session, table: Table, results: Mapping[str, PlayerResult]
    ) -> Summary:
        """Return what a player sees of the deal who has finished it."""
        others = dict(results)
        yours = others.pop(self._player(session), None)
        own = yours or PlayerResult(table.record.result, moves_after_deal(table.record), 0)
        number = number_of_deal(self.game, self.id) if self.deal.counted else 0
        everyone = [*others.values()]
        return summarize(self.deal, everyone, own, number=number, kept=yours is not None)

    def _own_result(self, session: Session) -> PlayerResult | None:
        """Return what the player has made of the deal, once they have finished it."""
        return own_result(session.sid, self.id) if session.version else None

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
