"""The tables of a class, its students, their browsers, and its rounds of Bingo.

A POST locks the class's row before it reads any other data of the class, so the data that a view
has read is still current when the view writes. The rows of a class or a student are deleted with
the class or the student, by cascade.
"""

from math import ceil
from typing import Any, ClassVar, Final, Literal

from sqlalchemy import (
    JSON,
    Enum,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    String,
    UniqueConstraint,
    and_,
    func,
)
from sqlalchemy.orm import Mapped, column_property, mapped_column

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.card import BingoCard, Kind, salted_card
from cardgames.class_bingo.clock import Clock
from cardgames.games.bingo.rules import Mode
from web.db.models import SLUG, Base
from web.puzzles.series import Drill

PAGES: Final = ("", "screen", "dashboard", "insight")
"""The pages that poll for changes. The empty string represents the students' pages."""

MAX_ASKED: Final = 150
"""Maximum number of polls per second by all pages of a class together."""

LIVE, RECENT, IDLE = 1, 3, 10
"""Polling intervals, in seconds: during a round; before the first round or soon after a round; and
at all other times.
"""

MAX_WRONG_CODES: Final = 10
"""Maximum number of wrong rejoin codes for a student in :data:`WRONG_CODES_WITHIN` seconds."""

WRONG_CODES_WITHIN: Final = 600

_RECENTLY: Final = 600
_DASHBOARD_REFRESH: Final = 15
"""Interval, in seconds, after which a dashboard is treated as changed, because students may have
left.
"""

_VOTE_REFRESH: Final = 3
"""The interval, in seconds, while a vote is in progress and the dashboard shows the number of
answers.
"""

SIGN_ON: Final = "sign-on"
"""The source of real names for a class whose students sign on: their logins."""

CODE: Final = String(5)
"""The column type for a class's code."""

HASH: Final = String(64)
"""The column type for the key of a browser, a login or a link."""


def of_class() -> Mapped[str]:
    """Return a primary-key column for the class's code."""
    return mapped_column(ForeignKey("classes.code", ondelete="CASCADE"), primary_key=True)


def of_student() -> ForeignKeyConstraint:
    """Return the foreign key that deletes a row together with its student."""
    student_columns = ["students.class_code", "students.number"]
    return ForeignKeyConstraint(["class_code", "student"], student_columns, ondelete="CASCADE")


def is_theirs(row: Any) -> Any:
    """Return the condition that the given columns identify a student."""
    return and_(row.class_code == Student.class_code, row.student == Student.number)


