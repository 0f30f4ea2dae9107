"""The finished rounds of a player's table, as the store has kept them."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile

from cardgames import GAMES
from cardgames.advice import Advisor, Decision
from cardgames.game import AnyGame
from cardgames.ledger import review_round
from cardgames.records.record import Record
from cardgames.records.replay import Replay, redacted, replay, told
from cardgames.records.transcript import MAX_ROUNDS
from cardgames.table import Phase, Table
from web.storage.sessions import current_session, query_store
from web.tables.location import location_for
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


def table_of(game: AnyGame) -> Table:
    """Return the player's table of a game."""
    return location_for(game.info.slug).load(current_session()).table


def finished_rounds(game: AnyGame) -> list[FinishedRound]:
    """Return the finished rounds of the player's table that can be read, the newest first.

    Raises:
        ServiceUnavailable: the store does not answer.
    """
    return latest_rounds(game, None)


def latest_rounds(game: AnyGame, most: int | None) -> list[FinishedRound]:
    """Return the last finished rounds of the player's table, the newest first.

    Raises:
        ServiceUnavailable: the store does not answer.
    """
    opened_to = table_of(game).seals.opened_to
    readable = (
        FinishedRound(number, stored, _is_opened(number, stored, opened_to))
        for number, stored in _all_rounds(game)
        if stored
    )
    return list(islice(readable, most))


def finished_round(game: AnyGame, number: int) -> FinishedRound | None:
    """Return one finished round of the player's table, if it is kept and can be read.

    Raises:
        ServiceUnavailable: the store does not answer.
    """
    sid = current_session().sid
    found = query_store(lambda store: store.round(sid, game.info.slug, number))
    stored = _read(game.info.slug, found.data) if found else None
    if stored is None:
        return None
    opened = _is_opened(number, stored, table_of(game).seals.opened_to)
    return FinishedRound(number, stored, opened)


def rounds_since_cleared(game: AnyGame) -> list[Record]:
    """Return the rounds since the tally was cleared, the oldest first, with one that is open.

    None is older than one that cannot be read, nor than the last 50 before the one on the table.
    """
    table = table_of(game)
    is_open = table.phase is Phase.PLAYING
    most = min(len(table.course), MAX_ROUNDS + (not is_open))
    readable = takewhile(bool, (stored for _, stored in _all_rounds(game))) if most else ()
    played_here = (stored for stored in readable if stored and not stored.deal)
    records = [stored.record(game) for stored in islice(played_here, most)][::-1]
    return [*records, table.record] if is_open else records


def tell(game: AnyGame, finished: FinishedRound) -> tuple[Record, Record]:
    """Return the whole record of a round with its cards told, and what of it may be told.

    Args:
        game: the table's.
        finished: the round.
    """
    record = finished.stored.record(game)
    if finished.opened:
        whole = told(record)
        return whole, whole
    replayed = replay(record)
    whole = told(record, replayed)
    return whole, redacted(whole, game.seen(replayed.last.state))


@lru_cache(maxsize=2048)
def decisions_of(record: Record) -> tuple[Decision, ...]:
    """Return what the decisions of a finished round were worth, if its game has an advisor.

    Remembered: whoever exports a history asks it of two hundred rounds, and soon again.
    """
    advisor = GAMES[record.game].advisor
    return review(advisor, record, replay(record)) if advisor else ()


def review(advisor: Advisor, record: Record, replayed: Replay) -> tuple[Decision, ...]:
    """Return what the decisions of a round were worth, from its replay."""
    moves = [action.name for action in record.single_actions()]
    return review_round(advisor, replayed.tables, moves).current_decisions


def _is_opened(number: int, stored: StoredRound, opened_to: int) -> bool:
    """Say whether all cards of a round may be seen: a deal link's were its own."""
    return bool(stored.deal) or number <= opened_to


def _all_rounds(game: AnyGame) -> Iterator[tuple[int, StoredRound | None]]:
    """Yield the finished rounds, the newest first; None for one that cannot be read."""
    sid = current_session().sid
    for one in query_store(lambda store: store.rounds(sid, game.info.slug)):
        yield one.number, _read(game.info.slug, one.data)


@lru_cache(maxsize=4096)
def _read(slug: str, data: bytes) -> StoredRound | None:
    """Read a round; of one that cannot be read, or not be replayed any more, the log tells.

    A long one is not replayed for it, as in War: its own page says then what is wrong with it.
    """
    game = GAMES[slug]
    try:
        stored = StoredRound.unpacked(data)
        record = stored.record(game)
        told(record) if game.info.reshuffles else replay(record)
    except UNREADABLE as error:  # and InvalidRecord, which is a ValueError
        log.warning("a round of %s could not be read: %s", slug, type(error).__name__)
        return None
    return stored
