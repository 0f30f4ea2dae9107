"""Advice about decisions: what a game with exact odds can say of each.

An :class:`Advisor` belongs to a game and knows what each decision is worth. The coach, the ledger,
replays and deal links ask it and never what game it is; a game without an advisor has none of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from cardgames.cards import Card, Cards, Rank
from cardgames.text import Text

POINTS: Final = 100
"""A point is a hundredth of a round."""


@dataclass(frozen=True, slots=True)
class Chances:
    """How a round may end: three probabilities that sum to 1, and ``ev``, which is win - lose."""

    win: float
    tie: float
    lose: float
    ev: float


@dataclass(frozen=True, slots=True)
class Odds:
    """What the decisions of a twenty-one game are worth to a player who remembers every card."""

    stay: Chances
    """Staying now."""

    hit: Chances
    """One hit now, followed by the best play: at each decision the higher ``ev``."""

    bust: float
    """The chance that the next card takes the player over 21."""

    dealer: Mapping[str, float]
    """What the dealer ends with if the player stays now: ``"17"`` to ``"21"``, ``"bust"``, or
    ``"out"`` where the cards run out first. Where staying on 21 wins at once and the dealer does
    not play, this is what the dealer would have ended with."""

    best: Literal["hit", "stay"]
    """The decision with the higher ``ev``; ``"stay"`` where they are equal."""

    after: Mapping[int, float]
    """What the best play is worth once the next card is there, by the card's value (aces 1)."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What was to be decided: the player's hand against the dealer's upcard."""

    hand: Cards
    upcard: Card
    total: int
    soft: bool
    """Whether an ace of the hand counts 11."""


@dataclass(frozen=True, slots=True)
class Out:
    """A rank among the unseen cards that would leave the player better off than stopping."""

    rank: Rank
    count: int


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


class Advisor(Protocol):
    """Knows what the decisions of a game are worth, and how to say it."""

    points: Mapping[str, int]
    """What a round is worth to the player, by who won it."""

    def pose(self, hand: Cards, upcard: Card, discards: Cards = ()) -> Any:
        """Return a round in which a hand stands against an upcard, with all other cards unseen.

        Args:
            hand: the player's.
            upcard: the dealer's.
            discards: cards of earlier rounds, which the player has seen.
        """

    def odds(self, state: Any) -> Odds:
        """Return the odds of the decision that is open.

        Raises:
            IllegalMove: none is open.
        """

    def situation(self, state: Any) -> Situation:
        """Return what is to be decided."""

    def unseen(self, state: Any) -> Cards:
        """Return the cards that the player has not seen, in any order."""

    def outs(self, state: Any, odds: Odds) -> tuple[Out, ...]:
        """Return the ranks that would help, by the odds of the decision that is open."""

    def best_text(self, odds: Odds) -> Text:
        """Say which decision is the best one."""

    def stop_label(self) -> Text:
        """Return what stopping is called on a button: "Stay" or "Stand"."""

    def stop_text(self) -> Text:
        """Return what stopping is called inside a sentence: "stay" or "stand"."""

    def decided_text(self, chosen: str) -> Text:
        """Say what the player decided: "You hit."."""

    def regret_text(self, other: str) -> Text:
        """Ask what would have been, had the player decided otherwise: "What if I had hit?".

        Args:
            other: the move that they did not make.
        """

    def situation_text(self, situation: Situation) -> Text:
        """Say what is to be decided: "Soft 17 against a nine"."""

    def out_text(self, out: Out) -> Text:
        """Say which cards would help: "4 sixes"."""

    def assessment(self, decision: Decision) -> Text:
        """Say what a decision was worth against the best one."""

    def upcard_rank(self, upcard: Card) -> Rank:
        """Return the rank that stands for all upcards that count as much as this one."""

    def decision_text(self, chosen: str, total: int, upcard: Rank, *, soft: bool) -> Text:
        """Name a decision: "Standing on soft 18 against a nine".

        Args:
            chosen: the move, as a :class:`Decision` has it.
            total: what the hand was worth.
            upcard: what the dealer showed.
            soft: whether an ace of the hand counted 11.
        """
