"""Votes: a class answers, talks it over, answers again, and then sees what is right and why.

What a vote asks, how far it is and what came of it is data of the class (:class:`Vote`), which only
an instructor's moves change. What a student has answered is a row of that student and vote alone,
so sixty can answer at once. Pages show sums: those are counted once, when a ballot has closed, and
nobody is taken out of them again, so they never tell what a student who leaves has answered.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec

from cardgames.text import Text
from web.classroom.questions import Question
from web.classroom.rows import HEAD, ClassCounters, ClassRows, place_of, student_key
from web.storage.store import Put, Read, pack

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


class Answer(NamedTuple):
    """What a student has answered."""

    choice: str
    """The name of one of the choices."""

    sure: Annotated[int, msgspec.Meta(ge=1, le=3)]
    """How sure they are: one of :data:`SURE`."""


Answers = dict[int, Answer]
"""What a student has answered in a vote, by the ballot: 1 or 2."""

Counts = dict[str, tuple[int, int, int]]
"""How many have chosen what, of each how many for each of :data:`SURE`."""


class Changes(NamedTuple):
    """How many have changed their mind, of those who have answered twice."""

    better: int = 0
    """From a wrong answer to the right one."""

    worse: int = 0
    """From the right answer to a wrong one."""

    of: int = 0
    """How many have answered twice."""


def count(answers: Iterable[Answers], ballot: int) -> Counts:
    """Return how many have chosen what in a ballot.

    >>> count([{1: Answer("hit", 3)}, {1: Answer("hit", 1)}, {2: Answer("stay", 2)}], 1)
    {'hit': (1, 0, 1)}
    """
    found: dict[str, list[int]] = {}
    for given in answers:
        if answer := given.get(ballot):
            found.setdefault(answer.choice, [0] * len(SURE))[answer.sure - 1] += 1
    return {choice: (grades[0], grades[1], grades[2]) for choice, grades in found.items()}


def changes(answers: Iterable[Answers], right: str) -> Changes:
    """Return how many have changed their mind between the two ballots, to what is right or away.

    >>> wrong, best = Answer("hit", 1), Answer("stay", 1)
    >>> changes([{1: wrong, 2: best}, {1: best, 2: best}, {2: best}, {1: best, 2: wrong}], "stay")
    Changes(better=1, worse=1, of=3)
    """
    twice = [
        (one[1].choice == right, one[2].choice == right) for one in answers if {1, 2} <= {*one}
    ]
    return Changes(twice.count((False, True)), twice.count((True, False)), len(twice))


class Bar(NamedTuple):
    """How many have chosen an answer."""

    name: str
    label: str
    number: int
    share: float
    """Of all who have answered."""

    sure: tuple[int, int, int]


class Vote(msgspec.Struct, frozen=True, array_like=True):
    """A vote of a class, as it is kept."""

    number: int
    opened: float
    question: Question
    ballot: Literal[1, 2] = 1
    """Before or after the talk."""

    is_open: bool = True
    """Whether answers are taken."""

    has_bars: bool = False
    """Whether the instructor shows the sums of the ballot that has closed."""

    is_solved: bool = False
    """Whether the right answer is shown, and with it all sums."""

    counts: tuple[Counts, ...] = ()
    """The sums of the ballots, once they are counted."""

    changes: Changes = Changes()

    @property
    def phase(self) -> Literal["open", "talk", "closed", "solved"]:
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
        return self.question.choices

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

    def closed(self) -> "Vote":
        """Return it without answers being taken any more."""
        return msgspec.structs.replace(self, is_open=False)

    def counted(self, answers: Collection[Answers]) -> "Vote":
        """Return it with the sums of the ballot that has closed, unless it has them.

        Args:
            answers: all that are kept of this vote.
        """
        if len(self.counts) >= self.ballot:
            return self
        counts = (*self.counts, count(answers, self.ballot))
        return msgspec.structs.replace(self, counts=counts)

    def solved(self, answers: Collection[Answers]) -> "Vote":
        """Return it with the right answer shown, and all sums.

        Args:
            answers: all that are kept of this vote.
        """
        found = changes(answers, self.question.right)
        after = self.counted(answers)
        return msgspec.structs.replace(after, is_open=False, is_solved=True, changes=found)

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


def may_ask(votes: Sequence[Vote]) -> bool:
    """Return whether a class can be asked something new: nothing is open, and there is room."""
    return len(votes) < MAX_VOTES and not (votes and votes[-1].is_open)


class VoteStore(ClassRows):
    """What students have answered: rows of their class, one for each student and vote."""

    def answer(
        self, code: str, seen: ClassCounters, vote: Vote, student: int, answer: Answer
    ) -> bool:
        """Keep what a student answers in the ballot that is open, in place of an earlier answer.

        Args:
            code: the class's.
            seen: what was read of it, when the vote was open.
            vote: the vote.
            student: the student's number.
            answer: the answer.

        Returns:
            whether it was kept: not if the class has changed, or the student has gone.
        """
        key, owner = answer_key(vote.number, student), student_key(student)

        def rows(head: ClassCounters, read: Read) -> Put | None:
            if head.version != seen.version or not read[owner].revision:
                return None
            return {key: pack((read.value(key, Answers) or {}) | {vote.ballot: answer})}

        # The head stays as it was read: whatever closes a ballot writes it.
        return self._update(code, (HEAD, key, owner), rows)

    def answers(self, code: str, vote: int) -> list[Answers]:
        """Return all answers of a vote, without whose they are."""
        prefix = f"answer/{vote:04}/"
        return [*self._store.scan(place_of(code), prefix).values(prefix, Answers).values()]

    def of(self, code: str, student: int, vote: int) -> Answers:
        """Return what a student has answered in a vote."""
        return self._value(code, answer_key(vote, student), Answers) or {}

    def all_of(self, code: str, student: int) -> dict[int, Answers]:
        """Return what a student has answered in all votes, by their numbers."""
        keys = {answer_key(vote, student): vote for vote in range(1, MAX_VOTES + 1)}
        read = self._store.read(place_of(code), *keys)
        return {vote: given for key, vote in keys.items() if (given := read.value(key, Answers))}

    def keys_of(self, code: str, students: Collection[int]) -> list[str]:
        """Return the rows that go with some students."""
        # Also those that are not there: an answer may be on its way while its student is forgotten.
        head, _ = self._read(code)
        votes = range(1, head.votes + 1) if head else ()
        return [answer_key(vote, student) for vote in votes for student in students]


def answer_key(vote: int, student: int) -> str:
    """Return the key of what a student has answered in a vote."""
    return f"answer/{vote:04}/{student:04}"


def kept_answers(answers: Mapping[int, Answers]) -> list[dict[str, Any]]:
    """Return what is kept of a student's answers, as JSON for that student."""
    return [
        {"vote": vote, "ballot": ballot, **answer._asdict()}
        for vote, given in answers.items()
        for ballot, answer in sorted(given.items())
    ]
