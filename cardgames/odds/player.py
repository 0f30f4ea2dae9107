"""The values of the player's decisions: staying, and hitting followed by the best play."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from cardgames.advice import Chances
from cardgames.games.twentyone.rules import TARGET, Rules
from cardgames.odds.card_sets import HIGHEST, VALUES, Hand, Hidden
from cardgames.odds.dealer import Against, NextCard

ROUNDING: Final = 1e-12
"""Values that differ by less than this are considered equal, because of rounding errors."""


class Value(NamedTuple):
    """The value of a play: the probabilities of its outcomes."""

    ev: float
    tie: float

    def chances(self) -> Chances:
        """Return the three probabilities, clipped at 0 because of rounding errors."""
        win = max(0.0, (1.0 - self.tie + self.ev) / 2)
        lose = max(0.0, (1.0 - self.tie - self.ev) / 2)
        return Chances(win, self.tie, lose, win - lose)


_WON: Final = Value(1.0, 0.0)
_TIED: Final = Value(0.0, 1.0)
_LOST: Final = Value(-1.0, 0.0)


class Solver:
    """Computes the values of staying, hitting and the best play for one open decision."""

    def __init__(self, rules: Rules, longest: int) -> None:
        """Store the rules, and the maximum number of cards that the dealer may draw."""
        self.rules = rules
        self.longest = longest
        self.solved: dict[Hidden, Value] = {}
        """The values of the best play so far, keyed by the hidden cards. The hidden cards determine
        the player's hand.
        """

    def total(self, hand: Hand) -> int:
        """Return the value of the player's hand."""
        return hand.total(ace_may_be_eleven=self.rules.ace_may_be_eleven)

    def bust(self, hand: Hand, hidden: Hidden) -> float:
        """Return the probability that a hit busts the player's hand."""
        if hand.hard + HIGHEST <= TARGET:
            return 0.0
        ready = hidden.ready()
        return ready.chance_above(TARGET - hand.hard) if ready.deck else 0.0

    def stay(self, total: int, against: Against) -> Value:
        """Return the value of staying."""
        if self.rules.stay_on_21_wins and total == TARGET:
            return _WON
        equal, above, out = against
        if self.rules.dealer_wins_ties:
            return Value(1.0 - out - 2.0 * (above + equal), out)
        return Value(1.0 - out - 2.0 * above - equal, out + equal)

    def hit(self, hand: Hand, hidden: Hidden, next_card: NextCard, instead: Value = _LOST) -> Value:
        """Return the value of a hit followed by the best play, or a better alternative.

        Args:
            hand: The player's hand.
            hidden: The knowledge just before the card is drawn.
            next_card: The dealer's probabilities after the card.
            instead: The value of the alternative. This value is returned as soon as the hit is
                certain not to have a higher value.
        """
        enough = instead.ev + ROUNDING
        if not hidden.deck:
            return _TIED if _TIED.ev > enough else instead
        bust = hidden.chance_above(TARGET - hand.hard)
        ev, tie, at_most = -bust, 0.0, 1.0 - 2.0 * bust
        for chance, less, worth in self._next_cards(hand, hidden, next_card):
            at_most -= chance * less
            # Each evaluated card lowers the bound, so the remaining cards may not have to be
            # evaluated.
            if at_most <= enough:
                return instead
            if worth is not None:
                ev += chance * worth.ev
                tie += chance * worth.tie
        return Value(ev, tie)

    def _next_cards(
        self, hand: Hand, hidden: Hidden, next_card: NextCard
    ) -> Iterator[tuple[float, float, Value | None]]:
        """Evaluate each possible card that does not bust the hand.

        Yields:
            The probability of the card, the amount by which the best play after the card lowers the
            bound, and the value of that play, or None if it is unknown. Slow evaluations are
            yielded last.
        """
        open_hits = []
        for chance, value, left in hidden.draws(TARGET - hand.hard):
            worth = self.solved.get(left)
            if worth is None:
                larger = hand.plus(value)
                total = self.total(larger)
                # The value of staying need not be computed, because hitting is at least as good.
                if self._hit_is_free(larger, total, left):
                    open_hits.append((chance, value, left, larger, _LOST, 1.0))
                    continue
                worth = self.stay(total, next_card.against(value, left, total))
                at_most = 1.0 - 2.0 * self.bust(larger, left)
                # A hit might still be better, so its evaluation is postponed until after the fast
                # ones.
                if worth.ev < at_most:
                    open_hits.append((chance, value, left, larger, worth, at_most))
                    yield chance, 1.0 - at_most, None
                    continue
                self.solved[left] = worth
            yield chance, 1.0 - worth.ev, worth
        for chance, value, left, larger, stay, at_most in open_hits:
            worth = self.hit(larger, left.ready(), next_card.then(value, left), stay)
            self.solved[left] = worth
            yield chance, at_most - worth.ev, worth

    def _hit_is_free(self, hand: Hand, total: int, hidden: Hidden) -> bool:
        """Return whether a hit is certain to cost nothing.

        This is true if the hit cannot bust, if the total wins only when the dealer busts, and if
        enough cards are left for the dealer to bust as often as before.
        """
        return (
            hand.hard + HIGHEST <= TARGET
            and total < self.rules.dealer_stands
            and hidden.deck > self.longest
        )

    def after(self, ready: Hidden) -> dict[int, float]:
        """Return the value of the best play, keyed by the value of the next card.

        A value is not evaluated if its card busts the hand, or if the hit is certain to be worse
        than staying.
        """
        chances, worth = [0.0] * (1 + HIGHEST), [0.0] * (1 + HIGHEST)
        for chance, value, left in ready.draws(HIGHEST) if ready.deck else ():
            chances[value] += chance
            worth[value] += chance * self.solved.get(left, _LOST).ev
        return {value: worth[value] / chances[value] for value in VALUES if chances[value]}
