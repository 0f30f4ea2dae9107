"""The lab: the law of its games, the same result from the same seed, its pages and its process."""

import math
import os
import pty
import random
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import cache, reduce
from operator import add
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import flask
import msgspec
import psutil
import pytest
from cardgames.bingo import Bingo, Mode
from flask.testing import FlaskClient
from web.sessions import Session, Sessions

from app import create_app
from cardgames import lab, war
from cardgames.cards import FULL_DECK, Cards, shuffled
from cardgames.game import Phase
from cardgames.lab import (
    BingoResult,
    BingoRounds,
    Distribution,
    Experiment,
    LabError,
    Result,
    TwentyOneResult,
    TwentyOneRounds,
    WarGames,
    WarResult,
    play_step,
    run,
    steps,
    tables,
    wilson,
)
from cardgames.odds import Chances
from tools.serving import ROOT, Player, Server
from web import lab as web_lab
from web.settings import Settings

JSON = {"Accept": "application/json"}
ERRORS = 4
"""How many standard errors a seeded measurement may be off."""


def whole(experiment: Experiment) -> Any:
    """Return the whole result of an experiment."""
    *_, (done, result) = run(experiment)
    assert done == steps(experiment)
    return result


def near(found: Distribution, mean: float) -> bool:
    return abs(found.mean - mean) < ERRORS * found.standard_error


def likely(count: int, total: int, chance: float) -> bool:
    return abs(count - total * chance) <= ERRORS * math.sqrt(total * chance * (1 - chance))


def same_law(one: Sequence[int], other: Sequence[int]) -> float:
    """Return the p-value of the two-sample Kolmogorov-Smirnov test (asymptotic, conservative)."""
    values = sorted({*one, *other})
    first, second = Counter(one), Counter(other)
    below = [0.0, 0.0]
    gap = 0.0
    for value in values:
        below[0] += first[value] / len(one)
        below[1] += second[value] / len(other)
        gap = max(gap, abs(below[0] - below[1]))
    root = math.sqrt(len(one) * len(other) / (len(one) + len(other)))
    reach = (root + 0.12 + 0.11 / root) * gap
    terms = (2 * (-1) ** (k - 1) * math.exp(-2 * k * k * reach * reach) for k in range(1, 101))
    return min(1.0, max(0.0, sum(terms))) if reach > 0.2 else 1.0


def same_shares(one: Sequence[int], other: Sequence[int]) -> float:
    """Return the chi-square statistic of two rows of counts, in standard normal units."""
    total = sum(one) + sum(other)
    statistic = 0.0
    for a, b in zip(one, other, strict=True):
        for count, row in ((a, sum(one)), (b, sum(other))):
            expected = (a + b) * row / total
            statistic += (count - expected) ** 2 / expected if expected else 0.0
    freedom = len(one) - 1
    # Wilson and Hilferty's cube root.
    return ((statistic / freedom) ** (1 / 3) - 1 + 2 / (9 * freedom)) / math.sqrt(2 / (9 * freedom))


# ---- Numbers of small parts ----------------------------------------------------------------


def test_a_distribution_tells_its_moments_and_quantiles() -> None:
    found = Distribution.of([5, 1, 2, 2])
    assert found.counts == ((1, 1), (2, 2), (5, 1))
    assert (found.size, found.total, found.mean) == (4, 10, 2.5)
    assert found.sd == pytest.approx(math.sqrt(3))
    assert [found.quantile(share) for share in (0, 0.25, 0.26, 0.75, 0.76, 1)] == [1, 1, 2, 2, 5, 5]


def test_a_histogram_holds_every_value_once() -> None:
    found = Distribution.of(random.Random(1).choices(range(27, 4000), k=3000))
    classes = found.histogram(60)
    assert sum(count for _, _, count in classes) == 3000
    assert {last - first + 1 for first, last, _ in classes} == {100}
    assert [first for first, _, _ in classes] == list(range(1, 4000, 100))
    assert Distribution(()).histogram(10) == ()


@pytest.mark.parametrize(
    ("hits", "trials", "ends"),
    [  # Newcombe (1998), table I, method 3
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ],
)
def test_intervals_are_wilsons(hits: int, trials: int, ends: tuple[float, float]) -> None:
    assert wilson(hits, trials) == pytest.approx(ends, abs=5e-5)


@pytest.mark.parametrize("size", [2, 3, 6, 13, 26, 51, 52])
def test_every_word_table_is_fair(size: int) -> None:
    """Every pair, and every place, stands in its table equally often; the rest is drawn again."""
    for border, row in enumerate(lab._pairs(size)):
        counts = Counter(row)
        rest = counts.pop(lab._NOBODY, 0)
        assert set(counts) == {(a, b) for a in range(border) for b in range(border, size)}
        assert len(set(counts.values())) <= 1
        assert rest < max(1, len(counts)) or not counts
    for cards, row in enumerate(lab._places(size)):
        places = Counter(row)
        places.pop(lab._AGAIN, 0)
        assert set(places) == set(range(cards))
        assert len(set(places.values())) <= 1
        assert all(len(row) == 2048 for row in (*lab._pairs(size), *lab._places(size)))


