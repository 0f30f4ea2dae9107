"""What a player who has finished a deal sees of everyone's rounds.

Nothing here asks a store or a session: all follows from the deal, and from what the players did.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cardgames.advice import Advisor
from cardgames.ledger import Ledger, review_round
from cardgames.records.line import readable_line
from cardgames.records.record import Record
from cardgames.records.replay import Replay, replay, with_shuffle_orders
from cardgames.shared_deal import (
    HIT,
    STAY,
    PlayedLine,
    ResultCounts,
    decision_splits,
    play_optimally,
)
from cardgames.text import Text, plural
from web.deals.deal import Deal, PlayerResult
from web.history.addresses import other_decision, to_token, what_if_address
from web.tables.advice import advisor_of, regret_of

_OUTCOMES: Final = {1: "won", 0: "tied", -1: "lost"}
"""What a round is called by the points that it is worth to the player."""


@dataclass(frozen=True, slots=True)
class ResultShare:
    """How many players' rounds ended in one way."""

    name: str
    """``won``, ``tied`` or ``lost``."""

    count: int
    yours: bool


@dataclass(frozen=True, slots=True)
class Fork:
    """A decision, and what became of those who took it one way and the other."""

    hand: Text
    counts: Mapping[str, ResultCounts]
    """By ``hit`` and ``stay``."""

    yours: str
    """Which of them you chose; empty where you did not come so far."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the cards of a deal were worth, and what you have made of them."""

    decisions: tuple[Text, ...]
    ledger: Ledger
    best: str
    """How the round ends if each decision is the best one by the odds."""

    best_moves: tuple[str, ...]
    """The names of those decisions."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a player sees of a deal that they have finished."""

    shares: tuple[ResultShare, ...]
    """How it ended for everyone; none where nothing is decided."""

    forks: tuple[Fork, ...]
    ending: str
    """How the player's round ended: ``won``, ``tied`` or ``lost``; empty where nobody decides."""

    verdict: Text | None
    """How the player did against the others; None where nothing is decided."""

    analysis: Analysis | None
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


@lru_cache(maxsize=64)
def replayed_round(deal: Deal, moves: str) -> tuple[Record, Replay]:
    """Return the record of a player's round, and its replay.

    Remembered, because all who play War to its end play the same hundreds of turns.
    """
    record = deal.record(moves)
    replayed = replay(record)
    return replayed.last.record, replayed


def summarize(
    deal: Deal, others: list[PlayerResult], own: PlayerResult, *, number: int, kept: bool
) -> Summary:
    """Return what a player who has finished a deal sees of it.

    Args:
        deal: the deal.
        others: what became of it, by everyone else who has finished.
        own: the player's own result.
        number: which round of the player's history that is; 0 for none.
        kept: whether it is among everyone's.
    """
    record, replayed = replayed_round(deal, own.moves)
    game, advisor = deal.shared.game, deal.shared.game.advisor
    everyone = [*others, own]
    whole = with_shuffle_orders(record, replayed)
    token = to_token(record)
    coach = advisor_of(game)
    analysis = _analysis(deal, coach, record, replayed) if coach else None
    decisions = analysis.ledger.current_decisions if analysis else ()
    regret = regret_of(replayed.last, [decision.cost for decision in decisions])
    return Summary(
        shares=_shares(advisor, everyone, own) if advisor else (),
        forks=_forks(deal, advisor, everyone, own) if advisor else (),
        ending=_OUTCOMES[advisor.points[own.winner]] if advisor else "",
        verdict=_verdict(advisor, others, own) if advisor else None,
        analysis=analysis,
        number=number,
        kept=kept,
        record=readable_line(whole),
        token=token,
        again=what_if_address(record.truncated(1), token) if advisor else "",
        regret=(regret.text, other_decision(record, regret.step, regret.move)) if regret else None,
    )


def _verdict(advisor: Advisor, others: list[PlayerResult], own: PlayerResult) -> Text:
    """Say how many others a player beat: those whose round was worth less, with the same cards."""
    points = [advisor.points[one.winner] for one in others]
    yours = advisor.points[own.winner]
    beaten, lost = sum(one < yours for one in points), sum(one > yours for one in points)
    if not others:
        return Text("You are the first to finish.")
    if beaten:
        return Text("You beat {beaten} of {others}.", beaten=beaten, others=len(others))
    if lost:
        return plural(
            "{number} of {others} beat you.",
            "{number} of {others} beat you.",
            lost,
            others=len(others),
        )
    return plural("You tied the other player.", "You tied all {number} other players.", len(others))


def _shares(
    advisor: Advisor, everyone: list[PlayerResult], yours: PlayerResult
) -> tuple[ResultShare, ...]:
    """Return how a deal ended for everyone."""
    winners = [one.winner for one in everyone]
    by_points = {points: winner for winner, points in advisor.points.items()}
    return tuple(
        ResultShare(
            name,
            winners.count(by_points[points]),
            yours=by_points[points] == yours.winner,
        )
        for points, name in _OUTCOMES.items()
    )


def _forks(
    deal: Deal, advisor: Advisor, everyone: list[PlayerResult], yours: PlayerResult
) -> tuple[Fork, ...]:
    """Return the decisions of a deal, and who took which."""
    game = deal.shared.game
    splits = decision_splits(deal.shared, [one.line(game) for one in everyone])
    return tuple(
        Fork(
            hand=advisor.situation_text(advisor.situation(split.table.state)),
            counts={"hit": split.hit, "stay": split.stay},
            yours=_choice(yours.line(game), hits),
        )
        for hits, split in enumerate(splits)
    )


def _choice(line: PlayedLine, hits: int) -> str:
    """Return what a player did after a number of hits; nothing if they did not come so far."""
    if line.hits > hits:
        return "hit"
    return "stay" if line.hits == hits and line.stayed else ""


def _analysis(deal: Deal, advisor: Advisor, record: Record, replayed: Replay) -> Analysis:
    """Return what the decisions of a round were worth, by the exact odds at each."""
    moves = [action.name for action in record.single_actions()]
    ledger = review_round(advisor, replayed.tables, moves)
    best = play_optimally(deal.shared)
    return Analysis(
        decisions=tuple(map(advisor.assessment, ledger.current_decisions)),
        ledger=ledger,
        best=_OUTCOMES[advisor.points[best.winner]],
        best_moves=(HIT,) * best.hits + (STAY,) * best.stayed,
    )
