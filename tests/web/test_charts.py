"""The site's charts: round ticks, positions in percent, and tables of the numbers."""

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from cardgames import GAMES
from cardgames.records.replay import replay
from cardgames.table import Table
from tests.support.play import salts
from web.charts import MAX_ROWS, MAX_TICKS, Tick, histogram, line_plot
from web.tables.charts import MAX_SAMPLES, build_chart, round_progress, sampled


def number(tick: Tick) -> float:
    text = tick.label.replace(",", "").replace("−", "-")
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def is_round(step: float) -> bool:
    """Return whether a step is 1, 2 or 5 times a power of ten."""
    return f"{step:.6e}"[:8] in {"1.000000", "2.000000", "5.000000"}


def assert_axis(ticks: Sequence[Tick], places: Sequence[float], ends: tuple[float, float]) -> None:
    """Check that an axis has few round numbers, each at its position between the ends."""
    numbers = [number(tick) for tick in ticks]
    first, last = ends
    assert 1 <= len(ticks) <= MAX_TICKS + 1
    steps = {round(after - before, 9) for before, after in pairwise(numbers)}
    assert len(steps) <= 1
    assert all(map(is_round, steps))
    for place, value in zip(places, numbers, strict=True):
        assert place == pytest.approx(100 * (value - first) / (last - first), abs=0.01)


@pytest.mark.parametrize("seed", range(12))
def test_axes_have_a_few_round_ticks_in_their_places(seed: int) -> None:
    rng = random.Random(seed)
    low = rng.choice([0, -rng.randrange(1, 300)])
    high = rng.randrange(1, 10 ** rng.randrange(1, 5))
    plot = line_plot("", "", "", [("", ((0, low), (7, high)))], (0, 7), (low, high))
    upwards = plot.y_ticks
    assert_axis(upwards, [100 - tick.at for tick in upwards], (low, high))
    assert len(upwards) > 1
    highest = rng.random() / 10 ** rng.randrange(4)
    chart = histogram("", "", "", [(1, 10, highest), (11, 20, 0.0)])
    assert_axis(chart.x_ticks, [tick.at for tick in chart.x_ticks], (0, 20))
    top = number(chart.y_ticks[-1])
    assert_axis(chart.y_ticks, [100 - tick.at for tick in chart.y_ticks], (0, top))
    assert highest <= top < 2 * highest


def test_lines_go_through_their_points_in_a_few_rows() -> None:
    points = tuple((x, x * x) for x in range(101))
    plot = line_plot("", "x", "y", [("square", points), ("0", tuple((x, 0) for x in range(101)))],
                     (0, 100), (0, 10_000))  # fmt: skip
    assert plot.view_box == "0 0 100 10000"
    assert plot.lines[0].path.startswith("M0 10000l1-1l1-3l1-5")
    assert plot.lines[1].path == "M0 10000" + "l1 0" * 100
    assert plot.head == ("x", "square", "0")
    assert len(plot.rows) <= MAX_ROWS
    assert plot.rows[0] == ("0", "0", "0")
    assert plot.rows[-1] == ("100", "10,000", "0")
    short = line_plot("", "x", "y", [("", ((0, 3), (1, 4)))], (0, 12), (0, 4))
    assert short.rows == (("0", "3"), ("1", "4"))


def test_chart_ends_at_the_tally() -> None:
    chart = build_chart("1102222222")
    assert chart
    assert chart.lead == -1
    assert chart.plot.lines[0].path == "M0 1l1 1l1 1l1-1" + 7 * "l1 0"
    assert chart.plot.view_box == "0 0 10 3"
    assert chart.plot.rows[-1] == ("10", "−1")
    assert build_chart("110222222") is None


def test_chart_of_a_long_war_has_a_bounded_number_of_steps() -> None:
    """The chart of all turns starts at the deal, and each number belongs to its turn."""
    table = Table(GAMES["war"]).play("deal", {"players": "2"}, salts(2)).table
    table = table.play("turn", {"turns": "all"}).table
    data = replay(table.record).tables[1:]
    assert len(data) > 2 * MAX_SAMPLES
    longest = 0
    for turn in range(len(data)):
        progress = sampled(data[: turn + 1])
        assert progress
        steps = [step for step, *_ in progress.samples]
        assert (steps[0], steps[-1]) == (0, turn)
        assert len({later - sooner for sooner, later in pairwise(steps[:-1])}) <= 1
        for step, *cards in progress.samples:
            assert cards == [len(hand) for hand in data[step].state.hands]
        longest = max(longest, len(steps))
    assert MAX_SAMPLES / 2 < longest <= MAX_SAMPLES + 1
    assert round_progress(table) == progress
