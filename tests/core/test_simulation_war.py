"""Simulated War has the law of the faithful game, whatever the kernel does to be quick."""

import random
from collections import Counter

import pytest

from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.games.war import War, rules
from cardgames.moves import Action
from cardgames.simulation import WarGames, WarResult, war
from cardgames.simulation.war_draws import DRAW_AGAIN, NOBODY, pair_table, place_table
from tests.support.amounts import few_or_all
from tests.support.simulation import whole
from tests.support.statistics import SURE, differ, likely, near, same_law, spread

Line = tuple[int, int, int, int]
"""Of a game: its turns, its ties, who won, and whether the last turn ended for lack of a card."""


@pytest.mark.parametrize("size", [2, 3, 6, 13, 26, 51, 52])
def test_every_table_of_draws_is_fair(size: int) -> None:
    """Every pair, and every place, stands in its table equally often; the rest is drawn again."""
    for border, row in enumerate(pair_table(size)):
        assert len(row) == 2048
        pairs = Counter(row)
        rest = pairs.pop(NOBODY, 0)
        assert set(pairs) == {(a, b) for a in range(border) for b in range(border, size)}
        assert len(set(pairs.values())) <= 1
        assert rest < max(1, len(pairs)) or not pairs
    for cards, places in enumerate(map(Counter, place_table(size))):
        assert places.total() == 2048
        places.pop(DRAW_AGAIN, 0)
        assert set(places) == set(range(cards))
        assert len(set(places.values())) <= 1


# ---- Exact values --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "suits", "turns", "first"),
    [
        (2, 2, 13 / 6, 1 / 4),
        (3, 2, 7732453 / 1521450, 617 / 1470),
        (13, 1, 42, 7 / 13),
        (4, 1, 4, 1 / 2),
        (2, 1, 1, 1 / 2),
    ],
)
def test_a_small_deck_has_the_exact_values(
    ranks: int, suits: int, turns: float, first: float
) -> None:
    result = whole(WarGames(20_000, 1, 2, ranks, suits))
    assert near(result.turns, turns)
    assert likely(result.wins[0], 20_000, first)


def test_two_players_have_the_reference_numbers() -> None:
    result = whole(WarGames(4_000, 52, 2))
    assert near(result.turns, 574.0)
    assert near(result.ties, 35.96)
    assert abs(result.turns.sd - 470) < 20
    quantiles = [result.turns.quantile(share) for share in (0.05, 0.5, 0.95)]
    assert quantiles == pytest.approx([114, 434, 1509], rel=0.05)
    assert likely(result.ran_out, 4_000, 0.1147)
    assert likely(result.wins[0], 4_000, 0.5)


def test_three_players_have_the_reference_numbers() -> None:
    result = whole(WarGames(2_000, 52, 3))
    assert near(result.turns, 588.5)
    for wins, chance in zip(result.wins, (0.3465, 0.3266, 0.3269), strict=True):
        assert likely(wins, 2_000, chance)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "mean", "shares"),
    [(2, 574.0, (0.5,) * 2), (3, 588.5, (0.3465, 0.3266, 0.3269)), (4, 587.9, (0.25,) * 4)],
)
def test_many_games_have_the_reference_numbers(
    players: int, mean: float, shares: tuple[float, ...]
) -> None:
    result = whole(WarGames(60_000, 7, players))
    assert near(result.turns, mean)
    for wins, chance in zip(result.wins, shares, strict=True):
        assert likely(wins, 60_000, chance)


# ---- The law of the faithful game ----------------------------------------------------------


def ran_out(battle: rules.Battle) -> bool:
    return rules.deciding_rule(battle) == "running-out"


def play_at_the_table(players: int, rng: random.Random) -> Line:
    """Play one game by the moves of the table."""
    game, ties = War(), 0
    state = game.deal(None, Action("deal", (("players", str(players)),)), rng)
    while not game.result(state):
        state = game.apply(state, Action("turn"), rng)
        assert state.battle
        ties += len(state.battle.cards) - 1 + ran_out(state.battle)
    assert state.battle
    return state.turn, ties, state.battle.winner_seat, ran_out(state.battle)


def play_by_the_rules(deck: Cards, players: int, rng: random.Random) -> Line:
    """Play one game with a small deck, by the two steps of the rules."""
    hands = rules.dealt(shuffled(deck, rng), players)
    turns = ties = 0
    while sum(map(bool, hands)) > 1:
        battle = rules.battle(hands)
        hands = rules.award_pile(hands, battle, rng)
        turns += 1
        ties += len(battle.cards) - 1 + ran_out(battle)
    return turns, ties, battle.winner_seat, ran_out(battle)


def assert_same_law(games: list[Line], result: WarResult) -> None:
    turns, ties, winners, outs = zip(*games, strict=True)
    assert same_law(turns, spread(result.turns)) > SURE
    assert same_law(ties, spread(result.ties)) > SURE
    assert differ([winners.count(seat) for seat in range(len(result.wins))], result.wins) < 4
    ends = (sum(outs), len(outs) - sum(outs))
    assert differ(ends, (result.ran_out, result.games - result.ran_out)) < 4


@few_or_all("games", 300, 1500)
@pytest.mark.parametrize(
    ("players", "ranks", "suits"),
    [(2, 3, 4), (2, 5, 3), (3, 3, 2), (3, 4, 4), (4, 4, 2), (5, 5, 4), (6, 6, 4)],
)
def test_small_decks_have_the_law_of_the_rules(
    players: int, ranks: int, suits: int, games: int
) -> None:
    deck = tuple(
        card
        for card in FULL_DECK
        if card.rank in "23456789"[:ranks] and card.suit in "CDHS"[:suits]
    )
    rng = random.Random(1)
    played = [play_by_the_rules(deck, players, rng) for _ in range(games)]
    assert_same_law(played, whole(WarGames(4 * games, 2, players, ranks, suits)))


@pytest.mark.slow
@pytest.mark.parametrize(("players", "games"), [(2, 1500), (3, 700), (4, 500), (6, 500)])
def test_whole_decks_have_the_law_of_the_table(players: int, games: int) -> None:
    rng = random.Random(52)
    played = [play_at_the_table(players, rng) for _ in range(games)]
    assert_same_law(played, whole(WarGames(20_000, 3, players)))


# ---- Compiled, and in pieces ---------------------------------------------------------------


def test_the_compiled_kernel_plays_the_same_games() -> None:
    pytest.importorskip("numba", reason="requirements-fast.txt is not installed")
    for players in range(2, 7):
        experiment = WarGames(1000, 9, players)
        plain = war.play_chunk(war.PlainMachine(), experiment, 0)
        assert war.play_chunk(war.compiled(), experiment, 0) == plain


@pytest.mark.parametrize("players", [2, 3, 6])
def test_the_block_size_changes_nothing(players: int) -> None:
    """A game that is cut off for lack of random numbers is played again, with the same ones."""
    machine, experiment = war.PlainMachine(), WarGames(60, 9, players)
    plain = war.play_chunk(machine, experiment, 0)
    for block in (34, 50, 1000):
        machine.block = block
        assert war.play_chunk(machine, experiment, 0) == plain


def test_every_number_of_players_is_played() -> None:
    for players in range(2, 7):
        result = whole(WarGames(1, 5, players))
        assert len(result.wins) == players
        assert sum(result.wins) == result.games == 1
