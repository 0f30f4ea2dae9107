"""The summary of everyone's rounds for a player who has finished a deal.

It is computed from the deal and the records of the rounds, without the database or a session.
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
from web.history.addresses import other_decision, to_token, what_if_address
from web.tables.advice import regret_of
from web.tables.queries import ledger_of

OUTCOMES: Final = {1: "won", 0: "tied", -1: "lost"}
"""What a round is called by the points that it is worth to the player."""


class Fork(NamedTuple):
    """A decision, and what became of those who took it one way and the other."""

    hand: Text
    split: DecisionSplit
    yours: str
    """``hit`` or ``stay``; empty where you did not come so far."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a player sees of a deal that they have finished."""

    counts: ResultCounts | None
    """How it ended for everyone; None where nothing is decided."""

    forks: tuple[Fork, ...]
    ending: str
    """How the player's round ended: ``won``, ``tied`` or ``lost``; empty where nobody decides."""

    verdict: Text | None
    """How the player did against the others; None where nothing is decided."""

    ledger: Ledger | None
    """What the player's decisions were worth; None without a coach, as the next two are."""

    best: PlayedLine | None
    """The best play by the odds."""

    best_ending: str
    number: int
    """Which round of the player's history it is; 0 for none."""

    kept: bool
    """Whether the result is among everyone's: more players may have come than are kept."""

    record: str
    token: str
    """What stands in the address at which the round can be looked at step by step."""

    again: str
    """Where these cards can be played again, as practice; empty where nothing is decided."""

    regret: tuple[Text, str] | None
    """The question of somebody who has lost by their decisions, and where the round is played on
    with the decision that it asks for; None for others."""


def summarize(deal: Deal, others: list[Record], own: Record, *, number: int, kept: bool) -> Summary:
    """Return what a player who has finished a deal sees of it.

    Args:
        deal: the deal.
        others: the rounds of everyone else who has finished.
        own: the player's own.
        number: which round of the player's history that is; 0 for none.
        kept: whether it is among everyone's.
    """
    replayed, token = replay(own), to_token(own)
    game, advisor = deal.shared.game, deal.shared.game.advisor
    lines = [PlayedLine.of(one) for one in (*others, own)]
    coach = game.advisor
    best = play_optimally(deal.shared) if coach else None
    ledger = ledger_of(own) if coach else None
    costs = [one.cost for one in ledger.current_decisions] if ledger else []
    regret = regret_of(replayed.last, costs)
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


def _verdict(advisor: Advisor, others: list[Record], own: Record) -> Text:
    """Say how many others a player beat: those whose round was worth less, with the same cards."""
    points = [advisor.points[one.result] for one in others]
    yours = advisor.points[own.result]
    beaten, lost = sum(one < yours for one in points), sum(one > yours for one in points)
    if not others:
        return Text("Nobody else has finished yet.")
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
    """Return the decisions of a deal, and who took which; the last of the lines is yours."""
    *_, yours = lines
    return tuple(
        Fork(
            advisor.situation_text(advisor.situation(split.table.state)),
            split,
            yours.moves[hits] if hits < len(yours.moves) else "",
        )
        for hits, split in enumerate(decision_splits(deal.shared, lines))
    )
