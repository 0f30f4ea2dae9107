"""Advice about decisions, for games with exact odds.

An :class:`Advisor` belongs to a game and knows the value of each decision. The coach, the ledger,
replays and deal links use only the advisor, so a game without an advisor has none of these
features.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from cardgames.cards import Card, Cards, Rank
from cardgames.text import Text

POINTS: Final = 100
"""Number of points per round of expected value: 1 in ``ev`` is 100 points."""


@dataclass(frozen=True, slots=True)
class Chances:
    """The expected value, and the probabilities of a round's outcomes.

    The probabilities sum to 1. The expected value ``ev`` is ``win - lose``.
    """

    win: float
    tie: float
    lose: float
    ev: float


@dataclass(frozen=True, slots=True)
class Odds:
    """The values of the decisions of a player who remembers every card."""

    stay: Chances
    """The odds of staying now."""

    hit: Chances
    """The odds of hitting now and then always making the decision with the higher ``ev``."""

    bust: float
    """The probability that the next card takes the player over 21."""

    dealer: Mapping[str, float]
    """The probability of each final total of the dealer if the player stays now: ``"17"`` to
    ``"21"``, ``"bust"``, or ``"out"`` if the cards run out first. If staying on 21 wins
    immediately, the dealer does not play, and these are the totals that the dealer would have
    reached.
    """

    best: Literal["hit", "stay"]
    """The decision with the higher ``ev``, or ``"stay"`` if both are equal."""

    after: Mapping[int, float]
    """The expected value of the best play after the next card, keyed by the card's value (1 for an
    ace).
    """


@dataclass(frozen=True, slots=True)
class Situation:
    """An open decision: the player's hand against the dealer's upcard."""

    hand: Cards
    upcard: Card
    total: int
    soft: bool
    """Whether an ace in the hand counts as 11."""


@dataclass(frozen=True, slots=True)
class Out:
    """A rank that would improve the player's position if it were drawn next.

    The improvement is relative to the position of a player who stops.
    """

    rank: Rank
    count: int


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of the player, and its cost compared with the best decision."""

    round: int
    hand: Cards
    upcard: Card
    chosen: str
    """The move: ``hit``, ``stay``, or ``deal`` to concede the round."""

    best: str
    cost: float


class Advisor(Protocol):
    """The values of a game's decisions, and texts about them."""

    points: Mapping[str, int]
    """The value of a round for the player, keyed by winner."""

    def pose(self, hand: Cards, upcard: Card, discards: Cards = ()) -> Any:
        """Return a round with the given hand and upcard. All other cards are unseen.

        Args:
            hand: Cards of the player.
            upcard: Face-up card of the dealer.
            discards: Cards of earlier rounds that the player has seen.
        """

    def odds(self, state: Any) -> Odds:
        """Return the odds of the open decision.

        Raises:
            IllegalMove: If no decision is open.
        """

    def situation(self, state: Any) -> Situation:
        """Return the open decision."""

    def unseen(self, state: Any) -> Cards:
        """Return the cards that the player has not seen, in any order."""

    def outs(self, state: Any, odds: Odds) -> tuple[Out, ...]:
        """Return the ranks that would help the player, given the decision's odds."""

    def best_text(self, odds: Odds) -> Text:
        """Return a message that names the best decision."""

    def stop_label(self) -> Text:
        """Return the label of the button for stopping: "Stay" or "Stand"."""

    def stop_text(self) -> Text:
        """Return the verb for stopping inside a sentence: "stay" or "stand"."""

    def decided_text(self, chosen: str) -> Text:
        """Return a message with the player's decision: "You hit."."""

    def regret_text(self, other: str) -> Text:
        """Return the question about the other decision: "What if I had hit?".

        Args:
            other: Move that the player did not make.
        """

    def situation_text(self, situation: Situation) -> Text:
        """Return the decision as a phrase: "Soft 17 against a nine"."""

    def out_text(self, out: Out) -> Text:
        """Return the cards that would help, as a phrase: "4 sixes"."""

    def assessment(self, decision: Decision) -> Text:
        """Return a message that compares the player's decision with the best decision."""

    def upcard_rank(self, upcard: Card) -> Rank:
        """Return the rank that represents all upcards of the same value."""

    def decision_text(self, chosen: str, total: int, upcard: Rank, *, soft: bool) -> Text:
        """Return the name of a decision: "Standing on soft 18 against a nine".

        Args:
            chosen: Move, as in :class:`Decision`.
            total: The hand's total.
            upcard: Rank of the dealer's face-up card.
            soft: Whether an ace in the hand counted as 11.
        """


def posed_text(advisor: Advisor, hand: Cards, upcard: Card) -> Text:
    """Return a description of a hand, such as "16 against a ten".

    All other cards are unseen.
    """
    return advisor.situation_text(advisor.situation(advisor.pose(hand, upcard)))
