"""What is counted and said of it: distributions, intervals, tables, sentences."""

import math
import random

import pytest

from cardgames.simulation import BingoResult, TwentyOneResult, WarResult
from cardgames.simulation.distribution import Distribution, wilson
from cardgames.simulation.report import conclusion, counts, findings
from cardgames.simulation.results import UpcardChances


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


# ---- What is said of a result --------------------------------------------------------------

WAR = WarResult(1000, (400, 300, 300), Distribution.of([500, 600] * 500), Distribution.of([9]), 110)
BINGO = BingoResult(1000, 450, 440, 110, Distribution.of([8] * 900 + [20] * 100))


def twentyone(win: int, tie: int, lose: int, ev: float | None) -> TwentyOneResult:
    """Return a result of 21, with exact chances of this worth or without any."""
    half = 0.5 if ev is None else (1 + ev) / 2
    exact = tuple(UpcardChances(value, half / 10, 0.0, (1 - half) / 10) for value in range(1, 11))
    return TwentyOneResult(win + tie + lose, win, tie, lose, () if ev is None else exact)


def test_war_is_concluded_in_plain_words() -> None:
    assert " ".join(conclusion(WAR)) == (
        "Games take 550 turns on average: half of them 500 or fewer, one in twenty 600 or more. "
        "Player 1 wins 40.0% of the games: chance does not explain the difference to 33.3%."
    )
    even = WarResult(1000, (334, 340, 326), WAR.turns, WAR.ties, 110)
    assert conclusion(even)[1] == "Every player wins about 33% of the games."


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (twentyone(400, 100, 500, -0.09), "you lose 9.0 more rounds in a hundred than you win."),
        (twentyone(500, 100, 400, 0.09), "you win 9.0 more rounds in a hundred than you lose."),
        (twentyone(400, 100, 500, None), "you lose 10.0 more rounds in a hundred than you win."),
        # The standard error of 1,000 rounds is 0.03: chance moves them by 1.96 times that.
        (
            twentyone(400, 100, 500, -0.09),
            "Your 1,000 rounds gave -10.0 per 100. That fits: luck alone moves this by up to ±5.8.",
        ),
        (twentyone(400, 100, 500, 0.09), "gave -10.0 per 100. Luck alone moves this by up to ±5.8"),
        (twentyone(4, 1, 5, None), "Too few games to tell"),
    ],
)
def test_twenty_one_is_concluded_in_plain_words(result: TwentyOneResult, says: str) -> None:
    assert says in " ".join(conclusion(result))


def test_a_result_is_put_into_tables_and_pictures() -> None:
    wins, length, turns, ties, ends = findings(WAR)
    assert wins.head == ("player", "wins", "share", "from", "to (95 %)")
    assert wins.rows[0] == ("Player 1", "400", "40.00%", "37.01%", "43.07%")
    assert [bar.share for bar in wins.bars] == [0.4, 0.3, 0.3]
    assert length.histogram
    assert sum(share for *_, share in length.histogram.classes) == pytest.approx(1)
    assert [row[0] for row in length.rows][:2] == ["496-500", "501-505"]
    assert turns.rows == (
        ("turns", "550.000", "1.582", "50.03", "500", "500", "500", "600", "600"),
    )
    assert (ties.name, ends.rows[0][1], ends.rows[1][1]) == ("ties", "110", "890")
    exact = findings(twentyone(400, 100, 500, -0.09))
    assert exact[0].head[-1] == exact[1].head[-1] == "exact"
    assert [bar.exact for bar in exact[0].bars] == pytest.approx([0.455, 0, 0.545])
    assert exact[1].rows[0][1:] == ("-0.10000", "0.02983", "-0.0900000000")


def test_everything_counted_can_be_had_for_a_spreadsheet() -> None:
    assert list(counts(WAR)) == [
        ("wins", 1, 400),
        ("wins", 2, 300),
        ("wins", 3, 300),
        ("ran out of cards", "yes", 110),
        ("ran out of cards", "no", 890),
        ("turns", 500, 500),
        ("turns", 600, 500),
        ("ties", 9, 1),
    ]
    assert list(counts(BINGO))[:4] == [
        ("wins", "A", 450), ("wins", "B", 440), ("wins", "tie", 110), ("calls", 8, 900),
    ]  # fmt: skip
    assert list(counts(twentyone(4, 1, 5, None))) == [
        ("ends", "win", 4), ("ends", "tie", 1), ("ends", "lose", 5),
    ]  # fmt: skip
