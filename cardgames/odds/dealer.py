"""The probabilities of the dealer's final totals, given the known cards.

**The hole card need not be guessed.** The player knows the set of the unseen cards, but not which
card is the hole card. So the result is the same as if the dealer drew the hole card only when it is
turned over, like any other card. The player may know more about one card, the *special* card. Each
possible value of the special card is then evaluated separately, and all other cards are equally
likely.

**Hands instead of orders.** The possible hands of the dealer are listed once, and each hand
combines all orders in which its cards can be drawn (:mod:`.hands`). Suppose that c of n unseen
cards have a given value, and that m of the k drawn cards have this value. Then the next card has
this value with probability (c - m) / (n - k). So probabilities propagate from each hand to the
hands with another card, until they reach the *final* hands, on which the dealer stands.

**Removing a card is a multiplication.** Suppose that the player drew one of the c cards of a value.
Now put that card back at a random position among the n - 1 other cards. Then all orders of the n
cards are equally likely again. A hand of k cards that the dealer draws from the other cards is
still drawn if that card comes after these k cards. The probability of this is 1 - k / n. Among the
ways to draw a hand from the n cards, a proportion of 1 - m / c does not need this card. So the
probability of a final hand without the card is its probability with the card, times (1 - m / c) /
(1 - k / n). This takes one multiplication, whereas propagating the probabilities again takes one
multiplication for each way to reach the hand.

The factor that is common to all values, 1 / (1 - k / n), is applied and summed up once. Then, for
each value that the player may draw, only the final hands with that value are visited.

The factor is valid if the dealer draws all cards from the same set. If there may be a refill in
between, or if the cards may run out, the probabilities are propagated again from the first card.

    >>> from cardgames.games.twentyone import BLACKJACK
    >>> from cardgames.odds.card_sets import DECK, NO_CARDS
    >>> unseen = Hidden(DECK - ONE[10], deck=50, discards=NO_CARDS)
    >>> outcomes = Dealer(10, BLACKJACK).outcomes(unseen)
    >>> [f"{chance:.8f}" for chance in outcomes.ends()[:3]]
    ['0.11441819', '0.11287896', '0.11466241']
"""

from bisect import bisect_left
from itertools import accumulate
from operator import mul
from typing import NamedTuple, Protocol

from cardgames.games.twentyone.rules import TARGET, Rules
from cardgames.odds.card_sets import ONE, VALUES, CardSet, Hidden, count_cards, size
from cardgames.odds.hands import FinalHands, Hands, hands


class Against(NamedTuple):
    """The probabilities of the dealer's final hands, compared with the player's total."""

    equal: float
    """The probability that the dealer stands on the same total."""

    above: float
    """The probability that the dealer stands on a higher total."""

    out: float
    """The probability that the cards run out first."""


class NextCard(Protocol):
    """A function that returns the probabilities after the player drew a card."""

    def against(self, value: int, left: Hidden, total: int, /) -> Against:
        """Return the probabilities against a total, after a card of this value was drawn."""

    def then(self, value: int, left: Hidden, /) -> "NextCard":
        """Return the function for the next card, after a card of this value was drawn."""


