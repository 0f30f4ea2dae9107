"""What a player who has finished a deal sees of everyone's rounds.

Nothing here asks a store or a session: all follows from the deal, and from what the players did.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from cardgames.advice import Advisor
from cardgames.cards import Cards
from cardgames.ledger import Ledger, review_round
from cardgames.records.line import readable_line
from cardgames.records.record import Record
from cardgames.records.replay import Replay, replay, sealed_orders, with_shuffle_orders
from cardgames.shared_deal import (
    PlayedLine,
    ResultCounts,
    decision_splits,
    play_optimally,
)
from cardgames.shuffling import commitment, committed_text
from cardgames.text import Text
from web.deals.deal import Deal, PlayerResult
from web.rounds.addresses import to_token
from web.tables.advice import advisor_of

_OUTCOMES: Final = {1: "won", 0: "tied", -1: "lost"}
"""What a round is called by the points that it is worth to the player."""


@dataclass(frozen=True, slots=True)
class ResultShare:
    """How many players' rounds ended in one way."""

    name: str
    """``won``, ``tied`` or ``lost``."""

    count: int
    share: float
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
    """How the round ends for who takes the best decision by the odds each time."""


@dataclass(frozen=True, slots=True)
class OpenedShuffle:
    """A shuffle whose seal is opened."""

    seal: str
    text: str
    """What was sealed: the salt and the order."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a player sees of a deal that they have finished."""

    shares: tuple[ResultShare, ...]
    """How it ended for everyone; none where nothing is decided."""

    forks: tuple[Fork, ...]
    stop: str
    """What stopping is called at the table."""

    analysis: Analysis | None
    number: int
    """Which round of the player's history it is; 0 for none."""

    kept: bool
    """Whether the result is among everyone's: more players may have come than are kept."""

    record: str
    token: str
    """What stands in the address at which the round can be looked at step by step."""

    decks: Mapping[str, Cards]
    shuffles: tuple[OpenedShuffle, ...]


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
    """Return what a player sees of a deal who has finished it.

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
    coach = advisor_of(game)
    return Summary(
        shares=_shares(advisor, everyone, own) if advisor else (),
        forks=_forks(deal, advisor, everyone, own) if advisor else (),
        stop=advisor.stop_text() if advisor else "",
        analysis=_analysis(deal, coach, record, replayed) if coach else None,
        number=number,
        kept=kept,
        record=readable_line(whole),
        token=to_token(record),
        decks=deal.shared.decks(),
        shuffles=tuple(_opened_shuffles(deal.salt.hex(), sealed_orders(whole))),
    )


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
            winners.count(by_points[points]) / len(winners),
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
    )


def _opened_shuffles(salt: str, orders: tuple[Cards, ...]) -> list[OpenedShuffle]:
    """Return the seals of the shuffles, opened."""
    return [OpenedShuffle(commitment(salt, order), committed_text(salt, order)) for order in orders]
