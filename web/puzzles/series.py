"""Series of puzzles: all puzzles, a theme, a player's weak spots at a table, and drills.

The weak spots are the costliest decisions in a player's own rounds. A drill has hands for which a
rule of thumb is wrong. A drill also has some hands for which the rule is right, because otherwise
the answer would always be the opposite of the rule.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from random import Random
from typing import Final, NamedTuple, Self

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.advice import Advisor, Decision
from cardgames.cards import Rank
from cardgames.game import AnyGame
from cardgames.puzzles import MARGIN, Position, Theme, best_margin, find_theme, puzzles
from cardgames.strategies.habits import HABITS, hands_for, has_hands, right_move
from cardgames.text import Text
from web.history.queries import latest_rounds
from web.puzzles.rules import Progress, first_puzzle
from web.tables.advice import advisor_or_404
from web.tables.queries import decisions_in, parsed

THEMES: Final = {theme.value: theme for theme in Theme if theme is not Theme.OWN}
"""The themes of puzzles, keyed by their names in URLs."""

SET_SIZE: Final = 10
"""Number of weak spots, or of hands in a drill, that are chosen at a time."""

DRILLED: Final = 7
"""Number of hands in a drill for which the rule of thumb is wrong."""

MAX_ROUNDS: Final = 100
"""Maximum number of recent rounds from which weak spots are computed."""


class Drill(NamedTuple):
    """Hands that the students of a class should practise."""

    table: str
    habit: str
    """The drill's name in :data:`~cardgames.strategies.habits.HABITS`."""

    @property
    def about(self) -> Text:
        """A description of the hands, without the solution."""
        return HABITS[self.habit].about


class Series(NamedTuple):
    """A sequence of puzzles with its own URL."""

    name: str
    """The selected puzzles: the name of a theme, the slug of a table, or a slug and the name of a
    habit, separated by a slash. An empty string selects all puzzles.
    """

    game: AnyGame
    """The game of the weak spots, or of a visitor's puzzle."""

    theme: Theme | None = None
    """The series' theme, ``OWN`` for weak spots, or None for a drill or all puzzles.
    """

    habit: str = ""
    """The name of a habit (:mod:`cardgames.strategies.habits`), or an empty string if the series is
    not a drill.
    """

    @classmethod
    def at(cls, name: str, habit: str = "") -> Self:
        """Return the series at a URL.

        Raises:
            NotFound: If there is no such series.
        """
        theme = THEMES.get(name)
        slug = first_puzzle().table if theme or not name else name
        game = GAMES.get(slug)
        if not game or not game.advisor or (habit and (theme or not has_hands(slug, habit))):
            raise NotFound
        if habit:
            return cls(f"{name}/{habit}", game, None, habit)
        return cls(name, game, theme or (Theme.OWN if name else None))

    @property
    def address(self) -> str:
        """The URL of the series."""
        name, _, habit = self.name.partition("/")
        return flask.url_for("puzzles.show", name=name, habit=habit or None)

    @property
    def title(self) -> Text | None:
        """The common property of the puzzles: a theme, or the hands of a drill."""
        if self.habit:
            return HABITS[self.habit].about
        return self.theme.text if self.theme and self.theme is not Theme.OWN else None

    def has(self, position: Position) -> bool:
        """Return whether a wrongly answered puzzle is repeated in this series."""
        if self.habit:
            return False
        if self.theme is Theme.OWN:
            return position.table == self.name and not position.discards
        return self.theme in (None, position.theme)

    def puzzle(self, progress: Progress) -> Position | None:
        """Return the current puzzle, or None before the beginning of the series."""
        if progress.series != self.name:
            return None
        return progress.position or (None if self.name else first_puzzle())

    def go_on(self, progress: Progress, today: int, rng: Random) -> Progress:
        """Return the player's progress after choosing the next puzzle.

        Args:
            progress: The current progress.
            today: The day, in days since 1970.
            rng: Random source that selects the puzzle.
        """
        step = progress.step + 1
        ahead = progress.ahead if progress.series == self.name else ()
        due = progress.due_positions(today, self.has)
        if not due and not ahead:
            ahead = self._choose(progress, rng)
        position, *rest = (*due[:1], *ahead)
        return msgspec.structs.replace(
            progress, step=step, series=self.name, position=position, ahead=tuple(rest)
        )

    def _choose(self, progress: Progress, rng: Random) -> tuple[Position, ...]:
        """Return the next puzzles of the series."""
        if self.habit:
            return choose_drill(self.game, self.habit, rng)
        if self.theme is Theme.OWN:
            return choose_weak_spots(self.game, rng)
        waiting = {puzzle.position for puzzle in progress.due}
        theme = self.theme or rng.choice([*THEMES.values()])
        others = (puzzle for puzzle in puzzles() if puzzle.theme is theme and puzzle not in waiting)
        return (rng.choice([other for other in others if other != progress.position]),)


def choose_weak_spots(game: AnyGame, rng: Random) -> tuple[Position, ...]:
    """Return a player's weak spots at a table, completed with common mistakes."""
    rounds = islice(latest_rounds(game), MAX_ROUNDS)
    decisions = chain.from_iterable(decisions_in(parsed(round_.record)) for round_ in rounds)
    spots = costly_positions(game, advisor_or_404(game), decisions)
    # One play must be better than the other by at least a puzzle's minimum margin, even with a new
    # deck.
    own_spots = tuple(
        islice((spot for spot in spots if best_margin(spot.odds) >= MARGIN), SET_SIZE)
    )
    return choose_set(own_spots, common_puzzles(game.info.slug), rng)


def choose_drill(game: AnyGame, habit: str, rng: Random) -> tuple[Position, ...]:
    """Return a set of hands for a habit."""
    slug = game.info.slug
    tempting = tuple(islice(hands_for(slug, habit, rng), DRILLED))
    right = [
        common_puzzle
        for common_puzzle in common_puzzles(slug)
        if right_move(common_puzzle) == HABITS[habit].chosen
    ]
    return choose_set(tempting, right, rng)


def choose_set(
    own_positions: tuple[Position, ...], common: list[Position], rng: Random
) -> tuple[Position, ...]:
    """Return a player's weak spots in random order, completed with common mistakes."""
    filled = [*own_positions, *rng.sample(common, SET_SIZE - len(own_positions))]
    return tuple(rng.sample(filled, len(filled)))


def common_puzzles(table: str) -> list[Position]:
    """Return the puzzles of a table that can occur with a new deck."""
    return [puzzle for puzzle in puzzles() if puzzle.table == table and not puzzle.discards]


def costly_positions(
    game: AnyGame, advisor: Advisor, decisions: Iterator[Decision]
) -> list[Position]:
    """Return the positions in which a player gave points away, the costliest first.

    Hands of equal value count as one position, which has the cards of the latest hand.

    Args:
        game: The table's game.
        advisor: The game's advisor.
        decisions: The decisions, the latest first.
    """
    cost: dict[tuple[int, bool, Rank], float] = {}
    posed: dict[tuple[int, bool, Rank], Position] = {}
    decided = {move.name for move in game.round_moves}
    for decision in decisions:
        if decision.cost and decision.chosen in decided:
            position = Position(game.info.slug, decision.hand, decision.upcard)
            key = position.total, position.is_soft, advisor.upcard_rank(decision.upcard)
            cost[key] = cost.get(key, 0.0) + decision.cost
            posed.setdefault(key, replace(position, theme=find_theme(position)))
    return [posed[key] for key in sorted(posed, key=lambda key: -cost[key])]
