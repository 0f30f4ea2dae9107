"""A class and its students as they are kept, and what is written of them at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final, Literal, NamedTuple

import msgspec

from cardgames.class_bingo.card import BingoCard, Kind, salted_card
from cardgames.class_bingo.clock import INTERVALS, Clock
from cardgames.class_bingo.export import FinishedRound, PlayedCard
from cardgames.class_bingo.results import Claim, Place
from cardgames.games.bingo.rules import Mode
from cardgames.strategies.habits import HABITS
from cardgames.text import Text
from web.classroom.roster import Person
from web.classroom.rows import ClassCounters, clock_numbers
from web.classroom.tournaments import Tournament
from web.classroom.votes import Vote
from web.storage.store import NEVER, Put

LIVES: Final = (1, 14, 120)
"""How many days a class can live after a dashboard was last opened."""

DEFAULT_LIFE: Final = 120
DEFAULT_STUDENTS: Final = 200

MAX_STUDENTS: Final = 1_000
"""Maximum number of students in a class."""

SIGN_ON: Final = "sign-on"
"""Real names are the logins that students sign on with."""

REAL_NAMES: Final = ("no", "may", "must", SIGN_ON)
NICKNAMES: Final = ("offered", "free")
EVERY: Final = (0, *INTERVALS)

MAX_DASHBOARDS: Final = 20
"""Maximum number of dashboards of a class that are handed on at a time."""

HAND_ON_LINK: Final = 600
"""Number of seconds for which the link of a dashboard is good."""

MAX_BROWSERS: Final = 12
"""Maximum number of browsers of a student."""

MAX_WRONG_CODES: Final = 10
"""Maximum number of wrong rejoin codes for a student in :data:`WRONG_CODES_WITHIN` seconds."""

WRONG_CODES_WITHIN: Final = 600


class CardInPlay(NamedTuple):
    """A card that is in play."""

    card: int
    student: int
    """The number of its student; 0 for a card on paper."""

    from_call: int
    """How many cards had been called when it came into play."""


class FinishedData(msgspec.Struct, frozen=True, array_like=True):
    """A round that is over, as it is kept."""

    calls: int
    ended: float
    cards: tuple[CardInPlay, ...]
    claims: tuple[Claim, ...]
    places: tuple[Place, ...]


class RoundData(msgspec.Struct, frozen=True, array_like=True):
    """A round as it is kept: all that its cards follow from."""

    number: int
    mode: Mode
    speed: bool
    by_hand: bool
    salt: bytes
    dealt: tuple[int, ...]
    """The students it was dealt to, whose numbers their cards have."""

    began: float
    every: int
    paper: int = 0
    """Cards 1 to this number are in play on paper."""

    resumptions: int = 0
    """How often it has gone on after a BINGO!"""

    resumed_at_call: int = 0
    """The call at which it last went on."""

    void: bool = False
    reason: str = ""
    finished: FinishedData | None = None

    @property
    def kind(self) -> Kind:
        """What kind of round it is."""
        return Kind(self.mode, self.speed)

    @property
    def secret(self) -> str:
        """The salt, as all decks follow from it."""
        return self.salt.hex()

    def card(self, number: int) -> BingoCard:
        """Return a card of the round."""
        return salted_card(self.secret, number, self.kind)

    def export(self) -> FinishedRound | None:
        """Return the round as it is exported, if it is over."""
        if not self.finished:
            return None
        return FinishedRound(
            number=self.number,
            kind=self.kind,
            by_hand=self.by_hand,
            salt=self.secret,
            calls=self.finished.calls,
            cards=tuple(PlayedCard(card, at) for card, _, at in self.finished.cards),
            claims=self.finished.claims,
            places=self.finished.places,
        )


class Dashboard(msgspec.Struct, frozen=True, array_like=True):
    """A dashboard that was handed on."""

    number: int
    """Counts up in its class, from 1."""

    at: float
    link: str
    """The hash of its link; empty for one that the server's command has made."""

    browser: str = ""
    """Who has used the link; empty before."""

    label: str = ""
    """For whom it is, in the words of the instructor who has handed it on."""


class Drill(NamedTuple):
    """Hands that the students of a class are to practise."""

    table: str
    habit: str
    """Its name in :data:`~cardgames.strategies.habits.HABITS`."""

    @property
    def about(self) -> Text:
        """Which hands, without what is right."""
        return HABITS[self.habit].about

    @property
    def path(self) -> str:
        """The address of its puzzles, below the site's root."""
        return f"/puzzles/{self.table}/{self.habit}"


