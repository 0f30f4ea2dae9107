"""One deal for many players, who all get the same cards.

The choices of the deal are fixed when the deal is created, and its shuffles are derived from one
salt, so all players get the same cards. Each player plays the deal once, without dealing again,
conceding or starting over (:attr:`cardgames.table.Table.fixed_deal`).

If the game has an advisor, players' rounds can only differ in the number of hits, so they diverge
at a sequence of decisions (:func:`decision_splits`): the first hand, the hand after one hit, and so
on.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from cardgames.advice import Advisor
from cardgames.cards import Cards
from cardgames.game import AnyGame
from cardgames.ledger import EMPTY_LEDGER, after_decision
from cardgames.moves import Action
from cardgames.records.record import Record
from cardgames.shuffling import SaltedRandom
from cardgames.table import Phase, Table

HIT: Final = "hit"
STAY: Final = "stay"


@dataclass(frozen=True, slots=True)
class SharedDeal:
    """A deal that many players play."""

    game: AnyGame
    fixed_deal: Action
    """The deal, with its fields."""

    salt: str
    """The salt of the shuffles, in hexadecimal."""

    @property
    def table(self) -> Table:
        """The table of a player before the deal."""
        return Table(self.game, fixed_deal=self.fixed_deal)

    def play(self, table: Table, name: str) -> Table:
        """Return a player's table after a move that has no form fields."""
        return table.play(name, new_salt=lambda: self.salt).table

    def dealt(self) -> Table:
        """Return a player's table after the deal."""
        return self.play(self.table, self.fixed_deal.name)

    def decks(self) -> Mapping[str, Cards]:
        """Return the decks, top card first, keyed by the form field of the deal."""
        rng = SaltedRandom(lambda: self.salt)
        self.game.deal(None, self.fixed_deal, rng)
        orders = iter(rng.shuffles)
        decks = self.game.deals.decks
        return {name: self.fixed_deal.deck(name) or next(orders) for name in decks}


class PlayedLine(NamedTuple):
    """One player's moves in a deal, and the winner."""

    hits: int
    stayed: bool
    winner: str

    @classmethod
    def of(cls, record: Record) -> "PlayedLine":
        """Return the player's moves and the winner from the record of a round."""
        hits = sum(action.times for action in record.actions if action.name == HIT)
        return cls(hits, any(action.name == STAY for action in record.actions), record.result)

    @property
    def moves(self) -> tuple[str, ...]:
        """The names of the chosen moves, one per decision."""
        return (HIT,) * self.hits + (STAY,) * self.stayed


@dataclass(frozen=True, slots=True)
class ResultCounts:
    """The results of a deal for a group of players."""

    players: int
    won: int
    tied: int
    lost: int

    @classmethod
    def of(cls, winners: Iterable[str]) -> "ResultCounts":
        """Count the rounds by their winners."""
        counts = Counter(winners)
        return cls(counts.total(), counts["player"], counts["tie"], counts["dealer"])


@dataclass(frozen=True, slots=True)
class DecisionSplit:
    """A decision in a deal, and the players' results for each choice."""

    table: Table
    hit: ResultCounts
    stay: ResultCounts


def decision_splits(deal: SharedDeal, lines: Iterable[PlayedLine]) -> tuple[DecisionSplit, ...]:
    """Return the decisions that the players of a deal faced, in order.

    Args:
        deal: Deal of a game with an advisor.
        lines: The moves and the winner of each player's round.
    """
    counted = tuple(lines)
    most = max((line.hits for line in counted), default=-1)
    tables = enumerate(islice(decisions(deal), most + 1))
    return tuple(
        DecisionSplit(
            table=table,
            hit=ResultCounts.of(line.winner for line in counted if line.hits > hits),
            stay=ResultCounts.of(
                line.winner for line in counted if line.hits == hits and line.stayed
            ),
        )
        for hits, table in tables
    )


def decisions(deal: SharedDeal) -> Iterator[Table]:
    """Yield the table at the first decision, and after each further hit."""
    table = deal.dealt()
    while table.phase is Phase.PLAYING:
        yield table
        table = deal.play(table, HIT)


def best_record(deal: SharedDeal) -> Record:
    """Return the record of a deal in which the player plays best by the odds.

    Args:
        deal: Deal of a game with an advisor.
    """
    advisor, table = deal.game.advisor, deal.dealt()
    while advisor and table.phase is Phase.PLAYING:
        table = deal.play(table, advisor.odds(table.state).best)
    return table.record


def play_optimally(deal: SharedDeal) -> PlayedLine:
    """Return the outcome of a deal for a player who plays best by the odds.

    Args:
        deal: Deal of a game with an advisor.
    """
    return PlayedLine.of(best_record(deal))


class DecisionCost(NamedTuple):
    """The cost of a decision compared with the best play, in rounds."""

    stay: float
    hit: float


DealCosts = tuple[DecisionCost, ...]
"""The costs of the decisions: at the first hand, after one hit, and so on."""


def deal_costs(deal: SharedDeal, advisor: Advisor) -> DealCosts:
    """Return the cost of each decision of a deal, by the player's exact odds.

    The costs depend only on the deal, and determine the total cost of any player's round.
    """

    def cost(table: Table, move: str) -> float:
        return after_decision(EMPTY_LEDGER, advisor, table, move).cost

    return tuple(DecisionCost(cost(at, STAY), cost(at, HIT)) for at in decisions(deal))


def line_cost(costs: DealCosts, line: PlayedLine) -> float:
    """Return the total cost of a player's decisions in one round, in rounds.

    >>> costs = (DecisionCost(0.25, 0.0), DecisionCost(0.0, 0.5))
    >>> line_cost(costs, PlayedLine(1, True, "dealer")), line_cost(costs, PlayedLine(2, False, ""))
    (0.0, 0.5)
    """
    hits = sum(decision.hit for decision in costs[: line.hits])
    return hits + (costs[line.hits].stay if line.stayed else 0.0)
