"""A player's progress with the puzzles, as their session stores it, and the effect of an answer."""

from collections.abc import Callable
from functools import cache
from itertools import permutations
from typing import Final

import msgspec

from cardgames.cards import Suit
from cardgames.puzzles import Position, puzzles

ROW: Final = "puzzles"
"""The key of the puzzles' row in a session."""

DAYS: Final = (1, 3, 7)
"""After how many days a puzzle that was wrong is due again: after the first, once that was right
after the second, and so on."""

MAX_DUE: Final = 20
"""Maximum number of puzzles that wait to come again: the latest."""

_MEDIUM: Final = 0.2
"""By how many rounds the best play of a puzzle is better that is neither easy nor hard."""

_ORDERS: Final = tuple(permutations(Suit))


class PuzzleAnswer(msgspec.Struct, frozen=True, array_like=True):
    """What was chosen last."""

    position: Position
    chosen: str

    @property
    def right(self) -> bool:
        """Whether it was the best play."""
        return self.chosen == self.position.odds.best


class Due(msgspec.Struct, frozen=True, array_like=True):
    """A puzzle that was wrong, and comes again."""

    position: Position
    day: int
    """From which day on, as days since 1970."""

    times: int = 0
    """How often it was right since."""


class Progress(msgspec.Struct, frozen=True, array_like=True):
    """All that a session keeps of the puzzles."""

    step: int = 0
    """How many moves were accepted."""

    series: str = ""
    """The name of the series that the player is at; the others have not begun."""

    position: Position | None = None
    """The puzzle to be solved; None before the first move."""

    ahead: tuple[Position, ...] = ()
    """The puzzles of the series that come next, where they were chosen together."""

    answer: PuzzleAnswer | None = None
    streak: int = 0
    """How many answers in a row were right."""

    due: tuple[Due, ...] = ()
    best: int = 0
    """The longest streak so far."""

    def after_answer(self, chosen: str, today: int) -> "Progress":
        """Return it after an answer; the next puzzle is not chosen yet.

        Args:
            chosen: ``hit`` or ``stay``.
            today: the day, as days since 1970.
        """
        position = self.position or first_puzzle()
        answer = PuzzleAnswer(position, chosen)
        before = next((one for one in self.due if one.position == position), None)
        due = tuple(one for one in self.due if one is not before)
        times = before.times + 1 if before and answer.right else 0
        if not answer.right or (before and times < len(DAYS)):
            due = (*due, Due(position, today + DAYS[times], times))[-MAX_DUE:]
        streak = self.streak + 1 if answer.right else 0
        return msgspec.structs.replace(
            self, answer=answer, streak=streak, due=due, best=max(self.best, streak)
        )

    def due_of(self, today: int, has: Callable[[Position], bool]) -> list[Position]:
        """Return the puzzles that are due, those that have waited longest first.

        Args:
            today: the day, as days since 1970.
            has: says whether a puzzle is one of the series.
        """
        waiting = sorted(self.due, key=lambda one: one.day)
        return [one.position for one in waiting if one.day <= today and has(one.position)]


@cache
def first_puzzle() -> Position:
    """Return the puzzle of a visitor; it reads the list of all, so that no request has to."""
    return min(puzzles(), key=lambda one: abs(puzzles()[one] - _MEDIUM))


def in_suits_of(step: int, position: Position) -> Position:
    """Return a position as it lies at a step: in other suits when it comes again."""
    return position.in_other_suits(_ORDERS[11 * step % len(_ORDERS)])  # five on, none is alike
