"""What a chart is worth: worked out in steps, and played on the common decks."""

import math

import pytest

from cardgames import GAMES
from cardgames.games.twentyone.rules import POINTS as COUNTS
from cardgames.games.twentyone.rules import TABLES
from cardgames.strategies import rate
from cardgames.strategies.best import BEST_EXPECTED, DEALER_EXPECTED, best_chart
from cardgames.strategies.chart import Cell, StrategyChart, cells
from cardgames.strategies.common_decks import DECKS, ROUNDS, common_deck, deck_result, deck_results
from cardgames.strategies.program import Strategy, view_of
from cardgames.strategies.rating_steps import PartialRating, next_step, steps, steps_done
from cardgames.strategies.tournament import POINTS
from cardgames.table import Phase, Table

ONE_FOR_ALL = ["simple-21", "one-deck"]


def rated(table: str, text: str) -> PartialRating:
    rules = TABLES[table]
    chart, found = StrategyChart.read(rules, text), PartialRating()
    for done in range(steps(rules)):
        assert steps_done(found) == done
        found = next_step(chart, best_chart(table), found)
    assert steps_done(found) == steps(rules)
    return found


# ---- Exactly -------------------------------------------------------------------------------


def test_steps_come_to_the_same_as_the_whole() -> None:
    chart = StrategyChart.read(TABLES["blackjack"], "below 15")
    found, whole = rated("blackjack", "below 15"), rate(chart)
    assert math.isclose(found.expected_value, whole.expected_value, abs_tol=1e-15)
    assert found.points == found.interval.mean == 100 * found.expected_value
    assert found.decks is None
    cost = found.cost_of(chart.rules)
    assert [*cost] == [*cells(chart.rules)]
    assert all(cost[cell] == pytest.approx(whole.cost(cell), abs=1e-13) for cell in cost)
    assert (
        cost[Cell(soft=False, total=16, upcard=10)] < 0 < cost[Cell(soft=False, total=16, upcard=7)]
    )


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_no_decision_of_the_best_chart_costs_anything(table: str) -> None:
    found = rate(best_chart(table))
    assert found.mistakes() == ()
    assert found.expected_value == pytest.approx(BEST_EXPECTED[table], abs=1e-10)
    dealer = rate(StrategyChart.read(TABLES[table], "dealer"))
    assert dealer.expected_value == pytest.approx(DEALER_EXPECTED[table], abs=1e-10)


# ---- On the common decks -------------------------------------------------------------------


def at_the_table(table: str, text: str, number: int) -> int:
    """Play a common deck at the table itself."""
    decider, now = Strategy(text, TABLES[table]), Table(GAMES[table])
    sent = {"deck": "\n".join(common_deck(number))}
    won = 0
    for _ in range(ROUNDS):
        now = now.play("deal", sent).table
        sent = {}
        while now.phase is Phase.PLAYING:
            now = now.play(decider.decide(view_of(now))).table
        assert now.result
        won += POINTS[now.result.winner]
    return won


@pytest.mark.parametrize("table", ONE_FOR_ALL)
@pytest.mark.parametrize("text", ["dealer", "basic", "below 14"])
def test_a_common_deck_is_played_as_the_table_plays_it(table: str, text: str) -> None:
    chart = StrategyChart.read(TABLES[table], text)
    for number in range(40):
        values = [COUNTS[card.rank] for card in common_deck(number)]
        assert deck_result(chart, values) == at_the_table(table, text, number), number


def test_a_chart_is_held_against_the_best_one_deck_by_deck() -> None:
    chart, best = StrategyChart.read(TABLES["one-deck"], "dealer"), best_chart("one-deck")
    done = PartialRating(expected_values=(0.0,) * 10)
    found = next_step(chart, best, done)
    gaps = [a - b for a, b in zip(deck_results(chart), deck_results(best), strict=True)]
    mean = sum(gaps) / DECKS
    deviation = math.sqrt(sum((gap - mean) ** 2 for gap in gaps) / (DECKS - 1))
    assert found.decks == pytest.approx(
        (20 * mean, 20 * 1.96 * deviation / math.sqrt(DECKS)), rel=1e-9
    )
    assert found.interval.mean + found.interval.reach < 0  # surely worse
    assert next_step(best, best, done).decks == (0.0, 0.0)
