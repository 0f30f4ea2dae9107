"""Strategies at the twenty-one tables: how they decide, what they measure, what is exact."""

from collections.abc import Sequence
from functools import cache
from itertools import islice
from random import Random

import pytest

from cardgames.advice import Chances
from cardgames.cards import CardGameError
from cardgames.games.twentyone import ONE_DECK, SIMPLE_21
from cardgames.simulation import TwentyOneResult, TwentyOneRounds, count_steps, twentyone
from cardgames.strategies import Cell, StrategyChart, rate
from cardgames.strategies.strategy import BASIC, decision, format_rows, parse_rows
from tests.support.simulation import likely, steps_of

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
    result = steps_of(TwentyOneRounds(1, 0, table, strategy), *range(10))
    assert result.games == 0
    expected: Chances = result.expected
    return expected


def rounds(experiment: TwentyOneRounds) -> TwentyOneResult:
    """Return what was measured, without the exact chances."""
    result: TwentyOneResult = steps_of(experiment, *range(10, count_steps(experiment)))
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


def test_a_step_works_out_an_upcards_chances_and_the_mistakes_against_it() -> None:
    result = twentyone.play_step(TwentyOneRounds(1, 1, "simple-21", "dealer"), 4)
    ((upcard, win, tie, lose),) = result.exact
    chart = StrategyChart.read(SIMPLE_21, "dealer")
    rated = rate(chart, [5])
    assert upcard == 5
    assert win - lose == pytest.approx(rated.expected_value, abs=1e-12)
    assert win + tie + lose == pytest.approx(4 / 52, abs=1e-12)
    found = [(Cell(one.soft, one.total, one.upcard), one.hit, one.cost) for one in result.mistakes]
    wanted = [(cell, chart.hits(cell), rated.cost(cell)) for cell in rated.mistakes()]
    assert found == wanted != []


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
    result = rounds(TwentyOneRounds(40_000, 3, table, "best"))
    assert_measured(result, (found.win, found.tie, found.lose))


def test_a_deck_is_drawn_without_putting_a_card_back() -> None:
    """With cards put back the chances differ by less than any run shows."""
    drawn = sorted(islice(twentyone._drawn(Random(1)), 53))
    assert drawn == sorted([*range(1, 11), 10, 10, 10] * 4)


# ---- How a strategy is written -------------------------------------------------------------


def upcards(strategy: str, kind: str, total: int, hand: Sequence[int] = ()) -> list[int]:
    """Return the upcards against which a strategy hits."""
    decide = decision(strategy, ONE_DECK)
    return [upcard for upcard in range(1, 11) if decide(total, kind == "soft", upcard, hand)]


def test_a_strategy_is_data() -> None:
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


def test_a_table_of_decisions_is_written_as_it_is_read() -> None:
    rows = parse_rows(BASIC)
    assert len(rows) == 7
    assert parse_rows(format_rows(rows)) == rows


@pytest.mark.parametrize(
    ("strategy", "says", "part"),
    [
        ("", "A strategy is", "strategy"),
        ("below 1", "from 2 to 22", "below"),
        ("below 23", "from 2 to 22", "below"),
        ("below " + "9" * 5000, "from 2 to 22", "below"),
        ("below -3", "Line 1", "strategy"),
        ("below ٣", "Line 1", "strategy"),
        ("stand", "Line 1", "strategy"),
        ("hard 12 HHHSSSHHH", "Line 1", "strategy"),
        ("hard 12 HHHSSSHHHX", "Line 1", "strategy"),
        ("hard 12 HHHSSSHHHH\nsoft 30 HHHHHHHHHH", "Line 2", "strategy"),
        ("# nothing\n" * 300, "at most 2,000", "strategy"),
    ],
)
def test_what_is_no_strategy_is_refused_in_a_sentence(strategy: str, says: str, part: str) -> None:
    with pytest.raises(CardGameError, match=says) as refused:
        TwentyOneRounds(10, 1, "one-deck", strategy)
    assert refused.value.field == part
