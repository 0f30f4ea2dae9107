"""The site's charts: round ticks, places in percent, and their numbers as a table."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import flask
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.moves import Action
from cardgames.records.replay import replay
from cardgames.table import Phase, Table
from tests.support.games import Held, LastingHighCard
from tests.support.play import salts
from tests.support.site import play
from web.charts import MAX_ROWS, MAX_TICKS, Tick, bar_chart, histogram, line_plot
from web.tables.charts import MAX_SAMPLES, build_chart, progress_of, sampled

ROOT = Path(__file__).parents[2]


def number(tick: Tick) -> float:
    """Return the number at a tick."""
    text = tick.label.replace(",", "")
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def is_round(step: float) -> bool:
    """Say whether a step is 1, 2 or 5 times a power of ten."""
    return f"{step:.6e}"[:8] in {"1.000000", "2.000000", "5.000000"}


def assert_axis(ticks: Sequence[Tick], places: Sequence[float], ends: tuple[float, float]) -> None:
    """Check an axis: a few round numbers, each where it belongs between the ends."""
    numbers = [number(tick) for tick in ticks]
    first, last = ends
    assert 1 <= len(ticks) <= MAX_TICKS + 1
    steps = {round(after - before, 9) for before, after in pairwise(numbers)}
    assert len(steps) <= 1
    assert all(map(is_round, steps))
    for place, value in zip(places, numbers, strict=True):
        assert place == pytest.approx(100 * (value - first) / (last - first), abs=0.01)


@pytest.mark.parametrize("seed", range(40))
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


def test_columns_are_as_wide_and_as_high_as_their_classes() -> None:
    chart = histogram("", "turns", "games", [(1, 50, 0.1), (51, 100, 0.4), (101, 150, 0.5)])
    assert [column.x for column in chart.columns] == [0, 33.33, 66.67]
    assert [column.width for column in chart.columns] == [33.33] * 3
    assert [column.height for column in chart.columns] == [20, 80, 100]
    assert all(column.y + column.height == 100 for column in chart.columns)
    assert [tick.label for tick in chart.x_ticks] == ["0", "50", "100", "150"]
    assert [tick.label for tick in chart.y_ticks] == ["0%", "10%", "20%", "30%", "40%", "50%"]


def test_bars_show_the_share_its_interval_and_the_exact_chance() -> None:
    chart = bar_chart("", [("Win", 0.3, 0.25, 0.35, 0.31), ("Lose", 0.1, 0.05, 0.2, None)])
    assert [tick.label for tick in chart.ticks] == ["0%", "10%", "20%", "30%", "40%"]
    assert chart.bars[0] == ("Win", "30.0%", 75, 62.5, 87.5, 77.5)
    assert chart.bars[1] == ("Lose", "10.0%", 25, 12.5, 50, None)
    assert bar_chart("", [("None", 0.0, 0.0, 0.0, None)]).bars[0].end == 0


def test_lines_go_through_their_points_and_are_shown_in_a_few_rows() -> None:
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


# ---- The course of a tally, and of a game of War -------------------------------------------


def test_the_course_ends_where_the_tally_is() -> None:
    chart = build_chart("1102")
    assert chart
    assert chart.lead == -1
    assert chart.plot.lines[0].path == "M0 1l1 1l1 1l1-1l1 0"
    assert chart.plot.view_box == "0 0 12 3"
    assert chart.plot.rows[-1] == ("4", "-1")
    assert build_chart("") is None


def test_a_long_course_costs_little() -> None:
    chart = build_chart("01" * 100)
    assert chart
    assert len(chart.plot.lines[0].path) < 1500
    assert len(chart.plot.rows) <= MAX_ROWS


def test_a_table_shows_its_course_from_the_first_round_on(app: flask.Flask) -> None:
    client = app.test_client()
    play(client, "/bingo", "deal")
    assert 'class="area"' not in client.get("/bingo").text
    play(client, "/bingo", "call", calls="all")
    page = client.get("/bingo").text
    assert page.count('class="area"') == 1
    assert re.search(r'role="img" aria-label="[AB] is one round ahead."', page)
    assert re.search(r"<details id=\"course\">.*?<table>.*?</table>", page, re.DOTALL)


def test_war_shows_a_line_for_each_player_and_their_numbers(client: FlaskClient) -> None:
    play(client, "/war", "deal", players="4", names="Amy, <b>")
    play(client, "/war", "turn", turns="10")
    page = client.get("/war").text
    drawn, _, words = page.partition('class="area"')[2].partition("<figcaption>")
    assert re.findall(r'<path class="(line\d)" d="M0 ', drawn) == [
        "line1", "line2", "line3", "line4",
    ]  # fmt: skip
    heads = re.findall(r'<th scope="col">(.*?)</th>', words)
    assert heads == ["turns", "Amy", "&lt;b&gt;", "Player 3", "Player 4"]
    assert re.findall(r'<th scope="row">(\d+)</th>', words) == [str(turn) for turn in range(11)]


def test_a_long_game_of_war_is_drawn_with_a_bounded_number_of_even_steps() -> None:
    """After every turn: from the deal to now, and each number is that of its turn."""
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
    assert progress_of(table) == progress


def test_a_turn_more_is_drawn_as_if_all_were_played_again() -> None:
    """What a worker remembers leads to the same samples, also after some turns at once."""
    table = Table(GAMES["war"]).play("deal", {"players": "3"}, salts(5)).table
    rng = random.Random(7)
    while table.phase is Phase.PLAYING and table.record.steps < 2 * MAX_SAMPLES + 20:
        turns = rng.choice(["1"] * 10 + ["10"])
        table = table.play("turn", {"turns": turns}).table
        assert progress_of(table) == sampled(replay(replace(table.record, result="")).tables[1:])


class Wandering(LastingHighCard):
    """A round in which the player may swap as often as they like."""

    def apply(self, state: Held, action: Action, rng: random.Random) -> Held:
        return (
            state
            if action.name == "keep"
            else replace(super().apply(state, action, rng), over=False)
        )

    def progress(self, state: Held) -> tuple[int, ...]:
        return (len(state.discards),)


def test_the_same_deal_played_differently_is_drawn_as_it_was_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two players at one deal link, say: the luck and the deal are the same."""
    game = Wandering()
    monkeypatch.setitem(GAMES, game.info.slug, game)
    for moves, discards in (("keep keep", [0, 0, 0]), ("swap swap swap", [0, 1, 2, 3])):
        table = Table(game).play("deal", new_salt=lambda: "07").table
        for move in moves.split():
            table = table.play(move).table
            if moves.startswith("keep"):
                progress_of(table)
        data = progress_of(table)
        assert data
        assert [number for _, number in data.samples] == discards
