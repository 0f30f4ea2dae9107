"""The card that a player of Bingo covers by hand: a way to look at a round.

The rules know nothing of it: who has won follows from the calls, here as for a program. What was
covered decides nothing, it is shown again; and a round that the player's card has just won looks
open until they say so, or go on.
"""

from typing import Final

import flask
import msgspec

from cardgames.games.bingo import Bingo, OwnCard
from cardgames.moves import Move
from cardgames.table import Phase, Table
from web.http.sessions import PlayerSession
from web.preferences import chosen
from web.tables.page import Hand, TablePage

ROW: Final = "by hand"
"""The key of the card's row in a session."""


class CoveredCard(msgspec.Struct, frozen=True, array_like=True):
    """What is kept of a card that is covered by hand."""

    cards: str = ""
    """The cards on it: those of another round are another card."""

    positions: tuple[int, ...] = ()
    """What the player has covered."""

    refused: bool = False
    """Whether they have said since the last move that they have won, and have not."""

    unsaid: bool = False
    """Whether it has won, and the player has not said so."""

    missed: bool = False
    """Whether they went on instead."""


def own_card(table: Table) -> OwnCard | None:
    """Return the card on a table that its player may cover; None where there is none."""
    game = table.game
    return game.own_card(table.state) if isinstance(game, Bingo) and table.state else None


def covered_card(session: PlayerSession, own: OwnCard) -> CoveredCard:
    """Return what the player has covered of their card."""
    cards = "".join(str(card) for card in own.cards if card)
    kept = session.value(ROW, CoveredCard)
    return kept if kept.cards == cards else CoveredCard(cards)


def positions_in(text: str, own: OwnCard) -> tuple[int, ...]:
    """Return the positions of a card that a form names, ascending; anything else is left out."""
    named = set(text.split(","))
    return tuple(at for at, card in enumerate(own.cards) if card and str(at) in named)


def after_claim(card: CoveredCard, table: Table) -> CoveredCard:
    """Return a card whose player has said that they have won."""
    return msgspec.structs.replace(card, unsaid=False, refused=table.result is None)


def after_move(card: CoveredCard, table: Table) -> CoveredCard:
    """Return a card after a move of its player, by which it may have won."""
    won = table.result is not None and table.result.winner == _player(table)
    return msgspec.structs.replace(card, unsaid=won, refused=False)


def with_hand(session: PlayerSession, table: Table, page: TablePage) -> TablePage:
    """Return the page of a table with the card that its player covers, if they do."""
    own = own_card(table)
    if own is None or chosen(flask.request).cover != "hand":
        return page
    card = covered_card(session, own)
    free = (at for at, card in enumerate(own.cards) if card is None)
    refused = card.refused and not table.result
    lacks = own.lacks if refused else ()
    uncalled = tuple(
        each
        for at, each in enumerate(own.cards)
        if refused and each and at in card.positions and at not in own.called
    )
    page = _unsaid(table, page) if card.unsaid else page
    shown = page.table
    if shown.phase is Phase.PLAYING:
        # What has happened, and not which positions that covers.
        shown = msgspec.structs.replace(shown, story=shown.story[:1])
    hand = Hand((*card.positions, *free), lacks, uncalled, card.missed)
    return msgspec.structs.replace(page, table=shown, hand=hand)


def _unsaid(table: Table, page: TablePage) -> TablePage:
    """Return the page of a round that is over as if it were open."""
    tally = dict(page.table.tally)
    tally[_player(table)] -= 1
    shown = msgspec.structs.replace(page.table, phase=Phase.PLAYING, result=None, tally=tally)
    moves: dict[str, Move] = {move.name: move for move in table.game.round_moves}
    others = {name: move for name, move in page.moves.items() if name != table.game.deals.name}
    return msgspec.structs.replace(
        page, table=shown, moves=moves | others, round_winners=page.round_winners[:-1]
    )


def _player(table: Table) -> str:
    """Return what the game calls its player: the first of its winners."""
    return next(iter(table.game.info.winners))
