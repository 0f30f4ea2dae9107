"""The lab's numbers and messages: distributions, intervals, tables and conclusions."""

import random

import pytest

from cardgames.lab import LabResult, ask
from cardgames.lab.distribution import Distribution, wilson
from cardgames.lab.report import conclusion, histogram, tables


def test_a_distribution_tells_its_mean_and_quantiles() -> None:
    found = Distribution.of([5, 1, 2, 2])
    assert found.counts == ((1, 1), (2, 2), (5, 1))
    assert (found.size, found.mean) == (4, 2.5)
    assert [found.quantile(share) for share in (0, 0.25, 0.26, 0.75, 0.76, 1)] == [1, 1, 2, 2, 5, 5]


def test_a_histogram_holds_every_value_once() -> None:
    found = Distribution.of(random.Random(1).choices(range(27, 4000), k=3000))
    classes = found.histogram(60)
    assert sum(count for _, _, count in classes) == 3000
    assert {last - first + 1 for first, last, _ in classes} == {100}
    assert [first for first, _, _ in classes] == list(range(1, 4000, 100))


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


# ---- Messages about a result ---------------------------------------------------------------------

WAR = ask("war", {"players": "3"}, 1000, 1)
BINGO = ask("bingo", {"speed": "Y"}, 1000, 1)
CARDS = ask("one-deck", {}, 1000, 1)
TURNS = Distribution.of([500, 600] * 500)
TENS = Distribution.of([3] * 40 + [5] * 35 + [6] * 25)


def test_war_is_concluded_in_plain_words() -> None:
    assert " ".join(conclusion(WAR, LabResult((400, 300, 300), TURNS))) == (
        "Games take 550 turns on average: half of the games take 500 or fewer, "
        "and one in twenty takes 600 or more. "
        "Player 1 wins 40.0% of the games: too far from 33.3% to be chance."
    )
    even = conclusion(WAR, LabResult((334, 340, 326), TURNS))
    assert even[1] == "Every player wins about 33% of the games."


def test_bingo_is_concluded_in_plain_words() -> None:
    calls = Distribution.of([8] * 900 + [20] * 100)
    assert " ".join(conclusion(BINGO, LabResult((450, 440, 110), calls))) == (
        "BINGO! comes at call 9.2 on average: by call 8 in half of the rounds, and at call 20 or "
        "later in one round in twenty. 11% of rounds end in a tie."
    )


@pytest.mark.parametrize(("won", "lost", "says"), [(400, 500, "loses"), (500, 400, "wins")])
def test_twenty_one_is_concluded_in_plain_words(won: int, lost: int, says: str) -> None:
    """In 95% of cases, chance changes the result by at most 1.96 standard errors.

    The standard error of 1,000 rounds is 0.03.
    """
    assert " ".join(conclusion(CARDS, LabResult((won, 100, lost), TENS))) == (
        f"This strategy {says} 10 points per round. A point is a hundredth of a round. "
        "±5.8 points (interval: 95%). "
        "The strategy wins more than half of 10 consecutive rounds in 25% of cases."
    )


def test_a_result_is_put_into_tables_and_a_picture() -> None:
    result = LabResult((400, 300, 300), TURNS)
    ended, lengths = tables(WAR, result)
    assert ended.head == ("end", "rounds", "share", "from", "to (95 %)")
    assert ended.rows[0] == ("Player 1", "400", "40.0%", "37.0%", "43.1%")
    assert [row[0] for row in lengths.rows][:2] == ["496-500", "501-505"]
    drawn = histogram(WAR, result).classes
    assert sum(share for *_, share in drawn) == pytest.approx(1)
    assert len(drawn) == len(lengths.rows) == 21
    assert [row[0] for row in tables(BINGO, LabResult((4, 4, 2), TENS))[0].rows] == [
        "A",
        "B",
        "Tie",
    ]
    ended, tens = tables(CARDS, LabResult((400, 100, 500), TENS))
    assert [row[0] for row in ended.rows] == ["Win", "Tie", "Lose"]
    assert tens.rows[0] == ("3", "40.00%")
