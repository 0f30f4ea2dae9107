"""The rules of the twenty-one tables against their sheets: totals, the dealer, who wins.

What is expected is written down from the sheets, or worked out here by other means.
"""

import random
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, product
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.games.twentyone.engine import State
from cardgames.games.twentyone.rules import (
    BLACKJACK,
    ONE_DECK,
    SIMPLE_21,
    dealer_draws,
    is_soft,
    total,
    winner_of,
)
from cardgames.moves import Action
from tests.support.amounts import few_or_all
from tests.support.play import cards, deck_file, play

RULES = {"simple-21": SIMPLE_21, "blackjack": BLACKJACK, "one-deck": ONE_DECK}
slugs = pytest.mark.parametrize("slug", RULES)

NO_LUCK = cast("random.Random", SimpleNamespace())
"""A generator that can do nothing: a move that uses it fails."""

WORTH = dict(zip("A23456789TJQK", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10), strict=True))

# ---- What cards are worth ------------------------------------------------------------------

# S2-30, the examples of a total closest to 21 without exceeding it; A1-13 and the templates'
# values of the Blackjack sheet. For Simple 21 the same hands with every ace as 1 (S0-6).
HANDS = [
    ("AS", 11, 1),
    ("AS AD", 12, 2),
    ("AS AD 9C", 21, 11),
    ("AS KD", 21, 11),
    ("AS 6D TC", 17, 17),
    ("AS AD AH AC", 14, 4),
    ("AS 5D 5H", 21, 11),
    ("AS 9D AH", 21, 11),
    ("KS QD 2H", 22, 22),
    ("AS AD KH QC", 22, 22),
    ("2C 7C TD KS", 29, 29),
    ("AS AD KS", 12, 12),
    ("AS AD KS 7C", 19, 19),
    ("AS 6D", 17, 7),
    ("AS 5D", 16, 6),
    ("AS 8D 2H", 21, 11),
    ("AS 8D 3H", 12, 12),
    ("3H KS", 13, 13),
    ("9S AD", 20, 10),
    ("JS QD", 20, 20),
    ("", 0, 0),
]


@pytest.mark.parametrize(("hand", "with_eleven", "always_one"), HANDS)
def test_a_hand_is_worth_what_the_sheets_say(hand: str, with_eleven: int, always_one: int) -> None:
    assert total(cards(hand), BLACKJACK) == total(cards(hand), ONE_DECK) == with_eleven
    assert total(cards(hand), SIMPLE_21) == always_one
    assert is_soft(cards(hand), ONE_DECK) == (with_eleven != always_one)
    assert not is_soft(cards(hand), SIMPLE_21)


def test_each_card_counts_by_its_rank_alone() -> None:
    """S0-4 to S0-6, S2-1."""
    for card in FULL_DECK:
        worth = WORTH[card[0]]
        assert total([card], SIMPLE_21) == worth
        assert total([card], BLACKJACK) == total([card], ONE_DECK) == {1: 11}.get(worth, worth)


def best_total(codes: Iterable[str], *, ace_may_be_eleven: bool) -> int:
    """Work a total out from the rule itself: every way to count the aces, the best of them."""
    ways = [
        (1, 11) if code[0] == "A" and ace_may_be_eleven else (WORTH[code[0]],) for code in codes
    ]
    sums = [sum(way) for way in product(*ways)]
    return max((found for found in sums if found <= 21), default=min(sums))


@given(st.lists(st.sampled_from(FULL_DECK), unique=True, max_size=12))
@settings(deadline=None)
def test_the_aces_count_as_is_best(hand: list[Card]) -> None:
    """A2-15."""
    for rules in RULES.values():
        expected = best_total(hand, ace_may_be_eleven=rules is not SIMPLE_21)
        assert total(hand, rules) == expected


def test_at_simple_21_nobody_has_21_after_four_cards() -> None:
    """S0-9, A0-37: of all 1,326 pairs none."""
    pairs = list(combinations(FULL_DECK, 2))
    assert len(pairs) == 1326
    assert max(total(pair, SIMPLE_21) for pair in pairs) == 20
    assert max(total(pair, ONE_DECK) for pair in pairs) == 21