class Classroom(Base):
    """A class: its instructor's choices, and the numbers that every page needs.

    The object is a snapshot that :func:`web.classroom.core.access.load_class` returns.
    """

    __tablename__ = "classes"
    __allow_unmapped__ = True

    now: float = 0.0
    """The time of the snapshot."""

    newest_round: "BingoRound | None" = None
    """The class's newest round of Bingo, loaded together with the class."""

    code: Mapped[str] = mapped_column(CODE, primary_key=True)
    expires: Mapped[int] = mapped_column(index=True)
    """The time at which the class ends, in seconds since 1970."""

    step: Mapped[int] = mapped_column(default=1)
    """A number that is incremented by every move of an instructor."""

    changes: Mapped[int] = mapped_column(default=0)
    """A number that is incremented when a student joins, leaves, is changed, or finishes a
    tournament.
    """

    # ---- The instructor's choices

    title: Mapped[str] = mapped_column(String(60))
    nicknames: Mapped[Literal["offered", "free"]] = mapped_column(String(8))
    real: Mapped[Literal["no", "may", "must", "sign-on"]] = mapped_column(String(8))
    limit: Mapped[int]
    days: Mapped[int]
    opened: Mapped[float]
    opener: Mapped[str] = mapped_column(HASH)
    """The key of the browser that opened the class."""

    receipt: Mapped[str | None] = mapped_column(HASH, unique=True)
    """The hash of the form that opened the class, or None. It prevents the form from opening
    another class.
    """

    show: Mapped[str] = mapped_column(String(10), default="join")
    """The content of the big screen."""

    locked: Mapped[bool] = mapped_column(default=False)
    closed: Mapped[bool] = mapped_column(default=False)
    standings: Mapped[int] = mapped_column(default=0)
    """The number of the tournament on the big screen, or 0 for the newest tournament."""

    drill_table: Mapped[str] = mapped_column(SLUG, default="")
    """The database columns of the drill: its table, and its kind of hands. Both may be empty."""

    drill_habit: Mapped[str] = mapped_column(String(40), default="")
    roster: Mapped[list[list[str]]] = mapped_column(JSON, default=list)
    """The people who are expected to join, each with a name, a login and an e-mail address."""

    # ---- Its newest round, and the clock

    round_number: Mapped[int] = mapped_column(default=0)
    """The number of the newest round, or 0 before the first round."""

    is_open: Mapped[bool] = mapped_column(default=False)
    """Whether the newest round is open."""

    claims: Mapped[int] = mapped_column(default=0)
    """The number of claims in the newest round."""

    right: Mapped[int] = mapped_column(default=0)
    """The number of correct claims since the newest round last continued. While this number is not
    0, the clock is paused.
    """

    called: Mapped[int] = mapped_column(default=0)
    """This column and the next three are the clock of the newest round
    (:class:`~cardgames.class_bingo.clock.Clock`).
    """

    since: Mapped[float] = mapped_column(default=0.0)
    every: Mapped[int] = mapped_column(default=0)
    stop: Mapped[int] = mapped_column(default=DECK_SIZE)

    # ---- Its students

    joined: Mapped[int] = mapped_column(default=0)
    """The number of the student who joined last."""

    members: Mapped[int] = mapped_column(default=0)
    """The number of students in the class."""

    # ---- Its newest vote

    vote_phase: Mapped[str] = mapped_column(String(6), default="")
    """The phase of the newest vote, copied from the vote's row, or an empty string without a vote.
    """

    has_vote: Mapped[bool] = mapped_column(default=False)
    """Whether a vote is in progress: open, or being discussed."""

    @property
    def leads_to_vote(self) -> bool:
        """Whether students are redirected to the newest vote.

        They are redirected if the vote is open or on the big screen.
        """
        is_shown = self.show == "vote" and self.vote_phase != ""
        return not self.closed and (is_shown or self.vote_phase == "open")

    @property
    def drill(self) -> Drill | None:
        """The hands that students should practise."""
        return Drill(self.drill_table, self.drill_habit) if self.drill_table else None

    @property
    def asks_sign_on(self) -> bool:
        """Whether students are identified by their logins, in any browser."""
        return self.real == SIGN_ON

    @property
    def takes_new(self) -> bool:
        """Whether new students may join."""
        return not (self.locked or self.closed)

    @property
    def is_full(self) -> bool:
        """Whether all seats are taken."""
        return self.members >= self.limit

    @property
    def clock(self) -> Clock:
        """The clock that calls the cards of the newest round."""
        return Clock(self.called, self.since, self.every, self.stop)

    @property
    def calls(self) -> int:
        """The number of cards called in the newest round."""
        return self.clock.called(self.now)

    @property
    def open_round(self) -> "BingoRound | None":
        """The open round, or None."""
        newest = self.newest_round
        return newest if newest and newest.ended is None else None

    @property
    def asks_every(self) -> int:
        """Return a page's polling interval in seconds."""
        waits = self.round_number == 0 or self.now - self.since < _RECENTLY or self.has_vote
        every = LIVE if self.is_open else RECENT if waits else IDLE
        return max(every, ceil(self.members / MAX_ASKED))

    def etag(self, page: str = "") -> str:
        """Return a value that changes whenever the given page changes.

        A student's page does not change when others join.
        """
        tag = f"{self.step}.{self.calls}" + f".{self.right}" * bool(self.right)
        often = int(self.now) // (_VOTE_REFRESH if self.has_vote else _DASHBOARD_REFRESH)
        match page:
            case "screen":  # Between rounds the page shows the students at the tables.
                return f"{tag}-{self.changes}-{'' if self.is_open else often}"
            case "dashboard":
                return f"{tag}-{self.changes}-{self.claims}-{often}"
            case "insight":
                return f"{tag}-{self.changes}-{often}"
        return tag

    @property
    def document(self) -> dict[str, Any]:
        """The first items of every JSON object for a student."""
        return {"class": self.code, "title": self.title, "version": self.etag()}


