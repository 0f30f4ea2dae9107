"""Shuffles derived from a salt: fair, repeatable, and verified by another program."""

import itertools
import random
from collections import Counter

from cardgames.cards import FULL_DECK, shuffled
from cardgames.shuffling import SaltedRandom


def salts(number: int) -> list[str]:
    return [f"{n:032x}" for n in range(number)]


def chi_square(counts: Counter[object], of: int) -> float:
    expected = counts.total() / of
    return sum((count - expected) ** 2 / expected for count in counts.values()) + expected * (
        of - len(counts)
    )


def test_every_order_of_a_small_deck_is_as_likely() -> None:
    """All 24 orders of four cards are equally likely.

    With 24,000 salts, chi-square has 23 degrees of freedom and exceeds 49.7 in one of 1,000 cases.
    """
    counts: Counter[object] = Counter(
        shuffled(FULL_DECK[:4], SaltedRandom(lambda salt=salt: salt)) for salt in salts(24_000)
    )
    assert set(counts) == set(itertools.permutations(FULL_DECK[:4]))
    assert chi_square(counts, 24) < 49.7


def test_how_the_cards_lay_makes_no_difference() -> None:
    """An order discloses nothing about the previous order, and anyone can recompute it."""
    rng = random.Random(1)
    orders = {shuffled(rng.sample(FULL_DECK, 52), SaltedRandom(lambda: "00ff")) for _ in range(20)}
    assert len(orders) == 1


def test_other_luck_is_fair_too() -> None:
    luck = SaltedRandom(lambda: "00ff")
    assert (
        chi_square(Counter(luck.getrandbits(3) for _ in range(8_000)), 8) < 24.3
    )  # chi-square with 7 degrees of freedom
    assert (
        chi_square(Counter(luck.randrange(10) for _ in range(10_000)), 10) < 27.9
    )  # chi-square with 9 degrees of freedom
    numbers = [luck.random() for _ in range(10_000)]
    assert all(0 <= number < 1 for number in numbers)
    assert chi_square(Counter(int(number * 10) for number in numbers), 10) < 27.9
    assert {luck.getrandbits(13) >> 12 for _ in range(50)} == {0, 1}
