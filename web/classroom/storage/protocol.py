"""What the classroom needs of a store, whatever it is.

A class is a row that instructors' moves alone write, by compare-and-set on all of its numbers: a
move is decided on what was read, and written only if that is still so. Joining, claiming and
marking have writes of their own, so sixty phones at once are in nobody's way. All that belongs to
a class goes with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple, Protocol

from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from web.classroom.storage.charts import ChartStore
from web.classroom.storage.insight import InsightStore
from web.classroom.storage.tournaments import TournamentStore

MAX_STUDENTS: Final = 500
"""So many students a class can have at most."""

MAX_FINISHED: Final = 200
"""So many finished rounds are kept of a class: the newest."""


class Pulse(NamedTuple):
    """The numbers of a class, which everybody asks for again and again."""

    version: int
    """Raised by every move of an instructor."""

    students: int
    """Raised whenever somebody joins or leaves, is changed, or has finished a tournament."""

    claims: int
    """How many claims there are in the open round."""

    right: int
    """How many of them were right since the round last went on: while there are any, it waits."""

    round: int
    """The number of the newest round; 0 before the first."""

    is_open: bool
    """Whether that round is still on."""

    clock: Clock
    now: float
    """The store's own time when it was asked, in seconds."""

    @property
    def calls(self) -> int:
        """How many cards have been called by now."""
        return self.clock.called(self.now)


class StoredClass(NamedTuple):
    """A class as it lies in the store."""

    pulse: Pulse
    expires: int
    joined: int
    """How many students have ever joined: the newest one's number."""

    data: bytes


class StoredStudent(NamedTuple):
    """A student as they lie in the store."""

    number: int
    version: int
    data: bytes


class Presence(NamedTuple):
    """When somebody was last seen, and where."""

    at: float
    place: str


class RealNames(NamedTuple):
    """All the real names of a class."""

    given: Mapping[int, str]
    """What students have given, by their numbers."""

    roster: tuple[str, ...]
    """The list that the instructor has pasted."""


@dataclass(frozen=True, slots=True)
class StudentChange:
    """What is written of a student together with other things."""

    number: int
    version: int
    """The version that was read."""

    data: bytes | None
    """``None`` forgets the student, their real name and browsers included."""

    key: str = ""
    """What no two nicknames of a class have in common; empty if it stays."""

    browser: str = ""
    """Another browser of theirs, if any."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is written at once, if the class is still as it was read."""

    data: bytes | None = None
    """The class itself, after an instructor's move."""

    clock: Clock | None = None
    round: int | None = None
    """The number of a round that begins with this."""

    is_open: bool | None = None
    goes_on: bool = False
    """Whether the round goes on after a BINGO!: claims that were right are no reason to wait."""

    next_card: int | None = None
    """From which number on newcomers get cards: never one again in a round."""

    finished: tuple[int, bytes] | None = None
    """A round that is over, by its number."""

    students: tuple[StudentChange, ...] = ()
    roster: tuple[str, ...] | None = None
    forget_names: bool = False
    deals_played: bytes | None = None
    """What is kept of the browsers of forgotten students; nothing takes it away."""

    expires: int | None = None
    until: float = field(default=float("inf"))
    """When the store's time is later than this, nothing is written: a card has been called."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A student who joins."""

    data: bytes
    key: str
    """What no two nicknames of a class have in common."""

    browser: str
    receipt: str = ""
    """What else finds this student, if the answer is lost: as another browser would."""

    real: str = ""
    """The real name, if one is given."""

    limit: int = MAX_STUDENTS
    """How many students the class takes."""

    stop: int | None = None
    """The call at which their card has BINGO!, where the clock must not pass that."""

    until: float = float("inf")


class Refused(Enum):
    """Why somebody could not join."""

    CHANGED = "changed"
    """The class is not as it was read."""

    TAKEN = "taken"
    """Somebody else has the nickname."""

    FULL = "full"


class ClassStore(Protocol):
    """What the classroom needs of a store.

    All of it raises :class:`~web.storage.protocol.StoreUnavailable` when the store does not answer.
    """

    @property
    def insight(self) -> InsightStore:
        """How the students have played at the tables."""

    @property
    def charts(self) -> ChartStore:
        """The strategy charts that students have handed in."""

    @property
    def tournaments(self) -> TournamentStore:
        """What the students have played of tournaments."""

    def create(self, code: str, data: bytes, expires: int) -> bool:
        """Keep a new class; return False if its code is taken."""

    def load(self, code: str) -> StoredClass | None:
        """Return a class that has not expired."""

    def pulse(self, code: str) -> Pulse | None:
        """Return only the numbers of a class that has not expired."""

    def commit(self, code: str, seen: Pulse, change: Change) -> bool:
        """Write a change if the class and its students are as they were read.

        Returns:
            whether it was written.
        """

    def touch(self, code: str, expires: int) -> None:
        """Let a class live until a time at least."""

    def delete(self, code: str) -> None:
        """Forget a class and all that belongs to it."""

    def join(self, code: str, seen: Pulse, newcomer: Newcomer) -> int | Refused:
        """Add a student if the class is as it was read, but for other students.

        Returns:
            the student's number: the next one, or the browser's if it has joined already.
        """

    def students(self, code: str) -> tuple[StoredStudent, ...]:
        """Return all students, in the order of their numbers."""

    def student_of(self, code: str, browser: str) -> StoredStudent | None:
        """Return the student of a browser."""

    def save_student(self, code: str, student: StoredStudent) -> bool:
        """Write a student's own data if the version is what the store has, and raise it."""

    def take_card(self, code: str) -> int:
        """Return the next number of a card that nobody has, and never again."""

    def claim(self, code: str, seen: Pulse, claim: Claim, until: float) -> Claim | None:
        """Keep a claim, unless its card has one at that call already.

        The first right one stops the clock where it stands, in the same moment.

        Args:
            code: the class's.
            seen: what was read of it; the calls made are those of then.
            claim: what became of it.
            until: when the store's time is later than this, nothing is written.

        Returns:
            the claim that is kept: of a card and call the first; None if the class has changed.
        """

    def claims(self, code: str) -> tuple[Claim, ...]:
        """Return the claims of the newest round, in the order they came."""

    def finished(self, code: str) -> tuple[tuple[int, bytes], ...]:
        """Return the rounds that are over, by their numbers, the oldest first."""

    def real_names(self, code: str) -> RealNames:
        """Return all the real names of a class."""

    def has_real_name(self, code: str, number: int) -> bool:
        """Say whether a student has given a real name."""

    def note_presence(self, code: str, places: Mapping[str, str]) -> None:
        """Write where some browsers were seen just now."""

    def presence(self, code: str) -> Mapping[int, Presence]:
        """Return when each student was last seen, and where."""

    def keep_link(self, key: str, data: bytes, lifetime: int) -> None:
        """Keep what a one-time link is good for, for so many seconds."""

    def link(self, key: str) -> bytes | None:
        """Return what a one-time link is good for, if it is good still."""

    def take_link(self, key: str) -> bytes | None:
        """Return what a one-time link is good for, and end it."""

    def swap_link(self, key: str, old: bytes | None, new: bytes, lifetime: int) -> bool:
        """Keep other bytes under a key of the links, if it still holds what was read.

        Args:
            key: the key.
            old: what was read there; None for nothing.
            new: what is to be kept.
            lifetime: for how many seconds.

        Returns:
            whether it was written.
        """
