"""What the decisions of finished rounds have cost, as it is kept with each round."""

from collections.abc import Iterator

from cardgames.advice import Advisor, Decision
from cardgames.ledger import DEAL, review_round
from cardgames.moves import CONCEDE
from cardgames.records.record import Record
from cardgames.records.replay import Replay
from cardgames.table import Phase
from web.tables.rounds import best_and_cost


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
