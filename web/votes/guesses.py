"""A class's guesses at what it predicts, beside how often each number comes up.

That is exact at Bingo, and at War from games that the lab plays once for all classes.
"""

from collections import Counter
from typing import Final, NamedTuple

from cardgames.class_bingo.chances import first_bingo_chances
from cardgames.games.war.rules import MAX_TURNS
from cardgames.simulation import WarGames, WarResult, work
from cardgames.simulation.distribution import Distribution
from cardgames.text import Text, format_number
from web.charts import Plot, histogram
from web.classes.predictions import BingoCalls, Prediction
from web.simulation.runs import PLAYERS, pack_run, to_run
from web.storage.jobs import Jobs, JobState
from web.storage.sessions import store
from web.storage.store import unpack

WAR_GAMES: Final = WarGames(games=20_000, seed=1, players=2)
"""The games that the lab plays for all classes: about three seconds' work."""

MAX_CLASSES: Final = 14
"""Maximum number of columns of the histogram: eight metres away they can still be distinguished."""

_RUNS_SEARCHED: Final = 100
_PARTS: Final = 1_000_000  # number of rounds as which an exact chance is drawn

_NEARLY_ALL: Final = 0.99
"""Share of the games that are drawn in columns of their own; the longest share one."""


def lab_run() -> int:
    """Return the number of the lab's run of :data:`WAR_GAMES`, which is asked for if need be."""
    jobs = Jobs(store())
    for run in filter(None, map(to_run, jobs.latest(_RUNS_SEARCHED))):
        if run.experiment == WAR_GAMES and run.job.state in (JobState.OPEN, JobState.DONE):
            return run.number
    return jobs.add(PLAYERS, work(WAR_GAMES), pack_run("war", WAR_GAMES)).number


def expected(question: Prediction) -> Distribution:
    """Return how often each number comes up; nothing where the lab has not begun yet."""
    if isinstance(question, BingoCalls):
        chances = first_bingo_chances(question.asked, question.cards)
        counts = ((call, round(_PARTS * chance)) for call, chance in enumerate(chances, 1))
        return Distribution(tuple(pair for pair in counts if pair[1]))
    result = unpack(Jobs(store()).result(question.run), WarResult)
    return result.turns if result else Distribution(())


class GuessChart(NamedTuple):
    """A class's guesses beside how often each number comes up."""

    plot: Plot | None
    """Columns of both; none where there is nothing to draw."""

    head: tuple[Text, ...]
    rows: list[tuple[str, ...]]
    """Its table."""

    usual: int
    """What half of the games do not exceed; 0 where that is not known."""

    guessed: int
    """What half of the guesses do not exceed; 0 where they are too few to be shown."""

    off: int
    """How far the nearest guess is off what came out."""


def guess_chart(question: Prediction, guesses: Distribution, result: int = 0) -> GuessChart:
    """Return what is shown of a prediction.

    Args:
        question: what is predicted.
        guesses: those of the class; none where they are too few to be shown.
        result: what came out; 0 before that is shown.
    """
    usual = expected(question)
    is_bingo = isinstance(question, BingoCalls)
    what = Text("calls") if is_bingo else Text("turns")
    games = Text("exact") if is_bingo else Text("in the lab")
    head, classes = (what, games, Text("the class")), _classes(usual, guesses, result)
    rows: list[tuple[str, ...]] = []
    for low, high, often, guessed in classes:
        ends = format_number(low, ","), format_number(high, ",")
        name = Text("{first}-{last}", first=ends[0], last=ends[1]) if low < high else ends[0]
        if usual.size and high == classes[-1][1]:
            name = Text("{first} or more", first=ends[0])
        rows.append((name, format_number(often, ".1%"), format_number(guessed, ".1%")))
    return GuessChart(
        plot=histogram(
            question.text,
            what,
            Text("share"),
            [row[:3] for row in classes],
            beside=[row[3] for row in classes],
            mark=min(result, classes[-1][1]),
        )
        if classes
        else None,
        head=head,
        rows=rows,
        usual=usual.quantile(0.5) if usual.size else 0,
        guessed=guesses.quantile(0.5) if guesses.size else 0,
        off=min((abs(value - result) for value, _ in guesses.counts), default=0),
    )


def _classes(
    usual: Distribution, guesses: Distribution, result: int
) -> list[tuple[int, int, float, float]]:
    """Return of each class its first and last number, and the share of both that lies in it.

    What hardly any game exceeds lies in the last one.
    """
    most = max(usual.quantile(_NEARLY_ALL), result) if usual.size else MAX_TURNS
    both = _clipped(usual, most), _clipped(guesses, most)
    return [
        (low, high, _share(both[0], low, high), _share(both[1], low, high))
        for low, high, _ in (both[0] + both[1]).histogram(MAX_CLASSES)
    ]


def _clipped(found: Distribution, most: int) -> Distribution:
    """Return a distribution with all that lies beyond a value put there."""
    counts: Counter[int] = Counter()
    for value, count in found.counts:
        counts[min(value, most)] += count
    return Distribution(tuple(sorted(counts.items())))


def _share(found: Distribution, low: int, high: int) -> float:
    """Return which share of a distribution lies between two values, both included."""
    inside = sum(count for value, count in found.counts if low <= value <= high)
    return inside / found.size if found.size else 0.0
