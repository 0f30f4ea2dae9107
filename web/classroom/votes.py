"""Votes: a class answers, talks it over, answers again, and then sees what is right and why.

What a vote asks, how far it is and what came of it is a row (:class:`Vote`), which only an
instructor's moves change. What a student has answered in a ballot is a row of that student
(:class:`VoteAnswer`). Pages show sums: those are counted once, when a ballot has closed, and nobody
is taken out of them again, so they never tell what a student who leaves has answered.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import msgspec
from sqlalchemy import (
    JSON,
    ForeignKeyConstraint,
    Index,
    SmallInteger,
    String,
    bindparam,
    func,
    select,
)
from sqlalchemy.dialects.postgresql import insert  # SQLite has the same clause
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.types import TypeDecorator

from cardgames.text import Text
from web import db
from web.classroom.models import CODE, Classroom, of_class, of_student
from web.classroom.questions import Question
from web.db.models import Base

MAX_VOTES: Final = 60
"""Maximum number of votes in a class."""

MIN_ANSWERS: Final = 3
"""Minimum number of answers of which sums are shown: fewer could tell who has answered what."""

SURE: Final[Mapping[int, Text]] = {
    1: Text("I am guessing"),
    2: Text("Fairly sure"),
    3: Text("Certain"),
}
"""How sure somebody is of an answer."""


Phase = Literal["open", "talk", "closed", "solved"]
"""How far a vote is."""


class Answer(NamedTuple):
    """What a student has answered in a ballot."""

    choice: str
    """The name of one of the choices."""

    sure: int
    """How sure they are: one of :data:`SURE`."""


Answers = dict[int, Answer]
"""What a student has answered in a vote, by the ballot: 1 or 2."""

Counts = dict[str, list[int]]
"""How many have chosen what, of each how many for each of :data:`SURE`."""


class Changes(NamedTuple):
    """How many have changed their mind, of those who have answered twice."""

    better: int = 0
    """From a wrong answer to the right one."""

    worse: int = 0
    """From the right answer to a wrong one."""

    of: int = 0
    """How many have answered twice."""


class Bar(NamedTuple):
    """How many have chosen an answer."""

    name: str
    label: str
    number: int
    share: float
    """Of all who have answered."""

    sure: Sequence[int]


class _Asked(TypeDecorator[Any]):
    """A column of questions, as JSON."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: object) -> Any:  # noqa: ARG002
        """Return what is kept of a question."""
        return msgspec.to_builtins(value)

    def process_result_value(self, value: Any, dialect: object) -> Any:  # noqa: ARG002
        """Return the question that was kept."""
        return msgspec.convert(value, Question)


