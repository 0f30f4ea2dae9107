"""The arithmetic of insight: rounds summed up, intervals, and what is too few to tell."""

import msgspec
import pytest

from web.classroom.insight import (
    Estimate,
    Mistake,
    Play,
    TablePlay,
    estimate,
    of_round,
)

SLUG = "blackjack"


def mistake(cost: float, times: int = 1, **more: object) -> Mistake:
    kept = ["stay", 16, False, "T", times, cost, cost / times, "", 1]
    return msgspec.structs.replace(msgspec.convert(kept, Mistake), **more)


def test_rounds_are_summed_up() -> None:
    first = of_round((0.0, 0.25), [mistake(0.25, step=2)], won=True)
    second = of_round((0.5,), [mistake(0.5, step=1)], won=False)
    play = {SLUG: first.plus(second), "one-deck": of_round((), (), won=False)}
    table = play[SLUG]
    assert (table.rounds, table.won, table.decisions, table.cost, table.squares) == (
        2,
        1,
        3,
        0.75,
        0.3125,
    )
    (known,) = table.mistakes
    assert (known.times, known.cost, known.worst, known.step) == (2, 0.75, 0.5, 1)
    assert (play["one-deck"].rounds, play["one-deck"].decisions) == (1, 0)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(play), type=Play) == play


def test_the_interval_is_that_of_a_mean() -> None:
    """Four decisions: 0, 0, 0.1 and 0.3; the deviations' squares add up to 0.06."""
    play = TablePlay(rounds=4, decisions=4, cost=0.4, squares=0.1)
    found = estimate(play, 0.2)
    assert found
    reach = 1.96 * (0.06 / 3 / 4) ** 0.5
    assert found.mean == pytest.approx(1_000)
    assert found.low == pytest.approx(max(0.0, 0.1 - reach) * 10_000)
    assert found.high == pytest.approx((0.1 + reach) * 10_000)


def test_who_has_made_no_mistake_may_still_make_one() -> None:
    """With a chance of 1 - 0.05^(1/n), n best decisions happen one time in twenty."""
    found = estimate(TablePlay(rounds=3, decisions=3), 0.2)
    assert found
    chance = found.high / 10_000 / 0.2
    assert (1 - chance) ** 3 == pytest.approx(0.05)
    assert (found.mean, found.low) == (0.0, 0.0)
    assert estimate(TablePlay(rounds=3), 0.2) is None
    assert estimate(TablePlay(rounds=1, decisions=1, cost=0.5, squares=0.25), 0.5) == Estimate(
        5_000.0, 0.0, 10_000.0
    )
