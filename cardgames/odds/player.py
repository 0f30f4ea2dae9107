"""What the player's decisions are worth: staying, a hit, and the best play after it."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from cardgames.advice import Chances
from cardgames.games.twentyone.rules import TARGET, Rules
from cardgames.odds.card_sets import HIGHEST, VALUES, Hand, Hidden
from cardgames.odds.dealer import Against, NextCard

ROUNDING: Final = 1e-12
"""Values of two decisions that are closer than this differ by rounding alone."""


class Worth(NamedTuple):
    """What a play is worth."""

    ev: float
    tie: float

    def chances(self) -> Chances:
        """Return the three chances; the sums of many products may be past 0 by a rounding."""
        win = max(0.0, (1.0 - self.tie + self.ev) / 2)
        lose = max(0.0, (1.0 - self.tie - self.ev) / 2)
        return Chances(win, self.tie, lose, win - lose)


_WON: Final = Worth(1.0, 0.0)
_TIED: Final = Worth(0.0, 1.0)
_LOST: Final = Worth(-1.0, 0.0)


class Solver:
    """Answers one question: what staying, hitting and the best play are worth from here on."""

    def __init__(self, rules: Rules, longest: int) -> None:
        """Take the rules, and how many cards the dealer may draw."""
        self.rules = rules
        self.longest = longest
        self.solved: dict[Hidden, Worth] = {}
        """What the best play is worth. In one round, what is hidden tells the player's hand."""

    def total(self, hand: Hand) -> int:
        """Return what the player's hand is worth."""
        return hand.total(ace_may_be_eleven=self.rules.ace_may_be_eleven)

    def bust(self, hand: Hand, hidden: Hidden) -> float:
        """Return the probability that a hit takes the player over 21."""
        if hand.hard + HIGHEST <= TARGET:
            return 0.0
        ready = hidden.ready()
        return ready.chance_above(TARGET - hand.hard) if ready.deck else 0.0

    def stay(self, total: int, against: Against) -> Worth:
        """Return what staying is worth."""
        if self.rules.stay_on_21_wins and total == TARGET:
            return _WON
        equal, above, out = against
        if self.rules.dealer_wins_ties:
            return Worth(1.0 - out - 2.0 * (above + equal), out)
        return Worth(1.0 - out - 2.0 * above - equal, out + equal)

    def hit(self, hand: Hand, hidden: Hidden, next_card: NextCard, instead: Worth = _LOST) -> Worth:
        """Return what a hit is worth, followed by the best play; or what to do instead is worth.

        Args:
            hand: the player's hand.
            hidden: what is known now that a card is to come.
            next_card: how the dealer ends after it.
            instead: returned as soon as it is certain that a hit is not worth more.
        """
        enough = instead.ev + ROUNDING
        if not hidden.deck:
            return _TIED if _TIED.ev > enough else instead
        bust = hidden.chance_above(TARGET - hand.hard)
        ev, tie, at_most = -bust, 0.0, 1.0 - 2.0 * bust
        for chance, less, worth in self._next_cards(hand, hidden, next_card):
            at_most -= chance * less
            # Each card looked at lowers the bound, so the rest may not need to be looked at.
            if at_most <= enough:
                return instead
            if worth is not None:
                ev += chance * worth.ev
                tie += chance * worth.tie
        return Worth(ev, tie)

    def _next_cards(
        self, hand: Hand, hidden: Hidden, next_card: NextCard
    ) -> Iterator[tuple[float, float, Worth | None]]:
        """Look at each card that may come and does not bust the hand.

        Yields:
            The card's chance; how much less the best play after it can be worth than was known; and
            what it is worth, or nothing while that is not settled. What takes longer comes last.
        """
        open_hits = []
        for chance, value, left in hidden.draws(TARGET - hand.hard):
            worth = self.solved.get(left)
            if worth is None:
                larger = hand.plus(value)
                total = self.total(larger)
                # Staying need not be computed there: it cannot be the better one.
                if self._hit_is_free(larger, total, left):
                    open_hits.append((chance, value, left, larger, _LOST, 1.0))
                    continue
                worth = self.stay(total, next_card.against(value, left, total))
                at_most = 1.0 - 2.0 * self.bust(larger, left)
                # A hit might still be better: it is put off, and the cheap cards come first.
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
        """Say whether a hit surely costs nothing.

        It cannot bust; a total on which the dealer draws wins only if they bust; and enough
        cards are left for them to bust as often as before.
        """
        return (
            hand.hard + HIGHEST <= TARGET
            and total < self.rules.dealer_stands
            and hidden.deck > self.longest
        )

    def after(self, ready: Hidden) -> dict[int, float]:
        """Return what the best play is worth after the next card, by its value.

        A card that was not looked at busts the hand, or a hit loses whatever comes.
        """
        chances, worth = [0.0] * (1 + HIGHEST), [0.0] * (1 + HIGHEST)
        for chance, value, left in ready.draws(HIGHEST) if ready.deck else ():
            chances[value] += chance
            worth[value] += chance * self.solved.get(left, _LOST).ev
        return {value: worth[value] / chances[value] for value in VALUES if chances[value]}
