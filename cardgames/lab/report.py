"""The result of an experiment as text and tables, for a terminal and for a page."""

import math
from dataclasses import dataclass
from typing import Final

from cardgames import GAMES
from cardgames.lab import OPTIONS, TOGETHER, Experiment, LabResult
from cardgames.lab.distribution import wilson
from cardgames.text import Text, comma_join, format_number, format_points

MAX_CLASSES: Final = 50
"""Maximum number of classes in a histogram."""

_SURE: Final = 1.96
"""Half-width of a 95% confidence interval, in standard errors."""

_VERY_SURE: Final = 3
"""Bound for the largest deviation among six players, in standard errors."""


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table of numbers, as text."""

    title: Text
    head: tuple[Text, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram: the proportion of rounds in each class of integers."""

    title: Text
    unit: Text
    shares_of: Text
    classes: tuple[tuple[int, int, float], ...]
    """Tuples of first value, last value and proportion. The classes are contiguous and equally
    wide.
    """


def title(experiment: Experiment) -> Text:
    """Return the game and the number of rounds as text.

    >>> from cardgames.lab import ask
    >>> title(ask("bingo", {}, 1000, 1))
    'Playing-card Bingo: 1,000 rounds'
    """
    return Text(
        "{game}: {many} rounds",
        game=GAMES[experiment.game].info.title,
        many=format_number(experiment.rounds, ","),
    )


def choices(experiment: Experiment) -> str:
    """Return the selected options as text.

    >>> from cardgames.lab import ask
    >>> choices(ask("bingo", {"mode": "C"}, 1000, 1))
    'Mode: Corners, Cards covered by a call: That card'
    """
    return comma_join(
        Text(
            "{name}: {value}",
            name=option.title,
            value=option.texts[experiment.choices[option.name]],
        )
        for option in OPTIONS[experiment.game]
    )


def ends(experiment: Experiment, result: LabResult) -> dict[str, int]:
    """Return the number of rounds with each outcome, keyed by the outcome's label."""
    if experiment.game == "war":
        seats = range(1, len(result.ends) + 1)
        names: list[str] = [Text("Player {number}", number=seat) for seat in seats]
    elif experiment.game == "bingo":
        names = ["A", "B", Text("Tie")]
    else:
        names = [Text("Win"), Text("Tie"), Text("Lose")]
    return dict(zip(names, result.ends, strict=True))


def histogram(experiment: Experiment, result: LabResult) -> Histogram:
    """Return the histogram of a result."""
    words = {
        "war": (Text("Length of the games"), Text("turns"), Text("share of games")),
        "bingo": (Text("How many calls"), Text("calls"), Text("share of rounds")),
    }
    of_ten = Text("Rounds won out of {number} consecutive rounds", number=TOGETHER)
    twentyone = of_ten, Text("rounds won"), Text("share")
    lengths = result.lengths
    classes = tuple(
        (first, last, count / lengths.size) for first, last, count in lengths.histogram(MAX_CLASSES)
    )
    return Histogram(*words.get(experiment.game, twentyone), classes)


def tables(experiment: Experiment, result: LabResult) -> tuple[ReportTable, ReportTable]:
    """Return the tables of a result: the outcomes of rounds, and the histogram."""
    drawn, number, share = histogram(experiment, result), Text("rounds"), Text("share")
    ended = tuple(
        (name, format_number(count, ","), *_shares(count, experiment.rounds))
        for name, count in ends(experiment, result).items()
    )
    classes = tuple(
        (_class(first, last), format_number(part, ".2%")) for first, last, part in drawn.classes
    )
    limits = Text("from"), Text("to (95 %)")
    return (
        ReportTable(Text("How rounds end"), (Text("end"), number, share, *limits), ended),
        ReportTable(drawn.title, (drawn.unit, drawn.shares_of), classes),
    )


def _shares(count: int, total: int) -> tuple[Text, ...]:
    """Return a proportion and the bounds of its 95% confidence interval, as text."""
    return tuple(format_number(part, ".1%") for part in (count / total, *wilson(count, total)))


def _class(first: int, last: int) -> Text:
    low, high = format_number(first, ","), format_number(last, ",")
    return Text("{first}-{last}", first=low, last=high) if first < last else low


def conclusion(experiment: Experiment, result: LabResult) -> tuple[Text, ...]:
    """Return the statements about a result, the most important one first."""
    lengths, total = result.lengths, experiment.rounds
    median, most = (format_number(lengths.quantile(share), ",") for share in (0.5, 0.95))
    match experiment.game:
        case "war":
            usual = Text(
                "Games take {mean} turns on average: half of the games take {median} or fewer, "
                "and one in twenty takes {most} or more."
            )
            mean = format_number(lengths.mean, ",.0f")
            return usual.fill(mean=mean, median=median, most=most), _fairness(result)
        case "bingo":
            usual = Text(
                "BINGO! comes at call {mean} on average: by call {median} in half of the rounds, "
                "and at call {most} or later in one round in twenty."
            )
            mean = format_number(lengths.mean, ".1f")
            ties = format_number(result.ends[2] / total, ".0%")
            tied = Text("{share} of rounds end in a tie.", share=ties)
            return usual.fill(mean=mean, median=median, most=most), tied
        case _:
            return _value(result, total)


def _fairness(result: LabResult) -> Text:
    """Return a statement on whether a player's number of wins is due to chance."""
    fair, total = 1 / len(result.ends), sum(result.ends)
    shares = [wins / total for wins in result.ends]
    seat = max(range(len(shares)), key=lambda place: abs(shares[place] - fair))
    if abs(shares[seat] - fair) <= _VERY_SURE * math.sqrt(fair * (1 - fair) / total):
        return Text("Every player wins about {fair} of the games.", fair=format_number(fair, ".0%"))
    return Text(
        "Player {number} wins {share} of the games: too far from {fair} to be chance.",
        number=seat + 1,
        share=format_number(shares[seat], ".1%"),
        fair=format_number(fair, ".1%"),
    )


def _value(result: LabResult, total: int) -> tuple[Text, ...]:
    """Yield statements about a strategy's result and the influence of chance."""
    won, _, lost = result.ends
    mean = (won - lost) / total
    reach = _SURE * math.sqrt(((won + lost) / total - mean**2) / total)
    loses = Text(
        "This strategy loses {points} points per round. A point is a hundredth of a round."
    )
    wins = Text("This strategy wins {points} points per round. A point is a hundredth of a round.")
    most = (
        sum(count for value, count in result.lengths.counts if 2 * value > TOGETHER)
        / result.lengths.size
    )
    return (
        (loses if mean < 0 else wins).fill(points=format_points(abs(mean) * 100)),
        Text(
            "±{reach} points (interval: 95%).",
            reach=format_points(reach * 100),
        ),
        Text(
            "The strategy wins more than half of {number} consecutive rounds in {share} of cases.",
            number=TOGETHER,
            share=format_number(most, ".0%"),
        ),
    )
