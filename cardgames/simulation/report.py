"""The result of a simulation as tables and sentences: for a terminal, a page and a spreadsheet."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from cardgames import GAMES
from cardgames.simulation.distribution import Distribution, wilson
from cardgames.simulation.experiments import BingoRounds, Experiment, TwentyOneRounds, WarGames
from cardgames.simulation.results import BingoResult, Result, TwentyOneResult, WarResult
from cardgames.strategies.chart import UPCARDS
from cardgames.text import Text, format_number, plural

MAX_CLASSES: Final = 50
"""Maximum number of classes in a histogram."""

MAX_MISTAKES: Final = 12
"""Maximum number of costly decisions in a table."""

MIN_GAMES: Final = 100
"""Minimum number of games from which something follows."""

Label = TypeVar("Label", bound=str)

_SURE: Final = 1.96
"""Standard errors that chance allows in nineteen cases of twenty."""

_VERY_SURE: Final = 3
"""The same where any of six players may be the one that is off."""


@dataclass(frozen=True, slots=True)
class Bar:
    """How often one thing happened."""

    label: str
    share: float
    low: float
    """Lower end of the share's 95 % interval."""

    high: float
    exact: float | None = None
    """The exact chance, where it is known."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Which share of the games lies in each class of a whole number."""

    unit: Text
    shares_of: Text
    classes: tuple[tuple[int, int, float], ...]
    """First value, last value, share; the classes are equally wide and follow each other."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A table of text, and the numbers of it that can be drawn."""

    name: str
    title: Text
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bars: tuple[Bar, ...] = ()
    histogram: Histogram | None = None


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
        case BingoRounds(mode=mode, speed=speed):
            what = Text("Bingo, mode {mode}, speed") if speed else Text("Bingo, mode {mode}")
            what = what.fill(mode=mode)
        case TwentyOneRounds(table=slug, strategy=strategy):
            kind, *limit = strategy.split()
            name = {
                "dealer": Text("{table}, strategy dealer"),
                "best": Text("{table}, strategy best"),
                "below": Text("{table}, strategy below {limit}"),
            }.get(kind, Text("{table}, a table of decisions"))
            what = name.fill(table=GAMES[slug].info.title, limit="".join(limit))
    return plural("{what}: {many} round", "{what}: {many} rounds", number, what=what, many=many)


def findings(result: Result) -> tuple[Finding, ...]:
    """Return the tables of a result."""
    match result:
        case WarResult(turns=turns, ties=ties):
            seats = enumerate(result.wins, start=1)
            players = {Text("Player {number}", number=seat): wins for seat, wins in seats}
            ends = {
                Text("Out of cards in a tie"): result.ran_out,
                Text("A higher card"): result.games - result.ran_out,
            }
            length, head = Text("How long games last"), (Text("turns"), Text("games"))
            return (
                _shares("wins", Text("Who won"), (Text("player"), Text("wins")), players),
                _histogram(length, head, Text("share of games"), turns),
                _moments("turns", Text("Turns a game"), Text("turns"), turns),
                _moments("ties", Text("Ties a game"), Text("ties"), ties),
                _shares("ends", Text("The last turn"), (Text("how"), Text("games")), ends),
            )
        case BingoResult(calls=calls):
            winners = {"A": result.a, "B": result.b, Text("Tie"): result.tie}
            length, head = Text("How many calls"), (Text("calls"), Text("rounds"))
            return (
                _shares("wins", Text("Who won"), (Text("winner"), Text("rounds")), winners),
                _histogram(length, head, Text("share of rounds"), calls),
                _moments("calls", Text("Calls until BINGO!"), Text("calls"), calls),
            )
        case TwentyOneResult():
            return tuple(_of_twentyone(result))


def counts(result: Result) -> Iterator[tuple[str, int | str, int]]:
    """Yield everything that was counted: what, its value, and how often; for a spreadsheet."""
    counted: dict[str, Iterable[tuple[int | str, int]]]
    match result:
        case WarResult():
            ran_out = ("yes", result.ran_out), ("no", result.games - result.ran_out)
            counted = {"wins": enumerate(result.wins, start=1), "ran out of cards": ran_out}
            counted |= {"turns": result.turns.counts, "ties": result.ties.counts}
        case BingoResult():
            wins = ("A", result.a), ("B", result.b), ("tie", result.tie)
            counted = {"wins": wins, "calls": result.calls.counts}
        case TwentyOneResult():
            ends = ("win", result.win), ("tie", result.tie), ("lose", result.lose)
            counted = {"ends": ends}
    return ((what, value, number) for what, pairs in counted.items() for value, number in pairs)


def _of_twentyone(result: TwentyOneResult) -> Iterator[Finding]:
    ends = {Text("Win"): result.win, Text("Tie"): result.tie, Text("Lose"): result.lose}
    name, head = Text("How rounds end"), (Text("end"), Text("rounds"))
    exact = result.expected
    if exact is None:
        yield _shares("ends", name, head, ends)
        return
    yield _shares("ends", name, head, ends, (exact.win, exact.tie, exact.lose))
    measured = format_number(result.mean, "+.5f"), format_number(result.standard_error, ".5f")
    yield Finding(
        "value",
        Text("What a round is worth (win 1, tie 0, lose -1)"),
        (Text("worth of"), Text("measured"), Text("standard error"), Text("exact")),
        ((Text("a round"), *measured, format_number(exact.ev, "+.10f")),),
    )
    soft, hard = Text("soft {total}"), Text("hard {total}")
    rows = tuple(
        (
            (soft if mistake.soft else hard).fill(total=mistake.total),
            UPCARDS[mistake.upcard - 1].replace("T", "10"),
            Text("Hit") if mistake.hit else Text("Stay"),
            format_number(mistake.cost, ".4f"),
        )
        for mistake in result.mistakes[:MAX_MISTAKES]
    )
    if rows:
        yield Finding(
            "costs",
            Text("Its costliest mistakes, each by itself (points: hundredths of a round)"),
            (Text("hand"), Text("upcard"), Text("it does"), Text("points a round")),
            rows,
        )


