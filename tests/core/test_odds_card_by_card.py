"""The odds against the rules followed card by card: nothing listed, left out, or found by a factor.

The evaluator here shares no code with the odds. It knows how likely the next card is and what the
rules say, and asks nothing but that; so it takes positions from a whole deck to the last card.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, replace
from functools import cache

import pytest

from cardgames.advice import Odds
from cardgames.cards import FULL_DECK, Card
from cardgames.games.twentyone.rules import BLACKJACK, POINTS, SIMPLE_21, Rules
from cardgames.odds.card_sets import NO_CARDS, ONE, Hidden, Special, of_values
from cardgames.odds.dealer import Dealer
from tests.support.odds import RULES, Position

SHEETS = {
    # name: an ace may count 11, equal totals, staying on 21 wins
    "simple-21": (False, "tie", True),
    "blackjack": (True, "lose", False),
    "one-deck": (True, "tie", False),
}
each_name = pytest.mark.parametrize("name", RULES)

STANDS: dict[str, int] = {}
"""On which total the dealer of a table stands, where it is another one than 17."""

Values = tuple[int, ...]
"""Cards by value, in order."""

Known = tuple[Values, Values, int, Values]
"""Cards that may be the hole card, others, how many are in the deck, cards that come back."""


def values(cards: Iterable[Card]) -> Values:
    return tuple(sorted("A23456789T".find(card[0]) + 1 or 10 for card in cards))


def without(cards: Values, value: int) -> Values:
    place = cards.index(value)
    return cards[:place] + cards[place + 1 :]


def joined(some: Values, more: Values) -> Values:
    return tuple(sorted(some + more))


ROUNDING = 1e-12
"""Decisions whose values are closer than this are worth the same, and staying is taken for best."""


class Slowly:
    """What staying and hitting are worth, as win, tie and lose."""

    def __init__(self, name: str, upcard: int) -> None:
        self.ace_11, self.equal, self.wins_on_21 = SHEETS[name]
        self.stands = STANDS.get(name, 17)
        self.upcard = upcard
        self.draw = cache(self.draw)
        self.best = cache(self.best)

    def points(self, hand: Values) -> int:
        return sum(hand) + 10 * (self.ace_11 and 1 in hand and sum(hand) <= 11)

    def draw(self, hand: Values, deck: Values, top: int, back: Values) -> Counter[str]:
        """How the dealer ends with this hand. Of these cards ``top`` are in the deck."""
        points = self.points(hand)
        if points >= self.stands:
            return Counter({str(points) if points <= 21 else "bust": 1.0})
        if not top:
            deck, top, back = joined(deck, back), len(deck) + len(back), ()
        if not top:
            return Counter(out=1.0)
        ends: Counter[str] = Counter()
        for value, count in Counter(deck).items():
            then = self.draw(joined(hand, (value,)), without(deck, value), top - 1, back)
            for end, chance in then.items():
                ends[end] += count / len(deck) * chance
        return ends

    def ends(self, known: Known) -> Counter[str]:
        """How the dealer ends, whatever the hole card is."""
        suspects, others, top, back = known
        ends: Counter[str] = Counter()
        for hole, count in Counter(suspects).items():
            deck = joined(without(suspects, hole), others)
            for end, chance in self.draw((self.upcard, hole), deck, top, back).items():
                ends[end] += count / len(suspects) * chance
        return ends

    def stay(self, hand: Values, known: Known) -> Counter[str]:
        points = self.points(hand)
        if self.wins_on_21 and points == 21:
            return Counter(win=1.0)
        result: Counter[str] = Counter()
        for end, chance in self.ends(known).items():
            if end == "out":
                result["tie"] += chance
            elif end == "bust" or int(end) < points:
                result["win"] += chance
            else:
                result["lose" if int(end) > points else self.equal] += chance
        return result

    def after(self, hand: Values, known: Known) -> Iterator[tuple[float, int, Counter[str]]]:
        """The next cards: the chance of each, its value, and what the best play is worth then."""
        suspects, others, top, back = known
        if not top:
            others, back = joined(others, back), ()
            top = len(suspects) - 1 + len(others)
        if not top:
            return
        cards = len(suspects) - 1 + len(others)
        one_of_them_is_the_hole_card = (len(suspects) - 1) / len(suspects)
        for value, count in Counter(suspects).items():
            if len(suspects) > 1:
                left = (without(suspects, value), others, top - 1, back)
                chance = count * one_of_them_is_the_hole_card / cards
                yield chance, value, self.best(joined(hand, (value,)), left)
        for value, count in Counter(others).items():
            left = (suspects, without(others, value), top - 1, back)
            yield count / cards, value, self.best(joined(hand, (value,)), left)

    def hit(self, hand: Values, known: Known) -> Counter[str]:
        result: Counter[str] = Counter()
        for chance, _, then in self.after(hand, known):
            for end, share in then.items():
                result[end] += chance * share
        return result or Counter(tie=1.0)

    def best(self, hand: Values, known: Known) -> Counter[str]:
        if self.points(hand) > 21:
            return Counter(lose=1.0)
        stay, hit = self.stay(hand, known), self.hit(hand, known)
        return hit if ev(hit) > ev(stay) + ROUNDING else stay


def ev(result: Counter[str]) -> float:
    return result["win"] - result["lose"]


class Spot(Position):
    """A position that both are asked about."""

    def check(self, name: str) -> Odds | None:
        """Ask both, and compare; nothing where the hand is over 21."""
        slowly = Slowly(name, values([self.upcard])[0])
        hand = values(self.player)
        if slowly.points(hand) > 21:
            return None
        suspects = values(card for card in self.unseen if card not in self.returned)
        others = values(card for card in self.unseen if card in self.returned)
        back = values(self.discards) if name == "simple-21" else ()
        known = (suspects, others, len(self.unseen) - 1 - self.buried, back)
        answer, ends = self.asked(name), slowly.ends(known)
        stay, hit = slowly.stay(hand, known), slowly.hit(hand, known)
        for ours, theirs in ((answer.stay, stay), (answer.hit, hit)):
            expected = (theirs["win"], theirs["tie"], theirs["lose"], ev(theirs))
            assert astuple(ours) == pytest.approx(expected, abs=ROUNDING)
        assert answer.dealer == pytest.approx(
            {end: ends[end] for end in answer.dealer}, abs=ROUNDING
        )
        chances, worth = Counter[int](), Counter[int]()
        bust = 0.0
        for chance, value, then in slowly.after(hand, known):
            chances[value] += chance
            worth[value] += chance * ev(then)
            bust += chance * (slowly.points((*hand, value)) > 21)
        assert answer.bust == pytest.approx(bust, abs=ROUNDING)
        after = {value: worth[value] / chances[value] for value in chances}
        assert answer.after == pytest.approx(after, abs=ROUNDING)
        assert answer.best == ("hit" if ev(hit) > ev(stay) + ROUNDING else "stay")
        return answer


def dealt(rng: random.Random, unseen: int, at_least: int) -> Spot:
    """A position with this many unseen cards; the hand, with aces as 1, is worth this or more."""
    while True:
        cards = rng.sample(FULL_DECK, len(FULL_DECK))
        size = rng.choice((2, 2, 2, 3, 4))
        player, upcard, rest = tuple(cards[:size]), cards[size], tuple(cards[size + 1 :])
        if at_least <= sum(POINTS[card.rank] for card in player) <= 21:
            return Spot(player, upcard, rest[:unseen], rest[unseen:])


def few_and_many(rng: random.Random) -> Iterator[Spot]:
    """Positions with few cards left, and such from which the dealer draws to the end in one go.

    Where many cards are left, a low hand would take long: so it is 12 or more.
    """
    for unseen in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12):
        yield dealt(rng, unseen, at_least=2 if unseen < 8 else 9)
    for unseen in (14, 20, 30, 46):
        yield dealt(rng, unseen, at_least=12)


@each_name
def test_cards_that_run_out_and_cards_enough(name: str) -> None:
    rng = random.Random(name)
    answers = [position.check(name) for position in (*few_and_many(rng), *few_and_many(rng))]
    assert {answer.best for answer in answers if answer} == {"hit", "stay"}
    assert (name == "simple-21") != any(answer and answer.dealer["out"] for answer in answers)


def with_a_refill_to_come(rng: random.Random) -> Iterator[Spot]:
    """The deck runs out soon, with and without cards buried; few discards or all the rest."""
    for unseen in (1, 2, 3, 4, 5, 6, 7, 8):
        for back in (rng.randint(0, 6), 44):
            position = dealt(rng, unseen, at_least=2 if back < 7 and unseen < 6 else 10)
            buried = rng.randint(0, unseen - 1)
            yield replace(position, discards=position.discards[:back], buried=buried)


def after_a_refill(rng: random.Random) -> Iterator[Spot]:
    """The hole card is one of a few; the deck is long, or short with more cards to come back."""
    for suspects in (1, 2, 3, 5, 8):
        for unseen in (9, 12, 20, 45):
            position = dealt(rng, unseen, at_least=12 if unseen > 9 else 8)
            back = rng.choice((0, 0, 5))
            yield replace(
                position,
                returned=position.unseen[suspects:],
                discards=position.discards[:back],
                buried=rng.choice((0, 0, 1, 4)),
            )


@pytest.mark.parametrize("positions", [with_a_refill_to_come, after_a_refill])
def test_refills(positions: Callable[[random.Random], Iterator[Spot]]) -> None:
    answers = [position.check("simple-21") for position in positions(random.Random(8))]
    assert {answer.best for answer in answers if answer} == {"hit", "stay"}


# A card less.


@pytest.mark.parametrize("rules", [SIMPLE_21, BLACKJACK])
@pytest.mark.parametrize("suspects", [None, 1, 2, 5])
def test_a_card_less_by_a_factor_or_from_the_first_card_on(
    suspects: int | None, rules: Rules
) -> None:
    """What follows from the chances before a card is what is found when it is known to be gone."""
    rng = random.Random(suspects)
    for upcard in range(1, 11):
        cards = of_values(POINTS[card.rank] for card in rng.sample(FULL_DECK, 30))
        if not cards >> 8 * upcard & 0xFF:
            continue
        cards -= ONE[upcard]
        some = cards if suspects is None else NO_CARDS
        while suspects and some & 0xFF < suspects:
            value = rng.randint(1, 10)
            if (cards - some) >> 8 * value & 0xFF:
                some += ONE[value]
        special = Special(((1, some),), buried=False) if suspects else None
        hidden = Hidden(cards, deck=28, discards=NO_CARDS, special=special)
        dealer = Dealer(upcard, rules)
        next_card = dealer.outcomes(hidden).next_card()
        for _ in range(8):
            *_, (_, value, hidden) = rng.sample(list(hidden.draws(10)), 1)
            for total in range(12, 22):
                anew = Dealer(upcard, rules).outcomes(hidden)
                assert next_card.against(value, hidden, total) == pytest.approx(
                    anew.against(total), abs=1e-13
                )
            next_card = next_card.then(value, hidden)
