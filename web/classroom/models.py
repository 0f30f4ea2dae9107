"""The tables of a class: the class itself, its students and their browsers, its rounds of Bingo.

A POST locks the class's own row before it reads anything else of the class, so what a view has read
is still so when it writes. What belongs to a class or to a student goes with it, by cascade.
"""

from typing import Final, Literal

from sqlalchemy import (
    JSON,
    Enum,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.card import BingoCard, Kind, salted_card
from cardgames.class_bingo.clock import Clock
from cardgames.games.bingo.rules import Mode
from web.models import SLUG, Base
from web.puzzles.series import Drill

SIGN_ON: Final = "sign-on"
"""Real names are the logins that students sign on with."""

CODE: Final = String(5)
"""The type of a class's code."""

HASH: Final = String(64)
"""The type of what stands for a browser, a login or a link."""


def of_class() -> Mapped[str]:
    """Return a column of a table's key that holds its class's code."""
    return mapped_column(ForeignKey("classes.code", ondelete="CASCADE"), primary_key=True)


def of_student(*columns: str) -> ForeignKeyConstraint:
    """Return the constraint that a row goes with its student.

    Args:
        *columns: the columns of the class's code and the student's number, where they have other
            names.
    """
    own = columns or ("class_code", "student")
    return ForeignKeyConstraint(
        [*own], ["students.class_code", "students.number"], ondelete="CASCADE"
    )


def of_round() -> ForeignKeyConstraint:
    """Return the constraint that a row goes with its round."""
    return ForeignKeyConstraint(
        ["class_code", "round"], ["class_rounds.class_code", "class_rounds.number"],
        ondelete="CASCADE",
    )  # fmt: skip


class Classroom(Base):
    """A class: what its instructor has chosen, and the numbers that everybody asks for."""

    __tablename__ = "classes"

    code: Mapped[str] = mapped_column(CODE, primary_key=True)
    expires: Mapped[int] = mapped_column(index=True)
    """When it ends, in seconds since 1970."""

    version: Mapped[int] = mapped_column(default=1)
    """Raised by every move of an instructor."""

    changes: Mapped[int] = mapped_column(default=0)
    """Raised whenever a student joins, leaves or is changed, or has finished a tournament."""

    # ---- What the instructor has chosen

    title: Mapped[str] = mapped_column(String(60))
    nicknames: Mapped[Literal["offered", "free"]] = mapped_column(String(8))
    real: Mapped[Literal["no", "may", "must", "sign-on"]] = mapped_column(String(8))
    limit: Mapped[int]
    days: Mapped[int]
    opened: Mapped[float]
    opener: Mapped[str] = mapped_column(HASH)
    """What stands for the browser that opened it."""

    show: Mapped[str] = mapped_column(String(10), default="join")
    """What the big screen shows."""

    locked: Mapped[bool] = mapped_column(default=False)
    closed: Mapped[bool] = mapped_column(default=False)
    standings: Mapped[int] = mapped_column(default=0)
    """The number of the tournament on the big screen; 0 for the newest."""

    drill_table: Mapped[str] = mapped_column(SLUG, default="")
    """With the next the hands that students are to practise; empty for none."""

    drill_habit: Mapped[str] = mapped_column(String(40), default="")
    roster: Mapped[list[list[str]]] = mapped_column(JSON, default=list)
    """Who should come: of each the name, the login and the e-mail address."""

    # ---- Its newest round, and the clock

    round_number: Mapped[int] = mapped_column(default=0)
    """The number of the newest round; 0 before the first."""

    is_open: Mapped[bool] = mapped_column(default=False)
    """Whether that round is still on."""

    claims: Mapped[int] = mapped_column(default=0)
    """The number of claims in that round."""

    right: Mapped[int] = mapped_column(default=0)
    """How many of them were right since the round last went on: while there are any, it waits."""

    called: Mapped[int] = mapped_column(default=0)
    """With the next three the clock of that round (:class:`~cardgames.class_bingo.clock.Clock`)."""

    since: Mapped[float] = mapped_column(default=0.0)
    every: Mapped[int] = mapped_column(default=0)
    stop: Mapped[int] = mapped_column(default=DECK_SIZE)
    next_card: Mapped[int] = mapped_column(default=1)
    """The next number of a card that nobody has had in that round."""

    # ---- Its students

    joined: Mapped[int] = mapped_column(default=0)
    """The number of the student who joined last."""

    members: Mapped[int] = mapped_column(default=0)
    """The number of students that there are."""

    # ---- Its newest vote

    vote_phase: Mapped[str] = mapped_column(String(6), default="")
    """How far the newest vote is, as its row has it; empty where there is none."""

    has_vote: Mapped[bool] = mapped_column(default=False)
    """Whether a vote is on: it is open, or talked over."""

    @property
    def leads_to_vote(self) -> bool:
        """Whether students are led to the newest vote: it is open, or on the big screen."""
        is_shown = self.show == "vote" and self.vote_phase != ""
        return not self.closed and (is_shown or self.vote_phase == "open")

    @property
    def drill(self) -> Drill | None:
        """Hands that the students are to practise."""
        return Drill(self.drill_table, self.drill_habit) if self.drill_table else None

    @property
    def asks_sign_on(self) -> bool:
        """Whether students are known by the login that they sign on with, in any browser."""
        return self.real == SIGN_ON

    @property
    def takes_new(self) -> bool:
        """Whether somebody may join."""
        return not (self.locked or self.closed)

    @property
    def clock(self) -> Clock:
        """When the cards of the newest round are called."""
        return Clock(self.called, self.since, self.every, self.stop)


class Student(Base):
    """A student of a class."""

    __tablename__ = "students"
    __table_args__ = (
        UniqueConstraint("class_code", "name_key"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = of_class()
    number: Mapped[int] = mapped_column(primary_key=True)
    """Counts up in the class, from 1."""

    name: Mapped[str] = mapped_column(String(24))
    name_key: Mapped[str] = mapped_column(String(200))
    """What two nicknames that look alike have in common."""

    offered: Mapped[bool]
    """Whether the nickname is one of those that can be offered."""

    real_name: Mapped[str] = mapped_column(String(80), default="")
    joined: Mapped[float]
    state: Mapped[Literal["in", "out", "banned"]] = mapped_column(String(6), default="in")
    renamed: Mapped[float] = mapped_column(default=0.0)
    """When the instructor has last changed the nickname."""

    generation: Mapped[int] = mapped_column(default=0)
    """How many new rejoin codes there have been."""

    wrong_codes: Mapped[list[float]] = mapped_column(JSON, default=list)
    """When wrong rejoin codes were sent: the times that count for the limit."""

    marks_round: Mapped[int] = mapped_column(default=0)
    """A round played by hand, with the positions covered, as bits."""

    marks: Mapped[int] = mapped_column(default=0)
    seen: Mapped[float] = mapped_column(default=0.0)
    """When the student was last seen, and at which page."""

    seen_at: Mapped[str] = mapped_column(String(40), default="")
    rounds: Mapped[int] = mapped_column(default=0)
    """In how many of the rounds that are kept the student had a card, and how many they won."""

    won: Mapped[int] = mapped_column(default=0)


class Browser(Base):
    """A browser of a student, or a login, by what stands for it in the class."""

    __tablename__ = "class_browsers"
    __table_args__ = (
        of_student(),
        Index("browsers_of_students", "class_code", "student"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    key: Mapped[str] = mapped_column(HASH, primary_key=True)
    student: Mapped[int]
    number: Mapped[int]
    """The browsers of a student in the order in which they came."""


class Dashboard(Base):
    """A dashboard that was handed on."""

    __tablename__ = "class_dashboards"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012 - SQLAlchemy's own

    class_code: Mapped[str] = of_class()
    number: Mapped[int] = mapped_column(primary_key=True)
    """Counts up in its class, from 1."""

    at: Mapped[float]
    """When it was handed on."""

    link: Mapped[str] = mapped_column(HASH)
    """The hash of its link; empty for one that the server's command has made."""

    browser: Mapped[str] = mapped_column(HASH, default="")
    """Who has used the link; empty before."""

    used: Mapped[float] = mapped_column(default=0.0)
    """When the link was used."""

    label: Mapped[str] = mapped_column(String(40), default="")
    """For whom it is, in the words of the instructor who has handed it on."""

    seen: Mapped[float] = mapped_column(default=0.0)
    """When it was last seen open."""


class BingoRound(Base):
    """A round of class Bingo: all that its cards follow from, and how it has ended."""

    __tablename__ = "class_rounds"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012 - SQLAlchemy's own

    class_code: Mapped[str] = of_class()
    number: Mapped[int] = mapped_column(primary_key=True)
    mode: Mapped[Mode] = mapped_column(
        Enum(Mode, native_enum=False, length=8, values_callable=lambda modes: [*map(str, modes)])
    )
    speed: Mapped[bool]
    by_hand: Mapped[bool]
    salt: Mapped[str] = mapped_column(String(32))
    """What all its decks follow from."""

    began: Mapped[float]
    every: Mapped[int]
    paper: Mapped[int] = mapped_column(default=0)
    """Cards 1 to this number are in play on paper."""

    resumptions: Mapped[int] = mapped_column(default=0)
    """How often it has gone on after a BINGO!"""

    resumed_at_call: Mapped[int] = mapped_column(default=0)
    """The call at which it last went on."""

    void: Mapped[bool] = mapped_column(default=False)
    reason: Mapped[str] = mapped_column(String(80), default="")
    calls: Mapped[int | None]
    """How many cards had been called when it ended; none while it is on."""

    ended: Mapped[float | None]
    dealt: Mapped[list[int]] = mapped_column(JSON)  # the longest one last: the others are near
    """The students it was dealt to, whose numbers their cards have."""

    @property
    def kind(self) -> Kind:
        """What kind of round it is."""
        return Kind(self.mode, self.speed)

    def card(self, number: int) -> BingoCard:
        """Return a card of the round."""
        return salted_card(self.salt, number, self.kind)


class LateCard(Base):
    """A card of a round that a student has got after the deal."""

    __tablename__ = "class_late_cards"
    __table_args__ = (
        of_student(),
        of_round(),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    student: Mapped[int] = mapped_column(primary_key=True)
    card: Mapped[int]
    """Its number; 0 where none was left."""

    from_call: Mapped[int]
    """How many cards had been called when it came into play."""


class CardHad(Base):
    """The card that a browser had in the round that is on, as a student who it is no more.

    It outlives the student, who is not named: until the round is over the browser gets no other.
    """

    __tablename__ = "class_cards_had"
    __table_args__ = (of_round(), UniqueConstraint("class_code", "round", "browser"))

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    class_code: Mapped[str] = mapped_column(CODE)
    round: Mapped[int]
    browser: Mapped[str] = mapped_column(HASH)
    card: Mapped[int]
    """Its number; 0 where none was left."""


class PlayedCard(Base):
    """A card that was in play when its round ended."""

    __tablename__ = "class_cards"
    __table_args__ = (
        of_round(),
        # With all that is asked of a student's cards: else SQLite goes through those of the class.
        Index("cards_of_students", "class_code", "student", "round", "from_call", "rank"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    card: Mapped[int] = mapped_column(primary_key=True)
    student: Mapped[int]
    """The number of its student, who may be gone; 0 for a card on paper."""

    from_call: Mapped[int]
    rank: Mapped[int | None]
    """The place that it has won, with the call; none for none."""

    rank_call: Mapped[int | None]


class Claim(Base):
    """BINGO! said in a round: of a card and a call there is one."""

    __tablename__ = "class_claims"
    __table_args__ = (
        of_round(),
        UniqueConstraint("class_code", "round", "card", "call"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = mapped_column(CODE, primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """The claims of a round in the order in which they came."""

    card: Mapped[int]
    call: Mapped[int]
    resumptions: Mapped[int]
    since: Mapped[int]
