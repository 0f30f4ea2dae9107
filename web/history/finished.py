"""The finished rounds of a player's table, as the store has kept them."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, takewhile
from operator import itemgetter

from cardgames import GAMES
from cardgames.game import AnyGame
from cardgames.records.record import Record
from cardgames.records.replay import redacted, replay, with_shuffle_orders
from cardgames.records.transcript import MAX_ROUNDS
from cardgames.table import Phase, Table
from web.db.models import Round
from web.http.sessions import current_session
from web.tables.location import TableSlot, location_for
from web.tables.rounds import costs_of, number_at_deal, parsed, round_of, rounds_of
from web.tables.rows import UNREADABLE

log = logging.getLogger("cardgames.rounds")


@dataclass(frozen=True, slots=True)
class FinishedRound:
    """A finished round of a table."""

    row: Round
    record: Record
    opened: bool
    """Whether all its cards may be seen: of a deck still in play some lie hidden."""

    @property
    def costs(self) -> tuple[int, ...]:
        """What each decision has cost, at the tables with an advisor."""
        return costs_of(self.row, self.record)


def table_of(game: AnyGame) -> Table:
    """Return the player's table of a game."""
    return _slot_of(game).table


def latest_rounds(game: AnyGame, most: int | None = None) -> list[FinishedRound]:
    """Return finished rounds of the player's table that can be read, the newest first.

    Args:
        game: the table's.
        most: how many; None for all.

    Raises:
        Unavailable: the database does not answer.
    """
    return list(islice(_readable(game, _kept_rounds(game)), most))


def finished_round(game: AnyGame, number: int) -> FinishedRound | None:
    """Return one finished round of the player's table, if it is kept and can be read."""
    found = round_of(current_session().sid, game.info.slug, number)
    return next(_readable(game, [found]), None) if found else None


def number_of_deal(game: AnyGame, deal: str) -> int:
    """Return which round of the player's history was played from a deal link; 0 for none."""
    number = number_at_deal(current_session().sid, game.info.slug, deal)
    return number if number and finished_round(game, number) else 0


def rounds_since_cleared(game: AnyGame) -> list[Record]:
    """Return the rounds since the tally was cleared, the oldest first, with one that is open.

    None is older than one that cannot be read, nor than the last 50 before the one on the table.
    """
    table = table_of(game)
    is_open = table.phase is Phase.PLAYING
    most = min(len(table.round_winners), MAX_ROUNDS + (not is_open))
    kept = _kept_rounds(game) if most else ()
    readable = takewhile(itemgetter(1), ((one, _read(one.record)) for one in kept))
    played_here = (record for one, record in readable if record and not one.deal)
    records = [*islice(played_here, most)][::-1]
    return [*records, table.record] if is_open else records


def disclosed(game: AnyGame, finished: FinishedRound) -> tuple[Record, Record]:
    """Return the whole record of a round with its cards, and the part that may be shown.

    Args:
        game: the table's.
        finished: the round.
    """
    record = finished.record
    if finished.opened:
        whole = _with_orders(record)
        return whole, whole
    replayed = replay(record)
    whole = with_shuffle_orders(record, replayed)
    return whole, redacted(whole, game.seen(replayed.last.state))


def _slot_of(game: AnyGame) -> TableSlot:
    return location_for(game.info.slug).load(current_session())


def _is_opened(one: Round, slot: TableSlot) -> bool:
    """Say whether all cards of a round may be seen: a deal link's were its own.

    Only the table that dealt them can say so. The rounds of one that could not be read any more
    stay as their player saw them.
    """
    if one.deal:
        return True
    # Numbers may begin anew at a table that took the place of an unreadable one.
    return one.table_id == slot.id and one.table_round <= slot.table.shown_to


def _kept_rounds(game: AnyGame) -> Sequence[Round]:
    return rounds_of(current_session().sid, game.info.slug)


def _readable(game: AnyGame, rounds: Iterable[Round]) -> Iterator[FinishedRound]:
    """Yield those of some rounds that can be read: none is, before it is asked for."""
    slot = _slot_of(game)
    for one in rounds:
        if record := _read(one.record):
            yield FinishedRound(one, record, _is_opened(one, slot))


@lru_cache(maxsize=4096)
def _with_orders(record: Record) -> Record:
    """Return a whole record with its cards; a round is asked for again and again."""
    return with_shuffle_orders(record)


@lru_cache(maxsize=4096)
def _read(text: str) -> Record | None:
    """Read a round; one that cannot be read, or not be replayed any more, is logged.

    A long one is not replayed for it, as in War: its own page says then what is wrong with it.
    """
    try:
        record = parsed(text)
        with_shuffle_orders(record) if GAMES[record.game].info.reshuffles else replay(record)
    except UNREADABLE as error:  # and InvalidRecord, which is a ValueError
        log.warning("a round could not be read: %s", type(error).__name__)
        return None
    return record
