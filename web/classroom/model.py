"""A class and its students as they are kept. None of it has a place for a real name."""

from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeVar

import msgspec

from cardgames.class_bingo.card import Kind
from cardgames.class_bingo.clock import INTERVALS
from cardgames.class_bingo.export import FinishedRound, PlayedCard
from cardgames.class_bingo.results import Claim, Place
from cardgames.games.bingo.rules import Mode
from web.classroom.tournaments import Tournament

LIVES: Final = (1, 14, 120)
"""How many days a class can live after a dashboard was last opened."""

DEFAULT_LIFE: Final = 14
DEFAULT_STUDENTS: Final = 200

REAL_NAMES: Final = ("no", "may", "must")
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

T = TypeVar("T")


class FinishedData(msgspec.Struct, frozen=True, array_like=True):
    """A round that is over, as it is kept."""

    calls: int
    ended: float
    cards: tuple[tuple[int, int, int], ...]
    """Of each card in play its number, its student's (0 for paper), and from which call on."""

    claims: tuple[tuple[int, int, int, int], ...]
    places: tuple[tuple[int, int, tuple[int, ...]], ...]


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
    """The interval of the clock that it was dealt with."""

    paper: int = 0
    """Cards 1 to this number are in play on paper."""

    resumptions: int = 0
    """How often it has gone on after a BINGO!"""

    resumed_at_call: int = 0
    """The call at which it last went on."""

    void: bool = False
    reason: str = ""
    """Why it is void."""

    finished: FinishedData | None = None

    @property
    def kind(self) -> Kind:
        """What kind of round it is."""
        return Kind(self.mode, self.speed)

    @property
    def secret(self) -> str:
        """The salt, as all decks follow from it."""
        return self.salt.hex()

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
            claims=tuple(Claim(*claim) for claim in self.finished.claims),
            places=tuple(Place(*place) for place in self.finished.places),
        )


class Dashboard(msgspec.Struct, frozen=True, array_like=True):
    """A dashboard that was handed on."""

    number: int
    """Counts up in its class from 1."""

    at: float
    """When its link was made."""

    link: str
    """The hash of its link; empty for one that the server's command has made."""

    browser: str = ""
    """Who has used the link; empty before."""


class Classroom(msgspec.Struct, frozen=True, array_like=True):
    """A class, but for its students."""

    title: str
    nicknames: Literal["offered", "free"]
    real: Literal["no", "may", "must"]
    limit: int
    """How many students it takes."""

    days: int
    opened: float
    opener: str
    """The browser that opened it."""

    show: str = "join"
    """What the big screen shows."""

    locked: bool = False
    closed: bool = False
    round: RoundData | None = None
    tournaments: tuple[Tournament, ...] = ()
    standings: int = 0
    """The number of the tournament on the big screen; 0 for the newest."""

    dashboards: tuple[Dashboard, ...] = ()
    """Those that were handed on."""

    @property
    def instructors(self) -> tuple[str, ...]:
        """The browsers that hold its dashboard."""
        return (self.opener, *(held.browser for held in self.dashboards if held.browser))


class Student(msgspec.Struct, frozen=True, array_like=True):
    """A student, but for the number."""

    name: str
    """The nickname."""

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
    """Of what was read of them."""

    student: Student

    def changed(self, **changes: Any) -> "Member":
        """Return the student with other values in some fields."""
        return replace(self, student=msgspec.structs.replace(self.student, **changes))


def pack(value: Classroom | Student | RoundData) -> bytes:
    """Return something as it is kept."""
    return msgspec.msgpack.encode(value)


def unpack(data: bytes, kind: type[T]) -> T:
    """Return what was kept.

    Raises:
        msgspec.MsgspecError: it is damaged.
    """
    return msgspec.msgpack.decode(data, type=kind)
