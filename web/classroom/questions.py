"""What a class votes on: a hand against the dealer's card, or what a rule asks of some code."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar, Final

import msgspec

from cardgames import GAMES, puzzles
from cardgames.advice import Advisor, Odds
from cardgames.cards import FULL_DECK, Card, CardGameError, Cards
from cardgames.games.twentyone.rules import TARGET
from cardgames.text import Text
from course.grading.requirements import read_requirements
from course.handouts.tasks import TASKS

MAX_HAND: Final = 6
"""Maximum number of cards of a hand that is voted on: the big screen has room for them."""

MAX_CODE: Final = 600
"""Maximum number of characters of the lines of code beside a question."""

MAX_CODE_LINES: Final = 10
MAX_ANSWER: Final = 40
"""Maximum number of characters of an answer to choose."""

BAD_HAND: Final = Text(
    "A hand has 2 to {most} cards, as in {example}, and is worth 21 at most.",
    most=MAX_HAND,
    example="10 6",
)
BAD_CARDS: Final = Text(
    "A card is its rank, A, 2 to 10, J, Q or K, and each is there once; the dealer shows one."
)
NO_RULE: Final = Text("No sheet has a rule {rule}.")
BAD_CODE: Final = Text(
    "The lines of code are at most {most}, all of them visible.", most=MAX_CODE_LINES
)
BAD_ANSWERS: Final = Text(
    "There are two or three different answers of at most {most} characters, and one is right.",
    most=MAX_ANSWER,
)

_SUITS: Final = "SHDC"
_MIN_HAND: Final = 2
_STRIDE: Final = 61
"""Step through the list of puzzles, in which neighbours are alike."""

_MIN_CHOICES: Final = 2
_LETTERS: Final = ("a", "b", "c")


class Position(msgspec.Struct, frozen=True, tag="position"):
    """What is best with a hand against the dealer's card, with all other cards unseen?"""

    kind: ClassVar[str] = "position"
    table: str
    hand: Cards
    upcard: Card

    @property
    def advisor(self) -> Advisor:
        """The advisor of its table, who knows the odds."""
        advisor = GAMES[self.table].advisor
        assert advisor  # noqa: S101 - nothing is asked of other tables
        return advisor

    @property
    def odds(self) -> Odds:
        """The exact odds."""
        return self.advisor.odds(self.advisor.pose(self.hand, self.upcard))

    @property
    def title(self) -> str:
        """Where it comes from: the table."""
        return GAMES[self.table].info.title

    @property
    def text(self) -> Text:
        """The question in short."""
        advisor = self.advisor
        return advisor.situation_text(advisor.situation(advisor.pose(self.hand, self.upcard)))

    @property
    def choices(self) -> dict[str, str]:
        """The answers, by their names."""
        return {"hit": Text("Hit"), "stay": self.advisor.stop_label()}

    @property
    def right(self) -> str:
        """The name of the right answer."""
        return self.odds.best

    @property
    def why(self) -> Text:
        """Why that is right, in a sentence."""
        posed = puzzles.Position(self.table, self.hand, self.upcard)
        return puzzles.why(replace(posed, theme=puzzles.theme_of(posed)), self.odds)

    def document(self) -> dict[str, Any]:
        """Return it as JSON, without what is right."""
        return {"table": self.table, "hand": self.hand, "upcard": self.upcard}

    def solution(self) -> dict[str, Any]:
        """Return what is right as JSON."""
        odds = self.odds
        return {"hit": odds.hit, "stay": odds.stay, "bust": odds.bust}


class CodeQuestion(msgspec.Struct, frozen=True, tag="code"):
    """What does a rule of a sheet ask of some code? An instructor has typed it."""

    kind: ClassVar[str] = "code"
    rule: str
    """The rule's number."""

    code: str
    answers: tuple[str, ...]
    right: str
    """The name of the right one: ``a``, ``b`` or ``c``."""

    @property
    def title(self) -> str:
        """Where it comes from: the sheet and its rule."""
        for task in TASKS:
            if any(one.id == self.rule for one in read_requirements(task.slug)):
                return GAMES[task.slug].info.title
        return ""

    @property
    def text(self) -> Text:
        """The question in short."""
        return Text("What does rule {rule} ask for?", rule=self.rule)

    @property
    def choices(self) -> dict[str, str]:
        """The answers, by their names."""
        return dict(zip(_LETTERS, self.answers, strict=False))

    @property
    def why(self) -> str:
        """Why that is right: the rule's sentence."""
        return rule_text(self.rule)

    def document(self) -> dict[str, Any]:
        """Return it as JSON, without what is right."""
        return {"rule": self.rule, "code": self.code}

    def solution(self) -> dict[str, Any]:
        """Return what is right as JSON."""
        return {}


