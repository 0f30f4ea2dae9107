"""A table dealt by a student's program, next to our table with the same cards and moves.

A driver makes each move with the public names that the sheet defines, reads the program's *output*,
and builds the view that the site's template renders. A driver compares causes before consequences:
first the value of a card, then the value of a hand, the positions of the cards, and the winner.
"""

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar

from cardgames import GAMES
from cardgames.advice import Odds
from cardgames.cards import FULL_DECK, Card
from cardgames.text import Text
from course.browser.felt import Shown, render_felt
from course.browser.program import Program, ProgramError
from course.browser.recorder import (
    Place,
    Step,
    call_line,
    decision_line,
    last_line,
    value_line,
)
from course.grading.modules import sheet_module
from course.grading.sheets import Sheet, SheetError

MAX_SHOWN: Final = 2_000
"""Maximum number of characters of a program's output that are sent to the page."""


class Blame(NamedTuple):
    """The student's functions that may have caused a difference."""

    functions: tuple[str, ...]
    """The functions, with the likeliest first."""
    returned: object = None
    """The value that the first function returned, if that value is known to be wrong."""
    call: tuple[str, int] | None = None
    """A function and the index of its wrong call, starting at 0."""

    at: Place | None = None
    """The line to blame, if it is known."""
    decision: bool = False
    """Whether to blame the line that last branched on a number that a function returned."""

    def place(self, steps: list[Step], folder: Path) -> Place | None:
        """Return the file and the line to blame."""
        place = self.at or (decision_line(steps, folder, self.functions) if self.decision else None)
        if place:
            return place
        if self.returned is not None:
            place = value_line(steps, self.functions[0], self.returned)
        if self.call:
            place = place or call_line(steps, *self.call, self.functions)
        return place or last_line(steps, self.functions)


class Difference(NamedTuple):
    """The first difference between the student's table and the sheet."""

    rule: str
    what: Text
    expected: str
    got: str
    blame: Blame
    steps: list[Step] | None = None
    """The steps to search for the line to blame, or None for the steps of the move."""


Side = TypeVar("Side")


