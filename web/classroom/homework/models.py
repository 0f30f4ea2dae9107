"""The tables of homework: series of deals or puzzles, and students' rounds or answers.

In URLs, in JSON and in the database, homework is called a tournament.

Each deal that a student has begun is stored as a row, which is deleted with the student. The row
contains the moves and, after the end of the round, the points given away.

The cost of a decision depends only on the deal, because rounds of a deal differ only in the number
of hits. The cost of any student's round is therefore the sum of the costs of its decisions, and
each decision has only two costs: the cost of stopping and the cost of hitting. These costs are
computed when the tournament is created.
"""

import hmac
from typing import Any, Final

import msgspec
from sqlalchemy import (
    JSON,
    ForeignKeyConstraint,
    Index,
    String,
)
from sqlalchemy.orm import Mapped, mapped_column

from cardgames import GAMES
from cardgames.advice import POINTS
from cardgames.game import AnyGame
from cardgames.puzzles import Position
from cardgames.shared_deal import DealCosts, DecisionCost, PlayedLine, deal_costs, line_cost
from cardgames.shuffling import SALT_BYTES
from cardgames.strategies.habits import HABITS
from cardgames.text import Text
from web.classroom.core.models import (
    CODE,
    of_class,
    of_student,
)
from web.classroom.homework.hands import answer_costs
from web.db.models import SLUG, Base
from web.deals.models import Deal
from web.tables.seat import ADVISED_GAMES

ADVISED_TABLES: Final = {slug: game.info.title for slug, game in ADVISED_GAMES.items()}
"""The titles of the tables with decisions, keyed by slug."""

MAX_TOURNAMENTS: Final = 20
"""Maximum number of tournaments per class."""

MAX_DEALS: Final = 20
"""Maximum number of deals per tournament."""


_NO_TITLE: Final = Text("Homework {number}")


def of_tournament() -> ForeignKeyConstraint:
    """Return the foreign key that deletes a row together with its tournament."""
    columns, referenced = (
        ("class_code", "tournament"),
        ("tournaments.class_code", "tournaments.number"),
    )
    return ForeignKeyConstraint([*columns], [*referenced], ondelete="CASCADE")


class Tournament(Base):
    """A series of deals, with all values that determine their cards."""

    __tablename__ = "tournaments"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012 - SQLAlchemy's own

    class_code: Mapped[str] = of_class()
    number: Mapped[int] = mapped_column(primary_key=True)
    """The tournament's number in its class, counted from 1."""

    title: Mapped[str] = mapped_column(String(40))
    table: Mapped[str] = mapped_column("game", SLUG)
    """The game's slug."""

    deals: Mapped[int]
    due: Mapped[float]
    """The due time, or 0 if only the instructor ends the tournament."""

    ended: Mapped[bool] = mapped_column(default=False)
    """Whether the tournament was shown as ended. A tournament that was shown as ended never
    reopens, even if the clock is changed.
    """

    salt: Mapped[bytes]
    about: Mapped[str] = mapped_column(String(40), default="")
    """The rule of thumb that is wrong for each first hand, or an empty string if any hand may be
    dealt.
    """

    skips: Mapped[list[int]] = mapped_column(JSON, default=list)
    """For each deal, the number of deals skipped before it because they had no hand of this kind.
    """

    costs: Mapped[list[list[list[float]]]] = mapped_column(JSON, default=list, deferred=True)
    """For each deal, the cost of each decision (:func:`cardgames.shared_deal.deal_costs`)."""

    puzzles: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    """The positions of the puzzles that replace the deals, or an empty list for homework of deals.
    """

    @property
    def has_puzzles(self) -> bool:
        """Whether the tournament consists of puzzles, which have one decision each."""
        return bool(self.puzzles)

    def puzzle(self, number: int) -> Position:
        """Return one of the tournament's puzzles by its number, counted from 1."""
        position: Position = msgspec.convert(self.puzzles[number - 1], Position)
        return position

    @property
    def game(self) -> AnyGame:
        """The game to play."""
        return GAMES[self.table]

    @property
    def heading(self) -> str:
        """The title, or by default the kind of hands or the tournament's number."""
        named = HABITS[self.about].about if self.about else _NO_TITLE.fill(number=self.number)
        return self.title or named

    def is_over(self, now: float) -> bool:
        """Return whether the tournament has ended at a given time."""
        return self.ended or (self.due > 0 and now >= self.due)

    def deal(self, number: int, skip: int | None = None) -> Deal:
        """Return a deal by its number, counted from 1, in the format of a deal link.

        Each deal has its own salt. A salt is shown after the tournament has ended. It does not
        reveal the salt of any other deal. ``skip`` is the number of earlier candidates for this
        deal that are skipped.
        """
        skip = sum(self.skips[number - 1 : number]) if skip is None else skip
        suffix = f"{number} {skip}" if skip else f"{number}"
        salt = hmac.digest(self.salt, f"cardgames tournament deal {suffix}".encode(), "sha256")
        choices = self.game.deals.read({}).choices
        return Deal(self.table, salt=salt[:SALT_BYTES], choices=choices)

    def work_out_costs(self) -> None:
        """Compute the cost of each decision; this takes about 40 ms for twenty deals."""
        if self.has_puzzles:
            numbers = range(1, self.deals + 1)
            self.costs = [[[*answer_costs(self.puzzle(number).odds)]] for number in numbers]
        elif advisor := self.game.advisor:
            deals = (self.deal(number).shared for number in range(1, self.deals + 1))
            self.costs = [[[*cost] for cost in deal_costs(deal, advisor)] for deal in deals]

    def score(self, number: int, moves: str) -> float:
        """Return the points given away in a round at a deal.

        Args:
            number: The deal's number, counted from 1.
            moves: The moves after the deal, as words of a record, or the answer to a puzzle.
        """
        costs: DealCosts = tuple(DecisionCost(*cost) for cost in self.costs[number - 1])
        if self.has_puzzles:
            return POINTS * (costs[0].hit if moves == "hit" else costs[0].stay)
        line = PlayedLine.of(self.deal(number).record(moves))
        return POINTS * line_cost(costs, line)


class TournamentPlay(Base):
    """A student's round at a deal of a tournament."""

    __tablename__ = "tournament_plays"
    __table_args__ = (
        of_tournament(),
        of_student(),
        Index("plays_of_students", "class_code", "student"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    tournament: Mapped[int] = mapped_column(primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    deal: Mapped[int] = mapped_column(primary_key=True)
    """The deal's number, counted from 1. A student plays the deals in order, without a gap."""

    moves: Mapped[str]
    """The moves after the deal, as words of a record."""

    winner: Mapped[str] = mapped_column(String(20))
    """The winner (for a puzzle, ``right`` or ``wrong``), or an empty string while the round is
    open.
    """

    score: Mapped[float | None]
    """The points given away, or None while the round is open."""

    finished: Mapped[float | None]
    """The time at which the round ended."""
