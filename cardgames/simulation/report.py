"""What came out of a simulation, put into tables: for a terminal, a page and a spreadsheet."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cardgames import GAMES
from cardgames.simulation.distribution import Distribution, wilson
from cardgames.simulation.experiments import BingoRounds, Experiment, TwentyOneRounds, WarGames
from cardgames.simulation.results import (
    BingoResult,
    Result,
    TwentyOneResult,
    WarResult,
)
from cardgames.strategies.rating import Mistake
from cardgames.text import Text, format_number, plural

MAX_CLASSES: Final = 50
"""The most classes of a histogram."""

MAX_MISTAKES: Final = 12
"""So many decisions that cost something are shown."""


@dataclass(frozen=True, slots=True)
class Bar:
    """How often one thing happened."""

    label: str
    share: float
    low: float
    """The lower end of the share's 95 % interval."""

    high: float
    exact: float | None = None
    """The exact chance, where it is known."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Which share of the games lies in each class of a whole number."""

    unit: Text
    """What is counted: turns."""

    shares_of: Text
    """What the shares are of: "share of games"."""

    classes: tuple[tuple[int, int, float], ...]
    """First value, last value, share; the classes are equally wide and follow each other."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A table of text, and the numbers of it that can be drawn."""

    name: str
    """What it is called in addresses."""

    title: Text
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bars: tuple[Bar, ...] = ()
    histogram: Histogram | None = None


_INTERVAL: Final = (Text("from"), Text("to (95 %)"))
_MOMENTS: Final = (
    Text("of"),
    Text("mean"),
    Text("standard error"),
    Text("sd"),
    Text("least"),
    Text("5 %"),
    Text("median"),
    Text("95 %"),
    Text("most"),
)


def title(experiment: Experiment) -> Text:
    """Say in a line what an experiment plays.

    >>> from cardgames.games.bingo.rules import Mode
    >>> title(BingoRounds(games=1000, seed=1, mode=Mode.LINE, speed=True))
    'Bingo, mode L, speed: 1,000 rounds'
    """
    number, many = experiment.games, format_number(experiment.games, ",")
    match experiment:
        case WarGames(players=players):
            return plural(
                "War, {players} players: {many} game",
                "War, {players} players: {many} games",
                number,
                players=players,
                many=many,
            )
        case BingoRounds(mode=mode, speed=True):
            what = Text("Bingo, mode {mode}, speed", mode=mode)
        case BingoRounds(mode=mode):
            what = Text("Bingo, mode {mode}", mode=mode)
        case TwentyOneRounds(table=table, strategy=strategy):
            what = _with_strategy(GAMES[table].info.title, strategy.split())
    return plural("{what}: {many} round", "{what}: {many} rounds", number, what=what, many=many)


def _with_strategy(table: str, words: list[str]) -> Text:
    match words:
        case ["dealer"]:
            return Text("{table}, strategy dealer", table=table)
        case ["best"]:
            return Text("{table}, strategy best", table=table)
        case ["below", limit]:
            return Text("{table}, strategy below {limit}", table=table, limit=limit)
        case _:
            return Text("{table}, a table of decisions", table=table)


def findings(result: Result) -> tuple[Finding, ...]:
    """Return the tables of a result."""
    match result:
        case WarResult():
            return _of_war(result)
        case BingoResult():
            return _of_bingo(result)
        case TwentyOneResult():
            return _of_twentyone(result)


def counts(result: Result) -> Iterator[tuple[str, int | str, int]]:
    """Yield everything that was counted: what, its value, and how often; for a spreadsheet."""
    match result:
        case WarResult():
            yield from (("wins", seat, wins) for seat, wins in enumerate(result.wins, start=1))
            yield "ran out of cards", "yes", result.ran_out
            yield "ran out of cards", "no", result.games - result.ran_out
            yield from (("turns", value, count) for value, count in result.turns.counts)
            yield from (("ties", value, count) for value, count in result.ties.counts)
        case BingoResult():
            yield from (
                ("wins", "A", result.a),
                ("wins", "B", result.b),
                ("wins", "tie", result.tie),
            )
            yield from (("calls", value, count) for value, count in result.calls.counts)
        case TwentyOneResult():
            yield from (("ends", end, getattr(result, end)) for end in ("win", "tie", "lose"))


def _of_war(result: WarResult) -> tuple[Finding, ...]:
    players: dict[str, int] = {
        Text("Player {number}", number=number): wins
        for number, wins in enumerate(result.wins, start=1)
    }
    ends: dict[str, int] = {
        Text("Out of cards in a tie"): result.ran_out,
        Text("A higher card"): result.games - result.ran_out,
    }
    return (
        _shares("wins", Text("Who won"), (Text("player"), Text("wins")), players, result.games),
        _histogram(
            "length",
            Text("How long games last"),
            (Text("turns"), Text("games")),
            Text("share of games"),
            result.turns,
        ),
        _moments("turns", Text("Turns a game"), Text("turns"), result.turns),
        _moments("ties", Text("Ties a game"), Text("ties"), result.ties),
        _shares("ends", Text("The last turn"), (Text("how"), Text("games")), ends, result.games),
    )


