"""What is written of a class at once, and what it does to the class's numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from web.classroom.model import Classroom, Member, RoundData, Student
from web.classroom.rows import ClassCounters
from web.storage.store import NEVER

MAX_STUDENTS: Final = 1_000
"""Maximum number of students in a class."""


class StoredClass(NamedTuple):
    """A class as it is kept, but for its students."""

    counters: ClassCounters
    classroom: Classroom
    claims: tuple[Claim, ...]
    """The claims of the newest round, in the order they came."""


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
class Change:
    """What is written at once, if the class is still as it was read."""

    classroom: Classroom | None = None
    """The class itself, after an instructor's move."""

    clock: Clock | None = None
    round: int | None = None
    """The number of a round that begins with this."""

    is_open: bool | None = None
    goes_on: bool = False
    """Whether the round goes on after a BINGO!: claims that were right are no reason to wait."""

    next_card: int | None = None
    """From which number on newcomers get cards: never one again in a round."""

    finished: RoundData | None = None
    """A round that is over."""

    students: tuple[Member, ...] = ()
    """Students with what is written of them, and the versions that were read."""

    gone: tuple[Member, ...] = ()
    """Students who are forgotten, with all that is kept of them."""

    roster: tuple[str, ...] | None = None
    forget_names: bool = False
    deals_played: bytes | None = None
    """What is kept of the browsers of forgotten students; nothing takes it away."""

    expires: int | None = None
    until: float = field(default=NEVER)
    """When the store's time is later than this, nothing is written: a card has been called."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A student who joins."""

    student: Student
    """The first of their browsers is the one that joins; others find the student as well."""

    real: str = ""
    """The real name, if one is given."""

    limit: int = MAX_STUDENTS
    """How many students the class takes."""

    stop: int | None = None
    """The call at which their card has BINGO!, where the clock must not pass that."""

    until: float = NEVER


class Refused(Enum):
    """Why somebody could not join."""

    CHANGED = "changed"
    """The class is not as it was read."""

    TAKEN = "taken"
    """Somebody else has the nickname."""

    FULL = "full"


def head_after(head: ClassCounters, change: Change) -> ClassCounters:
    """Return the numbers of a class after a change."""
    after = msgspec.structs.replace(
        head,
        version=head.version + (change.classroom is not None),
        students=head.students + bool(change.students or change.gone),
        members=head.members - len(change.gone),
        is_open=head.is_open if change.is_open is None else change.is_open,
        expires=head.expires if change.expires is None else change.expires,
        right=0 if change.goes_on else head.right,
        next_card=max(head.next_card, change.next_card or 0),
    )
    if change.clock is not None:
        after = after.with_clock(change.clock)
    if change.round is None:
        return after
    first = change.next_card or 1
    return msgspec.structs.replace(after, round=change.round, claims=0, right=0, next_card=first)
