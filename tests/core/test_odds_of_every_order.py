"""The odds compared with every possible order of a few cards, played by the rules of the sheets."""

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from itertools import islice, permutations

import pytest

from cardgames.advice import Odds
from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.games.twentyone.rules import TABLES
from cardgames.odds import odds
from cardgames.ways import Ways
from tests.support.amounts import few_or_all
from tests.support.card_by_card import Sheet, Slowly, ev, values
from tests.support.play import cards

Value = tuple[Fraction, Fraction, Fraction]
"""# win, tie, lose"""

World = tuple[Card, Cards, Cards]
"""One order of the hidden cards: the hole card, the deck, and the cards that return in a refill."""


class PlayedOut(Sheet):
    """The odds computed by definition, from every possible order of the cards.

    The player can distinguish only deck orders that have looked different so far.
    """

    def __init__(self, name: str, upcard: Card) -> None:
        super().__init__(name)
        self.comes_back = name == "simple-21"
        self.upcard = upcard

    def dealt(self, world: World) -> list[World]:
        """Return the possible orders for the next card, after a refill if necessary."""
        hole, deck, back = world
        if deck or not self.comes_back or not back:
            return [world]
        return [(hole, order, ()) for order in permutations(back)]

    def dealer(self, hand: Cards, world: World) -> dict[str, Fraction]:
        points = self.points(values(hand))
        if points > 21:
            return {"bust": Fraction(1)}
        if points >= 17:
            return {str(points): Fraction(1)}
        worlds = self.dealt(world)
        ends: dict[str, Fraction] = defaultdict(Fraction)
        for hole, deck, back in worlds:
            if deck:
                then = self.dealer((*hand, deck[0]), (hole, deck[1:], back))
            else:
                then = {"out": Fraction(1)}
            for end, chance in then.items():
                ends[end] += chance / len(worlds)
        return ends

    def dealers_ends(self, worlds: list[World]) -> dict[str, Fraction]:
        ends: dict[str, Fraction] = defaultdict(Fraction)
        for world in worlds:
            for end, chance in self.dealer((self.upcard, world[0]), world).items():
                ends[end] += chance / len(worlds)
        return ends

    def stay(self, hand: Cards, worlds: list[World]) -> Value:
        points = values(hand)
        if self.wins_at_once(points):
            return Fraction(1), Fraction(0), Fraction(0)
        result: dict[str, Fraction] = defaultdict(Fraction)
        for end, chance in self.dealers_ends(worlds).items():
            result[self.result(points, end)] += chance
        return result["win"], result["tie"], result["lose"]

    def hit(self, hand: Cards, worlds: list[World]) -> tuple[Value, Fraction, dict[int, Fraction]]:
        """Return the value of a hit, its probability of a bust, and the next values."""
        next_cards: dict[Card | None, list[World]] = defaultdict(list)
        for world in worlds:
            for hole, deck, back in self.dealt(world):
                next_cards[deck[0] if deck else None].append((hole, deck[1:], back))
        among = sum(map(len, next_cards.values()))
        result, bust = [Fraction(0)] * 3, Fraction(0)
        shares: dict[int, Fraction] = defaultdict(Fraction)
        after: dict[int, Fraction] = defaultdict(Fraction)
        for card, left in next_cards.items():
            share = Fraction(len(left), among)
            if card is None:
                then: Value = (Fraction(0), Fraction(1), Fraction(0))
            elif self.points(values((*hand, card))) > 21:
                then = (Fraction(0), Fraction(0), Fraction(1))
                bust += share
            else:
                stay, hit = self.stay((*hand, card), left), self.hit((*hand, card), left)[0]
                then = hit if hit[0] - hit[2] > stay[0] - stay[2] else stay
            if card is not None:
                (value,) = values([card])
                shares[value] += share
                after[value] += share * (then[0] - then[2])
            result = [so_far + share * more for so_far, more in zip(result, then, strict=True)]
        by_value = {value: after[value] / shares[value] for value in shares}
        return (result[0], result[1], result[2]), bust, by_value