# ---- War: exact values ---------------------------------------------------------------------


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
def test_war_with_a_small_deck_has_the_exact_values(
    ranks: int, suits: int, turns: float, first: float
) -> None:
    result = whole(WarGames(20_000, 1, 2, ranks, suits))
    assert near(result.turns, turns) or result.turns.mean == turns
    assert likely(result.wins[0], 20_000, first)


def test_war_of_two_has_the_reference_numbers() -> None:
    result = whole(WarGames(8_000, 52, 2))
    assert near(result.turns, 574.0)
    assert near(result.ties, 35.96)
    assert abs(result.turns.sd - 470) < 20
    quantiles = [result.turns.quantile(share) for share in (0.05, 0.5, 0.95)]
    assert quantiles == pytest.approx([114, 434, 1509], rel=0.05)
    assert likely(result.ran_out, 8_000, 0.1147)
    assert likely(result.wins[0], 8_000, 0.5)


def test_war_of_three_has_the_reference_numbers() -> None:
    result = whole(WarGames(2_000, 52, 3))
    assert near(result.turns, 588.5)
    for wins, chance in zip(result.wins, (0.3465, 0.3266, 0.3269), strict=True):
        assert likely(wins, 2_000, chance)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "mean", "shares"),
    [(2, 574.0, (0.5,) * 2), (3, 588.5, (0.3465, 0.3266, 0.3269)), (4, 587.9, (0.25,) * 4)],
)
def test_many_games_of_war_have_the_reference_numbers(
    players: int, mean: float, shares: tuple[float, ...]
) -> None:
    result = whole(WarGames(60_000, 7, players))
    assert near(result.turns, mean)
    for wins, chance in zip(result.wins, shares, strict=True):
        assert likely(wins, 60_000, chance)


# ---- War: the law of the faithful game -----------------------------------------------------


def faithful(players: int, rng: random.Random) -> tuple[int, int, int, int]:
    """Play one game through the table's own moves: turns, ties, the winner, and how it ended."""
    table = war.War()
    state = table.apply(table.start(), "deal", {"players": str(players)}, rng)
    ties = 0
    while state.phase is Phase.PLAYING:
        state = table.apply(state, "turn", {"turns": "1"}, rng)
        assert state.battle
        ties += len(state.battle.cards) - 1 + ran_out(state.battle)
    assert state.battle
    return state.turn, ties, state.battle.taker, ran_out(state.battle)


def ran_out(battle: war.Battle) -> int:
    return war.rule_of(battle) == "running-out"


def small_faithful(deck: Cards, players: int, rng: random.Random) -> tuple[int, int, int, int]:
    """The same with a small deck, through the rules' two steps."""
    hands = war.dealt(shuffled(deck, rng), players)
    turns = ties = 0
    while sum(map(bool, hands)) > 1:
        battle = war.fight(hands)
        hands = war.taken(hands, battle, rng)
        turns += 1
        ties += len(battle.cards) - 1 + ran_out(battle)
    return turns, ties, battle.taker, ran_out(battle)


def assert_same_law(games: list[tuple[int, int, int, int]], result: WarResult) -> None:
    turns, ties, winners, outs = zip(*games, strict=True)
    assert same_law(turns, spread(result.turns)) > 1e-4
    assert same_law(ties, spread(result.ties)) > 1e-4
    assert same_shares([winners.count(seat) for seat in range(len(result.wins))], result.wins) < 4
    ends = (sum(outs), len(outs) - sum(outs))
    assert same_shares(ends, (result.ran_out, result.games - result.ran_out)) < 4


def spread(found: Distribution) -> list[int]:
    return [value for value, count in found.counts for _ in range(count)]


@pytest.mark.parametrize(
    ("players", "ranks", "suits"),
    [(2, 3, 4), (2, 5, 3), (3, 3, 2), (3, 4, 4), (5, 5, 4), (6, 6, 4)],
)
def test_small_decks_have_the_law_of_the_faithful_rules(
    players: int, ranks: int, suits: int
) -> None:
    deck = tuple(
        card
        for card in FULL_DECK
        if card.rank in "23456789"[:ranks] and card.suit in "CDHS"[:suits]
    )
    rng = random.Random(1)
    games = [small_faithful(deck, players, rng) for _ in range(1500)]
    assert_same_law(games, whole(WarGames(6000, 2, players, ranks, suits)))


@pytest.mark.slow
@pytest.mark.parametrize(("players", "games"), [(2, 1500), (3, 700), (6, 500)])
def test_the_kernel_has_the_law_of_the_faithful_game(players: int, games: int) -> None:
    rng = random.Random(52)
    played = [faithful(players, rng) for _ in range(games)]
    assert_same_law(played, whole(WarGames(20_000, 3, players)))


