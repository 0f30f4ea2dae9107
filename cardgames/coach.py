"""The coach: what each decision was worth against the best one, and what the cards did to you.

A :class:`Ledger` goes along with a twenty-one table, move by move, and keeps sums in points: a won
round is +1, a lost one -1, a tie 0. At every decision the exact odds say what the best play is
worth from there, so a session's result falls apart into three that add up to it::

    result = expected + luck - cost

``expected`` is what the best play was worth when each round was dealt, ``cost`` what the decisions
gave away against the best ones, and ``luck`` the rest: what the cards did.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cardgames.cards import Card, Cards
from cardgames.game import Phase
from cardgames.odds import Odds, table_odds
from cardgames.twentyone import Rules, State, Winner

DEAREST: Final = 5
"""How many of the dearest decisions are remembered."""

POINTS: Final = {Winner.PLAYER: 1, Winner.TIE: 0, Winner.DEALER: -1}
"""What a round is worth to the player."""

_ROUNDING: Final = 1e-9

_FORFEIT: Final = -1.0
"""What dealing in the middle of a round is worth: the round is lost."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of the player, and how many points it was worth less than the best one."""

    round: int
    hand: Cards
    upcard: Card
    chosen: str
    """The move: ``hit``, ``stay``, or ``deal`` for giving the round up."""

    best: str
    cost: float


@dataclass(frozen=True, slots=True)
class Ledger:
    """A session's decisions at one table, summed up."""

    rounds: int
    """Rounds that were finished under the coach's eyes."""

    decisions: int
    mistakes: int
    """Decisions that were not the best ones."""

    expected: float
    cost: float
    result: int
    dearest: tuple[Decision, ...]
    """The decisions that cost most, the dearest first."""

    last: tuple[Decision, ...]
    """The decisions of the round that lies on the table."""

    watching: bool
    """Whether a round is open that the ledger has counted in ``expected``."""

    @property
    def luck(self) -> float:
        """Return what the cards gave or took, in points."""
        return self.result - self.expected + self.cost


NOTHING_YET: Final = Ledger(0, 0, 0, 0.0, 0.0, 0, (), (), watching=False)


def asked(rules: Rules, state: State) -> Odds:
    """Return the odds at a table. They are remembered: a move and the page after it ask the same.

    Raises:
        IllegalMove: no decision is open.
    """
    return table_odds(rules, state)


def followed(ledger: Ledger, rules: Rules, before: State, move: str, after: State) -> Ledger:
    """Return the ledger after a move at the table.

    Args:
        ledger: the sums so far.
        rules: the table's rules.
        before: the table before the move.
        move: the move's name.
        after: the table after the move.
    """
    if move == "new":
        return replace(ledger, last=(), watching=False)
    if before.phase is Phase.PLAYING:
        ledger = _decided(ledger, rules, before, move)
        if move == "deal":
            ledger = _finished(ledger, Winner.DEALER)
    if move == "deal":
        ledger = replace(ledger, last=())
    if after.phase is Phase.PLAYING:
        return ledger if ledger.watching else _opened(ledger, asked(rules, after))
    if after.winner is not None and (ledger.watching or move == "deal"):
        return _finished(ledger, after.winner)
    return ledger


def judged(rules: Rules, states: Sequence[State], moves: Iterable[str]) -> Ledger:
    """Return the ledger of one round that is over.

    Args:
        rules: the table's rules.
        states: the table before the round, and after each of its moves.
        moves: the moves' names; ``forfeit`` for giving the round up.
    """
    ledger = NOTHING_YET
    for before, move, after in zip(states, moves, states[1:], strict=False):
        if move == "forfeit":
            ledger = _finished(_decided(ledger, rules, before, "deal"), Winner.DEALER)
        else:
            ledger = followed(ledger, rules, before, move, after)
    return ledger


def _opened(ledger: Ledger, odds: Odds) -> Ledger:
    return replace(ledger, expected=ledger.expected + _worth(odds, odds.best), watching=True)


def _finished(ledger: Ledger, winner: Winner) -> Ledger:
    return replace(
        ledger,
        rounds=ledger.rounds + 1,
        result=ledger.result + POINTS[winner],
        watching=False,
    )


def _decided(ledger: Ledger, rules: Rules, before: State, move: str) -> Ledger:
    """Count a decision, and what the round promised if it is the first one that was seen."""
    odds = asked(rules, before)
    if not ledger.watching:
        ledger = _opened(ledger, odds)
    decision = Decision(
        round=before.round,
        hand=before.player,
        upcard=before.dealer[1 - rules.hole],
        chosen=move,
        best=odds.best,
        cost=_beyond_rounding(_worth(odds, odds.best) - _worth(odds, move)),
    )
    dear = sorted((*ledger.dearest, decision), key=lambda one: -one.cost)[:DEAREST]
    return replace(
        ledger,
        decisions=ledger.decisions + 1,
        mistakes=ledger.mistakes + (decision.cost > 0),
        cost=ledger.cost + decision.cost,
        dearest=tuple(one for one in dear if one.cost > 0),
        last=(*ledger.last, decision),
    )


def _beyond_rounding(cost: float) -> float:
    """Return 0 for two decisions that are worth the same but for the last digits."""
    return cost if cost > _ROUNDING else 0.0


def _worth(odds: Odds, move: str) -> float:
    """Return the expected points of a decision."""
    worth = {"hit": odds.hit.ev, "stay": odds.stay.ev}
    return worth.get(move, _FORFEIT)
