"""The puzzles of homework and the costs of the answers.

The puzzles are typed or belong to a theme.
"""

import re
from collections.abc import Mapping
from random import Random
from typing import Any, Final, NamedTuple

from cardgames.advice import POINTS, Advisor, Odds, posed_text
from cardgames.puzzles import Position, Theme, puzzles, why
from cardgames.shared_deal import DecisionCost
from cardgames.text import Text
from web.classroom.homework.typed import NO_UPCARD, WrongHand, position_from

MAX_TYPED: Final = 10
"""Maximum number of typed hands per homework."""

MAX_HANDS_TEXT: Final = 600
"""Maximum length of the field for hands, because no field of a form may exceed 1,000 characters."""

TOO_MANY: Final = Text("Type {most} hands at most, one per line. These are {number}.")
LINE: Final = Text("Line {line}: {fault}")
SAME_HAND: Final = Text("This line repeats the hand of line {line}. Change or delete this line.")

_SLASHES: Final = re.compile(r"[/|:;]")


class WrongLine(NamedTuple):
    """A typed line that is not a valid hand, and the reason why it is invalid."""

    number: int
    """The number of the line, counted from 1, including empty lines."""

    fault: Text

    @property
    def text(self) -> Text:
        """An error message that names the line."""
        return LINE.fill(line=self.number, fault=self.fault)


class TypedHands(NamedTuple):
    """The hands and the errors in typed lines."""

    positions: tuple[Position, ...]
    wrong: tuple[WrongLine, ...]


def parse_hands(table: str, text: str) -> TypedHands:
    """Return the hands in a string with one hand per line, as in ``10 6 / K``.

    Args:
        table: The slug of a table with decisions.
        text: The typed lines.

    >>> parse_hands("blackjack", "10 6 / K").positions[0].total
    16
    """
    first_lines: dict[tuple[Any, ...], int] = {}
    positions, wrong = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            position = _parse_line(table, line)
        except WrongHand as error:
            wrong.append(WrongLine(number, error.text))
            continue
        first = first_lines.setdefault(_decision(position), number)
        if first < number:
            wrong.append(WrongLine(number, SAME_HAND.fill(line=first)))
        positions.append(position)
    return TypedHands(tuple(positions), tuple(wrong))


def _parse_line(table: str, line: str) -> Position:
    hand, *upcards = _SLASHES.split(line)
    if len(upcards) != 1:
        raise WrongHand(NO_UPCARD.fill(example="10 6 / K"))
    return position_from(table, hand, upcards[0])


def _decision(position: Position) -> tuple[Any, ...]:
    """Return a key that is equal for hands with the same ranks."""
    return tuple(sorted(card.rank for card in position.player)), position.upcard.rank


def choose_puzzles(theme: Theme, table: str, number: int, rng: Random) -> tuple[Position, ...]:
    """Return different puzzles of a theme at a table, or none if there are too few.

    Args:
        theme: The theme of the puzzles.
        table: The slug of the puzzles' table.
        number: Number of puzzles.
        rng: Random source that selects the puzzles.
    """
    offered = [puzzle for puzzle in puzzles() if puzzle.theme is theme and puzzle.table == table]
    return tuple(rng.sample(offered, number)) if len(offered) >= number else ()


def answer_costs(odds: Odds) -> DecisionCost:
    """Return the cost of each answer compared with the best answer, in rounds."""
    best = max(odds.stay.ev, odds.hit.ev)
    return DecisionCost(stay=best - odds.stay.ev, hit=best - odds.hit.ev)


class AnswerBar(NamedTuple):
    """An answer to a puzzle, and the number of students who chose it."""

    name: str
    label: Text
    number: int
    share: float
    """The proportion of all answers, or 0 if there are no answers."""

    price: float
    """The cost of the answer, in points."""

    is_best: bool


class AnswerSums(NamedTuple):
    """A puzzle with the totals of its answers, for the instructor."""

    number: int
    position: Position
    situation: Text
    odds: Odds
    bars: tuple[AnswerBar, ...]

    @property
    def total(self) -> int:
        """The number of students who answered."""
        return sum(bar.number for bar in self.bars)

    @property
    def why(self) -> Text:
        """The reason for the best answer."""
        return why(self.position, self.odds)

    def document(self) -> dict[str, Any]:
        """Return the totals as JSON."""
        return {
            "puzzle": self.number,
            "player": self.position.player,
            "upcard": self.position.upcard,
            "discards": self.position.discards,
            "best": self.odds.best,
            "answers": {bar.name: bar.number for bar in self.bars},
            "prices": {bar.name: bar.price for bar in self.bars},
        }


def sum_answers(
    number: int, position: Position, advisor: Advisor, chosen: Mapping[str, int]
) -> AnswerSums:
    """Return a puzzle with the totals of its answers.

    Args:
        number: The puzzle's number, counted from 1.
        position: The puzzle's position.
        advisor: The advisor of the puzzle's table.
        chosen: Number of students, keyed by answer.
    """
    odds = position.odds
    costs, total = answer_costs(odds), sum(chosen.values())
    labels = {"hit": Text("Hit"), "stay": advisor.stop_label()}
    bars = (
        AnswerBar(
            name,
            label,
            chosen.get(name, 0),
            chosen.get(name, 0) / total if total else 0.0,
            POINTS * getattr(costs, name),
            is_best=odds.best == name,
        )
        for name, label in labels.items()
    )
    situation = posed_text(advisor, position.player, position.upcard)
    return AnswerSums(number, position, situation, odds, tuple(bars))
