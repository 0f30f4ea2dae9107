"""Database tables for results at the card tables and in the deals of the day.

A student's results for a day at a table are stored as a row of sums (:class:`StudentDay`). Each
kind of mistake on that day is also stored as a row, with the round in which the mistake cost most
(:class:`StudentMistake`). The maximum number of a student's rows depends on the number of days, not
on the number of rounds. Only the first score of the deals of a day counts
(:class:`StudentDailyScore`).

Costs are in rounds, as in :mod:`cardgames.ledger`; pages show points, which are hundredths.
"""

from datetime import date
from typing import Final

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from web.classroom.core.models import CODE, of_student
from web.db.models import SLUG, Base

OLDER_DAYS: Final = date.min
"""The day that represents all earlier days."""


class StudentDay(Base):
    """A student's results at a table on a day."""

    __tablename__ = "student_days"
    __table_args__ = (of_student(), {"sqlite_with_rowid": False})

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(SLUG, primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    """The day on which the rounds ended, by the server's clock, or :data:`OLDER_DAYS`."""

    rounds: Mapped[int]
    won: Mapped[int]
    decisions: Mapped[int]
    cost: Mapped[float]
    squares: Mapped[float]
    """The sum of the squares of the decisions' costs."""


class StudentMistake(Base):
    """A decision that was not the best play, with its number of occurrences on a day."""

    __tablename__ = "student_mistakes"
    __table_args__ = (of_student(), {"sqlite_with_rowid": False})

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(SLUG, primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    chosen: Mapped[str] = mapped_column(String(4), primary_key=True)
    """The move: ``hit``, ``stay``, or ``deal`` if the player abandoned the round."""

    total: Mapped[int] = mapped_column(primary_key=True)
    soft: Mapped[bool] = mapped_column(primary_key=True)
    upcard: Mapped[str] = mapped_column(String(1), primary_key=True)
    """The rank of the dealer's card, in which court cards are tens."""

    times: Mapped[int]
    cost: Mapped[float]
    """Total cost of all occurrences of the mistake."""

    worst: Mapped[float]
    """Highest cost of a single occurrence of the mistake."""

    step: Mapped[int]
    """The step of the costliest round at which the decision was made."""

    record: Mapped[str]
    """The record of the costliest round. It contains only cards that the player knew."""


class StudentDailyScore(Base):
    """The cost of a student's decisions in all deals of a day."""

    __tablename__ = "student_dailies"
    __table_args__ = (
        of_student(),
        Index("dailies_of_days", "class_code", "day"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    day: Mapped[int] = mapped_column(primary_key=True)
    """The number of the day, as in the deals of the day."""

    cost: Mapped[int]
    """The cost in billionths of a round."""
