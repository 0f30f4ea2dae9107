"""The odds against the reference numbers, and against every order of a small deck played out."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, islice, permutations

import pytest

from cardgames import GAMES, dealer
from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.counts import DECK, NO_CARDS, ONE, Hidden
from cardgames.game import IllegalMove, Phase
from cardgames.odds import Odds, odds, table_odds
from cardgames.twentyone import (
    BLACKJACK,
    ONE_DECK,
    PIPS,
    SIMPLE_21,
    Rules,
    State,
    TwentyOne,
    total,
)

NAMES = ("simple-21", "blackjack", "one-deck")
ALL_RULES = dict(zip(NAMES, (SIMPLE_21, BLACKJACK, ONE_DECK), strict=True))
each_rules = pytest.mark.parametrize("rules", ALL_RULES.values(), ids=NAMES)
each_table = pytest.mark.parametrize("table", [GAMES[name] for name in NAMES], ids=NAMES)

PRINTED = 5.1e-9
"""How far a number may be from one printed with eight digits, and from one with ten."""
PRINTED_TEN = 5.1e-11


def codes(text: str) -> Cards:
    return tuple(map(Card, text.split()))


def fresh(rules: Rules, player: Cards, upcard: Card) -> Odds:
    """The odds with nothing seen but the hand and the upcard."""
    return odds(rules, player, upcard, set(FULL_DECK) - {*player, upcard})


# The reference numbers.

DECISIONS = {
    ("TS 6D", "QC"): (
        Fraction(29, 49),
        {
            "simple-21": (-0.54443916, -0.50815725),
            "blackjack": (-0.58026191, -0.60515194),
            "one-deck": (-0.58026191, -0.54037720),
        },
    ),
    ("7S 5D", "3D"): (
        Fraction(16, 49),
        {
            "simple-21": (-0.17861065, -0.19599321),
            "blackjack": (-0.21234431, -0.26635630),
            "one-deck": (-0.21234431, -0.22195462),
        },
    ),
    ("AS 7D", "9D"): (
        Fraction(0),
        {
            "simple-21": (-0.50446525, -0.19721237),
            "blackjack": (-0.28503167, -0.19218103),
            "one-deck": (-0.17883186, -0.08695752),
        },
    ),
    ("2S 2H 2D 2C 3S 3H", "7D"): (
        Fraction(8, 15),
        {
            "simple-21": (-0.39269119, -0.32781156),
            "blackjack": (-0.44442649, -0.38355877),
            "one-deck": (-0.44442649, -0.33663647),
        },
    ),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("player", "upcard"), DECISIONS)
def test_single_decisions(player: str, upcard: str, name: str) -> None:
    bust, values = DECISIONS[player, upcard]
    stay, hit = values[name]
    answer = fresh(ALL_RULES[name], codes(player), Card(upcard))
    assert answer.stay.ev == pytest.approx(stay, abs=PRINTED)
    assert answer.hit.ev == pytest.approx(hit, abs=PRINTED)
    assert answer.bust == pytest.approx(float(bust), abs=1e-15)
    assert answer.best == ("hit" if hit > stay else "stay")


def test_sixteen_against_ten_as_fractions() -> None:
    answer = fresh(ONE_DECK, codes("TS 6D"), Card("QC"))
    assert answer.stay.ev == pytest.approx(-15214267 / 26219655, abs=1e-12)
    assert answer.hit.ev == pytest.approx(-317867299 / 588232260, abs=1e-12)


FRESH_DEALER = {
    False: (0.14843630, 0.13923020, 0.13431106, 0.17353454, 0.08935661, 0.31513128),
    True: (0.14582966, 0.13806318, 0.13482021, 0.17580648, 0.12189507, 0.28358540),
}
DEALER_SHOWING = {
    10: (0.11441819, 0.11287896, 0.11466241, 0.32887910, 0.11489751, 0.21426384),
    1: (0.12612760, 0.13100306, 0.12948621, 0.13155333, 0.36529014, 0.11653967),
}


def dealer_from_fresh(rules: Rules, upcard: int) -> list[float]:
    """How the dealer ends with nothing seen but his upcard: not even a hand of the player's."""
    hidden = Hidden(DECK - ONE[upcard], NO_CARDS, deck=50, discards=NO_CARDS)
    return dealer.Dealer(upcard, ace_may_be_eleven=rules.ace_may_be_eleven).outcomes(hidden).ends()