class Student(Base):
    """A student of a class. The real name is loaded only if it is shown."""

    __tablename__ = "students"
    __table_args__ = (
        UniqueConstraint("class_code", "name_key"),
        {"sqlite_with_rowid": False},
    )

    class_code: Mapped[str] = of_class()
    number: Mapped[int] = mapped_column(primary_key=True)
    """The student's number in the class, counted from 1."""

    name: Mapped[str] = mapped_column(String(24))
    name_key: Mapped[str] = mapped_column(String(200))
    """A key that is the same for similar nicknames."""

    offered: Mapped[bool]
    """Whether the site offers this nickname."""

    real_name: Mapped[str] = mapped_column(String(80), default="", deferred=True)
    has_real_name: Mapped[bool] = column_property(real_name != "")
    joined: Mapped[float]
    state: Mapped[Literal["in", "out", "banned"]] = mapped_column(String(6), default="in")
    renamed: Mapped[float] = mapped_column(default=0.0)
    """The time at which the instructor last changed the nickname."""

    generation: Mapped[int] = mapped_column(default=0)
    """The number of times that the rejoin code was renewed."""

    wrong_codes: Mapped[list[float]] = mapped_column(JSON, default=list, deferred=True)
    """The times of the failed rejoin attempts that count towards the limit."""

    wrong_count: Mapped[int] = column_property(func.json_array_length(wrong_codes, type_=Integer))

    card: ClassVar[
        Any
    ]  # int | None, a column of another table that web.classroom.bingo.models maps
    """The number of the student's card in the newest round, 0 if it is out of play, or None if the
    student has no card.
    """

    marks_round: Mapped[int] = mapped_column(default=0)
    """The number of the round to which ``marks`` belongs. ``marks`` contains the positions that the
    student covered by hand, as bits.
    """

    marks: Mapped[int] = mapped_column(default=0)
    seen: Mapped[float] = mapped_column(default=0.0)
    """The time at which the student was last seen, and the page on which the student was seen."""

    seen_at: Mapped[str] = mapped_column(String(40), default="")
    rounds: Mapped[int] = mapped_column(default=0)
    """The number of stored rounds in which the student had a card, and the number of rounds that
    the student won.
    """

    won: Mapped[int] = mapped_column(default=0)

    @property
    def last_seen(self) -> float:
        """The time at which the student was last seen. Joining counts as being seen."""
        return max(self.seen, self.joined)

    @property
    def last_page(self) -> str:
        """The student's last page: a table, the card or the class's page."""
        return self.seen_at if self.seen > self.joined else ""

    @property
    def is_code_blocked(self) -> bool:
        """Whether the rejoin code is blocked until the instructor renews it."""
        return self.wrong_count >= MAX_WRONG_CODES

    def marks_in(self, round_number: int) -> int:
        """Return the positions covered by hand in a round, as bits."""
        return self.marks if self.marks_round == round_number else 0


class Browser(Base):
    """A student's browser or login, by its key in the class."""

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
    """A student's browsers in the order in which they were added."""


class Dashboard(Base):
    """A browser or a login that can open a shared dashboard of a class."""

    __tablename__ = "class_dashboards"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012 - SQLAlchemy's own

    class_code: Mapped[str] = of_class()
    key: Mapped[str] = mapped_column(HASH, primary_key=True)


class BingoRound(Base):
    """A round of class Bingo, with its end and the values that determine its cards."""

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
    """The salt from which all decks of the round are derived."""

    began: Mapped[float]
    every: Mapped[int]
    paper: Mapped[int] = mapped_column(default=0)
    """The cards from 1 to this number are in play on paper."""

    resumptions: Mapped[int] = mapped_column(default=0)
    """The number of times that the round continued after a BINGO!"""

    resumed_at_call: Mapped[int] = mapped_column(default=0)
    """The call at which the round last continued."""

    void: Mapped[bool] = mapped_column(default=False)
    reason: Mapped[str] = mapped_column(String(80), default="")
    calls: Mapped[int | None]
    """The number of called cards at the end of the round, or None while the round is open."""

    ended: Mapped[float | None]

    @property
    def kind(self) -> Kind:
        """The kind of the round."""
        return Kind(self.mode, self.speed)

    def card(self, number: int) -> BingoCard:
        """Return a card of the round."""
        return salted_card(self.salt, number, self.kind)
