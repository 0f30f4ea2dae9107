"""A Bingo card that the player covers by hand. Covering by hand changes only the view of a round.

The rules ignore the covered positions, because the calls decide the winner. The positions are
stored only for display. If the player's card has just won a round, the round is shown as open until
the player clicks BINGO! or continues.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import flask
import msgspec

from cardgames.cards import Card
from cardgames.games.bingo import Bingo, OwnCard
from cardgames.table import Table
from web.http.responses import see_other
from web.http.sessions import PlayerSession, current_session
from web.preferences import chosen
from web.tables.page import Refusal
from web.tables.seat import Seat, load_table, save_table
from web.tables.views import STALE, parse_move_form, play_move, render_seat

GAME: Final = "bingo"
"""The slug of the game whose cards the player may cover."""

ROW: Final = "by hand"
"""The key of the card in a session."""

blueprint = flask.Blueprint("by_hand", __name__)


class CoveredCard(msgspec.Struct, frozen=True, omit_defaults=True):
    """A card that is covered by hand, as it is stored in a session."""

    cards: str = ""
    """The codes of the playing cards on the Bingo card, which distinguish it from the Bingo card of
    another round.
    """

    positions: tuple[int, ...] = ()
    """The positions that the player has covered."""

    refused: bool = False
    """Whether the player has claimed BINGO! without success since the last move."""

    unsaid: bool = False
    """Whether the card has won and the player has not claimed BINGO! yet."""

    missed: bool = False
    """Whether the card had won and the player continued without claiming BINGO!"""


class ShownCard(msgspec.Struct, frozen=True):
    """A card as its player covers it, for the page."""

    covered: tuple[int, ...]
    """The covered positions, including the free centre."""

    lacks: tuple[int, ...]
    """The missing positions, if the last claim was incorrect."""

    uncalled: tuple[Card, ...]
    """The covered cards that were not called, if the last claim was incorrect."""

    missed: bool
    """Whether the card had won and the player did not click BINGO!"""


@blueprint.post("/<slug>/card")
def play(slug: str) -> flask.Response:
    """Save the card's covered positions, then make the move or check the claim."""
    session = current_session()
    seat = load_table(session, slug)
    name, step, sent = parse_move_form(())
    own, forward = own_card(seat.table), seat.table.game.round_moves[:1]
    known = {"claim", *(move.name for move in forward)}
    if step != str(seat.step) or own is None or name not in known:
        return render_seat(seat, 409, Refusal(STALE))
    covered = positions_in(str(sent.get("covered", "")), own)
    card = msgspec.structs.replace(covered_card(session, own), positions=covered)
    if name == "claim" or card.unsaid:
        card = after_claim(card, seat.table)
        session.keep(ROW, msgspec.structs.replace(card, missed=name != "claim"))
        return see_other(seat.url, partial(render_seat, seat))
    once = {move.repeat.field: next(iter(move.repeat.options)) for move in forward if move.repeat}
    answer = play_move(seat, partial(save_table, session), form=(name, step, once))
    # Only the session shows whether the move was accepted, because the response to a rejected move
    # can look the same.
    after = load_table(session, slug)
    if after.step != seat.step:
        session.keep(ROW, after_move(card, after.table))
    return answer


def own_card(table: Table) -> OwnCard | None:
    """Return the card that the player may cover at a table, or None."""
    game = table.game
    return game.own_card(table.state) if isinstance(game, Bingo) and table.state else None


def covered_card(session: PlayerSession, own: OwnCard) -> CoveredCard:
    """Return the positions that the player has covered."""
    cards = "".join(str(card) for card in own.cards if card)
    stored = session.value(ROW, CoveredCard)
    return stored if stored.cards == cards else CoveredCard(cards)


def positions_in(text: str, own: OwnCard) -> tuple[int, ...]:
    """Return the valid positions that a form contains, in ascending order."""
    named = set(text.split(","))
    return tuple(at for at, card in enumerate(own.cards) if card and str(at) in named)


def after_claim(card: CoveredCard, table: Table) -> CoveredCard:
    """Return the card after its player clicked BINGO!"""
    return msgspec.structs.replace(card, unsaid=False, refused=table.result is None)


def after_move(card: CoveredCard, table: Table) -> CoveredCard:
    """Return the card after a move of the player.

    The card may have won because of the move.
    """
    won = table.result is not None and table.result.winner == _player(table)
    return msgspec.structs.replace(card, unsaid=won, refused=False)


def panel(session: PlayerSession, seat: Seat) -> Mapping[str, Any] | None:
    """Return the card that the player covers by hand, or None if the page covers it."""
    table = seat.table
    own = own_card(table)
    if own is None or chosen(flask.request).cover != "hand":
        return None
    card = covered_card(session, own)
    free = (at for at, each in enumerate(own.cards) if each is None)
    refused = card.refused and not table.result
    lacks = own.lacks if refused else ()
    uncalled = tuple(
        each
        for at, each in enumerate(own.cards)
        if refused and each and at in card.positions and at not in own.called
    )
    hand = ShownCard((*card.positions, *free), lacks, uncalled, card.missed)
    return {"hand": hand, "table": _as_open(table)} if card.unsaid else {"hand": hand}


def _as_open(table: Table) -> Table:
    """Return the table of a round that the player won, as if the round were open."""
    player = _player(table)
    tally = tuple((name, won - (name == player)) for name, won in table.tally)
    return replace(table, result=None, tally=tally, round_winners=table.round_winners[:-1])


def _player(table: Table) -> str:
    """Return the player's name in the game, which is the first of the game's winners."""
    return next(iter(table.game.info.winners))