@dataclass(frozen=True)
class Spot:
    """The arguments of the odds: a hand, the upcard, and the known cards."""

    player: Cards
    upcard: Card
    unseen: Cards
    discards: Cards = ()
    buried: int = 0
    returned: Cards = ()
    ways: Ways = ()
    """The knowledge about one unseen card: the first buried card, or the hole card."""

    of_buried: bool = False

    def asked(self, name: str) -> Odds:
        suspects = tuple(card for card in self.unseen if card not in self.returned)
        return odds(
            TABLES[name],
            self.player,
            self.upcard,
            self.unseen,
            self.discards,
            buried=self.buried,
            ways=self.ways or (((1, suspects),) if self.returned else ()),
            of_buried=self.of_buried,
        )

    def worlds(self) -> list[World]:
        """Return every order of the cards, weighted by the special card's number of ways."""
        deck_ends = len(self.unseen) - self.buried
        special = deck_ends if self.of_buried else 0
        ways = {card: number for number, some in self.ways for card in some}
        return [
            (order[0], order[1:deck_ends], self.discards + order[deck_ends:])
            for order in permutations(self.unseen)
            if order[0] not in self.returned
            for _ in range(ways.get(order[special], 0) if ways else 1)
        ]

    def check(self, name: str) -> Odds:
        """Play every order, and compare the results with the odds."""
        played = PlayedOut(name, self.upcard)
        worlds = self.worlds()
        stay = played.stay(self.player, worlds)
        hit, bust, after = played.hit(self.player, worlds)
        ends = played.dealers_ends(worlds)
        answer = self.asked(name)
        assert astuple(answer.stay) == pytest.approx(floats(*stay, stay[0] - stay[2]), abs=1e-12)
        assert astuple(answer.hit) == pytest.approx(floats(*hit, hit[0] - hit[2]), abs=1e-12)
        assert answer.bust == pytest.approx(float(bust), abs=1e-12)
        expected = {end: float(ends.get(end, 0)) for end in answer.dealer}
        assert answer.dealer == pytest.approx(expected, abs=1e-12)
        assert set(ends) <= set(answer.dealer)
        assert answer.best == ("hit" if hit[0] - hit[2] > stay[0] - stay[2] else "stay")
        by_value = {value: float(worth) for value, worth in after.items()}
        assert answer.after == pytest.approx(by_value, abs=1e-12)
        return answer


def random_spot(rng: random.Random, unseen: int, discards: int, buried: int = 0) -> Spot:
    low = [card for card in FULL_DECK if card[0] in "A23456789"]
    player = FULL_DECK
    while sum(values(player)) > 21:
        dealt = iter(rng.sample(low if rng.random() < 0.6 else FULL_DECK, 24))
        player = tuple(islice(dealt, rng.choice((2, 2, 3, 4))))
    return Spot(
        player,
        upcard=next(dealt),
        unseen=tuple(islice(dealt, unseen)),
        discards=tuple(islice(dealt, discards)),
        buried=buried,
    )


def floats(*numbers: Fraction) -> tuple[float, ...]:
    return tuple(map(float, numbers))


@few_or_all("spots", 16, 150)
@pytest.mark.parametrize("name", TABLES)
def test_every_order_of_a_few_cards(name: str, spots: int) -> None:
    rng = random.Random(name)
    answers = [
        random_spot(rng, rng.randint(1, 5), rng.randint(0, 5)).check(name) for _ in range(spots)
    ]
    assert {answer.best for answer in answers} == {"hit", "stay"}
    if name != "simple-21":
        assert any(answer.dealer["out"] for answer in answers)


SHAPES = [(1, 3, 0), (1, 4, 0), (2, 3, 0), (2, 4, 1), (3, 2, 1), (3, 3, 2), (4, 1, 2), (4, 2, 3)]
"""The numbers of unseen cards, discards and buried cards."""


@few_or_all("spots", 3, 25)
@pytest.mark.parametrize(("unseen", "discards", "buried"), SHAPES)
def test_every_order_through_a_refill(unseen: int, discards: int, buried: int, spots: int) -> None:
    rng = random.Random(unseen * 100 + discards * 10 + buried)
    for _ in range(spots):
        random_spot(rng, unseen, discards, buried).check("simple-21")


@pytest.mark.parametrize(
    ("player", "upcard", "unseen"),
    [("AD 3H", "AS", "2S AC QH 2H 3D KC"), ("2D AD", "4H", "7H AS 2S 5S AC KH")],
)
def test_a_free_card_is_not_free_when_the_deck_runs_out(
    player: str, upcard: str, unseen: str
) -> None:
    """After this hit, a second hit may cost more than staying although no card can bust."""
    Spot(cards(player), Card(upcard), cards(unseen)).check("simple-21")


