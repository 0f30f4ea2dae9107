"""The tables of homework: some deals in a row, and what students have played of them.

URLs, JSON and tables call a homework a tournament.

Each deal that a student has begun is a row, which is deleted with the student: what was done there
and, once it is over, how many points it gave away.

What a decision costs depends on the deal alone: all that can differ is how long somebody hits. So
two numbers a decision, what stopping and what hitting gives away there, say what any student's
round has cost. They are worked out when the tournament is made.
"""

import hmac
from typing import Final

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
from cardgames.shared_deal import DealCosts, DecisionCost, PlayedLine, deal_costs, line_cost
from cardgames.shuffling import SALT_BYTES
from cardgames.strategies.habits import HABITS
from cardgames.text import Text
from web.classroom.core.models import (
    CODE,
    of_class,
    of_student,
)
from web.db.models import SLUG, Base
from web.deals.models import Deal

ADVISED_TABLES: Final = {slug: game.info.title for slug, game in GAMES.items() if game.advisor}
"""The tables where there is something to decide, by their slugs: nobody plays better than others
elsewhere, and only there are the exact odds known."""

MAX_TOURNAMENTS: Final = 20
"""Maximum number of tournaments of a class."""

MAX_DEALS: Final = 20
"""Maximum number of deals of a tournament."""


_NO_TITLE: Final = Text("Homework {number}")


def of_tournament() -> ForeignKeyConstraint:
    """Return the constraint that a row goes with its tournament."""
    own, theirs = ("class_code", "tournament"), ("tournaments.class_code", "tournaments.number")
    return ForeignKeyConstraint([*own], [*theirs], ondelete="CASCADE")


class Tournament(Base):
    """Some deals in a row: all that their cards follow from."""

    __tablename__ = "tournaments"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012 - SQLAlchemy's own

    class_code: Mapped[str] = of_class()
    number: Mapped[int] = mapped_column(primary_key=True)
    """Counts up in its class, from 1."""

    title: Mapped[str] = mapped_column(String(40))
    table: Mapped[str] = mapped_column("game", SLUG)
    """The game's slug."""

    deals: Mapped[int]
    due: Mapped[float]
    """Until when it can be played; 0 for as long as the instructor lets it."""

    ended: Mapped[bool] = mapped_column(default=False)
    """Whether it was shown as over: then it stays so, whatever the clock says."""

    salt: Mapped[bytes]
    about: Mapped[str] = mapped_column(String(40), default="")
    """The habit that is wrong with each first hand; empty for any hands."""

    skips: Mapped[list[int]] = mapped_column(JSON, default=list)
    """Of each deal how many were passed over that have no such hand."""

    costs: Mapped[list[list[list[float]]]] = mapped_column(JSON, default=list, deferred=True)
    """Of each deal what each decision gives away (:func:`cardgames.shared_deal.deal_costs`)."""

    @property
    def game(self) -> AnyGame:
        """The game that is played."""
        return GAMES[self.table]

    @property
    def heading(self) -> str:
        """The title; where there is none, what the hands are, or the number."""
        named = HABITS[self.about].about if self.about else _NO_TITLE.fill(number=self.number)
        return self.title or named

    def is_over(self, now: float) -> bool:
        """Return whether it has ended by a time."""
        return self.ended or (self.due > 0 and now >= self.due)

    def deal(self, number: int, skip: int | None = None) -> Deal:
        """Return one of its deals, counted from 1: a deal link's, but that no link leads to it.

        The salt of one deal, shown when all is over, says nothing of any other. ``skip`` asks for
        one that may be passed over: 0 is the first for this number.
        """
        skip = sum(self.skips[number - 1 : number]) if skip is None else skip
        which = f"{number} {skip}" if skip else f"{number}"
        salt = hmac.digest(self.salt, f"cardgames tournament deal {which}".encode(), "sha256")
        choices = self.game.deals.read({}).choices
        return Deal(self.table, salt=salt[:SALT_BYTES], choices=choices)

    def work_out_costs(self) -> None:
        """Compute what each decision gives away: of twenty deals in about 40 ms."""
        if advisor := self.game.advisor:
            deals = (self.deal(number).shared for number in range(1, self.deals + 1))
            self.costs = [[[*cost] for cost in deal_costs(deal, advisor)] for deal in deals]

    def score(self, number: int, moves: str) -> float:
        """Return the points that a round at a deal gave away.

        Args:
            number: the deal's, counted from 1.
            moves: what was done after the deal, as words of a record.
        """
        costs: DealCosts = tuple(DecisionCost(*cost) for cost in self.costs[number - 1])
        line = PlayedLine.of(self.deal(number).record(moves))
        return POINTS * line_cost(costs, line)


class TournamentPlay(Base):
    """What a student has done at one deal of a tournament."""

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
    """Counted from 1. A student plays them in their order, without a gap."""

    moves: Mapped[str]
    """What was done after the deal, as words of a record."""

    winner: Mapped[str] = mapped_column(String(20))
    """Who won; empty while the round is open."""

    score: Mapped[float | None]
    """The points given away; None while the round is open."""

    finished: Mapped[float | None]
    """When it was over."""