class Dealer:
    """The dealer of one round: an upcard, and the rules of the table."""

    def __init__(self, upcard: int, rules: Rules) -> None:
        """Create the dealer, given the value of the upcard."""
        self.upcard = ONE[upcard]
        self.rules = rules
        self.stands = rules.dealer_stands
        self.hands = self.hands_from(self.upcard)
        self.known: dict[Hidden, Outcomes] = {}
        self.worked_out: dict[tuple[FinalHands, int], list[float]] = {}
        self.by_special: dict[tuple[CardSet, tuple[int, ...], bool], _BySpecial] = {}

    @property
    def end_names(self) -> tuple[str, ...]:
        """The names of the dealer's outcomes.

        An outcome is a total, ``"bust"``, or ``"out"`` if no cards are left.
        """
        return (*map(str, range(self.stands, TARGET + 1)), "bust", "out")

    def hands_from(self, start: CardSet) -> Hands:
        """Return the hands that the dealer can reach from these cards."""
        ace_may_be_eleven = self.rules.ace_may_be_eleven
        return hands(start, ace_may_be_eleven=ace_may_be_eleven, stands=self.stands)

    @property
    def longest(self) -> int:
        """The maximum number of cards that the dealer draws, including the hole card."""
        return self.hands.longest

    def factors(self, hands: FinalHands, n: int) -> list[float]:
        """Return 1 / (1 - k / n) for each final hand with k drawn cards."""
        if (hands, n) not in self.worked_out:
            self.worked_out[hands, n] = [
                n / (n - k) for k, times in hands.sizes for _ in range(times)
            ]
        return self.worked_out[hands, n]

    def outcomes(self, hidden: Hidden) -> "Outcomes":
        """Return the probabilities of the dealer's outcomes, given the hidden cards."""
        if hidden not in self.known:
            outcomes = (
                self._each_special(hidden) if hidden.special else {0: self._all_alike(hidden)}
            )
            finals = {value: finals for value, (finals, _) in outcomes.items()}
            out = {value: out for value, (_, out) in outcomes.items()}
            self.known[hidden] = Outcomes(self, hidden, finals, out)
        return self.known[hidden]

    def _all_alike(self, hidden: Hidden) -> tuple["_Finals", float]:
        """Draw the hole card like any other card, then cards from a refilled deck.

        The remaining cards do not depend on which cards were drawn before a refill.
        """
        cards = hidden.unseen
        return _drawn(self.hands, cards, hidden.deck + 1, cards + hidden.discards)

    def _each_special(self, hidden: Hidden) -> dict[int, tuple["_Finals", float]]:
        """Evaluate each possible value of the special card.

        All other cards are equally likely.
        """
        weights = hidden.weights()
        values = [value for value in VALUES if weights[value]]
        if hidden.special and not hidden.special.buried:
            return {value: self._with_hole(hidden, value) for value in values}
        if hidden.deck > self.longest:
            anything = _ByFactors(self, self._all_alike(hidden)[0])
            return {value: (anything.finals_without(value), 0.0) for value in values}
        refilled = hidden.unseen + hidden.discards
        return {
            value: _drawn(self.hands, hidden.unseen - ONE[value], hidden.deck + 1, refilled)
            for value in values
        }

    def _with_hole(self, hidden: Hidden, hole: int) -> tuple["_Finals", float]:
        """Draw the dealer's cards, starting with the upcard and the given hole card."""
        both = self.hands_from(self.upcard + ONE[hole])
        cards = hidden.unseen - ONE[hole]
        return _drawn(both, cards, hidden.deck, cards + hidden.discards)


class _Finals(NamedTuple):
    """The hands on which the dealer stands, with their probabilities."""

    hands: FinalHands
    cards: CardSet
    chances: list[float]

    def totals(self) -> list[float]:
        """Return the probability of each total."""
        return [sum(self.chances[total]) for total in self.hands.totals]

    def possible(self) -> "_Finals":
        """Remove the hands that are no longer possible, if that saves time."""
        chances = [chance for chance in self.chances if chance]
        if len(chances) > 0.9 * len(self.chances):
            return self
        return _Finals(self.hands.only(self.chances), self.cards, chances)


def _drawn(
    hands: Hands, cards: CardSet, before_refill: int, refilled: CardSet
) -> tuple[_Finals, float]:
    """Draw from one set of cards and, after a number of draws, from a refilled set.

    Both card sets include the cards that were drawn before. Returns the final hands, and the
    probability that the cards run out first.
    """
    draws_from = [cards if place < before_refill else refilled for place in range(hands.longest)]
    to_draw, chances = _propagate(hands, draws_from)
    out = sum(to_draw[bisect_left(hands.drawn, size(refilled)) :])
    return _Finals(hands.final, cards, chances), out


def _propagate(hands: Hands, draws_from: list[CardSet]) -> tuple[list[float], list[float]]:
    """Propagate the probabilities from each hand to the hands with another card.

    Each draw has its own set of cards. Returns the probabilities of the hands to which the dealer
    must draw, and of the final hands.
    """
    chances = _chances(hands, draws_from)
    to_draw = len(hands.draws)
    weights = [0.0] * (to_draw + len(hands.final.drawn))
    weights[0] = 1.0
    for weight, draws in zip(weights, hands.draws, strict=False):
        if weight:
            for step, larger in draws:
                weights[larger] += weight * chances[step]
    return weights[:to_draw], weights[to_draw:]


def _chances(hands: Hands, draws_from: list[CardSet]) -> list[float]:
    counts = [count_cards(cards) for cards in draws_from]
    left = [max(count[0] - before, 1) for before, count in enumerate(counts)]
    return [(counts[before][value] - alike) / left[before] for before, value, alike in hands.steps]


