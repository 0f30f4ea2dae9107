"""The ledger: what each decision was worth against the best one, and what the cards did.

A :class:`Ledger` goes along with a table whose game has an advisor, move by move, and keeps sums in
points: a won round is +1, a lost one -1, a tie 0. At every decision the exact odds say what the
best play is worth from there, so a session's result falls apart into three that add up to it::

    result = expected + luck - cost

``expected`` is what the best play was worth when each round was dealt, ``cost`` what the decisions
gave away against the best ones, and ``luck`` the rest: what the cards did.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from cardgames.advice import Advisor, Decision, Odds
from cardgames.moves import CONCEDE
from cardgames.table import NEW, Phase, Table

MAX_COSTLIEST: Final = 5
"""Maximum number of costly decisions kept."""

DEAL: Final = "deal"
"""The move that deals; made in the middle of a round, the decision to give it up."""

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Ledger:
    """A session's decisions at one table, summed up."""

    rounds: int
    """Rounds that were finished since the ledger was opened."""

    decisions: int
    mistakes: int
    """Decisions that were not the best ones."""

    expected: float
    cost: float
    result: int
    costliest: tuple[Decision, ...]
    """The decisions that cost most, the costliest first."""

    current_decisions: tuple[Decision, ...]
    """The decisions of the round that lies on the table."""

    round_open: bool
    """Whether a round is open that is counted in ``expected``."""

    streak: int = 0
    """How many of the latest decisions in a row were the best ones. Ledgers kept by older versions
    lack it, so it has a default."""

    @property
    def luck(self) -> float:
        """What the cards gave or took, in points."""
        return self.result - self.expected + self.cost


EMPTY_LEDGER: Final = Ledger(0, 0, 0, 0.0, 0.0, 0, (), (), round_open=False)


def after_move(ledger: Ledger, advisor: Advisor, before: Table, move: str, after: Table) -> Ledger:
    """Return the ledger after a move at the table.

    Args:
        ledger: the sums so far.
        advisor: who knows what the decisions of the game are worth.
        before: the table before the move.
        move: the move's name.
        after: the table after the move.
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
    """Return the ledger of one round that is over.

    Args:
        advisor: who knows what the decisions of the game are worth.
        tables: the table before the round, and after each of its moves.
        moves: the moves' names, as a record has them.
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
    """Count a decision, and what the round promised if it is the first one that was seen.

    Args:
        ledger: the sums so far.
        advisor: who knows what the decision was worth.
        before: the table at which it was open.
        move: what was decided.
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
        # Two sums of the same chances in another order differ in their last digit.
        cost=cost if cost > _ROUNDING else 0.0,
    )
    costliest = sorted((*ledger.costliest, decision), key=lambda one: -one.cost)[:MAX_COSTLIEST]
    return replace(
        ledger,
        decisions=ledger.decisions + 1,
        mistakes=ledger.mistakes + (decision.cost > 0),
        streak=0 if decision.cost else ledger.streak + 1,
        cost=ledger.cost + decision.cost,
        costliest=tuple(decision for decision in costliest if decision.cost > 0),
        current_decisions=(*ledger.current_decisions, decision),
    )
