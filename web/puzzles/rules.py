"""A player's stored progress with the puzzles, and the effect of an answer on the progress."""

from collections.abc import Callable
from functools import cache
from itertools import permutations
from typing import Final

import msgspec

from cardgames.cards import Suit
from cardgames.puzzles import Position, puzzles

ROW: Final = "puzzles"
"""The key of the puzzles' row in a session."""

REVIEW_DAYS: Final = (1, 3, 7)
"""The numbers of days after which a wrongly answered puzzle is due again. The first number applies
after the wrong answer, the second after the next right answer, and so on.
"""

MAX_DUE: Final = 20
"""Maximum number of puzzles that are due again. Only the latest puzzles are stored."""

_MEDIUM: Final = 0.2
"""Minimum advantage, in rounds, of the best play in a puzzle of medium difficulty."""

_ORDERS: Final = tuple(permutations(Suit))


class PuzzleAnswer(msgspec.Struct, frozen=True, array_like=True):
    """The last answer to a puzzle."""

    position: Position
    chosen: str

    @property
    def right(self) -> bool:
        """Whether the answer was the best play."""
        return self.chosen == self.position.odds.best


class DuePuzzle(msgspec.Struct, frozen=True, array_like=True):
    """A puzzle that was answered wrongly and is due again."""

    position: Position
    day: int
    """The day from which the puzzle is due again, in days since 1970."""

    times: int = 0
    """Number of right answers since the wrong answer."""


class Progress(msgspec.Struct, frozen=True, array_like=True):
    """A session's stored data about puzzles."""

    step: int = 0
    """The number of accepted moves."""

    series: str = ""
    """The name of the player's current series. All other series start from the beginning."""

    position: Position | None = None
    """The current puzzle, or None before the first move."""

    ahead: tuple[Position, ...] = ()
    """The next puzzles of the series, if they were chosen together."""

    answer: PuzzleAnswer | None = None
    streak: int = 0
    """The number of consecutive right answers."""

    due: tuple[DuePuzzle, ...] = ()
    best: int = 0
    """The longest streak so far."""

    def after_answer(self, chosen: str, today: int) -> "Progress":
        """Return the progress after an answer, before the next puzzle is chosen.

        Args:
            chosen: ``hit`` or ``stay``.
            today: The day, in days since 1970.
        """
        position = self.position or first_puzzle()
        answer = PuzzleAnswer(position, chosen)
        before = next((puzzle for puzzle in self.due if puzzle.position == position), None)
        due = tuple(puzzle for puzzle in self.due if puzzle is not before)
        times = before.times + 1 if before and answer.right else 0
        if not answer.right or (before and times < len(REVIEW_DAYS)):
            due = (*due, DuePuzzle(position, today + REVIEW_DAYS[times], times))[-MAX_DUE:]
        streak = self.streak + 1 if answer.right else 0
        return msgspec.structs.replace(
            self, answer=answer, streak=streak, due=due, best=max(self.best, streak)
        )

    def due_positions(self, today: int, has: Callable[[Position], bool]) -> list[Position]:
        """Return the puzzles that are due, the longest overdue first.

        Args:
            today: The day, in days since 1970.
            has: Function that returns whether a puzzle belongs to the series.
        """
        waiting = sorted(self.due, key=lambda puzzle: puzzle.day)
        return [
            puzzle.position for puzzle in waiting if puzzle.day <= today and has(puzzle.position)
        ]


@cache
def first_puzzle() -> Position:
    """Return the puzzle that a visitor sees first.

    The puzzle is cached, because choosing it requires the list of all puzzles.
    """
    return min(puzzles(), key=lambda puzzle: abs(puzzles()[puzzle] - _MEDIUM))


def with_suits(step: int, position: Position) -> Position:
    """Return a position with suits that depend on the step.

    Repetitions of a puzzle therefore have different suits.
    """
    # Steps of 11 use all 24 orders of the suits before an order is repeated.
    return position.in_other_suits(_ORDERS[11 * step % len(_ORDERS)])
