"""What a result says, in plain words."""

import math
from collections.abc import Iterator
from typing import Final

from cardgames.simulation.report import measured_worth
from cardgames.simulation.results import BingoResult, Result, TwentyOneResult, WarResult
from cardgames.text import Text, format_number

FEW: Final = 100
"""Fewer games than these say little."""

_SURE: Final = 1.96
"""So many standard errors chance allows in nineteen cases of twenty."""

_VERY_SURE: Final = 3
"""The same where up to six players are looked at and any of them may be off."""

_EVEN: Final = 0.0005
"""A round that is worth less than this, won or lost, is told as even."""


def conclusion(result: Result) -> tuple[Text, ...]:
    """Return what a result says: a few sentences, the most important first."""
    match result:
        case WarResult():
            said = _of_war(result)
        case BingoResult():
            said = _of_bingo(result)
        case TwentyOneResult():
            said = _of_twentyone(result)
    few = (Text("So few games say little: chance has most of the word."),)
    return (*said, *few * (result.games < FEW))


def _of_war(result: WarResult) -> Iterator[Text]:
    turns = result.turns
    yield Text(
        "A game takes {mean} turns on average. Half of the games are over after {median}, and one "
        "in twenty takes {most} or more.",
        mean=format_number(turns.mean, ",.0f"),
        median=format_number(turns.quantile(0.5), ","),
        most=format_number(turns.quantile(0.95), ","),
    )
    fair = 1 / len(result.wins)
    shares = [wins / result.games for wins in result.wins]
    seat = max(range(len(shares)), key=lambda place: abs(shares[place] - fair))
    error = math.sqrt(fair * (1 - fair) / result.games)
    if abs(shares[seat] - fair) <= _VERY_SURE * error:
        yield Text(
            "Everybody wins {fair} of the games, as far as so many games can tell.",
            fair=format_number(fair, ".0%"),
        )
        return
    values = {
        "number": seat + 1,
        "share": format_number(shares[seat], ".1%"),
        "fair": format_number(fair, ".1%"),
    }
    if shares[seat] > fair:
        more = Text(
            "Player {number} wins {share} of the games: more than an equal part, {fair}, and more "
            "than chance explains."
        )
        yield more.fill(**values)
    else:
        less = Text(
            "Player {number} wins {share} of the games: less than an equal part, {fair}, and less "
            "than chance explains."
        )
        yield less.fill(**values)


def _of_bingo(result: BingoResult) -> Iterator[Text]:
    calls = result.calls
    yield Text(
        "BINGO! comes with call {mean} on average. Half of the rounds are over after {median}, and "
        "one in twenty takes {most} or more.",
        mean=format_number(calls.mean, ".1f"),
        median=calls.quantile(0.5),
        most=calls.quantile(0.95),
    )
    if result.tie:
        share = format_number(result.tie / result.games, ".0%")
        yield Text("{share} of the rounds are ties.", share=share)
    else:
        yield Text("No round was a tie.")


def _of_twentyone(result: TwentyOneResult) -> Iterator[Text]:
    measured, error = measured_worth(result)
    expected = result.expected
    worth = measured if expected is None else expected.ev
    a_hundred = format_number(abs(worth) * 100, ".1f")
    if abs(worth) < _EVEN:
        yield Text("With this strategy you win as many rounds as you lose.")
    elif worth < 0:
        yield Text(
            "With this strategy you lose {number} more rounds in a hundred than you win.",
            number=a_hundred,
        )
    else:
        yield Text(
            "With this strategy you win {number} more rounds in a hundred than you lose.",
            number=a_hundred,
        )
    if expected is None or not result.games:
        return
    values = {
        "measured": format_number(measured * 100, "+.1f"),
        "reach": format_number(_SURE * error * 100, ".1f"),
    }
    if abs(measured - expected.ev) <= _SURE * error:
        agrees = Text(
            "That is exact. The rounds that were played gave {measured} in a hundred, which "
            "agrees: chance moves so many rounds by up to {reach}."
        )
        yield agrees.fill(**values)
    else:
        off = Text(
            "That is exact. The rounds that were played gave {measured} in a hundred, further off "
            "than the {reach} that chance allows in nineteen cases of twenty. Another seed should "
            "come closer."
        )
        yield off.fill(**values)
