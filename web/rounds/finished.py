"""The finished rounds of a player's table, as the store has kept them."""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice, takewhile

from cardgames import GAMES
from cardgames.game import AnyGame
from cardgames.records.record import Record
from cardgames.records.replay import redacted, replay, with_shuffle_orders
from cardgames.records.transcript import MAX_ROUNDS
from cardgames.table import Phase, Table
from web.storage.rounds import Round, round_of, rounds_of
from web.storage.sessions import current_session, store
from web.tables.location import TableSlot, location_for
from web.tables.rows import UNREADABLE
from web.tables.stored_round import StoredRound

log = logging.getLogger("cardgames.rounds")


@dataclass(frozen=True, slots=True)
class FinishedRound:
    """A finished round of a table."""

    number: int
    stored: StoredRound
    opened: bool
    """Whether all its cards may be seen: of a deck still in play some lie hidden."""

    data: bytes
    """The round as it lies in the store."""


def table_of(game: AnyGame) -> Table:
    """Return the player's table of a game."""
    return _slot_of(game).table


def latest_rounds(game: AnyGame, most: int | None = None) -> list[FinishedRound]:
    """Return finished rounds of the player's table that can be read, the newest first.

    Args:
        game: the table's.
        most: how many; None for all.

    Raises:
        StoreUnavailable: the store does not answer.
    """
    return list(islice(_readable(game, _kept_rounds(game)), most))


def finished_round(game: AnyGame, number: int) -> FinishedRound | None:
    """Return one finished round of the player's table, if it is kept and can be read."""
    found = round_of(store(), current_session().sid, game.info.slug, number)
    return next(_readable(game, [found]), None) if found else None


def number_of_deal(game: AnyGame, deal: str) -> int:
    """Return which round of the player's history was played from a deal link; 0 for none."""
    every = _readable(game, _kept_rounds(game))
    return next((one.number for one in every if one.stored.deal == deal), 0)


def rounds_since_cleared(game: AnyGame) -> list[Record]:
    """Return the rounds since the tally was cleared, the oldest first, with one that is open.

    None is older than one that cannot be read, nor than the last 50 before the one on the table.
    """
    table = table_of(game)
    is_open = table.phase is Phase.PLAYING
    most = min(len(table.round_winners), MAX_ROUNDS + (not is_open))
    kept = _kept_rounds(game) if most else ()
    readable = takewhile(bool, (_read(game.info.slug, one.data) for one in kept))
    played_here = (stored for stored in readable if stored and not stored.deal)
    records = [stored.record(game) for stored in islice(played_here, most)][::-1]
    return [*records, table.record] if is_open else records


def disclosed(game: AnyGame, finished: FinishedRound) -> tuple[Record, Record]:
    """Return the whole record of a round with its cards, and the part that may be shown.

    Args:
        game: the table's.
        finished: the round.
    """
    record = finished.stored.record(game)
    if finished.opened:
        whole = _with_orders(record)
        return whole, whole
    replayed = replay(record)
    whole = with_shuffle_orders(record, replayed)
    return whole, redacted(whole, game.seen(replayed.last.state))


def _slot_of(game: AnyGame) -> TableSlot:
    return location_for(game.info.slug).load(current_session())


def _is_opened(number: int, stored: StoredRound, slot: TableSlot) -> bool:
    """Say whether all cards of a round may be seen: a deal link's were its own.

    Only the table that dealt them can say so. The rounds of one that could not be read any more
    stay as their player saw them.
    """
    if stored.deal:
        return True
    finished = stored.table_round or number
    # Numbers may begin anew at a table that took the place of an unreadable one.
    return stored.table == slot.id and finished <= slot.table.shown_to


def _kept_rounds(game: AnyGame) -> tuple[Round, ...]:
    return rounds_of(store(), current_session().sid, game.info.slug)


def _readable(game: AnyGame, rounds: Iterable[Round]) -> Iterator[FinishedRound]:
    """Yield those of some rounds that can be read: none is, before it is asked for."""
    slot = _slot_of(game)
    for one in rounds:
        if stored := _read(game.info.slug, one.data):
            yield FinishedRound(one.number, stored, _is_opened(one.number, stored, slot), one.data)


@lru_cache(maxsize=4096)
def _with_orders(record: Record) -> Record:
    """Return a whole record with its cards; a round is asked for again and again."""
    return with_shuffle_orders(record)


@lru_cache(maxsize=4096)
def _read(slug: str, data: bytes) -> StoredRound | None:
    """Read a round; one that cannot be read, or not be replayed any more, is logged.

    A long one is not replayed for it, as in War: its own page says then what is wrong with it.
    """
    game = GAMES[slug]
    try:
        stored = StoredRound.unpacked(data)
        record = stored.record(game)
        with_shuffle_orders(record) if game.info.reshuffles else replay(record)
        datetime.fromtimestamp(stored.at, UTC)
        if game.info.winners:
            game.info.winners[stored.winner(game)]
    except UNREADABLE as error:  # and InvalidRecord, which is a ValueError
        log.warning("a round of %s could not be read: %s", slug, type(error).__name__)
        return None
    return stored