Question = Position | CodeQuestion


def rule_text(rule: str) -> str:
    """Return the sentence of a sheet's rule; nothing where there is no such number."""
    every = (one for task in TASKS for one in read_requirements(task.slug))
    return next((one.text for one in every if one.id == rule), "")


def posed(table: str, hand: str, upcard: str) -> Position:
    """Return the position that somebody has typed.

    Args:
        table: one of :data:`~web.classroom.tournaments.TABLES`.
        hand: ranks or cards, with blanks between: ``10 6``, ``AH 7``.
        upcard: a rank or a card.

    Raises:
        CardGameError: that is no decision.

    >>> posed("blackjack", "10 6", "k").text
    '16 against a king'
    """
    of_hand, shown = hand.replace(",", " ").split(), upcard.split()
    if not _MIN_HAND <= len(of_hand) <= MAX_HAND:
        raise CardGameError(BAD_HAND, "hand")
    cards = _cards([*of_hand, *shown])
    if len(shown) != 1 or cards is None:
        raise CardGameError(BAD_CARDS, "upcard")
    asked = Position(table, cards[:-1], cards[-1])
    advisor = asked.advisor
    if advisor.situation(advisor.pose(asked.hand, asked.upcard)).total > TARGET:
        raise CardGameError(BAD_HAND, "hand")
    return asked


def puzzle_positions(turn: int) -> list[Position]:
    """Return a puzzle of each kind with a whole deck, where a rule of thumb goes wrong.

    Args:
        turn: which of them; the next number has others.
    """
    by_theme: dict[str, list[Position]] = {}
    for puzzle in puzzles.puzzles():
        if not puzzle.discards and len(puzzle.player) <= MAX_HAND:
            found = Position(puzzle.table, puzzle.player, puzzle.upcard)
            by_theme.setdefault(puzzle.theme, []).append(found)
    return [found[_STRIDE * turn % len(found)] for found in by_theme.values()]


def _cards(names: Iterable[str]) -> Cards | None:
    """Return cards that were typed, in a free suit where none is; None where one is no card."""
    typed = [name.upper().replace("10", "T") for name in names]
    found: list[Card] = []
    for index, name in enumerate(typed):
        turned = _SUITS[index % 4 :] + _SUITS[: index % 4]
        free = (name + suit for suit in turned if name + suit not in typed)
        names = [name] if len(name) > 1 else free
        card = next((one for one in names if one in FULL_DECK and one not in found), None)
        if card is None:
            return None
        found.append(Card(card))
    return tuple(found)


def code_question(rule: str, code: str, answers: Iterable[str], right: str) -> CodeQuestion:
    """Return the question about code that an instructor has typed.

    Args:
        rule: the number of a sheet's rule.
        code: some lines, or nothing.
        answers: two or three; empty ones at the end are left out.
        right: the name of the right one.

    Raises:
        CardGameError: it cannot be asked so.
    """
    rule = rule.strip().upper()
    if not rule_text(rule):
        raise CardGameError(NO_RULE.fill(rule=rule[:12]), "rule")
    lines = code.expandtabs(4).strip("\r\n").splitlines()
    is_long = len(lines) > MAX_CODE_LINES or sum(map(len, lines)) > MAX_CODE
    if is_long or not all(line.isprintable() for line in lines):
        raise CardGameError(BAD_CODE, "code")
    given = tuple(" ".join(answer.split()) for answer in answers)
    given = tuple(answer for answer in given if answer)
    is_sound = all(len(answer) <= MAX_ANSWER and answer.isprintable() for answer in given)
    if (
        not is_sound
        or len(given) < _MIN_CHOICES
        or len({*given}) != len(given)
        or right not in _LETTERS[: len(given)]
    ):
        raise CardGameError(BAD_ANSWERS, "a")
    return CodeQuestion(rule, "\n".join(line.rstrip() for line in lines), given, right)
