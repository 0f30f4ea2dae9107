"""The tables of votes: a class answers, discusses, answers again, and then sees the solution.

A vote asks for the best move with a hand against the dealer's card (:class:`Question`). The vote's
state and totals are stored in a row (:class:`Vote`) that only an instructor's moves change. A
student's answer in a ballot is stored in a row of that student (:class:`VoteAnswer`). The totals
are computed when a ballot closes, and never decrease, so they do not reveal the answer of a student
who leaves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, NamedTuple

import msgspec
from sqlalchemy import (
    JSON,
    ForeignKeyConstraint,
    Index,
    SmallInteger,
    String,
)
from sqlalchemy.orm import Mapped, mapped_column

from cardgames import GAMES, puzzles
from cardgames.advice import Advisor, Odds, posed_text
from cardgames.cards import Card, Cards
from cardgames.text import Text
from web.classroom.core.models import CODE, of_class, of_student
from web.db.models import Base

MIN_ANSWERS: Final = 3
"""Minimum number of answers for which totals are shown, because the totals of fewer answers could
reveal a student's answer.
"""

CONFIDENCE_LEVELS: Final[Mapping[int, Text]] = {
    1: Text("I am guessing"),
    2: Text("Fairly sure"),
    3: Text("Certain"),
}
"""The student's confidence in an answer."""


class Question(msgspec.Struct, frozen=True):
    """A question for the best move with a hand against the dealer's card."""

    table: str
    hand: Cards
    upcard: Card

    @property
    def advisor(self) -> Advisor:
        """The advisor of the question's table."""
        advisor = GAMES[self.table].advisor
        assert advisor  # noqa: S101 - questions exist only for tables with an advisor
        return advisor

    @property
    def odds(self) -> Odds:
        """The exact odds of each answer."""
        return self.advisor.odds(self.advisor.pose(self.hand, self.upcard))

    @property
    def title(self) -> str:
        """The name of the question's table."""
        return GAMES[self.table].info.title

    @property
    def text(self) -> Text:
        """The question in short form."""
        return posed_text(self.advisor, self.hand, self.upcard)

    @property
    def choices(self) -> dict[str, str]:
        """The possible answers, keyed by name."""
        return {"hit": Text("Hit"), "stay": self.advisor.stop_label()}

    @property
    def right(self) -> str:
        """The name of the right answer."""
        return self.odds.best

    @property
    def why(self) -> Text:
        """A sentence with the reason for the right answer."""
        posed = puzzles.Position(self.table, self.hand, self.upcard)
        return puzzles.why(replace(posed, theme=puzzles.find_theme(posed)), self.odds)

    def document(self) -> dict[str, Any]:
        """Return the question as JSON, without the solution."""
        return {"table": self.table, "hand": self.hand, "upcard": self.upcard}

    def solution(self) -> dict[str, Any]:
        """Return the solution as JSON."""
        odds = self.odds
        return {"hit": odds.hit, "stay": odds.stay, "bust": odds.bust}


class Bar(NamedTuple):
    """The number of students who chose an answer."""

    name: str
    label: str
    number: int
    share: float
    """The number of all students who answered."""

    sure: Sequence[int]


class Vote(Base):
    """A vote of a class."""

    __tablename__ = "votes"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012 - SQLAlchemy's own

    class_code: Mapped[str] = of_class()
    number: Mapped[int] = mapped_column(primary_key=True)
    """The vote's number in its class, counted from 1."""

    opened: Mapped[float]
    asked: Mapped[dict[str, Any]] = mapped_column("question", JSON)
    """The vote's question."""

    ballot: Mapped[Literal[1, 2]] = mapped_column(SmallInteger, default=1)
    """Whether the current ballot is before or after the discussion."""

    is_open: Mapped[bool] = mapped_column(default=True)
    """Whether answers are accepted."""

    has_bars: Mapped[bool] = mapped_column(default=False)
    """Whether the instructor shows the totals of the closed ballot."""

    is_solved: Mapped[bool] = mapped_column(default=False)
    """Whether the right answer and all totals are shown."""

    counts: Mapped[list[dict[str, list[int]]]] = mapped_column(JSON, default=list)
    """The totals of each counted ballot, keyed by answer and by :data:`CONFIDENCE_LEVELS`."""

    better: Mapped[int] = mapped_column(default=0)
    """The number of students who changed from a wrong answer to the right answer."""

    worse: Mapped[int] = mapped_column(default=0)
    """The number of students who changed from the right answer to a wrong answer."""

    twice: Mapped[int] = mapped_column(default=0)
    """The number of students who answered twice."""

    @property
    def question(self) -> Question:
        """The vote's question."""
        question: Question = msgspec.convert(self.asked, Question)
        return question

    @property
    def phase(self) -> str:
        """The vote's phase: ``open``, ``talk``, ``closed`` or ``solved``."""
        if self.is_solved:
            return "solved"
        if self.is_open:
            return "open"
        return "talk" if self.ballot == 1 else "closed"

    @property
    def ballots(self) -> tuple[int, ...]:
        """The ballots whose totals are visible."""
        if self.is_solved:
            return tuple(range(1, len(self.counts) + 1))
        is_counted = len(self.counts) >= self.ballot
        return (self.ballot,) if self.has_bars and is_counted else ()

    @property
    def choices(self) -> dict[str, str]:
        """The possible answers, keyed by name."""
        return self.question.choices

    def total(self, ballot: int) -> int:
        """Return the number of answers in a counted ballot."""
        if ballot > len(self.counts):
            return 0
        return sum(sum(grades) for grades in self.counts[ballot - 1].values())

    def bars(self, ballot: int) -> list[Bar]:
        """Return the totals of a ballot, or none if it has fewer than three answers."""
        total = self.total(ballot)
        if ballot not in self.ballots or total < MIN_ANSWERS:
            return []
        none, rows = (0, 0, 0), []
        for name, label in self.choices.items():
            sure = self.counts[ballot - 1].get(name, none)
            rows.append(Bar(name, label, sum(sure), sum(sure) / total, sure))
        return rows

    @property
    def has_changes(self) -> bool:
        """Whether the number of changed answers is shown."""
        return self.is_solved and self.twice >= MIN_ANSWERS

    def document(self) -> dict[str, Any]:
        """Return the values that the class may see, as JSON."""
        asked, bars = self.question, {}
        for ballot in self.ballots:
            totals = {b.name: {"number": b.number, "sure": b.sure} for b in self.bars(ballot)}
            bars[str(ballot)] = totals or None
        document = {
            "number": self.number,
            "phase": self.phase,
            "ballot": self.ballot,
            "about": asked.title,
            "question": asked.text,
            **asked.document(),
            "choices": asked.choices,
            "bars": bars,
        }
        if self.is_solved:
            minds = {"better": self.better, "worse": self.worse, "of": self.twice}
            document["solution"] = {"right": asked.right, "why": asked.why, **asked.solution()}
            document["changes"] = minds if self.has_changes else None
        return document


class VoteAnswer(Base):
    """A student's answer in a ballot of a vote."""

    __tablename__ = "vote_answers"
    __table_args__ = (
        ForeignKeyConstraint(
            ["class_code", "vote"], ["votes.class_code", "votes.number"], ondelete="CASCADE"
        ),
        of_student(),
        Index("answers_of_students", "class_code", "student"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    vote: Mapped[int] = mapped_column(primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    ballot: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    choice: Mapped[str] = mapped_column(String(4))
    sure: Mapped[int] = mapped_column(SmallInteger)

    def document(self) -> dict[str, Any]:
        """Return the answer as JSON for its student."""
        return {"choice": self.choice, "sure": self.sure}
