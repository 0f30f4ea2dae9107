"""Strategy charts: how they are written, what they are worth exactly, what each place costs."""

from functools import cache
from math import fsum

import pytest

from cardgames.cards import CardGameError
from cardgames.games.twentyone.rules import BLACKJACK, TABLES
from cardgames.strategies import Cell, Rating, StrategyChart, rate
from cardgames.strategies.hands import followed
from tests.core.test_simulation_twentyone import FIXED


@cache
def rating(table: str, strategy: str) -> Rating:
    return rate(StrategyChart.read(TABLES[table], strategy))


# ---- The hands of a round ------------------------------------------------------------------


def test_a_play_goes_on_with_its_share_of_a_hand_up_to_21() -> None:
    by_size: dict[int, list[float]] = {}
    for hand, chance in followed(10, lambda hand: {2: 0.25, 3: 1.0}.get(len(hand), 0.0)):
        by_size.setdefault(len(hand), []).append(chance)
    assert [*map(len, by_size.values())] == [55, 220, len(by_size[4])]
    assert fsum(by_size[2]) == pytest.approx(16 / 52, abs=1e-12)
    assert fsum(by_size[3]) == pytest.approx(4 / 52, abs=1e-12)
    over = fsum(c for hand, c in followed(10, lambda _: 1.0) if len(hand) == 3 and sum(hand) > 21)
    four = fsum(chance for hand, chance in followed(10, lambda _: 1.0) if len(hand) == 4)
    assert four == pytest.approx(16 / 52 - over, abs=1e-12)
    assert max(sum(hand) for hand, _ in followed(10, lambda _: 1.0)) == 21 + 10


# ---- What a chart is -----------------------------------------------------------------------


def test_a_chart_is_written_as_it_is_read() -> None:
    chart = StrategyChart.read(BLACKJACK, "basic")
    assert StrategyChart.read(BLACKJACK, str(chart)) == chart
    assert len(str(chart).splitlines()) == 1 + 28
    assert "hard 12   HHHSSSHHHH" in str(chart)
    assert "soft 18   HSSSSSSSHH" in str(chart)


@pytest.mark.parametrize("text", ["best", "", "stand", "hard 30 HHHHHHHHHH"])
def test_what_is_no_chart_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(CardGameError, match=r"\.$"):
        StrategyChart.read(BLACKJACK, text)


def test_where_two_charts_differ() -> None:
    one = StrategyChart.read(BLACKJACK, "below 16")
    other = StrategyChart.read(BLACKJACK, "below 17")
    both = [Cell(soft, 16, upcard) for soft in (False, True) for upcard in range(1, 11)]
    assert [*one.differences(other)] == both
    assert one.changed(*both) == other
    assert str(both[0]) == "hard 16 against A"
    assert str(both[-1]) == "soft 16 against T"


# ---- What it is worth ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "strategy"),
    [pytest.param(*one, marks=[] if one[1] == "below 2" else [pytest.mark.slow]) for one in FIXED],
)
def test_the_ratings_of_fixed_strategies(table: str, strategy: str) -> None:
    win, _, lose = FIXED[table, strategy]
    assert rating(table, strategy).expected_value == pytest.approx(win - lose, abs=2e-8)


# ---- What a place costs --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "cell"),
    [
        ("below 2", Cell(soft=False, total=11, upcard=10)),
        ("below 2", Cell(soft=True, total=12, upcard=2)),
        pytest.param("basic", Cell(soft=False, total=16, upcard=10), marks=pytest.mark.slow),
        pytest.param("basic", Cell(soft=False, total=5, upcard=1), marks=pytest.mark.slow),
    ],
)
def test_a_place_costs_what_changing_it_changes(strategy: str, cell: Cell) -> None:
    before = rating("blackjack", strategy)
    after = rate(before.chart.changed(cell))
    assert after.points - before.points == pytest.approx(before.cost(cell), abs=1e-9)
    assert after.cost(cell) == pytest.approx(-before.cost(cell), abs=1e-9)