# ---- The dealer ----------------------------------------------------------------------------

# The dealer's cards and what follows; how many they take and where they end, worked out by hand:
# at Simple 21, and at both Blackjacks.
DEALER = [
    ("TH 7H", (0, 17), (0, 17)),
    ("TH TD", (0, 20), (0, 20)),
    ("9H 8H", (0, 17), (0, 17)),
    ("TH 6H 5H", (1, 21), (1, 21)),
    ("TH 6H 6D", (1, 22), (1, 22)),
    ("TH 6H AH", (1, 17), (1, 17)),
    ("6H TH AH", (1, 17), (1, 17)),  # S2-10: with a ten the ace is hard
    ("TH 2H 4H TD", (2, 26), (2, 26)),
    ("AH 6H TD", (1, 17), (0, 17)),  # A1-14, A2-14: stands on a soft 17
    ("AH 7H 9D", (1, 17), (0, 18)),
    ("AH TH 9D", (1, 20), (0, 21)),
    ("AH 5H TD KD", (2, 26), (2, 26)),  # a soft 16 takes, and is a hard 16
    ("AH 5H AD TD", (2, 17), (1, 17)),  # a soft 16 and an ace is a soft 17
    ("AH AD 9H TD", (2, 21), (1, 21)),
    ("AH AD 5H TD", (2, 17), (1, 17)),
    ("AH AD AC AS 3H TD", (4, 17), (3, 17)),
    ("8H 2H AH 6D", (2, 17), (1, 21)),
    ("5H 6H AH 9D", (2, 21), (2, 21)),  # 11 and an ace is 12, not 22
    ("2H 3H 4H 5H 2D AD", (4, 17), (4, 17)),
]


@slugs
@pytest.mark.parametrize(("drawn", "simple", "blackjack"), DEALER)
def test_the_dealer_takes_cards_up_to_16_and_stands_on_every_17(
    slug: str, drawn: str, simple: tuple[int, int], blackjack: tuple[int, int]
) -> None:
    """S0-13, S1-6, S2-9, S2-10."""
    first, second, *more = drawn.split()
    deck = deck_file(f"KS {first} 8S {second} {' '.join(more)}")
    view = play(slug, "deal", "stay", deck=deck).view()
    taken, theirs = simple if slug == "simple-21" else blackjack
    assert view["dealer"].cards == cards(drawn)[: 2 + taken]
    assert (view["dealer"].total, view["deck"]) == (theirs, 48 - taken)
    beaten = theirs > 21 or theirs < 18
    won = "player" if beaten else "dealer" if theirs > 18 or slug == "blackjack" else "tie"
    assert view["winner"] == won


def orders(*, ace_may_be_eleven: bool) -> Iterator[tuple[list[int], Fraction]]:
    """Yield every order of card values that a dealer can draw from one whole deck until they stop.

    Each is values, an ace as 1, and the chance that it comes.
    """
    left = dict.fromkeys(range(1, 10), 4) | {10: 16}

    def further(drawn: list[int], ways: int, of: int) -> Iterator[tuple[list[int], Fraction]]:
        if worth(drawn, ace_may_be_eleven=ace_may_be_eleven) >= 17:
            yield drawn, Fraction(ways, of)
            return
        unseen = 52 - len(drawn)
        for value, number in left.items():
            if number:
                left[value] -= 1
                yield from further([*drawn, value], ways * number, of * unseen)
                left[value] += 1

    return further([], 1, 1)


def worth(values: list[int], *, ace_may_be_eleven: bool) -> int:
    hard = sum(values)
    return hard + 10 * (ace_may_be_eleven and 1 in values and hard + 10 <= 21)


def written(values: list[int]) -> Cards:
    """Write values as different cards of one deck; tens take the court cards too."""
    supply = {value: [f"{value}{suit}" for suit in "CDHS"] for value in range(2, 10)}
    supply[1] = [f"A{suit}" for suit in "CDHS"]
    supply[10] = [rank + suit for suit in "CDHS" for rank in "TJQK"]
    return tuple(Card(supply[value].pop()) for value in values)


