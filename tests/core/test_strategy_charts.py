"""Strategy charts: how they are written, what they are worth exactly, what each place costs."""

from collections.abc import Iterator
from functools import cache

import pytest

from cardgames.cards import CardGameError
from cardgames.games.twentyone import BLACKJACK, ONE_DECK, SIMPLE_21, Rules
from cardgames.strategies import Cell, Rating, StrategyChart, rate
from tests.core.test_simulation_twentyone import FIXED

TABLES = {"simple-21": SIMPLE_21, "blackjack": BLACKJACK, "one-deck": ONE_DECK}


@cache
def rating(table: str, strategy: str) -> Rating:
    return rate(StrategyChart.read(TABLES[table], strategy))


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


COUNTS = (4,) * 9 + (16,)


def taken(counts: tuple[int, ...], value: int) -> tuple[int, ...]:
    return (*counts[: value - 1], counts[value - 1] - 1, *counts[value:])


def drawn(counts: tuple[int, ...]) -> Iterator[tuple[int, float, tuple[int, ...]]]:
    """Yield each value that the next card may have, its chance, and what is left."""
    for value, count in enumerate(counts, start=1):
        if count:
            yield value, count / sum(counts), taken(counts, value)


def worth_by_hand(rules: Rules, chart: StrategyChart, upcard: int) -> float:
    """Follow the rounds with an upcard in the order of the table: the hole card is dealt first.

    Written without the project's odds: cards come one by one from counts.
    """

    def total(hard: int, *, ace: bool) -> int:
        soft = rules.ace_may_be_eleven and ace and hard <= 11
        return hard + 10 if soft else hard

    @cache
    def dealer(hard: int, ace: bool, mine: int, left: tuple[int, ...]) -> float:  # noqa: FBT001
        theirs = total(hard, ace=ace)
        if theirs >= 17:
            if theirs > 21 or theirs < mine:
                return 1
            return -1 if theirs > mine or rules.dealer_wins_ties else 0
        return sum(
            chance * dealer(hard + value, ace or value == 1, mine, less)
            for value, chance, less in drawn(left)
        )

    @cache
    def player(hard: int, ace: bool, size: int, hole: int, left: tuple[int, ...]) -> float:  # noqa: FBT001
        mine = total(hard, ace=ace)
        if mine > 21:
            return -1
        if size < 2 or chart.hits(Cell(mine > hard, mine, upcard)):
            return sum(
                chance * player(hard + value, ace or value == 1, size + 1, hole, less)
                for value, chance, less in drawn(left)
            )
        if rules.stay_on_21_wins and mine == 21:
            return 1
        return dealer(upcard + hole, 1 in (upcard, hole), mine, left)

    left = taken(COUNTS, upcard)
    chance = COUNTS[upcard - 1] / 52
    no_ace = False
    return chance * sum(
        share * player(0, no_ace, 0, hole, less) for hole, share, less in drawn(left)
    )


@pytest.mark.parametrize(
    ("table", "strategy"),
    [
        ("blackjack", "basic"),
        pytest.param("one-deck", "basic", marks=pytest.mark.slow),
        pytest.param("simple-21", "below 15", marks=pytest.mark.slow),
    ],
)
def test_a_rating_is_that_of_the_cards_followed_one_by_one(table: str, strategy: str) -> None:
    found = rating(table, strategy)
    by_hand = worth_by_hand(TABLES[table], found.chart, 10)
    assert found.by_upcard[10] == pytest.approx(by_hand, abs=1e-12)
    assert sum(found.by_upcard.values()) == pytest.approx(found.expected_value, abs=1e-12)


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