def test_the_two_sample_tests_see_a_difference() -> None:
    """War whose first hand wins every tie that runs out, or that lasts a tenth longer."""
    result = whole(WarGames(6000, 2, 2))
    turns = spread(result.turns)
    assert same_law(turns, turns) == 1.0
    assert same_law([turn * 11 // 10 for turn in turns], turns) < 1e-4
    assert same_shares((1000, 1000), (1200, 800)) > 4


def test_compiled_and_plain_kernels_play_the_same_games() -> None:
    pytest.importorskip("numba")
    for players in (2, 3, 6):
        experiment = WarGames(1000, 9, players)
        plain = lab._lines(lab._PLAIN, experiment, 0)
        assert lab._lines(lab._compiled_kernel(), experiment, 0) == plain


def test_the_block_size_changes_nothing() -> None:
    """A game that is cut off for lack of random numbers is played again, with the same ones."""
    for players in (2, 3):
        experiment = WarGames(60, 9, players)
        plain = lab._lines(lab._PLAIN, experiment, 0)
        for block in (34, 50, 1000):
            assert lab._lines(lab._PLAIN._replace(block=block), experiment, 0) == plain


# ---- Bingo ---------------------------------------------------------------------------------

BINGO = {
    (Mode.LINE, False): (24.61609375, 0.5, 0),
    (Mode.LINE, True): (8.12881428, 0.44317512, 0.11364976),
    (Mode.CORNERS, False): (1696 / 45, 0.5, 0),
    (Mode.CORNERS, True): (15.56329219, 0.42952900, 0.14094201),
    (Mode.FULL, False): (61056 / 1225, 0.5, 0),
    (Mode.FULL, True): (27.01850969, 0.07562676, 0.84874648),
}


@pytest.mark.parametrize(("mode", "speed"), BINGO)
def test_bingo_has_the_exact_values(mode: Mode, *, speed: bool) -> None:
    calls, win, tie = BINGO[mode, speed]
    result = whole(BingoRounds(20_000, 3, mode, speed))
    assert near(result.calls, calls)
    assert likely(result.a, 20_000, win)
    assert likely(result.b, 20_000, win)
    assert likely(result.tie, 20_000, tie)
    assert result.a + result.b + result.tie == result.calls.size == 20_000


@pytest.mark.parametrize(("mode", "speed"), BINGO)
def test_bingo_has_the_law_of_the_table(mode: Mode, *, speed: bool) -> None:
    rng, table = random.Random(5), Bingo()
    fields = {"mode": mode.value, "speed": "NY"[speed]}
    calls, winners = [], []
    state = table.start()
    for _ in range(300):
        state = table.play(state, "deal", fields, rng)
        state = table.play(state, "call", {"calls": "all"}, rng)
        calls.append(state.calls)
        winners.append(table.view(state).winner)
    result = whole(BingoRounds(5000, 3, mode, speed))
    assert same_law(calls, spread(result.calls)) > 1e-4
    assert same_shares([winners.count(name) for name in ("A", "B")], [result.a, result.b]) < 4


# ---- Twenty-one ----------------------------------------------------------------------------

FIXED = {
    ("simple-21", "below 2"): (0.37674988, 0.03663015, 0.58661997),
    ("simple-21", "dealer"): (0.41043988, 0.08775261, 0.50180751),
    ("blackjack", "below 2"): (0.38349104, 0.0, 0.61650896),
    ("blackjack", "dealer"): (0.40882366, 0.0, 0.59117634),
    ("one-deck", "below 2"): (0.38349104, 0.04957461, 0.56693435),
    ("one-deck", "dealer"): (0.40882366, 0.10226090, 0.48891544),
}
BEST = {"simple-21": -0.0464448060, "blackjack": -0.1307784879, "one-deck": -0.0424622758}


@cache
def exact(table: str, strategy: str) -> Chances:
    """Return the exact chances of a round: the experiment's first ten steps."""
    experiment = TwentyOneRounds(1, 0, table, strategy)
    parts = [play_step(experiment, step) for step in range(10)]
    result = reduce(add, parts)  # type: ignore[arg-type]
    assert isinstance(result, TwentyOneResult)
    assert result.games == 0
    assert result.expected
    return result.expected


def rounds(experiment: TwentyOneRounds) -> TwentyOneResult:
    """Return what was measured, without the exact chances."""
    parts = [play_step(experiment, step) for step in range(10, steps(experiment))]
    result = reduce(add, parts)  # type: ignore[arg-type]
    assert isinstance(result, TwentyOneResult)
    return result


def assert_measured(result: TwentyOneResult, chances: Sequence[float]) -> None:
    counts = (result.win, result.tie, result.lose)
    assert sum(counts) == result.games
    for count, chance in zip(counts, chances, strict=True):
        assert likely(count, result.games, chance)


@pytest.mark.parametrize(("table", "strategy"), FIXED)
def test_fixed_strategies_measure_what_they_should(table: str, strategy: str) -> None:
    result = rounds(TwentyOneRounds(40_000, 21, table, strategy))
    assert_measured(result, FIXED[table, strategy])


def test_the_exact_chances_of_the_dealers_way() -> None:
    found = exact("simple-21", "dealer")
    expected = FIXED["simple-21", "dealer"]
    assert (found.win, found.tie, found.lose) == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("table", "strategy"), FIXED)
def test_the_exact_chances_of_fixed_strategies(table: str, strategy: str) -> None:
    found = exact(table, strategy)
    expected = FIXED[table, strategy]
    assert (found.win, found.tie, found.lose) == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("table", BEST)
def test_the_best_play_is_worth_what_it_should_be(table: str) -> None:
    found = exact(table, "best")
    assert found.ev == pytest.approx(BEST[table], abs=1e-9)
    assert_measured(
        rounds(TwentyOneRounds(40_000, 3, table, "best")), (found.win, found.tie, found.lose)
    )


@pytest.mark.slow
def test_a_table_of_decisions_measures_what_it_should() -> None:
    """The basic strategy of the example, without doubling: better than the dealer's way."""
    found = exact("one-deck", lab.EXAMPLE)
    assert -0.0424622758 > found.ev > -0.05
    result = rounds(TwentyOneRounds(60_000, 8, "one-deck", lab.EXAMPLE))
    assert_measured(result, (found.win, found.tie, found.lose))


def test_a_strategy_is_data() -> None:
    rules = lab.TABLES["one-deck"].rules

    def upcards(strategy: str, kind: str, total: int, hand: Sequence[int] = ()) -> list[int]:
        """Return the upcards against which a strategy hits."""
        decide = lab.decision(strategy, rules)
        return [upcard for upcard in range(1, 11) if decide(total, kind == "soft", upcard, hand)]

    rows = "hard 12 HHHSSSHHHH\nsoft 18 HSSSSSSSHH  # a remark\n\n"
    assert upcards(rows, "hard", 12) == [1, 2, 3, 7, 8, 9, 10]
    assert upcards(rows, "soft", 18) == [1, 9, 10]
    for strategy in (rows, "dealer", "below 17"):
        assert upcards(strategy, "hard", 16) == list(range(1, 11))
        assert upcards(strategy, "hard", 17) == upcards(strategy, "soft", 17) == []
    assert upcards("below 2", "hard", 4) == []
    assert upcards("below 22", "hard", 21) == list(range(1, 11))
    assert upcards("best", "hard", 17, (10, 7)) == []
    assert upcards("best", "hard", 16, (10, 6)) == [1, 7, 8, 9, 10]


@pytest.mark.parametrize(
    ("strategy", "says"),
    [
        ("", "A strategy is"),
        ("below 1", "from 2 to 22"),
        ("below 23", "from 2 to 22"),
        ("below " + "9" * 5000, "from 2 to 22"),
        ("below -3", "Line 1"),
        ("below ٣", "Line 1"),
        ("stand", "Line 1"),
        ("hard 12 HHHSSSHHH", "Line 1"),
        ("hard 12 HHHSSSHHHX", "Line 1"),
        ("hard 12 HHHSSSHHHH\nsoft 30 HHHHHHHHHH", "Line 2"),
        ("# nothing\n" * 300, "at most 2,000"),
    ],
)
def test_what_is_no_strategy_is_refused_in_a_sentence(strategy: str, says: str) -> None:
    with pytest.raises(LabError, match=says):
        TwentyOneRounds(10, 1, "one-deck", strategy)


# ---- The same seed, pieces, and sums -------------------------------------------------------

EXPERIMENTS: list[Experiment] = [
    WarGames(2500, 1, 2, 5, 4),
    WarGames(2500, 1, 3, 5, 4),
    BingoRounds(2500, 1, Mode.LINE, speed=True),
]


def step_of(task: tuple[Experiment, int]) -> Result:
    return play_step(*task)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lab.title)