@few_or_all("spots", 10, 40)
@pytest.mark.parametrize("suspects", [1, 2, 3])
def test_every_order_after_a_refill(suspects: int, spots: int) -> None:
    """The hole card can only be one of a few cards.

    The other cards returned to the deck after the hole card was dealt.
    """
    rng = random.Random(suspects)
    for _ in range(spots):
        spot = random_spot(rng, rng.randint(suspects + 1, 5), rng.randint(0, 2))
        spot = replace(spot, returned=spot.unseen[suspects:], buried=rng.randint(0, 1))
        spot.check("simple-21")


@pytest.mark.parametrize("player", ["TS 2D", "5H 4C"])
@pytest.mark.parametrize("suspects", [2, 5])
def test_refilled_deck_is_followed_card_by_card(player: str, suspects: int) -> None:
    """The hole card can only be one of a few cards. Several hits may precede a refill."""
    hand, upcard = cards(player), Card("9D")
    rest = random.Random(suspects).sample([c for c in FULL_DECK if c not in (*hand, upcard)], 30)
    unseen, discards = tuple(rest[:24]), tuple(rest[24:])
    found = Spot(hand, upcard, unseen, discards, returned=unseen[suspects:]).asked("simple-21")
    known = (values(unseen[:suspects]), values(unseen[suspects:]), 23, values(discards))
    slowly = Slowly("simple-21", 9)
    for ours, play in ((found.stay, slowly.stay), (found.hit, slowly.hit)):
        ends = play(values(hand), known)
        expected = (ends["win"], ends["tie"], ends["lose"], ev(ends))
        assert astuple(ours) == pytest.approx(expected, abs=1e-12)


KNOWN = [(2, 2, 1), (2, 3, 0), (3, 0, 1), (3, 2, 1), (3, 3, 2), (4, 0, 0), (4, 1, 1), (4, 2, 2)]
"""The numbers of unseen cards, discards and buried cards."""


@few_or_all("spots", 4, 40)
@pytest.mark.parametrize(
    ("unseen", "discards", "buried", "of_buried"),
    [(*shape, of_buried) for shape in KNOWN for of_buried in (False, True)[: 1 + shape[-1]]],
)
def test_every_order_with_unequal_chances_of_one_card(
    unseen: int, discards: int, buried: int, spots: int, *, of_buried: bool
) -> None:
    rng = random.Random(unseen * 100 + discards * 10 + buried)
    for _ in range(spots):
        spot = random_spot(rng, unseen, discards, buried)
        numbers = [1, *(rng.randint(0, 3) for _ in spot.unseen[1:])]
        ways = tuple(
            (number, tuple(c for c, n in zip(spot.unseen, numbers, strict=True) if n == number))
            for number in sorted(set(numbers) - {0})
        )
        replace(spot, ways=ways, of_buried=of_buried).check("simple-21")


WEIGHTS = (1, 2, 5)


def mean(numbers: Iterable[float]) -> float:
    return sum(n * number for n, number in zip(WEIGHTS, numbers, strict=True)) / sum(WEIGHTS)


@pytest.mark.parametrize("unseen", [9, 24, 40])
@pytest.mark.parametrize("of_buried", [True, False])
def test_uncertain_value_is_the_mean_of_certain_ones(unseen: int, *, of_buried: bool) -> None:
    """After a hit on 20 there is no decision.

    Each value is therefore the mean over the special card's possible identities.
    """
    rng = random.Random(unseen)
    for _ in range(3):
        player, upcard = cards("KS QS"), Card("6S")
        rest = rng.sample([c for c in FULL_DECK if c not in (*player, upcard)], 49)
        hidden, discards = rest[:unseen], tuple(rest[unseen : unseen + 5])
        suspects = hidden[:3]

        known = Spot(player, upcard, tuple(hidden), discards, int(of_buried))
        known = replace(known, of_buried=of_buried)

        ways = tuple((n, (card,)) for n, card in zip(WEIGHTS, suspects, strict=True))
        answer = replace(known, ways=ways).asked("simple-21")
        sure = [replace(known, ways=((1, (c,)),)).asked("simple-21") for c in suspects]
        assert sum(answer.dealer.values()) == pytest.approx(1, abs=1e-12)
        assert answer.bust == pytest.approx(mean(one.bust for one in sure), abs=1e-12)
        for end, chance in answer.dealer.items():
            assert chance == pytest.approx(mean(one.dealer[end] for one in sure), abs=1e-12)
        for part in ("stay", "hit"):
            expected = [astuple(getattr(one, part)) for one in sure]
            means = [mean(column) for column in zip(*expected, strict=True)]
            assert astuple(getattr(answer, part)) == pytest.approx(means, abs=1e-12)