ALL_ORDERS = {"simple-21": 308_586, "blackjack": 48_532, "one-deck": 48_532}


@slugs
@few_or_all("every", 97, 1)
def test_the_dealer_in_every_order_of_one_deck(slug: str, every: int) -> None:
    """The rule card by card, and the whole move where exactly these cards come."""
    rules, game, number = RULES[slug], GAMES[slug], 0
    eleven = rules.ace_may_be_eleven
    for number, (values, _) in enumerate(orders(ace_may_be_eleven=eleven), start=1):
        if number % every:
            continue
        drawn = written(values)
        assert all(dealer_draws(drawn[:some], rules) for some in range(len(drawn)))
        assert not dealer_draws(drawn, rules)
        others = [card for card in FULL_DECK if card not in drawn]
        player, rest = (others[0], others[-1]), tuple(others[1:-1])
        deck = (*drawn[2:], *rest)
        state = State(player, drawn[:2], True, deck, (), (), (), None, ())  # noqa: FBT003
        after = game.apply(state, Action("stay"), NO_LUCK)
        theirs = best_total(drawn, ace_may_be_eleven=eleven)
        yours = best_total(player, ace_may_be_eleven=eleven)
        assert (after.dealer, after.deck) == (drawn, rest)
        shown = game.view(after).dealer
        assert (shown.cards, shown.total) == (drawn, theirs)
        assert after.winner == expected_winner(slug, yours, theirs)
    assert number == ALL_ORDERS[slug]


def expected_winner(slug: str, yours: int, theirs: int) -> str:
    if yours > 21:
        return "dealer"
    if theirs > 21 or yours > theirs:
        return "player"
    return "dealer" if theirs > yours or slug == "blackjack" else "tie"


@pytest.mark.parametrize(
    ("ace_may_be_eleven", "published"),
    [
        # numbers.md; the exact fractions are those of the Simple 21 specification.
        (False, [".14843630", ".13923020", ".13431106", ".17353454", ".08935661", ".31513128"]),
        (True, [".14582966", ".13806318", ".13482021", ".17580648", ".12189507", ".28358540"]),
    ],
)
def test_the_orders_themselves_come_as_often_as_is_published(
    ace_may_be_eleven: bool,  # noqa: FBT001
    published: list[str],
) -> None:
    """The enumeration that the test above leans on, against published chances."""
    chances = dict.fromkeys(range(17, 23), Fraction(0))
    for values, chance in orders(ace_may_be_eleven=ace_may_be_eleven):
        chances[min(worth(values, ace_may_be_eleven=ace_may_be_eleven), 22)] += chance
    assert sum(chances.values()) == 1
    assert [f"{float(chance):.8f}"[1:] for chance in chances.values()] == published
    if not ace_may_be_eleven:
        assert chances[17] == Fraction(72279047, 486936450)
        assert chances[19] == Fraction(2433866735, 18121118652)
        assert chances[22] == Fraction(785198055451, 2491653814650)


# ---- Who wins ------------------------------------------------------------------------------


def hands_by_total() -> dict[int, tuple[str, ...]]:
    """Return the ranks of a hand without aces for every total from 4 to 31."""
    by_total: dict[int, tuple[str, ...]] = {4: ("2", "2"), 31: ("T", "T", "9", "2")}
    for number in (4, 3, 2):
        for hand in combinations("23456789T", number):
            by_total[sum(WORTH[rank] for rank in hand)] = hand
    return by_total | {20: ("T", "T"), 21: ("T", "9", "2")}


@slugs
def test_who_wins_is_compared_by_the_rules(slug: str) -> None:
    """S0-12 to S0-15, S1-5 to S1-9, S2-11 to S2-13; A0-15: a bust player wins nothing, ever."""
    hands = hands_by_total()
    for yours, theirs in product(range(4, 32), range(17, 27)):
        player = [Card(rank + "SH"[n % 2]) for n, rank in enumerate(hands[yours])]
        dealer = [Card(rank + "CD"[n % 2]) for n, rank in enumerate(hands[theirs])]
        winner = winner_of(player, dealer, RULES[slug])
        assert winner == expected_winner(slug, yours, theirs), (yours, theirs)
