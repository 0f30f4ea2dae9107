"""The ledger: the cost of a session's decisions, and the luck of its cards.

A :class:`Ledger` is updated after each move at a table whose game has an advisor. It adds up
points: +1 for a won round, -1 for a lost round, and 0 for a tie. At every decision, the value of
the best play is computed from the exact odds, so a session's result is the sum of three parts::

    result = expected + luck - cost

``expected`` is the value of the best play when each round was dealt, ``cost`` is the number of
points that the player lost by decisions other than the best, and ``luck`` is the rest.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from cardgames.advice import Advisor, Decision, Odds
from cardgames.moves import CONCEDE
from cardgames.table import NEW, Phase, Table

MAX_COSTLIEST: Final = 5
"""Maximum number of costly decisions in a ledger."""

DEAL: Final = "deal"
"""The name of the move that deals. In the middle of a round, this move is the decision to concede.
"""

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Ledger:
    """The sums of a session's decisions at one table."""

    rounds: int
    """The number of rounds that have ended since the ledger was created."""

    decisions: int
    mistakes: int
    """The number of decisions that were not the best."""

    expected: float
    cost: float
    result: int
    costliest: tuple[Decision, ...]
    """The most costly decisions, in descending order."""

    current_decisions: tuple[Decision, ...]
    """The player's decisions in the current round."""

    round_open: bool
    """Whether an open round is included in ``expected``."""

    streak: int = 0
    """The number of consecutive best decisions up to the latest decision. The field has a default,
    because ledgers saved by older versions lack this field.
    """

    @property
    def luck(self) -> float:
        """The points that the player gained or lost through the cards."""
        return self.result - self.expected + self.cost


EMPTY_LEDGER: Final = Ledger(0, 0, 0, 0.0, 0.0, 0, (), (), round_open=False)


def after_move(ledger: Ledger, advisor: Advisor, before: Table, move: str, after: Table) -> Ledger:
    """Return the ledger after a move at the table.

    Args:
        ledger: Ledger before the move.
        advisor: The game's advisor.
        before: The table before the move.
        move: Name of the player's move.
        after: The table after the move.
    """
    if move == NEW.name:
        return replace(ledger, current_decisions=(), round_open=False)
    if before.phase is Phase.PLAYING:
        ledger = after_decision(ledger, advisor, before, move)
        if move == DEAL:
            ledger = _finished(ledger, min(advisor.points.values()))
    if move == DEAL:
        ledger = replace(ledger, current_decisions=())
    if after.result is None:
        return ledger if ledger.round_open else _opened(ledger, advisor.odds(after.state))
    if ledger.round_open or move == DEAL:
        return _finished(ledger, advisor.points[after.result.winner])
    return ledger


def review_round(advisor: Advisor, tables: Sequence[Table], moves: Iterable[str]) -> Ledger:
    """Return the ledger of a single finished round.

    Args:
        advisor: Advisor of the game.
        tables: Tables before the round and after each of its moves.
        moves: Names of the moves, as in a record.
    """
    ledger = EMPTY_LEDGER
    for (before, after), move in zip(pairwise(tables), moves, strict=True):
        if move == CONCEDE.name:
            ledger = after_decision(ledger, advisor, before, DEAL)
            ledger = _finished(ledger, min(advisor.points.values()))
        else:
            ledger = after_move(ledger, advisor, before, move, after)
    return ledger


def _opened(ledger: Ledger, odds: Odds) -> Ledger:
    best = max(odds.hit.ev, odds.stay.ev)
    return replace(ledger, expected=ledger.expected + best, round_open=True)


def _finished(ledger: Ledger, points: int) -> Ledger:
    return replace(
        ledger, rounds=ledger.rounds + 1, result=ledger.result + points, round_open=False
    )


def after_decision(ledger: Ledger, advisor: Advisor, before: Table, move: str) -> Ledger:
    """Add a decision.

    If it is the round's first decision, also add the round's expected value.

    Args:
        ledger: Ledger before the decision.
        advisor: The game's advisor.
        before: Table with the open decision.
        move: Name of the chosen move.
    """
    odds = advisor.odds(before.state)
    if not ledger.round_open:
        ledger = _opened(ledger, odds)
    situation = advisor.situation(before.state)
    worth = {"hit": odds.hit.ev, "stay": odds.stay.ev, DEAL: float(min(advisor.points.values()))}
    cost = worth[odds.best] - worth[move]
    decision = Decision(
        round=before.round,
        hand=situation.hand,
        upcard=situation.upcard,
        chosen=move,
        best=odds.best,
        # Sums of the same probabilities in different orders may differ in the last digit.
        cost=cost if cost > _ROUNDING else 0.0,
    )
    costliest = sorted((*ledger.costliest, decision), key=lambda item: -item.cost)[:MAX_COSTLIEST]
    return replace(
        ledger,
        decisions=ledger.decisions + 1,
        mistakes=ledger.mistakes + (decision.cost > 0),
        streak=0 if decision.cost else ledger.streak + 1,
        cost=ledger.cost + decision.cost,
        costliest=tuple(decision for decision in costliest if decision.cost > 0),
        current_decisions=(*ledger.current_decisions, decision),
    )