def test_the_same_seed_gives_the_same_result_in_any_pieces(experiment: Experiment) -> None:
    expected = whole(experiment)
    assert whole(experiment) == expected
    tasks = [(experiment, step) for step in range(steps(experiment))]
    assert len(tasks) == 3
    for order in (tasks, tasks[::-1], tasks[1:] + tasks[:1]):
        assert reduce(add, map(step_of, order)) == expected  # type: ignore[arg-type]
    with ProcessPoolExecutor(2) as pool:
        assert reduce(add, pool.map(step_of, tasks)) == expected  # type: ignore[arg-type]


def test_the_shares_of_twenty_one_add_up_in_any_order() -> None:
    experiment = TwentyOneRounds(1500, 4, "simple-21", "below 21")
    expected = whole(experiment)
    parts = [play_step(experiment, step) for step in reversed(range(steps(experiment)))]
    assert reduce(add, parts) == expected  # type: ignore[arg-type]
    assert expected.games == 1500


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lab.title)
def test_another_seed_gives_another_result(experiment: Experiment) -> None:
    assert play_step(experiment, 0) != play_step(experiment, 1)
    assert play_step(replace(experiment, seed=2), 0) != play_step(experiment, 0)


def test_fewer_games_are_the_first_of_more() -> None:
    parts = [so_far for _, so_far in run(WarGames(2500, 1, 2, 4, 4))]
    assert [part.games for part in parts] == [1000, 2000, 2500]
    assert parts[1] == whole(WarGames(2000, 1, 2, 4, 4))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: WarGames(0, 1, 2), "number of games must be a whole number from 1 to 1,000,000"),
        (lambda: WarGames(1_000_001, 1, 2), "1,000,000"),
        (lambda: WarGames(1, -1, 2), "seed"),
        (lambda: WarGames(1, 2**53, 2), "seed"),
        (lambda: WarGames(1, 1, 1), "players must be a whole number from 2 to 6"),
        (lambda: WarGames(1, 1, 7), "players"),
        (lambda: BingoRounds(0, 1, Mode.LINE, speed=False), "games"),
        (lambda: TwentyOneRounds(1, 1, "poker", "best"), "no such table"),
    ],
)
def test_what_the_lab_does_not_play_is_refused(make: Callable[[], object], says: str) -> None:
    with pytest.raises(LabError, match=says):
        make()