class StudentTable(Generic[Side]):
    """A student's program at the table, and our program next to it."""

    game: ClassVar[str]
    """The slug of the site's table that shows the program."""
    has_reference: bool = True
    """Whether our program also plays. Otherwise the expected results are derived from the rules."""

    def __init__(self, sheet: Sheet, folder: Path, seed: int) -> None:
        """Set up both tables with the same cards, without dealing."""
        self.sheet = sheet
        if not sheet.solution.is_dir():  # a browser does not have our solution
            self.has_reference = False
        codes = [str(card) for card in FULL_DECK]
        random.Random(seed).shuffle(codes)
        self.codes = tuple(codes)
        self.ours = Program(sheet, sheet.solution, seed, is_recorded=False)
        self.theirs = Program(sheet, folder, seed)
        self.difference: Difference | None = None
        self.place: Place | None = None
        self.broken = ""
        self.is_compared = True
        self.round = 0
        self._sides: dict[Program, Side] = {}
        self._programs = (self.ours, self.theirs)[not self.has_reference :]
        for program in self._programs:
            self._do(self._set_up, program)
        self.is_set = not self.broken

    @property
    def reference(self) -> Side:
        """The output of our program."""
        return self._sides[self.ours]

    @property
    def mine(self) -> Side:
        """The output of the student's program."""
        return self._sides[self.theirs]

    def play(self, name: str, note: Callable[[int], object] = lambda _: None) -> None:
        """Make a move at both tables, and compare the tables.

        Args:
            name: The move. ``call*5`` repeats a move up to five times, until a round ends or a
                difference is found.
            note: Function that is called with the number of repetitions so far.
        """
        name, _, times = name.partition("*")
        for count in range(int(times or 1)):
            note(count)
            if self.broken or name not in dict(self.moves()):
                return
            had_difference = self.difference is not None
            self._play_once(name)
            if self.difference and not had_difference:
                return

    def _play_once(self, name: str) -> None:
        for program in self._programs:
            program.begin_move()
        self.before_move(name)
        for program in self._programs:
            self._do(lambda side_name: self.move(side_name, self._sides[side_name], name), program)
        if self.broken or self.difference or not self.is_compared:
            return
        expected, actual = self.ours.luck, self.theirs.luck
        # If a program shuffles in its own way, its cards differ from ours from then on.
        if self.has_reference:
            self.is_compared = actual.is_foreseen and (not expected.shuffles or actual.shuffles > 0)
        if self.is_compared:
            self._compare()

    def _compare(self) -> None:
        try:
            self.difference = next(iter(self.differences()), None)
        except ProgramError as broken:
            self.broken, self.place = broken.why, broken.place
        if difference := self.difference:
            steps = difference.steps or self.theirs.recorder.steps
            self.place = difference.blame.place(steps, self.theirs.folder)

    def _set_up(self, program: Program) -> None:
        self._sides[program] = self.set_up(program)

    def _do(self, act: Callable[[Program], None], program: Program) -> None:
        """Call code of a program.

        Errors of our program are raised, but a student's errors are shown.
        """
        if self.broken:
            return
        try:
            act(program)
        except (ProgramError, ValueError) as error:
            if program is self.ours:
                raise
            self.broken = error.args[0] if error.args else str(error)
            self.place = error.place if isinstance(error, ProgramError) else None

    def report(self) -> dict[str, Any]:
        """Return everything that the page shows."""
        difference, recorder = self.difference, self.theirs.recorder
        rules = {requirement.id: requirement.text for requirement in self.sheet.requirements}
        return {
            "html": render_felt(self.game, self.shown()) + self.picture() if self.is_dealt else "",
            "moves": [] if self.broken else [[name, str(label)] for name, label in self.moves()],
            "broken": self.broken,
            "place": self.place,
            "difference": difference and {
                "rule": difference.rule,
                "sentence": rules[difference.rule],
                "what": difference.what,
                "expected": difference.expected,
                "got": difference.got,
            },
            "compared": self.is_compared,
            "coached": self.is_set and not self.broken and self.decision() is not None,
            "steps": recorder.steps,
            "cut": recorder.is_cut,
            "printed": self.theirs.seen.shown[-MAX_SHOWN:],
        }  # fmt: skip

    def odds(self) -> Odds | None:
        """Return the exact odds of the open decision, or None."""
        advisor, state = GAMES[self.game].advisor, self.decision()
        return advisor.odds(state) if advisor and state else None

    @property
    def is_dealt(self) -> bool:
        """Whether the table can be shown."""
        return self.is_set and self.round > 0

    # The methods that a sheet's driver defines

    def decision(self) -> Any:
        """Return a round with the table's open decision, or None."""
        return None

    def picture(self) -> str:
        """Return the picture next to the table, as SVG."""
        return ""

    def set_up(self, program: Program) -> Side:
        """Set up the table of a program, and return the program's side."""
        raise NotImplementedError

    def before_move(self, name: str) -> None:
        """Update the counts that the driver stores for both tables, before a move."""

    def move(self, program: Program, side: Side, name: str) -> None:
        """Make a move at one table, and store its output."""
        raise NotImplementedError

    def moves(self) -> list[tuple[str, Text]]:
        """Return the available moves, as pairs of name and label."""
        raise NotImplementedError

    def shown(self) -> Shown:
        """Return the student's table for the template."""
        raise NotImplementedError

    def differences(self) -> Iterable[Difference]:
        """Yield the differences between the student's table and the sheet, causes first."""
        raise NotImplementedError


def load_driver(sheet: Sheet) -> type[StudentTable[Any]]:
    """Return a sheet's driver: the only table class in ``driver.py``.

    Raises:
        SheetError: If there is no such class, or the site does not have the table.
    """
    module = sheet_module(sheet, "driver")
    for kind in vars(module).values():
        if isinstance(kind, type) and issubclass(kind, StudentTable) and kind is not StudentTable:
            if getattr(kind, "game", "") not in GAMES:
                raise SheetError(f"driver of {sheet.slug}: game is one of {', '.join(GAMES)}.")
            return kind
    raise SheetError(f"driver of {sheet.slug} has no class that is a StudentTable.")


def logged(
    function: Callable[..., Any], log: list[Any], note: Callable[[Any], Any] = lambda value: value
) -> Callable[..., Any]:
    """Return a function that also passes its return value to ``note``.

    The result of the function is logged.
    """

    def call(*arguments: Any, **named: Any) -> Any:
        value = function(*arguments, **named)
        log.append(note(value))
        return value

    return call


def listed(cards: Iterable[Card | None]) -> str:
    """Return cards in the sheets' notation.

    >>> listed((Card("AS"), None))
    '[ AS ][ xx ]'
    """
    return "".join(f"[ {card or 'xx'} ]" for card in cards)


def first_difference(expected: Iterable[Any], actual: Iterable[Any]) -> int | None:
    """Return the first index at which two sequences differ, or None if they are equal.

    >>> first_difference("abc", "axc"), first_difference("ab", "abc"), first_difference("ab", "ab")
    (1, 2, None)
    """
    wanted, got = [*expected], [*actual]
    for place, (one, other) in enumerate(zip(wanted, got, strict=False)):
        if one != other:
            return place
    return None if len(wanted) == len(got) else min(len(wanted), len(got))