class Outcomes:
    """The probabilities of the dealer's final totals, given the current knowledge."""

    def __init__(
        self, dealer: Dealer, hidden: Hidden, finals: dict[int, _Finals], out: dict[int, float]
    ) -> None:
        """Store the probabilities of the final hands and of running out of cards.

        The keys are the values of the special card, or 0 if there is no special card.
        """
        self.dealer = dealer
        self.hidden = hidden
        self.finals = finals
        weights = hidden.weights()
        self.shares = {value: weights[value] / weights[0] for value in finals}
        self.out = sum(self.shares[value] * chance for value, chance in out.items())

    def ends(self) -> list[float]:
        """Return the probabilities of the dealer's outcomes (:attr:`Dealer.end_names`)."""
        totals = [0.0] * (TARGET + 1 - self.dealer.stands)
        for value, finals in self.finals.items():
            share = self.shares[value]
            for place, chance in enumerate(finals.totals()):
                totals[place] += share * chance
        return [*totals, max(0.0, 1.0 - sum(totals) - self.out), self.out]

    def against(self, total: int) -> Against:
        """Return the probabilities of the dealer's final hands, compared with a total."""
        totals = self.ends()[:-2]
        if total < self.dealer.stands:
            return Against(0.0, sum(totals), self.out)
        place = total - self.dealer.stands
        return Against(totals[place], sum(totals[place + 1 :]), self.out)

    def next_card(self) -> NextCard:
        """Return the probabilities of the final hands if the player draws a card."""
        dealer, hidden = self.dealer, self.hidden
        if hidden.deck <= dealer.longest:
            return _Anew(dealer)
        given = {
            value: _ByFactors(dealer, final.possible()) for value, final in self.finals.items()
        }
        return _BySpecial(dealer, given) if hidden.special else given[0]


class _Anew:
    """Computes the probabilities from scratch, because a refill may be near."""

    def __init__(self, dealer: Dealer) -> None:
        self.dealer = dealer

    def against(self, _value: int, left: Hidden, total: int, /) -> Against:
        return self.dealer.outcomes(left).against(total)

    def then(self, _value: int, left: Hidden, /) -> NextCard:
        return self.dealer.outcomes(left.ready()).next_card()


class _ByFactors:
    """Derives the probabilities after a draw from the probabilities before the draw."""

    def __init__(self, dealer: Dealer, before: _Finals) -> None:
        self.dealer = dealer
        self.hands = before.hands
        self.cards = before.cards
        self.counts = count_cards(before.cards)
        self.chances = list(map(mul, before.chances, dealer.factors(before.hands, self.counts[0])))
        """The probabilities if no hand contained a card of the drawn value."""
        self.equal = [sum(self.chances[total]) for total in self.hands.totals]
        self.above = [*accumulate(reversed(self.equal), initial=0.0)][::-1]
        """For each total, the probability of this total or a higher one. The last item is 0."""

    def against(self, value: int, _left: Hidden, total: int, /) -> Against:
        chance, count = self.chances.__getitem__, self.counts[value]
        holding = self.hands.holding[value]
        if total < self.dealer.stands:
            return Against(0.0, self.above[0] - sum(map(chance, holding)) / count, 0.0)
        place = total - self.dealer.stands
        begins, ends = self.hands.begins[value][place : place + 2]
        return Against(
            self.equal[place] - sum(map(chance, holding[begins:ends])) / count,
            self.above[place + 1] - sum(map(chance, holding[ends:])) / count,
            0.0,
        )

    def then(self, value: int, left: Hidden, /) -> NextCard:
        return self.without(value) if left.deck > self.dealer.longest else _Anew(self.dealer)

    def without(self, value: int) -> "_ByFactors":
        return _ByFactors(self.dealer, self.finals_without(value))

    def finals_without(self, value: int) -> _Finals:
        """Return the final hands after a card of this value was removed."""
        before, share = self.chances, 1 / self.counts[value]
        chances = before[:]
        for place in self.hands.holding[value]:
            chances[place] -= before[place] * share
        return _Finals(self.hands, self.cards - ONE[value], chances)


class _BySpecial:
    """Derives the probabilities separately for each value of the special card.

    The special card is not drawn. For a given special card, the probabilities depend only on the
    remaining cards. The player's knowledge of that special card determines only its weight, so the
    results for the cards are reused.
    """

    def __init__(self, dealer: Dealer, given: dict[int, _ByFactors]) -> None:
        self.dealer = dealer
        self.given = given
        self.found: dict[tuple[int, int], list[tuple[int, Against]]] = {}

    def against(self, value: int, left: Hidden, total: int, /) -> Against:
        results = self.found.get((value, total))
        if results is None:
            results = self.found[value, total] = [
                (special, self.given[special].against(value, left, total))
                for special in self._after(value)
            ]
        weights = left.weights()
        equal = sum(weights[special] * against.equal for special, against in results)
        above = sum(weights[special] * against.above for special, against in results)
        return Against(equal / weights[0], above / weights[0], 0.0)

    def then(self, value: int, left: Hidden, /) -> NextCard:
        if left.deck <= self.dealer.longest:
            return _Anew(self.dealer)
        buried = left.special is not None and left.special.buried
        known, key = self.dealer.by_special, (left.unseen, self._after(value), buried)
        if key not in known:
            known[key] = _BySpecial(
                self.dealer, {special: self.given[special].without(value) for special in key[1]}
            )
        return known[key]

    def _after(self, value: int) -> tuple[int, ...]:
        """Return the special card's possible values after a card of this value was drawn."""
        return tuple(special for special, cards in self.given.items() if cards.counts[value])
