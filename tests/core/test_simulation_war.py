"""Simulated War: the same games as the table's from the same random numbers, and known numbers."""

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import chain

import pytest

from cardgames import GAMES
from cardgames.games.war import rules
from cardgames.moves import Action
from cardgames.simulation import WarGames
from cardgames.simulation.war import GamePlayed, play_game
from tests.support.amounts import few_or_all
from tests.support.simulation import likely, near, whole

WAR = GAMES["war"]


class IntoPlaces(random.Random):
    """Shuffles a hand by putting each card of the pile at a random place, as the simulation does.

    Where everybody's luck comes from the same numbers, the two games must be the same.
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


def play_at_the_table(players: int, seed: int, keep: int) -> tuple[GamePlayed, GamePlayed]:
    """Play a game at the table and in the simulation, from the first cards of each hand dealt.

    Args:
        players: how many play.
        seed: where the random numbers of both begin.
        keep: how many cards of each hand are played with: of few cards more games end in ties.
    """
    rng = IntoPlaces(random.Random(seed).random)
    state = WAR.deal(None, Action("deal", (("players", str(players)),)), rng)
    hands = tuple(hand[seed % 9 :][:keep] for hand in state.hands)
    state = replace(state, hands=hands)
    strengths = [[rules.STRENGTH[card] for card in reversed(hand)] for hand in hands]
    simulated = play_game(strengths, random.Random(seed).random)
    ties = 0
    while sum(map(bool, state.hands)) > 1:
        rng.battle = rules.battle(state.hands)
        ran_out = rules.deciding_rule(rng.battle) == "running-out"
        ties += len(rng.battle.cards) - 1 + ran_out
        state = WAR.apply(state, Action("turn"), rng)
    assert state.battle
    return GamePlayed(state.turn, ties, state.battle.winner_seat, ran_out), simulated


@few_or_all("games", 25, 250)
@pytest.mark.parametrize("players", range(2, 7))
def test_the_table_and_the_simulation_play_the_same_games(players: int, games: int) -> None:
    for seed in range(games):
        for keep in (2, 4, 7) if seed % 5 else (2, 4, 7, 52):
            at_table, simulated = play_at_the_table(players, seed, keep)
            assert simulated == at_table, (players, seed, keep)


@pytest.mark.parametrize(
    ("ranks", "suits", "turns", "first"),
    [(2, 2, 13 / 6, 1 / 4), (3, 2, 7732453 / 1521450, 617 / 1470), (13, 1, 42, 7 / 13)],
)
def test_a_small_deck_has_the_exact_values(
    ranks: int, suits: int, turns: float, first: float
) -> None:
    result = whole(WarGames(20_000, 1, 2, ranks, suits))
    assert near(result.turns, turns)
    assert likely(result.wins[0], 20_000, first)


@few_or_all("games", 3_000, 60_000)
def test_many_games_have_the_reference_numbers(games: int) -> None:
    result = whole(WarGames(games, 7, 2))
    assert near(result.turns, 574.0)
    assert near(result.ties, 35.96)
    assert likely(result.wins[0], games, 0.5)
    assert likely(result.ran_out, games, 0.1147)