def _of_bingo(result: BingoResult) -> tuple[Finding, ...]:
    winners = {"A": result.a, "B": result.b, Text("Tie"): result.tie}
    return (
        _shares("wins", Text("Who won"), (Text("winner"), Text("rounds")), winners, result.games),
        _histogram(
            "length",
            Text("How many calls"),
            (Text("calls"), Text("rounds")),
            Text("share of rounds"),
            result.calls,
        ),
        _moments("calls", Text("Calls until BINGO!"), Text("calls"), result.calls),
    )


def _of_twentyone(result: TwentyOneResult) -> tuple[Finding, ...]:
    ends: dict[str, int] = {
        Text("Win"): result.win,
        Text("Tie"): result.tie,
        Text("Lose"): result.lose,
    }
    head = (Text("end"), Text("rounds"))
    expected = result.expected
    if expected is None:
        return (_shares("ends", Text("How rounds end"), head, ends, result.games),)
    exact = (expected.win, expected.tie, expected.lose)
    mean, error = measured_worth(result)
    value = Finding(
        "value",
        Text("What a round is worth (win 1, tie 0, lose -1)"),
        (Text("worth of"), Text("measured"), Text("standard error"), Text("exact")),
        (
            (
                Text("a round"),
                format_number(mean, "+.5f"),
                format_number(error, ".5f"),
                format_number(expected.ev, "+.10f"),
            ),
        ),
    )
    shares = _shares("ends", Text("How rounds end"), head, ends, result.games, exact)
    return (shares, value, *_costs(result.mistakes))


def _costs(mistakes: tuple[Mistake, ...]) -> Iterator[Finding]:
    """Yield the dearest decisions of a strategy as a table, if there are any."""
    if not mistakes:
        return
    title = Text("Its dearest decisions, each by itself (points: hundredths of a round)")
    head = (Text("hand"), Text("upcard"), Text("it does"), Text("points a round"))
    soft, hard = Text("soft {total}"), Text("hard {total}")
    rows = tuple(
        (
            (soft if one.soft else hard).fill(total=one.total),
            {1: "A"}.get(one.upcard, str(one.upcard)),
            Text("Hit") if one.hit else Text("Stay"),
            format_number(one.cost, ".4f"),
        )
        for one in mistakes[:MAX_MISTAKES]
    )
    yield Finding("costs", title, head, rows)


def measured_worth(result: TwentyOneResult) -> tuple[float, float]:
    """Return what a round was worth on average, and the standard error of that."""
    games = max(1, result.games)
    mean = (result.win - result.lose) / games
    return mean, math.sqrt(((result.win + result.lose) / games - mean * mean) / games)


def _shares(
    name: str,
    title: Text,
    head: tuple[Text, Text],
    counts: dict[str, int],
    total: int,
    exact: tuple[float, ...] = (),
) -> Finding:
    """Return how often each thing happened, as shares with their intervals."""
    bars = tuple(
        Bar(label, count / total if total else 0.0, *wilson(count, total), chance)
        for (label, count), chance in zip(
            counts.items(), exact or (None,) * len(counts), strict=True
        )
    )
    rows = tuple(
        (
            bar.label,
            format_number(counts[bar.label], ","),
            *(format_number(part, ".2%") for part in (bar.share, bar.low, bar.high)),
            *(format_number(chance, ".6%") for chance in (bar.exact,) if chance is not None),
        )
        for bar in bars
    )
    columns = (*head, Text("share"), *_INTERVAL, *(Text("exact"),) * bool(exact))
    return Finding(name, title, columns, rows, bars=bars)


def _moments(name: str, title: Text, what: Text, found: Distribution) -> Finding:
    """Return the mean, the spread and the quantiles of what was counted."""
    means = (
        format_number(found.mean, ".3f"),
        format_number(found.standard_error, ".3f"),
        format_number(found.sd, ".2f"),
    )
    quantiles = (format_number(found.quantile(share), ",") for share in (0, 0.05, 0.5, 0.95, 1))
    return Finding(name, title, _MOMENTS, ((what, *means, *quantiles),))


def _histogram(
    name: str, title: Text, head: tuple[Text, Text], shares_of: Text, found: Distribution
) -> Finding:
    """Return how many of the games lie in each class."""
    classes = found.histogram(MAX_CLASSES)
    rows = tuple(
        (_class(first, last), format_number(count, ","), format_number(count / found.size, ".2%"))
        for first, last, count in classes
    )
    shares = tuple((first, last, count / found.size) for first, last, count in classes)
    drawn = Histogram(head[0], shares_of, shares)
    return Finding(name, title, (*head, Text("share")), rows, histogram=drawn)


def _class(first: int, last: int) -> Text:
    if first == last:
        return format_number(first, ",")
    return Text("{first}-{last}", first=format_number(first, ","), last=format_number(last, ","))
