"""How a player stands with the puzzles: what their session keeps, and what an answer changes."""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import permutations
from random import Random
from typing import Final

import msgspec

from cardgames.advice import Odds
from cardgames.cards import Suit
from cardgames.puzzles import Position, margin_of, puzzles
from web.puzzles.glicko import Rating, rated
from web.storage.session_rows import keep_row, read_row
from web.storage.sessions import Session

ROW: Final = "puzzles"
"""The key of the puzzles' row in a session."""

ALL: Final = ""
"""The series of all puzzles; the others are the weak spots at a table, by its slug."""

STORM_SECONDS: Final = 180
"""How long a storm lasts."""

MAX_FAILED: Final = 10
"""Maximum number of failed puzzles of a series that wait to come back."""

MAX_RATED: Final = 100
"""Maximum number of puzzles of which a session keeps the rating: the latest. None of them is posed
anew, unless it was failed."""

_BACK_AFTER: Final = 4  # how many others come before a failed puzzle does

_NEAREST: Final = 8
"""From how many puzzles of a theme, nearest to the player's rating, the next one is chosen."""

_HARDEST: Final = 1_800
"""The rating of a puzzle whose best play is hardly better than the other; 20 less for each
hundredth of a round that it is better, down to ``_EASIEST``."""

_EASIEST: Final = 1_000
_DEVIATION: Final = 200

_ORDERS: Final = tuple(permutations(Suit))


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """What was chosen last."""

    position: Position
    chosen: str
    gain: float = 0.0
    """By how much the player's rating has changed."""


class Series(msgspec.Struct, frozen=True, array_like=True):
    """Puzzles one after another."""

    step: int = 0
    """How many moves it has accepted."""

    position: Position | None = None
    """The puzzle to be solved; None before the first move."""

    is_repeat: bool = False
    """Whether it was failed before: it is not rated again."""

    ahead: tuple[Position, ...] = ()
    """The weak spots that come next."""

    own: int = 0
    """How many of the weak spots chosen last are from the player's own rounds."""

    failed: tuple[tuple[int, Position], ...] = ()
    """Puzzles that come back, each with the step from which it may."""

    answer: Answer | None = None
    solved: int = 0
    missed: int = 0
    streak: int = 0
    cost: float = 0.0
    """What was lost by mistakes, in rounds."""

    @property
    def answers(self) -> int:
        """How many puzzles were answered."""
        return self.solved + self.missed


class Storm(msgspec.Struct, frozen=True, array_like=True):
    """As many puzzles as one can solve in three minutes."""

    ends: float
    """When, by the store's time."""

    solved: int = 0
    missed: int = 0
    is_closed: bool = False
    """Whether a puzzle was answered since it was over."""

    def seconds_left(self, now: float) -> int:
        """Return how many seconds are left; 0 when it is over."""
        return max(0, round(self.ends - now))


class Progress(msgspec.Struct, frozen=True, array_like=True):
    """All that a session keeps of the puzzles."""

    rating: Rating = Rating()
    rated: dict[int, tuple[int, int]] = {}
    """Rating and deviation of the puzzles answered, by their places in the list of all."""

    series: dict[str, Series] = {}
    storm: Storm | None = None
    best: int = 0
    """The most puzzles solved in a storm."""

    def series_of(self, name: str) -> Series:
        """Return a series; a new one where there is none yet."""
        return self.series.get(name, Series())

    def has_storm(self, now: float) -> bool:
        """Say whether a storm is on."""
        return self.storm is not None and now < self.storm.ends

    def with_series(self, name: str, series: Series) -> "Progress":
        """Return it with a series in place of the one before."""
        return msgspec.structs.replace(self, series={**self.series, name: series})


def load(session: Session) -> Progress:
    """Return what a session has; what cannot be read is begun anew."""
    return read_row(session, ROW, Progress) or Progress()


def save(session: Session, progress: Progress) -> None:
    """Put it into a session."""
    keep_row(session, ROW, progress)


@cache
def first_puzzle() -> Position:
    """Return the puzzle of a visitor: the first of those that suit a new player."""
    middle = Rating().rating
    return min(puzzles(), key=lambda one: abs(initial_rating(puzzles()[one]).rating - middle))


def initial_rating(margin: float) -> Rating:
    """Return the rating of a puzzle that nobody has answered: the closer, the harder."""
    return Rating(max(_EASIEST, _HARDEST - 2_000 * (margin - 0.05)), _DEVIATION)


