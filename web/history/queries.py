"""A player's readable finished rounds, and ghosts.

A ghost is another player's round with the same cards, which is shown next to the player's own
round. While the player's round is open, the ghost shows only as many moves as the player has made
and no result, so it does not reveal unseen cards.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile

from cardgames import GAMES
from cardgames.game import AnyGame
from cardgames.records.record import Record
from cardgames.records.replay import redacted, replay, with_shuffle_orders
from cardgames.records.transcript import MAX_ROUNDS
from cardgames.table import Phase
from cardgames.text import Text
from web.db.models import Round
from web.http.sessions import current_session
from web.tables.models import UNREADABLE
from web.tables.queries import load_round, load_rounds, parsed
from web.tables.seat import Seat, load_table

log = logging.getLogger("cardgames.rounds")


def own_seat(game: AnyGame) -> Seat:
    """Return the player's own table of a game."""
    return load_table(current_session(), game.info.slug)


def latest_rounds(game: AnyGame) -> Iterator[Round]:
    """Yield the readable finished rounds of the player's table, newest first.

    Raises:
        Unavailable: If the database does not respond.
    """
    yield from filter(_is_readable, load_rounds(current_session().sid, game.info.slug))


def finished_round(game: AnyGame, number: int) -> Round | None:
    """Return a finished round of the player's table, or None.

    An unreadable round is treated like a missing round.
    """
    stored = load_round(current_session().sid, game.info.slug, number)
    return stored if stored and _is_readable(stored) else None


def rounds_since_cleared(game: AnyGame) -> list[Record]:
    """Return the rounds since the tally was cleared, oldest first, and the open round.

    The result begins after the last unreadable round, and contains at most 50 rounds before the
    open round.
    """
    table = own_seat(game).table
    is_open = table.phase is Phase.PLAYING
    most = min(len(table.round_winners), MAX_ROUNDS + (not is_open))
    stored = load_rounds(current_session().sid, game.info.slug) if most else ()
    played_here = (round_ for round_ in takewhile(_is_readable, stored) if not round_.deal)
    records = [parsed(round_.record) for round_ in islice(played_here, most)][::-1]
    return [*records, table.record] if is_open else records


def is_opened(stored: Round, seat: Seat) -> bool:
    """Return whether all cards of a round may be shown.

    They may be shown if the round's deck is no longer in use. A deal link has a separate deck. For
    other rounds, only the table that dealt the round knows whether its deck is in use. If that
    table cannot be loaded, only the cards that the player saw are shown.
    """
    if stored.deal:
        return True
    # If a table replaced an unreadable table, its rounds may be numbered from 1 again.
    return stored.table_id == seat.id and stored.table_round <= seat.table.shown_to


def shown_record(stored: Round, seat: Seat) -> Record:
    """Return the record of a round with all cards that may be shown."""
    record = parsed(stored.record)
    if is_opened(stored, seat):
        return _with_orders(record)
    replayed = replay(record)
    seen = seat.table.game.seen(replayed.last.state)
    return redacted(with_shuffle_orders(record, replayed), seen)


# Without this cache, the spreadsheet of 200 rounds takes 19 ms instead of 13 ms.
@lru_cache(maxsize=4096)
def _with_orders(record: Record) -> Record:
    """Return a complete record with its cards."""
    return with_shuffle_orders(record)


def _is_readable(stored: Round) -> bool:
    return _can_be_read(stored.record)


# Without this cache, the spreadsheet of 200 rounds takes 50 ms instead of 13 ms.
@lru_cache(maxsize=4096)
def _can_be_read(text: str) -> bool:
    """Return whether a record can be read and replayed.

    A record that cannot be read is logged. A long record, such as a record of War, is not replayed
    here. If such a record cannot be replayed, the page of its replay shows the error.
    """
    try:
        record = parsed(text)
        with_shuffle_orders(record) if GAMES[record.game].info.reshuffles else replay(record)
    except UNREADABLE as error:  # UNREADABLE includes InvalidRecord, which is a ValueError.
        log.warning("a round could not be read: %s", type(error).__name__)
        return False
    return True


def action_text(game: AnyGame, name: str, times: int = 1) -> str:
    """Return the text for a move."""
    move = game.move(name)
    return move.said(times) if move else Text("Gave up the round")


@dataclass(frozen=True, slots=True)
class GhostLine:
    """The moves after the deal, and the result, in words."""

    moves: tuple[str, ...]
    ended: str
    """The result, or an empty string while it may not be shown."""


@dataclass(frozen=True, slots=True)
class Ghost:
    """The visible moves of two rounds with the same cards, for a comparison."""

    yours: GhostLine
    theirs: GhostLine


def load_ghost(yours: Record, theirs: Record, ended: tuple[str, str] | None) -> Ghost:
    """Return the moves of two rounds with the same cards, without the deal.

    Args:
        yours: The player's round.
        theirs: The other player's round.
        ended: The results of both rounds, or None while the player's round is open.
    """
    own_moves, other_moves = (
        tuple(action_text(GAMES[record.game], move.name) for move in record.single_actions())[1:]
        for record in (yours, theirs)
    )
    if ended is None:
        return Ghost(GhostLine(own_moves, ""), GhostLine(other_moves[: len(own_moves)], ""))
    return Ghost(GhostLine(own_moves, ended[0]), GhostLine(other_moves, ended[1]))
