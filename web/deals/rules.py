"""The summary of all rounds at a deal, for a player who has finished the deal.

The summary is computed from the deal and the records of the rounds, without the database or a
session.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from cardgames.advice import Advisor
from cardgames.ledger import Ledger
from cardgames.records.line import readable_line
from cardgames.records.record import Record
from cardgames.records.replay import replay, with_shuffle_orders
from cardgames.shared_deal import (
    DecisionSplit,
    PlayedLine,
    ResultCounts,
    decision_splits,
    play_optimally,
)
from cardgames.text import Text, plural
from web.deals.models import Deal
from web.history.addresses import other_decision, signed_record, what_if_address
from web.tables.advice import find_regret
from web.tables.queries import round_ledger

OUTCOMES: Final = {1: "won", 0: "tied", -1: "lost"}
"""The name of a result, keyed by the player's points."""


class Fork(NamedTuple):
    """A decision, and the results of the players who made each choice."""

    hand: Text
    split: DecisionSplit
    yours: str
    """``hit`` or ``stay``, or an empty string if the player had no such decision."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a deal, for a player who has finished the deal."""

    counts: ResultCounts | None
    """The results of all players, or None at a table without decisions."""

    forks: tuple[Fork, ...]
    ending: str
    """The player's result: ``won``, ``tied`` or ``lost``, or an empty string at a table without
    decisions.
    """

    verdict: Text | None
    """The comparison of the player's result with the other players' results, or None at a table
    without decisions.
    """

    ledger: Ledger | None
    """The values of the player's decisions. The ledger and the next two fields are None if there is
    no coach.
    """

    best: PlayedLine | None
    """The best play according to the odds."""

    best_ending: str
    number: int
    """The number of the round in the player's history, or 0 if the history does not contain it."""

    kept: bool
    """Whether the player's result is stored. The number of stored results per deal is limited."""

    record: str
    token: str
    """The token of the replay's URL."""

    again: str
    """The URL to practise with these cards, or an empty string at a table without decisions."""

    regret: tuple[Text, str] | None
    """A question for a player who lost because of a decision, or None. The second item is the URL
    to continue with the other decision.
    """


def summarize(deal: Deal, others: list[Record], own: Record, *, number: int, kept: bool) -> Summary:
    """Return the summary of a deal for a player who has finished the deal.

    Args:
        deal: The deal that the player has finished.
        others: The finished rounds of all other players.
        own: The player's round.
        number: The number of the round in the player's history, or 0.
        kept: Whether the round is stored among the rounds of the deal.
    """
    replayed, token = replay(own), signed_record(own)
    game, advisor = deal.shared.game, deal.shared.game.advisor
    lines = [PlayedLine.of(record) for record in (*others, own)]
    coach = game.advisor
    best = play_optimally(deal.shared) if coach else None
    ledger = round_ledger(own) if coach else None
    costs = [decision.cost for decision in ledger.current_decisions] if ledger else []
    regret = find_regret(replayed.last, costs)
    return Summary(
        counts=ResultCounts.of(line.winner for line in lines) if advisor else None,
        forks=_forks(deal, advisor, lines) if advisor else (),
        ending=OUTCOMES[advisor.points[own.result]] if advisor else "",
        verdict=_verdict(advisor, others, own) if advisor else None,
        ledger=ledger,
        best=best,
        best_ending=OUTCOMES[coach.points[best.winner]] if coach and best else "",
        number=number,
        kept=kept,
        record=readable_line(with_shuffle_orders(own, replayed)),
        token=token,
        again=what_if_address(own.truncated(1), token) if advisor else "",
        regret=(regret.text, other_decision(own, regret.step, regret.move)) if regret else None,
    )


def _verdict(advisor: Advisor, others: list[Record], record: Record) -> Text:
    """Return the text that compares a player's result with the other results."""
    points = [advisor.points[other.result] for other in others]
    yours = advisor.points[record.result]
    beaten, lost = sum(point < yours for point in points), sum(point > yours for point in points)
    if not others:
        return Text("No other player has finished yet.")
    if beaten:
        return Text("You beat {beaten} of {others}.", beaten=beaten, others=len(others))
    if lost:
        return plural(
            "{number} of {others} beat you.",
            "{number} of {others} beat you.",
            lost,
            others=len(others),
        )
    return plural(
        "Same result as the other player.", "Same result as all {number} others.", len(others)
    )


def _forks(deal: Deal, advisor: Advisor, lines: list[PlayedLine]) -> tuple[Fork, ...]:
    """Return a deal's decisions with everyone's choices.

    The player's own decisions come last.
    """
    *_, yours = lines
    return tuple(
        Fork(
            advisor.situation_text(advisor.situation(split.table.state)),
            split,
            yours.moves[hits] if hits < len(yours.moves) else "",
        )
        for hits, split in enumerate(decision_splits(deal.shared, lines))
    )