class Vote(Base):
    """A vote of a class."""

    __tablename__ = "votes"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012 - SQLAlchemy's own

    class_code: Mapped[str] = of_class()
    number: Mapped[int] = mapped_column(primary_key=True)
    """Counts up in its class, from 1."""

    opened: Mapped[float]
    question: Mapped[Any] = mapped_column(_Asked)
    """One of :mod:`~web.classroom.questions`."""

    ballot: Mapped[Literal[1, 2]] = mapped_column(SmallInteger, default=1)
    """Before or after the talk."""

    is_open: Mapped[bool] = mapped_column(default=True)
    """Whether answers are taken."""

    has_bars: Mapped[bool] = mapped_column(default=False)
    """Whether the instructor shows the sums of the ballot that has closed."""

    is_solved: Mapped[bool] = mapped_column(default=False)
    """Whether the right answer is shown, and with it all sums."""

    counts: Mapped[list[Counts]] = mapped_column(JSON, default=list)
    """The sums of the ballots, once they are counted."""

    better: Mapped[int] = mapped_column(default=0)
    """With the next two, how many have changed their mind (:class:`Changes`)."""

    worse: Mapped[int] = mapped_column(default=0)
    twice: Mapped[int] = mapped_column(default=0)

    @property
    def changes(self) -> Changes:
        """How many have changed their mind."""
        return Changes(self.better, self.worse, self.twice)

    @property
    def phase(self) -> Phase:
        """How far it is."""
        if self.is_solved:
            return "solved"
        if self.is_open:
            return "open"
        return "talk" if self.ballot == 1 else "closed"

    @property
    def ballots(self) -> tuple[int, ...]:
        """The ballots whose sums are shown now."""
        if self.is_solved:
            return tuple(range(1, len(self.counts) + 1))
        is_counted = len(self.counts) >= self.ballot
        return (self.ballot,) if self.has_bars and is_counted else ()

    @property
    def choices(self) -> dict[str, str]:
        """The answers to choose from, by their names."""
        choices: dict[str, str] = self.question.choices
        return choices

    def total(self, ballot: int) -> int:
        """Return how many have answered in a ballot that is counted."""
        if ballot > len(self.counts):
            return 0
        return sum(sum(grades) for grades in self.counts[ballot - 1].values())

    def bars(self, ballot: int) -> list[Bar]:
        """Return the sums of a ballot that are shown; none of fewer than three answers."""
        total = self.total(ballot)
        if ballot not in self.ballots or total < MIN_ANSWERS:
            return []
        none, found = (0, 0, 0), []
        for name, label in self.choices.items():
            sure = self.counts[ballot - 1].get(name, none)
            found.append(Bar(name, label, sum(sure), sum(sure) / total, sure))
        return found

    @property
    def has_changes(self) -> bool:
        """Whether it is shown how many have changed their mind."""
        return self.is_solved and self.changes.of >= MIN_ANSWERS

    def document(self) -> dict[str, Any]:
        """Return what is shown of it as JSON."""
        bars = {str(ballot): self._bar_documents(ballot) for ballot in self.ballots}
        document = {
            "number": self.number,
            "phase": self.phase,
            "ballot": self.ballot,
            "about": self.question.title,
            "question": self.question.text,
            **self.question.document(),
            "choices": self.choices,
            "bars": bars,
        }
        if self.is_solved:
            solution = {"right": self.question.right, "why": self.question.why}
            document |= {"solution": solution | self.question.solution()}
            document["changes"] = self.changes._asdict() if self.has_changes else None
        return document

    def _bar_documents(self, ballot: int) -> dict[str, Any] | None:
        bars = self.bars(ballot)
        return {bar.name: {"number": bar.number, "sure": bar.sure} for bar in bars} or None


class VoteAnswer(Base):
    """What a student has answered in a ballot of a vote."""

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


# ---- What is asked and written -------------------------------------------------------------------

_answers: Any = VoteAnswer.__table__
_in_vote: Final = (
    _answers.c.class_code == bindparam("code"),
    _answers.c.vote == bindparam("vote"),
)
_ANSWERED: Final = (
    select(func.count())
    .select_from(_answers)
    .where(*_in_vote, _answers.c.ballot == bindparam("ballot"))
)
_COUNTS: Final = (
    select(_answers.c.choice, _answers.c.sure, func.count())
    .where(*_in_vote, _answers.c.ballot == bindparam("ballot"))
    .group_by(_answers.c.choice, _answers.c.sure)
    .order_by(_answers.c.choice)
)
_second: Any = _answers.alias()
_CHANGES: Final = (
    select(
        _answers.c.choice == bindparam("right"),
        _second.c.choice == bindparam("right"),
        func.count(),
    )
    .where(
        *(*_in_vote, _second.c.ballot > _answers.c.ballot),
        *(_second.c[name] == _answers.c[name] for name in ("class_code", "vote", "student")),
    )
    .group_by(_answers.c.choice == bindparam("right"), _second.c.choice == bindparam("right"))
)
_OWN: Final = (
    select(*(_answers.c[name] for name in ("vote", "ballot", "choice", "sure")))
    .where(_answers.c.class_code == bindparam("code"), _answers.c.student == bindparam("student"))
    .order_by(_answers.c.vote, _answers.c.ballot)
)
_NEW: Final = insert(_answers)
_ANSWER: Final = _NEW.on_conflict_do_update(
    index_elements=[*_answers.primary_key],
    set_={name: _NEW.excluded[name] for name in ("choice", "sure")},
)


