"""The odds against the reference numbers, and what they refuse."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

import pytest

from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.games.twentyone.rules import BLACKJACK, ONE_DECK, POINTS, SIMPLE_21, Rules, total
from cardgames.moves import IllegalMove
from cardgames.odds import dealer, odds
from cardgames.odds.card_sets import DECK, NO_CARDS, ONE, Hidden
from cardgames.ways import Ways
from tests.support.odds import RULES, fresh
from tests.support.play import cards

each_rules = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)


PRINTED = 5.1e-9
"""How far a number may be from one printed with eight digits, and from one with ten."""
PRINTED_TEN = 5.1e-11


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


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(("player", "upcard"), DECISIONS)
def test_single_decisions(player: str, upcard: str, name: str) -> None:
    bust, values = DECISIONS[player, upcard]
    stay, hit = values[name]
    answer = fresh(RULES[name], cards(player), Card(upcard))
    assert answer.stay.ev == pytest.approx(stay, abs=PRINTED)
    assert answer.hit.ev == pytest.approx(hit, abs=PRINTED)
    assert answer.bust == pytest.approx(float(bust), abs=1e-15)
    assert answer.best == ("hit" if hit > stay else "stay")


def test_sixteen_against_ten_as_fractions() -> None:
    answer = fresh(ONE_DECK, cards("TS 6D"), Card("QC"))
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
    """How the dealer ends with nothing seen but their upcard: not even a hand of the player's."""
    hidden = Hidden(DECK - ONE[upcard], deck=50, discards=NO_CARDS)
    return dealer.Dealer(upcard, rules).outcomes(hidden).ends()


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
    eleven = RULES[name].ace_may_be_eleven
    in_all = 0
    for upcard in range(1, 11):
        left = [0, *[4] * 9, 16]
        left[upcard] -= 1
        found = dealers_orders(upcard, left, eleven=eleven, ace=upcard == 1)
        assert dealer_from_fresh(RULES[name], upcard)[:5] == [found[str(n)] for n in range(17, 22)]
        in_all += found.total()
    assert in_all == expected


# What is refused.


def test_a_hand_over_21_has_no_odds() -> None:
    with pytest.raises(IllegalMove, match="no decision is open"):
        fresh(BLACKJACK, cards("TS TD 2C"), Card("QC"))


@pytest.mark.parametrize(
    ("unseen", "discards", "buried"),
    [("QC 2D", "", 0), ("TS 2D", "", 0), ("2D 2D", "", 0), ("2D 3D", "3D", 0), ("", "4D", 0),
     ("2D 3D", "", 2), ("2D 3D", "", -1)],
)  # fmt: skip
def test_cards_that_do_not_add_up(unseen: str, discards: str, buried: int) -> None:
    with pytest.raises(ValueError, match=r"one place only|is the hole card"):
        odds(SIMPLE_21, cards("TS 6D"), Card("QC"), cards(unseen), cards(discards), buried=buried)


def test_cards_are_buried_only_where_they_come_back() -> None:
    with pytest.raises(ValueError, match="buried only at a table"):
        odds(ONE_DECK, cards("TS 6D"), Card("QC"), cards("2D 3D 4D"), buried=1)


@pytest.mark.parametrize(
    ("ways", "buried", "said"),
    [
        (((1, cards("4D 2D")),), "", "one of the unseen cards"),
        (((1, cards("2D")), (2, cards("2D"))), "", "one of the unseen cards"),
        (((0, cards("2D")), (1, cards("3D"))), "", "in no way"),
        (((1, cards("2D")),), "buried", "No card is buried"),
    ],
)
def test_what_is_known_of_a_card_fits_the_cards(ways: Ways, buried: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        odds(
            SIMPLE_21,
            cards("TS 6D"),
            Card("QC"),
            cards("2D 3D 5D"),
            ways=ways,
            of_buried=bool(buried),
        )


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
    left = {value: [card for card in FULL_DECK if POINTS[card.rank] == value] for value in VALUES}
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


@pytest.mark.parametrize(
    "name", ["simple-21", *(pytest.param(name, marks=pytest.mark.slow) for name in [*RULES][1:])]
)
def test_a_round_of_best_play_and_one_of_staying(name: str) -> None:
    best, stays, dealer, in_all = 0.0, [0.0] * 3, Counter[str](), 0.0
    for pair, upcard, chance in deals():
        *player, shown = hand_of((*pair, upcard))
        answer = fresh(RULES[name], tuple(player), shown)
        best += chance * max(answer.stay.ev, answer.hit.ev)
        stays = [a + chance * b for a, b in zip(stays, astuple(answer.stay)[:3], strict=True)]
        dealer.update({end: chance * part for end, part in answer.dealer.items()})
        in_all += chance
    always_stay, _, best_play = ROUNDS[name]
    assert in_all == pytest.approx(1, abs=1e-12)
    assert best == pytest.approx(best_play, abs=PRINTED_TEN)
    assert stays == pytest.approx(always_stay, abs=PRINTED)
    ends = FRESH_DEALER[RULES[name].ace_may_be_eleven]
    assert list(dealer.values()) == pytest.approx([*ends, 0], abs=PRINTED)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_a_round_of_hitting_below_17(name: str) -> None:
    rules = RULES[name]
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