def test_one_game_and_six_players_are_played_too() -> None:
    for players in range(2, 7):
        result = whole(WarGames(1, 5, players))
        assert sum(result.wins) == result.games == 1
        assert tables(result)


# ---- The terminal --------------------------------------------------------------------------


def terminal(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cardgames.lab", *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


def test_the_terminal_prints_the_same_tables_for_the_same_seed() -> None:
    first = terminal("war", "--games", "300", "--seed", "1", "--players", "3")
    assert first.returncode == 0
    assert first.stdout.startswith("War, 3 players: 300 games, from seed 1\n")
    for part in ("Who won", "Player 3", "Turns a game", "median", "How long games last"):
        assert part in first.stdout
    assert "a second" in first.stderr
    again = terminal("war", "--games", "300", "--seed", "1", "--players", "3")
    assert again.stdout == first.stdout


def test_the_terminal_plays_the_others(tmp_path: Path) -> None:
    bingo = terminal("bingo", "--games", "200", "--seed", "1", "--mode", "C", "--speed")
    assert "Bingo, mode C, speed: 200 rounds" in bingo.stdout
    table = tmp_path / "strategy.txt"
    table.write_text(TO_21)
    rounds = terminal(
        "twentyone", "--games", "200", "--seed", "1", "--table", "simple-21",
        "--strategy", str(table),
    )  # fmt: skip
    assert "Simple 21, a table of decisions: 200 rounds" in rounds.stdout
    assert "exact" in rounds.stdout


def test_the_terminal_refuses_in_a_sentence() -> None:
    refused = terminal("war", "--games", "0")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.strip() == (
        "The number of games must be a whole number from 1 to 1,000,000."
    )


def test_the_terminal_draws_a_progress_bar() -> None:
    keeper, end = pty.openpty()
    command = [sys.executable, "-m", "cardgames.lab", "bingo", "--games", "4000", "--seed", "1"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=end) as process:
        process.communicate(timeout=60)
    os.close(end)
    shown = os.read(keeper, 65536).decode()
    os.close(keeper)
    assert re.findall(r"\] +(\d+)%", shown) == ["25", "50", "75", "100"]
    assert "[" + "#" * 10 + "." * 30 + "]" in shown


# ---- The pages -----------------------------------------------------------------------------

TO_21 = "\n".join(f"hard {total} HHHHHHHHHH" for total in range(17, 21))
"""A strategy whose exact chances are quickly worked out."""

WAR = {"experiment": "war", "games": "400", "seed": "5", "players": "2"}


@pytest.fixture
def runs(app: flask.Flask, tmp_path: Path) -> web_lab.Runs:
    """The storage of the site under test; nobody plays what is put there."""
    assert app
    return web_lab.opened(Settings(data_dir=tmp_path))


def started(client: FlaskClient, form: dict[str, str]) -> int:
    response = client.post("/lab", data=form)
    assert response.status_code == 303, response.text
    return int(response.headers["Location"].removeprefix("/lab/"))


def told(client: FlaskClient, number: int) -> dict[str, Any]:
    answer: dict[str, Any] = client.get(f"/lab/{number}", headers=JSON).get_json()
    return answer


def test_the_forms_are_shown_and_nothing_is_written(client: FlaskClient, tmp_path: Path) -> None:
    response = client.get("/lab")
    assert response.status_code == 200
    assert "Set-Cookie" not in response.headers
    assert response.text.count("<form") == 3
    assert "None so far" in response.text
    assert client.get("/lab", headers=JSON).get_json() == {"runs": []}
    with closing(sqlite3.connect(tmp_path / "lab.db")) as connection:
        assert connection.execute("SELECT count(*) FROM kv").fetchone() == (0,)


def test_a_run_waits_plays_and_is_done(client: FlaskClient, runs: web_lab.Runs) -> None:
    number = started(client, WAR)
    waiting = client.get(f"/lab/{number}")
    assert waiting.headers["Refresh"] == "1"
    assert "Waiting" in waiting.text
    assert "<progress" in waiting.text
    assert "Cancel" in waiting.text
    assert told(client, number)["phase"] == "waiting"
    web_lab.work(runs, number)
    done = client.get(f"/lab/{number}")
    assert "Refresh" not in done.headers
    assert "<progress" not in done.text
    assert "from seed 5." in done.text
    assert "Who won" in done.text
    answer = told(client, number)
    assert (answer["phase"], answer["done"], answer["steps"]) == ("done", 1, 1)
    result = msgspec.convert(answer["result"], WarResult)
    assert result == whole(WarGames(400, 5, 2))
    assert f'href="/lab/{number}"' in client.get("/lab").text


def test_a_run_is_shared_by_its_address(
    app: flask.Flask, client: FlaskClient, runs: web_lab.Runs
) -> None:
    number = started(client, WAR)
    stranger = app.test_client()
    assert "Cancel" not in stranger.get(f"/lab/{number}").text
    refused = stranger.post(f"/lab/{number}/cancel")
    assert refused.status_code == 403
    assert "Only who started a run" in refused.text
    assert told(stranger, number)["phase"] == "waiting"
    web_lab.work(runs, number)
    assert "Who won" in stranger.get(f"/lab/{number}").text
    assert "Set-Cookie" not in stranger.get(f"/lab/{number}").headers


def test_pictures_have_neither_style_nor_script(client: FlaskClient, runs: web_lab.Runs) -> None:
    number = started(client, {**WAR, "games": "2000"})
    assert client.get(f"/lab/{number}/wins.svg").status_code == 404
    web_lab.work(runs, number)
    page = client.get(f"/lab/{number}").text
    pictures = re.findall(r'<img src="([^"]+)"', page)
    assert pictures == [f"/lab/{number}/wins.svg", f"/lab/{number}/length.svg"]
    assert page.count("<table>") == 5
    for address in pictures:
        response = client.get(address)
        assert (response.status_code, response.mimetype) == (200, "image/svg+xml")
        assert "unsafe" not in response.headers["Content-Security-Policy"]
        root = ET.fromstring(response.text)
        tags = {str(part.tag).rpartition("}")[2] for part in root.iter()}
        assert tags <= {"svg", "g", "rect", "path", "text"}
        assert not {name for part in root.iter() for name in part.attrib} & {"style", "class"}
        assert "http" not in response.text.replace("http://www.w3.org/2000/svg", "")
        assert len(root.findall(".//{*}rect")) > 2
    assert client.get(f"/lab/{number}/turns.svg").status_code == 404


def test_bingo_and_twenty_one_run_too(client: FlaskClient, runs: web_lab.Runs) -> None:
    bingo = started(client, {"experiment": "bingo", "games": "300", "mode": "F", "speed": "Y"})
    web_lab.work(runs, bingo)
    answer = told(client, bingo)
    assert answer["title"] == "Bingo, mode F, speed: 300 rounds"
    assert 0 <= answer["asked"]["seed"] < 1_000_000
    assert msgspec.convert(answer["result"], BingoResult).games == 300
    form = {
        "experiment": "twentyone", "games": "300", "table": "simple-21",
        "play": "table", "rows": TO_21.replace("\n", "\r\n"),
    }  # fmt: skip
    cards = started(client, form)
    assert told(client, cards)["asked"]["strategy"] == TO_21
    web_lab.work(runs, cards)
    found = msgspec.convert(told(client, cards)["result"], TwentyOneResult)
    assert found.expected
    assert "exact" in client.get(f"/lab/{cards}").text
    assert client.get(f"/lab/{cards}/ends.svg").status_code == 200


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"games": "0"}, "from 1 to 1,000,000"),
        ({"games": "1000001"}, "from 1 to 1,000,000"),
        ({"games": "9" * 6000}, "from 1 to 1,000,000"),
        ({"games": "many"}, "The number of games must be a whole number."),
        ({"games": ""}, "The number of games must be a whole number."),
        ({"games": "٣"}, "whole number"),
        ({"seed": "-1"}, "The seed must be a whole number."),
        ({"seed": "1" * 18}, "The seed must be"),
        ({"players": "7"}, "from 2 to 6"),
        ({"experiment": "poker"}, "An experiment is one of war, bingo, twentyone."),
        ({"experiment": "bingo", "mode": "X"}, "The field mode is one of L, C, F."),
        ({"experiment": "bingo", "speed": "yes"}, "The field speed is one of Y, N."),
        ({"experiment": "twentyone", "table": "war"}, "no such table"),
        ({"experiment": "twentyone", "play": "win"}, "The field play is one of"),
        ({"experiment": "twentyone", "play": "below", "below": "40"}, "from 2 to 22"),
        ({"experiment": "twentyone", "play": "table", "rows": "x <b>"}, "Line 1 of the strategy"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_lost(
    client: FlaskClient, runs: web_lab.Runs, form: dict[str, str], says: str
) -> None:
    typed = {"experiment": "war", "games": "123", "seed": "77", **form}
    page = client.post("/lab", data=typed)
    assert page.status_code == 422
    notice = re.search(r'role="alert"><p>(.*?)</p>', page.text)
    assert notice
    assert says in notice[1]
    if typed["experiment"] != "poker":
        for name in ("games", "seed"):
            assert f'name="{name}" value="{typed[name]}"' in page.text
    if "rows" in form:
        assert "x &lt;b&gt;</textarea>" in page.text
    answer = client.post("/lab", data=typed, headers=JSON)
    assert answer.status_code == 422
    assert says in answer.get_json()["error"]
    assert runs.all() == []


def test_json_is_spoken(client: FlaskClient) -> None:
    response = client.post(
        "/lab", json={"experiment": "war", "games": 400, "seed": 5}, headers=JSON
    )
    assert response.status_code == 200
    answer = response.get_json()
    assert (answer["address"], answer["phase"]) == ("/lab/1", "waiting")
    assert answer["asked"] == {"games": 400, "seed": 5, "players": 2, "ranks": 13, "suits": 4}
    assert client.post("/lab", json=[1], headers=JSON).status_code == 400


def test_the_pages_look_like_the_site_and_need_no_script(
    client: FlaskClient, runs: web_lab.Runs
) -> None:
    number = started(client, WAR)
    pages = [client.get(path).text for path in ("/lab", f"/lab/{number}")]
    web_lab.work(runs, number)
    pages.append(client.get(f"/lab/{number}").text)
    for page in pages:
        assert re.search(r'<link rel="stylesheet" href="/static/[^"/]+/site.css">', page)
        assert page.count("<script") == 1  # the site's own, which only adds
        assert " style=" not in page


@pytest.mark.parametrize("path", ["/lab/1", "/lab/0", "/lab/99999999999999999999", "/lab/x"])
def test_unknown_numbers_are_a_404(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404
    assert client.get(f"{path}/wins.svg").status_code == 404
    assert client.post(f"{path}/cancel").status_code == 404


def test_forms_from_other_sites_are_refused(client: FlaskClient, runs: web_lab.Runs) -> None:
    number = started(client, WAR)
    for path in ("/lab", f"/lab/{number}/cancel"):
        response = client.post(path, data=WAR, headers={"Sec-Fetch-Site": "cross-site"})
        assert response.status_code == 403
    assert [run.phase for run in runs.all()] == [web_lab.Phase.WAITING]


def test_a_player_has_at_most_two_open_runs(client: FlaskClient, runs: web_lab.Runs) -> None:
    first = started(client, WAR)
    second = started(client, WAR)
    refused = client.post("/lab", data=WAR)
    assert refused.status_code == 429
    assert "You have 2 runs that are not finished" in refused.text
    assert 'name="seed" value="5"' in refused.text
    assert client.post(f"/lab/{first}/cancel").status_code == 303
    assert told(client, first)["phase"] == "cancelled"
    started(client, WAR)
    web_lab.work(runs, first)  # its turn comes, and it is not played
    assert (told(client, first)["phase"], told(client, first)["result"]) == ("cancelled", None)
    assert told(client, second)["phase"] == "waiting"


def test_a_session_that_was_saved_meanwhile_does_not_start_the_run_twice(
    client: FlaskClient, runs: web_lab.Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[bool] = []
    commit = Sessions.commit

    def once_refused(sessions: Sessions, session: Session) -> bool:
        tries.append(True)
        return len(tries) > 1 and commit(sessions, session)

    monkeypatch.setattr(Sessions, "commit", once_refused)
    number = started(client, WAR)
    assert len(tries) == 2
    assert [run.number for run in runs.all()] == [number]
    assert "Cancel" in client.get(f"/lab/{number}").text


@pytest.mark.parametrize("blob", [b"", b"{", b"{}", b"\xff"])
def test_a_run_that_cannot_be_read_is_gone(
    client: FlaskClient, runs: web_lab.Runs, blob: bytes
) -> None:
    first, second = started(client, WAR), started(client, WAR)
    runs._storage.put_data(f"run-{first}", blob)
    assert client.get(f"/lab/{first}").status_code == 404
    assert [run.number for run in runs.all()] == [second]
    kept = msgspec.to_builtins(runs.find(second))
    kept["asked"]["players"] = 9
    runs._storage.put_data(f"run-{second}", msgspec.json.encode(kept))
    assert client.get("/lab", headers=JSON).get_json() == {"runs": []}
    web_lab.work(runs, second)


def test_at_most_forty_runs_wait(app: flask.Flask, runs: web_lab.Runs) -> None:
    for _ in range(web_lab.MOST_OPEN):
        started(app.test_client(), WAR)
    refused = app.test_client().post("/lab", data=WAR)
    assert refused.status_code == 429
    assert "40 runs are waiting already" in refused.text
    assert "Set-Cookie" not in refused.headers
    assert len(runs.all()) == 40
    web_lab.work(runs, 1)
    started(app.test_client(), WAR)


def test_a_run_that_is_cancelled_while_it_is_played_keeps_what_it_has(
    client: FlaskClient, runs: web_lab.Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = started(client, {**WAR, "games": "5000"})
    steps_done: list[int] = []

    def played(experiment: Experiment) -> Iterator[tuple[int, Result]]:
        for done, result in run(experiment):
            steps_done.append(done)
            if done == 2:
                assert client.post(f"/lab/{number}/cancel").status_code == 303
            yield done, result

    monkeypatch.setattr(web_lab.core, "run", played)
    web_lab.work(runs, number)
    assert steps_done == [1, 2]
    answer = told(client, number)
    assert (answer["phase"], answer["done"], answer["result"]["games"]) == ("cancelled", 2, 2000)
    assert "cancelled after 2,000 games" in client.get(f"/lab/{number}").text
    assert client.post(f"/lab/{number}/cancel").status_code == 303
    assert told(client, number)["phase"] == "cancelled"


def test_a_fault_gives_the_run_up(
    client: FlaskClient, runs: web_lab.Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = started(client, WAR)
    monkeypatch.setattr(web_lab.core, "run", lambda _: 1 / 0)
    web_lab.work(runs, number)
    page = client.get(f"/lab/{number}")
    assert "Something went wrong" in page.text
    assert "division" not in page.text
    assert "Refresh" not in page.headers


def test_a_run_whose_process_was_killed_is_seen_as_stopped(
    client: FlaskClient, runs: web_lab.Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = started(client, WAR)
    found = runs.find(number)
    assert found
    runs.save(msgspec.convert({**msgspec.to_builtins(found), "phase": "running"}, web_lab.Run))
    assert told(client, number)["phase"] == "running"
    now = time.time()
    monkeypatch.setattr(web_lab.time, "time", lambda: now + 61)
    assert told(client, number)["phase"] == "stopped"
    assert "The server was stopped" in client.get(f"/lab/{number}").text
    monkeypatch.setattr(web_lab.time, "time", lambda: now + web_lab.LIFETIME + 1)
    assert client.get(f"/lab/{number}").status_code == 404


def test_old_runs_give_way_to_new_ones(
    app: flask.Flask, runs: web_lab.Runs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(web_lab, "KEPT", 3)
    for number in range(1, 8):
        client = app.test_client()
        assert started(client, WAR) == number
        assert told(client, number)["result"] is None
        web_lab.work(runs, number)
    assert [kept.number for kept in runs.all()] == [7, 6, 5]
    assert app.test_client().get("/lab/4").status_code == 404
    assert told(app.test_client(), 5)["result"]["games"] == 400
    with closing(sqlite3.connect(tmp_path / "lab.db")) as connection:
        assert connection.execute("SELECT count(*) FROM kv").fetchone() == (9,)


def test_a_storage_that_does_not_answer_is_a_503(
    client: FlaskClient, runs: web_lab.Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_keys: object) -> None:
        raise sqlite3.OperationalError("disk I/O error at /secret")

    monkeypatch.setattr(runs._storage, "peek_many", broken)
    response = client.get("/lab")
    assert response.status_code == 503
    assert "secret" not in response.text
    assert client.get("/simple-21").status_code == 200


def test_the_queue_holds_json_and_nothing_that_runs(
    client: FlaskClient, runs: web_lab.Runs
) -> None:
    number = started(client, WAR)
    (task,) = runs.queue.storage.enqueued_items()
    assert msgspec.json.decode(bytes(task))[6] == [number]
    taken = runs.queue.dequeue()
    runs.queue.execute(taken)
    assert told(client, number)["phase"] == "done"


def test_the_prefix_is_kept(tmp_path: Path) -> None:
    client = create_app(Settings(data_dir=tmp_path, url_prefix="/cards")).test_client()
    response = client.post("/cards/lab", data=WAR)
    assert response.headers["Location"] == "/cards/lab/1"
    assert 'action="/cards/lab/1/cancel"' in client.get("/cards/lab/1").text


# ---- The process ---------------------------------------------------------------------------


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path) as running:
        yield running


def until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def niced(server: Server) -> list[psutil.Process]:
    return [process for process in server.processes() if process.nice() == web_lab.NICE]


@pytest.mark.xdist_group("server")
def test_a_served_site_plays_cancels_and_shares(server: Server) -> None:
    with closing(Player(server.port)) as player, closing(Player(server.port)) as other:
        form = {"experiment": "war", "games": "1000000", "seed": "5"}
        long, _ = player.request("POST", "/lab", form)
        short, _ = player.request("POST", "/lab", {**form, "games": "1000"})
        assert (long.status, short.status) == (303, 303)
        long_address, short_address = long.headers["Location"], short.headers["Location"]
        assert until(lambda: player.json(long_address)[1]["done"] > 0)
        page, text = player.request("GET", long_address)
        assert page.headers["Refresh"] == "1"
        assert "Playing: " in text
        assert other.json(short_address)[1]["phase"] == "waiting"
        assert len(niced(server)) == 1
        assert player.request("POST", f"{long_address}/cancel", {})[0].status == 303
        assert until(lambda: player.json(long_address)[1]["phase"] == "cancelled")
        assert until(lambda: other.json(short_address)[1]["phase"] == "done")
        assert other.json(short_address)[1]["result"]["games"] == 1000
        response, _ = other.request("GET", f"{short_address}/length.svg")
        assert response.headers["Content-Type"].startswith("image/svg+xml")


@pytest.mark.xdist_group("server")
def test_the_lab_is_started_again_and_ends_with_its_server(server: Server) -> None:
    assert until(lambda: len(niced(server)) == 1)
    (first,) = niced(server)
    first.kill()
    assert until(lambda: [process.pid for process in niced(server)] not in ([], [first.pid]))
    everybody = server.processes()
    with closing(Player(server.port)) as player:
        player.request("POST", "/lab", {"experiment": "war", "games": "1000000"})
        assert until(lambda: player.json("/lab/1")[1]["phase"] == "running")
    everybody[0].kill()
    everybody[0].wait()
    _, alive = psutil.wait_procs(everybody[1:], timeout=10)
    assert alive == []


@pytest.mark.xdist_group("server")
def test_a_server_that_is_told_to_stop_stops_the_lab(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        everybody = server.processes()
        with closing(Player(server.port)) as player:
            player.request("POST", "/lab", {"experiment": "war", "games": "1000000"})
            assert until(lambda: player.json("/lab/1")[1]["phase"] == "running")
    assert server._process, "it had to be killed"
    _, alive = psutil.wait_procs(everybody[1:], timeout=5)
    assert alive == []