def votes_in(code: str) -> list[Vote]:
    """Return the votes of a class, the oldest first."""
    return [
        *db.session().scalars(select(Vote).where(Vote.class_code == code).order_by(Vote.number))
    ]


def newest_vote(classroom: Classroom) -> Vote | None:
    """Return the newest vote of a class."""
    if not classroom.vote_phase:
        return None
    newest = (
        select(Vote).where(Vote.class_code == classroom.code).order_by(Vote.number.desc()).limit(1)
    )
    return db.session().scalar(newest)


def vote_on(classroom: Classroom) -> Vote | None:
    """Return the newest vote while it is open, or on the big screen: students are led there."""
    return newest_vote(classroom) if classroom.leads_to_vote else None


def may_ask(classroom: Classroom, newest: Vote | None) -> bool:
    """Return whether a class can be asked something new: nothing is open, and there is room."""
    has_room = newest is None or (newest.number < MAX_VOTES and not newest.is_open)
    return has_room and not classroom.closed


def keep_answer(vote: Vote, student: int, answer: Answer) -> None:
    """Keep what a student answers in the ballot that is on, in place of an earlier answer."""
    key = {"class_code": vote.class_code, "vote": vote.number, "ballot": vote.ballot}
    db.execute(_ANSWER, **key, student=student, **answer._asdict())


def own_answers(code: str, student: int) -> dict[int, Answers]:
    """Return what a student has answered in all votes, by their numbers."""
    found: dict[int, Answers] = {}
    for vote, ballot, choice, sure in db.execute(_OWN, code=code, student=student):
        found.setdefault(vote, {})[ballot] = Answer(choice, sure)
    return found


def answered(vote: Vote) -> int:
    """Return how many have answered in the newest ballot of a vote."""
    if len(vote.counts) >= vote.ballot:
        return vote.total(vote.ballot)
    which = {"code": vote.class_code, "vote": vote.number, "ballot": vote.ballot}
    return int(db.execute(_ANSWERED, **which).scalar() or 0)


def count_answers(vote: Vote) -> None:
    """Count the ballot that has closed, unless it is counted."""
    if len(vote.counts) >= vote.ballot:
        return
    counts: Counts = {}
    which = {"code": vote.class_code, "vote": vote.number, "ballot": vote.ballot}
    for choice, sure, number in db.execute(_COUNTS, **which):
        counts.setdefault(choice, [0] * len(SURE))[sure - 1] = number
    vote.counts = [*vote.counts, counts]


def count_changes(vote: Vote) -> None:
    """Count who has changed their mind between the two ballots, to what is right or away."""
    which = {"code": vote.class_code, "vote": vote.number}
    found = {
        (before, after): number
        for before, after, number in db.execute(_CHANGES, **which, right=vote.question.right)
    }
    vote.better, vote.worse = found.get((False, True), 0), found.get((True, False), 0)
    vote.twice = sum(found.values())


def close_vote(classroom: Classroom) -> dict[str, str]:
    """Take no more answers; return what changes of the class, to be written with what is dealt."""
    vote = newest_vote(classroom)
    if vote is None or not vote.is_open:
        return {}
    vote.is_open = False
    return {"vote_phase": vote.phase}


def kept_answers(code: str, student: int) -> list[dict[str, Any]]:
    """Return what is kept of a student's answers, as JSON for that student."""
    return [
        {"vote": vote, "ballot": ballot, **answer._asdict()}
        for vote, given in own_answers(code, student).items()
        for ballot, answer in given.items()
    ]