@each_rules
def test_the_dealer_with_a_fresh_deck(rules: Rules) -> None:
    mean = [0.0] * 7
    for upcard in range(1, 11):
        share = (16 if upcard == 10 else 4) / 52
        ends = dealer_from_fresh(rules, upcard)
        mean = [so_far + share * end for so_far, end in zip(mean, ends, strict=True)]
    assert mean == pytest.approx((*FRESH_DEALER[rules.ace_may_be_eleven], 0), abs=PRINTED)


@pytest.mark.parametrize("upcard", DEALER_SHOWING)
def test_the_dealer_with_an_upcard(upcard: int) -> None:
    expected = (*DEALER_SHOWING[upcard], 0)
    assert dealer_from_fresh(BLACKJACK, upcard) == pytest.approx(expected, abs=PRINTED)


def dealers_orders(hard: int, left: list[int], *, eleven: bool, ace: bool) -> Counter[str]:
    """In how many orders of values the dealer can end, by end, found by trying them all."""
    points = hard + 10 if eleven and ace and hard <= 11 else hard
    if points >= 17:
        return Counter([str(points) if points <= 21 else "bust"])
    found: Counter[str] = Counter()
    for value in range(1, 11):
        if left[value]:
            left[value] -= 1
            found += dealers_orders(hard + value, left, eleven=eleven, ace=ace or value == 1)
            left[value] += 1
    return found


