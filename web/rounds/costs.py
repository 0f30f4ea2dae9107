"""What the decisions of finished rounds have cost: computed once, and kept with the round.

Where the player had the coach, it is known when the round is over. Otherwise it is computed when it
is first asked for: no move waits for that.
"""

import logging
from collections.abc import Iterator
from dataclasses import replace

from cardgames.advice import Advisor, Decision
from cardgames.game import AnyGame
from cardgames.ledger import DEAL, review_round
from cardgames.moves import CONCEDE
from cardgames.records.record import Record
from cardgames.records.replay import Replay, replay
from cardgames.table import Phase
from web.rounds.finished import FinishedRound
from web.storage.rounds import Round, amend_rounds
from web.storage.sessions import current_session, store
from web.storage.store import StoreUnavailable
from web.tables.stored_round import best_and_cost, pack_costs

log = logging.getLogger("cardgames.rounds")


def with_costs(
    game: AnyGame, advisor: Advisor | None, rounds: list[FinishedRound]
) -> list[FinishedRound]:
    """Return rounds with what their decisions have cost, and keep in the store what is new of it.

    Args:
        game: their table's.
        advisor: the game's; without one nothing is computed.
        rounds: finished rounds of the player.
    """
    if not advisor:
        return rounds
    complete = [_with_known_costs(game, advisor, one) for one in rounds]
    changes = {
        Round(game.info.slug, old.number, old.data): new.stored.packed()
        for old, new in zip(rounds, complete, strict=True)
        if old is not new
    }
    if changes:  # a page that only looks writes this much, so that the next need not compute it
        try:
            amend_rounds(store(), current_session().sid, game.info.slug, changes)
        except StoreUnavailable as error:
            log.warning("what decisions have cost could not be kept: %s", error)
    return complete


def decided(record: Record) -> Iterator[str]:
    """Yield what was decided in a round: each move after the deal, as the coach names it."""
    for action in [*record.single_actions()][1:]:
        yield DEAL if action.name == CONCEDE.name else action.name


def decisions_of(
    advisor: Advisor, costs: tuple[int, ...], record: Record, replayed: Replay
) -> Iterator[Decision]:
    """Yield the decisions of a finished round whose costs are known, without asking for odds.

    Args:
        advisor: the game's.
        costs: what each has cost.
        record: the round's record.
        replayed: its replay.
    """
    open_tables = [table for table in replayed.tables[:-1] if table.phase is Phase.PLAYING]
    for table, chosen, packed in zip(open_tables, decided(record), costs, strict=True):
        situation = advisor.situation(table.state)
        best, cost = best_and_cost(packed)
        yield Decision(table.round, situation.hand, situation.upcard, chosen, best, cost)


def review(advisor: Advisor, record: Record, replayed: Replay) -> tuple[Decision, ...]:
    """Return the decisions of a round with their costs, by the odds at each."""
    moves = [action.name for action in record.single_actions()]
    return review_round(advisor, replayed.tables, moves).current_decisions


def _with_known_costs(game: AnyGame, advisor: Advisor, one: FinishedRound) -> FinishedRound:
    record, costs = one.stored.record(game), one.stored.costs
    if costs is not None and len(costs) == record.steps - 1:
        return one
    decisions = review(advisor, record, replay(record))
    return replace(one, stored=one.stored.with_costs(pack_costs(decisions)))
