"""What the decisions at a tournament's deals cost: known for everything that can be played there.

At a deal that many play, all that can differ is how long somebody hits. So two numbers a decision,
what stopping and what hitting gives away there, tell what any student's round has cost.
"""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from cardgames.advice import Advisor
from cardgames.ledger import EMPTY_LEDGER, after_decision
from cardgames.shared_deal import HIT, STAY, PlayedLine, SharedDeal, decisions


class DecisionCost(NamedTuple):
    """What one decision gives away against the best play, in rounds."""

    stay: float
    hit: float


DealCosts = tuple[DecisionCost, ...]
"""The decisions of a deal: at the first hand, after one hit, and so on."""

Costs = tuple[DealCosts, ...]
"""Those of a tournament's deals, in their order, as far as they are known."""


def deal_costs(deal: SharedDeal, advisor: Advisor) -> DealCosts:
    """Return what each decision at a deal costs, by the exact odds of whoever plays there.

    Args:
        deal: the deal.
        advisor: who knows what decisions are worth.
    """
    return tuple(
        DecisionCost(
            *(after_decision(EMPTY_LEDGER, advisor, table, move).cost for move in (STAY, HIT))
        )
        for table in decisions(deal)
    )


def line_cost(costs: DealCosts, line: PlayedLine) -> float:
    """Return what a player's round has cost, in rounds.

    >>> costs = (DecisionCost(0.25, 0.0), DecisionCost(0.0, 0.5))
    >>> line_cost(costs, PlayedLine(1, True, "dealer")), line_cost(costs, PlayedLine(2, False, ""))
    (0.0, 0.5)
    """
    hits = sum(decision.hit for decision in costs[: line.hits])
    return hits + (costs[line.hits].stay if line.stayed else 0.0)


def pack_costs(costs: Iterable[DealCosts]) -> bytes:
    """Return costs as they are kept."""
    return msgspec.msgpack.encode(tuple(costs))


def unpack_costs(data: bytes) -> Costs:
    """Return what was kept; nothing for what cannot be read."""
    try:
        return msgspec.msgpack.decode(data, type=Costs) if data else ()
    except msgspec.MsgspecError:
        return ()