@pytest.mark.parametrize(("name", "expected"), [("blackjack", 48_532), ("simple-21", 308_586)])
def test_in_how_many_orders_the_dealer_can_end(
    name: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where every step weighs 1, the weight of an end is the number of orders that lead to it."""
    monkeypatch.setattr(dealer, "_chances", lambda hands, _: [1.0] * len(hands.steps))
    eleven = ALL_RULES[name].ace_may_be_eleven
    in_all = 0
    for upcard in range(1, 11):
        left = [0, *[4] * 9, 16]
        left[upcard] -= 1
        found = dealers_orders(upcard, left, eleven=eleven, ace=upcard == 1)
        assert dealer_from_fresh(ALL_RULES[name], upcard)[:5] == [
            found[str(n)] for n in range(17, 22)
        ]
        in_all += found.total()
    assert in_all == expected


# Every order of a few cards, played out by the rules as the sheets put them.

SHEETS = {
    # name: an ace may count 11, equal totals, the discards come back, staying on 21 wins
    "simple-21": (False, "tie", True, True),
    "blackjack": (True, "lose", False, False),
    "one-deck": (True, "tie", False, False),
}

Value = tuple[Fraction, Fraction, Fraction]
"""win, tie, lose"""

World = tuple[Card, Cards, Cards]
"""One way the hidden cards can lie: the hole card, the deck, and what comes back after it."""


class PlayedOut:
    """The odds by the prose: every way the cards can lie, and the player told apart only those
    ways that looked different to him."""

    def __init__(self, name: str, upcard: Card) -> None:
        self.ace_11, self.equal, self.comes_back, self.wins_on_21 = SHEETS[name]
        self.upcard = upcard

    def points(self, hand: Cards) -> int:
        values = [{"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(c[0]) or int(c[0]) for c in hand]
        if self.ace_11 and 1 in values and sum(values) <= 11:
            return sum(values) + 10
        return sum(values)

    def dealt(self, world: World) -> list[World]:
        """The ways a world can be once the deck has a card on top, if it can have one."""
        hole, deck, back = world
        if deck or not self.comes_back or not back:
            return [world]
        return [(hole, order, ()) for order in permutations(back)]

    def dealer(self, hand: Cards, world: World) -> dict[str, Fraction]:
        points = self.points(hand)
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
        points = self.points(hand)
        if self.wins_on_21 and points == 21:
            return Fraction(1), Fraction(0), Fraction(0)
        result: dict[str, Fraction] = defaultdict(Fraction)
        for end, chance in self.dealers_ends(worlds).items():
            if end == "out":
                result["tie"] += chance
            elif end == "bust" or int(end) < points:
                result["win"] += chance
            elif int(end) > points:
                result["lose"] += chance
            else:
                result[self.equal] += chance
        return result["win"], result["tie"], result["lose"]

    def hit(self, hand: Cards, worlds: list[World]) -> tuple[Value, Fraction, dict[int, Fraction]]:
        """What one hit and then the best play are worth, the chance that this hit busts, and what
        the best play is worth by the value of its card."""
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
            elif self.points((*hand, card)) > 21:
                then = (Fraction(0), Fraction(0), Fraction(1))
                bust += share
            else:
                stay, hit = self.stay((*hand, card), left), self.hit((*hand, card), left)[0]
                then = hit if hit[0] - hit[2] > stay[0] - stay[2] else stay
            if card is not None:
                value = "A23456789TJQK".index(card[0]) + 1
                shares[min(value, 10)] += share
                after[min(value, 10)] += share * (then[0] - then[2])
            result = [so_far + share * more for so_far, more in zip(result, then, strict=True)]
        by_value = {value: after[value] / shares[value] for value in shares}
        return (result[0], result[1], result[2]), bust, by_value


@dataclass(frozen=True)
class Spot:
    """A decision with few cards left."""

    player: Cards
    upcard: Card
    unseen: Cards
    discards: Cards = ()
    buried: int = 0
    returned: Cards = ()

    def worlds(self) -> list[World]:
        deck_ends = len(self.unseen) - self.buried
        return [
            (order[0], order[1:deck_ends], self.discards + order[deck_ends:])
            for order in permutations(self.unseen)
            if order[0] not in self.returned
        ]

    def check(self, name: str) -> Odds | None:
        """Play every order out and compare; nothing where the hand is over 21."""
        played = PlayedOut(name, self.upcard)
        if played.points(self.player) > 21:
            return None
        worlds = self.worlds()
        stay = played.stay(self.player, worlds)
        hit, bust, after = played.hit(self.player, worlds)
        ends = played.dealers_ends(worlds)
        answer = odds(
            ALL_RULES[name],
            self.player,
            self.upcard,
            self.unseen,
            self.discards,
            buried=self.buried,
            returned=self.returned,
        )
        assert astuple(answer.stay) == pytest.approx(floats(*stay, stay[0] - stay[2]), abs=1e-12)
        assert astuple(answer.hit) == pytest.approx(floats(*hit, hit[0] - hit[2]), abs=1e-12)
        assert answer.bust == pytest.approx(float(bust), abs=1e-12)
        expected = {end: float(ends.get(end, 0)) for end in answer.dealer}
        assert answer.dealer == pytest.approx(expected, abs=1e-12)
        assert set(ends) <= set(answer.dealer)
        assert answer.best == ("hit" if hit[0] - hit[2] > stay[0] - stay[2] else "stay")
        values = {value: float(worth) for value, worth in after.items()}
        assert answer.after == pytest.approx(values, abs=1e-12)
        return answer


def random_spot(rng: random.Random, unseen: int, discards: int, buried: int = 0) -> Spot:
    low = [card for card in FULL_DECK if card[0] in "A23456789"]
    cards = iter(rng.sample(low if rng.random() < 0.6 else FULL_DECK, 24))
    return Spot(
        upcard=next(cards),
        player=tuple(islice(cards, rng.choice((2, 2, 3, 4)))),
        unseen=tuple(islice(cards, unseen)),
        discards=tuple(islice(cards, discards)),
        buried=buried,
    )


def floats(*numbers: Fraction) -> tuple[float, ...]:
    return tuple(map(float, numbers))


@pytest.mark.parametrize("name", NAMES)
def test_every_order_of_a_few_cards(name: str) -> None:
    rng = random.Random(name)
    answers = [
        random_spot(rng, rng.randint(1, 5), rng.randint(0, 5)).check(name) for _ in range(150)
    ]
    assert {answer.best for answer in answers if answer} == {"hit", "stay"}
    if name != "simple-21":
        assert any(answer and answer.dealer["out"] for answer in answers)


SHAPES = [(1, 3, 0), (1, 4, 0), (2, 3, 0), (2, 4, 1), (3, 2, 1), (3, 3, 2), (4, 1, 2), (4, 2, 3)]
"""Unseen cards, discards, and how many of the unseen are buried."""


@pytest.mark.parametrize(("unseen", "discards", "buried"), SHAPES)
def test_every_order_through_a_refill(unseen: int, discards: int, buried: int) -> None:
    rng = random.Random(unseen * 100 + discards * 10 + buried)
    answers = [random_spot(rng, unseen, discards, buried).check("simple-21") for _ in range(25)]
    assert sum(answer is not None for answer in answers) > 15


@pytest.mark.parametrize(
    ("player", "upcard", "unseen"),
    [("AD 3H", "AS", "2S AC QH 2H 3D KC"), ("2D AD", "4H", "7H AS 2S 5S AC KH")],
)
def test_a_free_card_is_not_free_when_the_deck_runs_out(
    player: str, upcard: str, unseen: str
) -> None:
    """After a hit here, a second one may cost more than staying although no card can bust."""
    Spot(codes(player), Card(upcard), codes(unseen)).check("simple-21")


@pytest.mark.parametrize("suspects", [1, 2, 3])
def test_every_order_after_a_refill(suspects: int) -> None:
    """The hole card is one of a few: the others came back after it was dealt."""
    rng = random.Random(suspects)
    answers = []
    for _ in range(40):
        spot = random_spot(rng, rng.randint(suspects + 1, 5), rng.randint(0, 2))
        spot = replace(spot, returned=spot.unseen[suspects:], buried=rng.randint(0, 1))
        answers.append(spot.check("simple-21"))
    assert sum(answer is not None for answer in answers) > 25


def test_one_deck_a_hit_from_an_empty_deck_is_a_draw() -> None:
    """The hole card alone is unseen: 12 may draw the round, or lose it to the dealer's 20."""
    answer = odds(ONE_DECK, codes("TS 2D"), Card("KC"), codes("QH"))
    assert astuple(answer.stay) == (0, 0, 1, -1)
    assert astuple(answer.hit) == (0, 1, 0, 0)
    assert answer.bust == 0
    assert answer.best == "hit"


def test_one_deck_the_last_card_can_still_bust() -> None:
    answer = odds(ONE_DECK, codes("TS 6D"), Card("KC"), codes("QH JH"))
    assert answer.bust == 1
    assert astuple(answer.hit) == (0, 0, 1, -1)


def test_simple_21_the_hole_card_does_not_come_back_with_the_discards() -> None:
    """The deck is empty and the one unseen card is the hole card, so only discards can come."""
    answer = odds(SIMPLE_21, codes("TS 9D"), Card("KC"), codes("2H"), codes("7D 8C JH QH"))
    assert answer.bust == 1
    answer = odds(SIMPLE_21, codes("TS 9D"), Card("KC"), codes("JH"), codes("AD AC 2H 2S"))
    assert answer.bust == 0
    assert astuple(answer.stay) == (0, 0, 1, -1)


def test_simple_21_a_buried_card_comes_back() -> None:
    """Two unseen cards, one of them buried: it comes back alone, and is either with one half."""
    answer = odds(SIMPLE_21, codes("TS 9D"), Card("KC"), codes("2H QH"), (), buried=1)
    assert answer.bust == 0.5


# Any decision at all.


def decisions(table: TwentyOne, rng: random.Random) -> Iterator[State]:
    """Tables with a decision open, from round after round of moves without plan."""
    state = table.start()
    while True:
        names = [move.name for move in table.moves(state)]
        if state.phase is Phase.PLAYING:
            yield state
            move = "hit" if rng.random() < 0.6 else "stay"
        else:
            move = "deal" if "deal" in names else "new"
        state = table.play(state, move, {}, rng)


def some_decisions(table: TwentyOne, seed: str, number: int = 120) -> list[State]:
    """Some of the many, so that decks of every size and refilled ones are among them."""
    return list(islice(decisions(table, random.Random(seed)), 0, number * 3, 3))


def resampled(state: State, rules: Rules, rng: random.Random) -> State:
    """The same table to its player: what he cannot see is dealt anew, what he can is reordered."""
    hidden = [state.dealer[rules.hole], *state.deck, *state.buried]
    hole = rng.choice([card for card in hidden if card not in state.returned])
    hidden.remove(hole)
    rng.shuffle(hidden)
    dealer = list(state.dealer)
    dealer[rules.hole] = hole
    return replace(
        state,
        dealer=tuple(dealer),
        deck=tuple(hidden[: len(state.deck)]),
        buried=tuple(hidden[len(state.deck) :]),
        discards=tuple(rng.sample(state.discards, len(state.discards))),
        returned=tuple(rng.sample(state.returned, len(state.returned))),
    )


@each_table
def test_hidden_cards_do_not_change_the_odds(table: TwentyOne) -> None:
    rng = random.Random(5)
    states = some_decisions(table, "hidden")
    for state in states:
        answer = table_odds(table.rules, state)
        for _ in range(2):
            assert table_odds(table.rules, resampled(state, table.rules, rng)) == answer
    if table.slug == "simple-21":
        assert any(state.buried for state in states)
        assert any(state.discards for state in states)


@each_table
def test_the_parts_fit_together(table: TwentyOne) -> None:
    for state in some_decisions(table, "parts"):
        answer = table_odds(table.rules, state)
        for chances in (answer.stay, answer.hit):
            assert min(chances.win, chances.tie, chances.lose) >= 0
            assert chances.win + chances.tie + chances.lose == pytest.approx(1, abs=1e-12)
            assert chances.ev == chances.win - chances.lose
        assert list(answer.dealer) == ["17", "18", "19", "20", "21", "bust", "out"]
        assert sum(answer.dealer.values()) == pytest.approx(1, abs=1e-12)
        assert min(answer.dealer.values()) >= 0
        assert answer.hit.lose >= answer.bust - 1e-12
        assert answer.best == ("hit" if answer.hit.ev > answer.stay.ev + 1e-12 else "stay")
        if table.slug != "one-deck":
            assert answer.dealer["out"] == 0
        if table.slug == "blackjack":
            assert answer.stay.tie == answer.hit.tie == 0


@each_table
def test_staying_is_what_the_dealer_makes_of_it(table: TwentyOne) -> None:
    rules = table.rules
    for state in some_decisions(table, "staying"):
        answer, yours = table_odds(rules, state), total(state.player, rules)
        if rules.stay_on_21_wins and yours == 21:
            assert astuple(answer.stay) == (1, 0, 0, 1)
            continue
        over = sum(answer.dealer[str(points)] for points in range(max(yours + 1, 17), 22))
        under = answer.dealer["bust"] + sum(answer.dealer[str(n)] for n in range(17, yours))
        equal = answer.dealer.get(str(yours), 0)
        assert answer.stay.win == pytest.approx(under, abs=1e-12)
        assert answer.stay.lose == pytest.approx(over + equal * rules.dealer_wins_ties, abs=1e-12)


@each_table
def test_the_next_card_is_any_unseen_card_alike(table: TwentyOne) -> None:
    """While the deck is not empty; and 11 or less can never bust."""
    for state in some_decisions(table, "next card"):
        if not state.deck:
            continue
        hole = state.dealer[table.rules.hole]
        unseen = (hole, *state.deck, *state.buried)
        room = 21 - sum(PIPS[card.rank] for card in state.player)
        # Whichever card the hole card is, the next is any other; cards that came back with the
        # discards after it was dealt it cannot be.
        holes = [card for card in unseen if card not in state.returned]
        too_much = sum(
            sum(PIPS[card.rank] > room for card in unseen if card is not face_down)
            for face_down in holes
        )
        bust = table_odds(table.rules, state).bust
        assert bust == pytest.approx(too_much / len(holes) / (len(unseen) - 1), abs=1e-12)
        assert bust == 0 or room < 10


class TopCard(random.Random):
    """Shuffles by moving one card to the top."""

    place = 0

    def shuffle(self, x: list[Card]) -> None:
        x.insert(0, x.pop(self.place))


def hits(table: TwentyOne, state: State) -> Iterator[State]:
    """The table after a hit, for every hole card and next card that there can be."""
    rng = TopCard()
    hidden = [state.dealer[table.rules.hole], *state.deck, *state.buried]
    for hole in hidden:
        if hole in state.returned:
            continue
        dealer = list(state.dealer)
        dealer[table.rules.hole] = hole
        rest = tuple(card for card in hidden if card is not hole)
        for place in range(len(rest if state.deck else state.discards + rest)):
            order = (*rest[place:], *rest[:place]) if state.deck else rest
            rng.place = place
            deck, buried = order[: len(state.deck)], order[len(state.deck) :]
            dealt = replace(state, dealer=tuple(dealer), deck=deck, buried=buried)
            yield table.play(dealt, "hit", {}, rng)


def worth(table: TwentyOne, state: State) -> float:
    """What the table is worth to its player now."""
    if state.winner is not None:
        return {"player": 1.0, "dealer": -1.0, "tie": 0.0}[state.winner]
    answer = table_odds(table.rules, state)
    return max(answer.stay.ev, answer.hit.ev)


@each_table
def test_a_hit_is_worth_the_mean_of_what_comes_after_it(table: TwentyOne) -> None:
    """Through the game itself, refills included: no question is answered from other knowledge than
    the next one."""
    many = list(islice(decisions(table, random.Random("mean")), 6000))
    states = many[:50:5]
    states += [state for state in many if len(state.deck) == 1][:3]
    if table.slug == "simple-21":
        empty = [state for state in many if not state.deck]
        with_buried = [state for state in empty if state.buried][:3]
        with_none = [state for state in empty if not state.buried][:3]
        refilled = [state for state in many if state.returned][:3]
        assert all((with_buried, with_none, refilled))
        states += with_buried + with_none + refilled
    for state in states:
        by_card: dict[Card, float] = {}
        mean = Counter[Card]()
        for after in hits(table, state):
            card = after.player[-1]
            if card not in by_card:
                by_card[card] = worth(table, after)
            mean[card] += 1
        expected = sum(by_card[card] * times for card, times in mean.items()) / mean.total()
        assert table_odds(table.rules, state).hit.ev == pytest.approx(expected, abs=1e-11)


def test_the_hole_card_can_be_reckoned_after_a_refill() -> None:
    """The deck is empty, nothing is buried, and all else was seen: the hole card is the king."""
    player, upcard, hole = codes("2S 3D"), Card("QC"), Card("KC")
    state = replace(
        GAMES["simple-21"].start(),
        phase=Phase.PLAYING,
        player=player,
        dealer=(upcard, hole),
        hole_down=True,
        deck=(),
        discards=tuple(card for card in FULL_DECK if card not in (*player, upcard, hole)),
    )
    after = GAMES["simple-21"].play(state, "hit", {}, random.Random(1))
    for table in (state, after):
        assert table_odds(SIMPLE_21, table).dealer["20"] == pytest.approx(1, abs=1e-15)


def test_the_deck_after_the_refill_is_told_apart_from_before() -> None:
    """A table of Simple 21 whose deck runs out inside the round: the contract's own arguments."""
    seen = codes("5S 9D 8C")
    rest = [card for card in FULL_DECK if card not in seen]
    unseen, discards = rest[:4], rest[4:]
    by_cards = odds(SIMPLE_21, seen[:2], seen[2], unseen, discards, buried=2)
    state = replace(
        GAMES["simple-21"].start(),
        phase=Phase.PLAYING,
        player=seen[:2],
        dealer=(seen[2], unseen[0]),
        hole_down=True,
        deck=tuple(unseen[1:2]),
        buried=tuple(unseen[2:]),
        discards=tuple(discards),
    )
    assert table_odds(SIMPLE_21, state) == by_cards
    assert by_cards != odds(SIMPLE_21, seen[:2], seen[2], unseen, discards)
    assert by_cards != odds(SIMPLE_21, seen[:2], seen[2], unseen, buried=2)


# What is refused.


@each_table
def test_no_decision_is_open(table: TwentyOne) -> None:
    rng = random.Random(1)
    dealt = table.play(table.start(), "deal", {}, rng)
    for state in (table.start(), table.play(dealt, "stay", {}, rng)):
        with pytest.raises(IllegalMove, match="no decision is open"):
            table_odds(table.rules, state)


def test_a_hand_over_21_has_no_odds() -> None:
    with pytest.raises(IllegalMove, match="no decision is open"):
        fresh(BLACKJACK, codes("TS TD 2C"), Card("QC"))


@pytest.mark.parametrize(
    ("unseen", "discards", "buried"),
    [("QC 2D", "", 0), ("TS 2D", "", 0), ("2D 2D", "", 0), ("2D 3D", "3D", 0), ("", "4D", 0),
     ("2D 3D", "", 2), ("2D 3D", "", -1)],
)  # fmt: skip
def test_cards_that_do_not_add_up(unseen: str, discards: str, buried: int) -> None:
    with pytest.raises(ValueError, match=r"one place only|is the hole card"):
        odds(SIMPLE_21, codes("TS 6D"), Card("QC"), codes(unseen), codes(discards), buried=buried)


def test_cards_are_buried_only_where_they_come_back() -> None:
    with pytest.raises(ValueError, match="buried only at a table"):
        odds(ONE_DECK, codes("TS 6D"), Card("QC"), codes("2D 3D 4D"), buried=1)


def test_the_hole_card_did_not_come_back() -> None:
    with pytest.raises(ValueError, match="is the hole card"):
        odds(SIMPLE_21, codes("TS 6D"), Card("QC"), codes("2D 3D"), returned=codes("3D 2D"))


# Whole rounds from a fresh deck, by summing over all deals.

ROUNDS = {
    # always stay; hit below 17: win, tie, lose; best play: EV
    "simple-21": (
        (0.37674988, 0.03663015, 0.58661997),
        (0.41043988, 0.08775261, 0.50180751),
        -0.0464448060,
    ),
    "blackjack": (
        (0.38349104, 0, 0.61650896),
        (0.40882366, 0, 0.59117634),
        -0.1307784879,
    ),
    "one-deck": (
        (0.38349104, 0.04957461, 0.56693435),
        (0.40882366, 0.10226090, 0.48891544),
        -0.0424622758,
    ),
}
VALUES = range(1, 11)


def hand_of(values: tuple[int, ...]) -> Cards:
    """Cards of these values: suits make no difference, so any will do."""
    left = {value: [card for card in FULL_DECK if PIPS[card.rank] == value] for value in VALUES}
    return tuple(left[value].pop() for value in values)


def chance_in_this_order(values: tuple[int, ...]) -> Fraction:
    """The probability that the first cards of a fresh deck have these values."""
    left = Counter(dict.fromkeys(VALUES, 4) | {10: 16})
    chance = Fraction(1)
    for value in values:
        chance *= Fraction(left[value], left.total())
        left[value] -= 1
    return chance


def deals() -> Iterator[tuple[tuple[int, int], int, float]]:
    """The player's two values, the upcard's, and the probability of the deal."""
    for pair in combinations_with_replacement(VALUES, 2):
        for upcard in VALUES:
            orders = 1 if pair[0] == pair[1] else 2
            yield pair, upcard, float(orders * chance_in_this_order((*pair, upcard)))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_round_of_best_play_and_one_of_staying(name: str) -> None:
    best, stays, dealer, in_all = 0.0, [0.0] * 3, Counter[str](), 0.0
    for pair, upcard, chance in deals():
        *player, shown = hand_of((*pair, upcard))
        answer = fresh(ALL_RULES[name], tuple(player), shown)
        best += chance * max(answer.stay.ev, answer.hit.ev)
        stays = [a + chance * b for a, b in zip(stays, astuple(answer.stay)[:3], strict=True)]
        dealer.update({end: chance * part for end, part in answer.dealer.items()})
        in_all += chance
    always_stay, _, best_play = ROUNDS[name]
    assert in_all == pytest.approx(1, abs=1e-12)
    assert best == pytest.approx(best_play, abs=PRINTED_TEN)
    assert stays == pytest.approx(always_stay, abs=PRINTED)
    ends = FRESH_DEALER[ALL_RULES[name].ace_may_be_eleven]
    assert list(dealer.values()) == pytest.approx([*ends, 0], abs=PRINTED)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_round_of_hitting_below_17(name: str) -> None:
    rules = ALL_RULES[name]
    result = [0.0] * 3
    for upcard in VALUES:

        @cache
        def from_here(values: tuple[int, ...], upcard: int = upcard) -> list[float]:
            """win, tie, lose with this hand: each next value with its chance."""
            *player, shown = hand_of((*values, upcard))
            if total(player, rules) > 21:
                return [0, 0, 1]
            if total(player, rules) >= 17:
                return list(astuple(fresh(rules, tuple(player), shown).stay)[:3])
            now, sums = chance_in_this_order((upcard, *values)), [0.0] * 3
            for value in VALUES:
                next_one = float(chance_in_this_order((upcard, *values, value)) / now)
                if next_one:
                    then = from_here(tuple(sorted((*values, value))))
                    sums = [a + next_one * b for a, b in zip(sums, then, strict=True)]
            return sums

        for pair in combinations_with_replacement(VALUES, 2):
            orders = 1 if pair[0] == pair[1] else 2
            chance = float(orders * chance_in_this_order((*pair, upcard)))
            result = [a + chance * b for a, b in zip(result, from_here(pair), strict=True)]
    assert result == pytest.approx(ROUNDS[name][1], abs=PRINTED)