class Classroom(msgspec.Struct, frozen=True, array_like=True):
    """A class, but for its students."""

    title: str
    nicknames: Literal["offered", "free"]
    real: Literal["no", "may", "must", "sign-on"]
    limit: int
    days: int
    opened: float
    opener: str
    """The browser that opened it."""

    show: str = "join"
    locked: bool = False
    closed: bool = False
    round: RoundData | None = None
    tournaments: tuple[Tournament, ...] = ()
    standings: int = 0
    """The number of the tournament on the big screen; 0 for the newest."""

    dashboards: tuple[Dashboard, ...] = ()
    votes: tuple[Vote, ...] = ()
    drill: Drill | None = None

    @property
    def vote(self) -> Vote | None:
        """The newest vote."""
        return self.votes[-1] if self.votes else None

    @property
    def vote_on(self) -> Vote | None:
        """The newest vote while it is open, or on the big screen: students are led there."""
        vote = self.vote
        return vote if vote and not self.closed and (vote.is_open or self.show == "vote") else None

    @property
    def asks_sign_on(self) -> bool:
        """Whether students are known by the login that they sign on with, in any browser."""
        return self.real == SIGN_ON

    @property
    def takes_new(self) -> bool:
        """Whether somebody may join."""
        return not (self.locked or self.closed)

    def handed_on(self, now: float) -> tuple[Dashboard, ...]:
        """Return the dashboards that were handed on, but for links whose time is over."""
        return tuple(
            made for made in self.dashboards if made.browser or now - made.at < HAND_ON_LINK
        )

    @property
    def next_dashboard(self) -> int:
        """The number of the next dashboard that is handed on."""
        return 1 + max((dashboard.number for dashboard in self.dashboards), default=0)


class Student(msgspec.Struct, frozen=True, array_like=True):
    """A student, but for the number."""

    name: str
    offered: bool
    joined: float
    browsers: tuple[str, ...]
    state: Literal["in", "out", "banned"] = "in"
    renamed: float = 0.0
    """When the instructor has last changed the nickname."""

    generation: int = 0
    """How many new rejoin codes there have been."""

    late: tuple[int, int, int] | None = None
    """A card that was not dealt: its round, its number, and from which call on."""

    marks: tuple[int, int] = (0, 0)
    """A round played by hand, and the positions covered, as bits."""

    wrong_codes: tuple[float, ...] = ()
    """When wrong rejoin codes were sent: the times that count for the limit."""

    def marks_in(self, round_number: int) -> int:
        """Return the positions covered by hand in a round, as bits."""
        marked, bits = self.marks
        return bits if marked == round_number else 0

    @property
    def is_code_blocked(self) -> bool:
        """Whether the rejoin code is refused until the instructor makes a new one."""
        return len(self.wrong_codes) >= MAX_WRONG_CODES


@dataclass(frozen=True, slots=True)
class Member:
    """A student with their number."""

    number: int
    version: int
    """Of their row as it was read."""

    student: Student

    def changed(self, **changes: Any) -> "Member":
        """Return the student with other values in some fields."""
        return replace(self, student=msgspec.structs.replace(self.student, **changes))


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

    roster: tuple[Person, ...]
    """The instructor's list of who should come."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is written at once, if the class is still as it was read."""

    classroom: Classroom | None = None
    """The class itself, after an instructor's move."""

    clock: Clock | None = None
    counters: Mapping[str, int] = field(default_factory=dict)
    """Other numbers of the class, by the names of the fields of :class:`ClassCounters`."""

    rows: Put = field(default_factory=dict)
    """Further rows of the class."""

    students: tuple[Member, ...] = ()
    """Students with what is written of them, and the versions that were read."""

    gone: tuple[Member, ...] = ()
    """Students who are forgotten, with all that is kept of them."""

    until: float = NEVER
    """When the store's time is later than this, nothing is written: a card has been called."""

    @property
    def members(self) -> tuple[Member, ...]:
        """All students whom it concerns."""
        return (*self.students, *self.gone)

    def head_after(self, head: ClassCounters) -> ClassCounters:
        """Return the numbers of a class after it.

        Within a round no card's number is given out again: newcomers take some meanwhile.
        """
        numbers: dict[str, Any] = {**self.counters}
        if "round" not in numbers:
            numbers["next_card"] = max(head.next_card, numbers.get("next_card", 0))
        if self.clock:
            numbers |= clock_numbers(self.clock)
        if one := self.classroom:
            has_vote = one.vote_on is not None and not one.vote_on.is_solved
            numbers |= {"votes": len(one.votes), "has_vote": has_vote, "version": head.version + 1}
        numbers["students"] = head.students + bool(self.members)
        return msgspec.structs.replace(head, members=head.members - len(self.gone), **numbers)


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A student who joins."""

    student: Student
    """The first of their browsers is the one that joins; others find the student as well."""

    real: str = ""
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
