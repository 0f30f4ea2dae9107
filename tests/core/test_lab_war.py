"""War in the lab: the same games as at the table, and known results."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import chain

import pytest

from cardgames import GAMES
from cardgames.games.war import rules
from cardgames.lab.distribution import Distribution
from cardgames.lab.war import games, play_game
from cardgames.moves import Action
from tests.support.amounts import few_or_all
from tests.support.lab import likely, near

WAR = GAMES["war"]


class IntoPlaces(random.Random):
    """Shuffles a hand in the same way as the lab.

    Each card of the pile is inserted at a random position. If all random numbers come from the same
    source, the two games must be equal.
    """

    def __init__(self, number: Callable[[], float]) -> None:
        super().__init__()
        self.number = number
        self.battle: rules.Battle | None = None

    def shuffle(self, x: list[str]) -> None:  # type: ignore[override]
        if self.battle is None:  # the deal
            random.Random(52).shuffle(x)
            return
        pile = [*chain.from_iterable(reversed(self.battle.cards))]
        hand = x[: len(x) - len(pile)][::-1]
        for card in pile:
            hand.insert(int(self.number() * (len(hand) + 1)), card)
        x[:] = hand[::-1]


def play_at_the_table(players: int, seed: int, keep: int) -> tuple[tuple[int, int], ...]:
    """Play a game at the table and in the lab, with the first cards of each hand.

    Args:
        players: Number of hands that are dealt.
        seed: The seed of the random numbers of both games.
        keep: The number of cards per hand. Games with few cards have more ties.
    """
    rng = IntoPlaces(random.Random(seed).random)
    state = WAR.deal(None, Action("deal", (("players", str(players)),)), rng)
    hands = tuple(hand[seed % 9 :][:keep] for hand in state.hands)
    state = replace(state, hands=hands)
    strengths = [[rules.STRENGTH[card] for card in reversed(hand)] for hand in hands]
    in_the_lab = play_game(strengths, random.Random(seed).random)
    while sum(map(bool, state.hands)) > 1:
        rng.battle = rules.battle(state.hands)
        state = WAR.apply(state, Action("turn"), rng)
    assert state.battle
    return (state.battle.winner_seat, state.turn), in_the_lab


@few_or_all("number", 10, 250)
@pytest.mark.parametrize("players", range(2, 7))
def test_the_table_and_the_lab_play_the_same_games(players: int, number: int) -> None:
    for seed in range(number):
        for keep in (2, 4, 7) if seed % 5 else (2, 4, 7, 52):
            at_table, in_the_lab = play_at_the_table(players, seed, keep)
            assert in_the_lab == at_table, (players, seed, keep)


@few_or_all("number", 5_000, 20_000)
@pytest.mark.parametrize(
    ("ranks", "suits", "turns", "first"),
    [(2, 2, 13 / 6, 1 / 4), (3, 2, 7732453 / 1521450, 617 / 1470), (13, 1, 42, 7 / 13)],
)
def test_a_small_deck_has_the_exact_values(
    ranks: int, suits: int, turns: float, first: float, number: int
) -> None:
    rng = random.Random(1)
    deck = [rank for rank in range(ranks) for _ in range(suits)]
    played = []
    for _ in range(number):
        rng.shuffle(deck)
        played.append(play_game([deck[::2], deck[1::2]], rng.random))
    assert near(Distribution.of(turn for _, turn in played), turns)
    assert likely(sum(seat == 0 for seat, _ in played), number, first)


@few_or_all("number", 1_000, 20_000)
def test_many_games_have_the_reference_numbers(number: int) -> None:
    dealt = games(2, random.Random(7))
    played = [next(dealt) for _ in range(number)]
    assert near(Distribution.of(turns for _, turns in played), 574.0)
    assert likely(sum(seat == 0 for seat, _ in played), number, 0.5)