def in_suits_of(step: int, position: Position) -> Position:
    """Return a position as it lies at a step of a series: in other suits when it comes again."""
    return position.in_other_suits(_ORDERS[11 * step % len(_ORDERS)])  # five on, none is alike


def after_answer(progress: Progress, name: str, chosen: str, found: Odds, now: float) -> Progress:
    """Return how a player stands after an answer; the next puzzle is not chosen yet.

    Args:
        progress: how they stood.
        name: the series.
        chosen: ``hit`` or ``stay``.
        found: the odds of the puzzle.
        now: the store's time.
    """
    series = progress.series_of(name)
    position = series.position or first_puzzle()
    right, storming = chosen == found.best, name == ALL and progress.has_storm(now)
    before = progress.rating.rating
    if storming:
        progress = _in_storm(progress, right=right)
    elif not series.is_repeat:
        progress = _with_ratings(progress, position, right=right)
    if name == ALL and not storming:
        progress = _with_storm_closed(progress)
    back = (series.step + _BACK_AFTER + 1, position)
    return progress.with_series(
        name,
        msgspec.structs.replace(
            series,
            answer=Answer(position, chosen, progress.rating.rating - before),
            failed=series.failed if right else (*series.failed, back)[-MAX_FAILED:],
            solved=series.solved + right,
            missed=series.missed + (not right),
            streak=series.streak + 1 if right else 0,
            cost=series.cost + (0.0 if right else margin_of(found)),
        ),
    )


def after_step(series: Series, choose: Callable[[Series], Series]) -> Series:
    """Return a series one step further, with the puzzle that is next.

    Args:
        series: the series.
        choose: puts a new puzzle into it, where none comes back.
    """
    step = series.step + 1
    moved = msgspec.structs.replace(series, step=step, is_repeat=False)
    due = next((one for one in series.failed if one[0] <= step), None)
    if due is None:  # only now: choosing may compute the costs of ten rounds
        return choose(moved)
    left = tuple(one for one in series.failed if one is not due)
    return msgspec.structs.replace(moved, position=due[1], failed=left, is_repeat=True)


def new_puzzle(progress: Progress, rng: Random) -> Position:
    """Return a puzzle near the player's rating: of any theme, and not one answered lately."""
    left = [
        (abs(initial_rating(margin).rating - progress.rating.rating), at, one)
        for at, (one, margin) in enumerate(puzzles().items())
        if at not in progress.rated
    ]
    theme = rng.choice(sorted({one.theme for _, _, one in left}))
    table = rng.choice(sorted({one.table for _, _, one in left if one.theme is theme}))
    near = sorted(one for one in left if (one[2].theme, one[2].table) == (theme, table))
    return rng.choice(near[:_NEAREST])[2]


def warm_up() -> None:
    """Read the puzzles, so that no request has to."""
    first_puzzle()
    _places()


@cache
def _places() -> Mapping[Position, int]:
    return {position: at for at, position in enumerate(puzzles())}


def _in_storm(progress: Progress, *, right: bool) -> Progress:
    storm = progress.storm or Storm(0)
    after = Storm(storm.ends, storm.solved + right, storm.missed + (not right))
    best = max(progress.best, after.solved)
    return msgspec.structs.replace(progress, storm=after, best=best)


def _with_storm_closed(progress: Progress) -> Progress:
    """Return it with a storm that is over: shown with the first answer after it, and no longer."""
    storm = progress.storm
    if storm:
        shown = None if storm.is_closed else msgspec.structs.replace(storm, is_closed=True)
        return msgspec.structs.replace(progress, storm=shown)
    return progress


def rating_of(progress: Progress, position: Position) -> Rating:
    """Return the rating of a puzzle: as it was left, or as it follows from its margin."""
    kept = progress.rated.get(_places().get(position, -1))
    if kept:
        return Rating(*kept)
    return initial_rating(puzzles().get(position) or margin_of(position.odds))


def _with_ratings(progress: Progress, position: Position, *, right: bool) -> Progress:
    """Return the ratings of the player and of the puzzle after their meeting."""
    puzzle, before = rating_of(progress, position), progress.rating
    # Both by their ratings before: neither may profit from the other's change.
    student = rated(before, [(puzzle, float(right))])
    progress = msgspec.structs.replace(progress, rating=student)
    at = _places().get(position)
    if at is None:
        return progress
    after = rated(puzzle, [(before, float(not right))])
    ratings = {key: one for key, one in progress.rated.items() if key != at}
    ratings[at] = (round(after.rating), round(after.deviation))
    latest = dict([*ratings.items()][-MAX_RATED:])
    return msgspec.structs.replace(progress, rated=latest)