def _shares(
    name: str,
    title: Text,
    head: tuple[Text, Text],
    counts: Mapping[Label, int],
    exact: tuple[float, ...] = (),
) -> Finding:
    total, chances = sum(counts.values()), exact or (None,) * len(counts)
    bars = tuple(
        Bar(label, count / max(1, total), *wilson(count, total), chance)
        for (label, count), chance in zip(counts.items(), chances, strict=True)
    )
    rows = tuple(
        (
            bar.label,
            format_number(count, ","),
            *(format_number(part, ".2%") for part in (bar.share, bar.low, bar.high)),
            *(() if bar.exact is None else (format_number(bar.exact, ".6%"),)),
        )
        for bar, count in zip(bars, counts.values(), strict=True)
    )
    columns = (*head, Text("share"), Text("from"), Text("to (95 %)"))
    return Finding(name, title, (*columns, *(Text("exact"),) * bool(exact)), rows, bars=bars)


def _moments(name: str, title: Text, what: Text, found: Distribution) -> Finding:
    means = (
        format_number(found.mean, ".3f"),
        format_number(found.standard_error, ".3f"),
        format_number(found.sd, ".2f"),
    )
    quantiles = (format_number(found.quantile(share), ",") for share in (0, 0.05, 0.5, 0.95, 1))
    moments = (Text("of"), Text("mean"), Text("standard error"), Text("sd"))
    places = (Text("least"), Text("5 %"), Text("median"), Text("95 %"), Text("most"))
    return Finding(name, title, (*moments, *places), ((what, *means, *quantiles),))


def _histogram(title: Text, head: tuple[Text, Text], of: Text, found: Distribution) -> Finding:
    classes = found.histogram(MAX_CLASSES)
    rows = tuple(
        (_class(first, last), format_number(count, ","), format_number(count / found.size, ".2%"))
        for first, last, count in classes
    )
    shares = tuple((first, last, count / found.size) for first, last, count in classes)
    drawn = Histogram(head[0], of, shares)
    return Finding("length", title, (*head, Text("share")), rows, histogram=drawn)


def _class(first: int, last: int) -> Text:
    ends = format_number(first, ","), format_number(last, ",")
    return Text("{first}-{last}", first=ends[0], last=ends[1]) if first < last else ends[0]


def conclusion(result: Result) -> tuple[Text, ...]:
    """Return what a result says: a few sentences, the most important first."""
    said: tuple[Text, ...]
    match result:
        case WarResult(turns=turns):
            usual = Text(
                "Games take {mean} turns on average: half of them {median} or fewer, one in twenty "
                "{most} or more."
            )
            said = (usual.fill(**_typical(turns, ",.0f")), _fairness(result))
        case BingoResult(calls=calls):
            usual = Text(
                "BINGO! comes with call {mean} on average: in half of the rounds by call {median}, "
                "in one of twenty with call {most} or later."
            )
            ties = format_number(result.tie / result.games, ".0%")
            tied = Text("{share} of the rounds are ties.", share=ties)
            said = (usual.fill(**_typical(calls, ".1f")), tied)
        case TwentyOneResult():
            said = _value(result)
    few = Text("Too few games to tell: it is mostly luck.")
    return (*said, *(few,) * (result.games < MIN_GAMES))


def _typical(found: Distribution, form: str) -> dict[str, Text]:
    median, most = (format_number(found.quantile(share), ",") for share in (0.5, 0.95))
    return {"mean": format_number(found.mean, form), "median": median, "most": most}


def _fairness(result: WarResult) -> Text:
    """Say whether somebody wins more or less often than chance explains."""
    fair = 1 / len(result.wins)
    shares = [wins / result.games for wins in result.wins]
    seat = max(range(len(shares)), key=lambda place: abs(shares[place] - fair))
    if abs(shares[seat] - fair) <= _VERY_SURE * math.sqrt(fair * (1 - fair) / result.games):
        return Text("Every player wins about {fair} of the games.", fair=format_number(fair, ".0%"))
    return Text(
        "Player {number} wins {share} of the games: chance does not explain the difference to "
        "{fair}.",
        number=seat + 1,
        share=format_number(shares[seat], ".1%"),
        fair=format_number(fair, ".1%"),
    )


def _value(result: TwentyOneResult) -> tuple[Text, ...]:
    """Say what a strategy wins or loses, and how near the rounds that were played came to it."""
    exact = result.expected
    value = result.mean if exact is None else exact.ev
    lost = Text("With this strategy you lose {number} more rounds in a hundred than you win.")
    won = Text("With this strategy you win {number} more rounds in a hundred than you lose.")
    said = (lost if value < 0 else won).fill(number=format_number(abs(value) * 100, ".1f"))
    if exact is None or not result.games:
        return (said,)
    reach = _SURE * result.standard_error
    fits = Text(
        "That is exact. Your {rounds} rounds gave {measured} per 100. That fits: luck alone moves "
        "this by up to ±{reach}."
    )
    rare = Text(
        "That is exact. Your {rounds} rounds gave {measured} per 100. Luck alone moves this by up "
        "to ±{reach} in nineteen cases of twenty."
    )
    played = (fits if abs(result.mean - exact.ev) <= reach else rare).fill(
        rounds=format_number(result.games, ","),
        measured=format_number(result.mean * 100, "+.1f"),
        reach=format_number(reach * 100, ".1f"),
    )
    return said, played
