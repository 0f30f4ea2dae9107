"""A class as it stands now, how it is changed, and what its pages ask: is there anything new?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from math import ceil
from typing import Any, Final, TypeVar

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames.class_bingo.card import BingoCard
from web.classroom.class_store import ClassStore
from web.classroom.codes import is_code, tidy_code
from web.classroom.live_round import LiveRound, live_round
from web.classroom.model import Change, Classroom, Member
from web.classroom.rows import ClassCounters
from web.storage.store import decide

MAX_ATTEMPTS: Final = 30
"""How often something is decided anew when the class has changed meanwhile."""

EXTENSION: Final = "class-store"
MEMBERS: Final = "class-members"
"""The app's extensions: the classes, and the students of some as they were last read."""

LIVE: Final = 1
RECENT: Final = 3
IDLE: Final = 10
"""Seconds after which a page asks again: in a round; before the first or soon after one; else."""

MAX_ASKED: Final = 350
"""Maximum number of times a second that the pages of a class ask; a large one asks less often."""

PAGES: Final = ("", "screen", "dashboard", "insight")
"""Which page asks: a student's, the big screen, a dashboard, or what shows how the class plays."""

_RECENTLY: Final = 600
"""Number of seconds for which a round that has ended is recent."""

_DASHBOARD_REFRESH: Final = 15
"""Number of seconds after which a dashboard is new anyway: somebody may have gone, or more rounds
may have been judged."""

_CLASSES_KEPT: Final = 64

T = TypeVar("T")


class NoClass(NotFound):
    """No class has a code, or none any more."""


@dataclass(frozen=True, slots=True)
class ClassState:
    """A class as it stands now."""

    code: str
    counters: ClassCounters
    classroom: Classroom
    members: Mapping[int, Member]
    """All students, by their numbers and in their order; those who are banned as well."""

    round: LiveRound | None
    """The newest, whether it is on or over."""

    @property
    def open_round(self) -> LiveRound | None:
        """The newest round while it is on."""
        return self.round if self.round and self.round.is_open else None

    @property
    def students(self) -> tuple[Member, ...]:
        """The students of the class, but for those who are banned."""
        return tuple(member for member in self.members.values() if member.student.state != "banned")

    @property
    def playing(self) -> tuple[Member, ...]:
        """Those who have not stepped out either."""
        return tuple(member for member in self.members.values() if member.student.state == "in")

    @property
    def version(self) -> str:
        """What changes whenever a student's page does."""
        return page_version(self.counters, "")

    @property
    def asks_every(self) -> int:
        """After how many seconds a page asks whether there is anything new."""
        return asks_every(self.counters)

    @property
    def document(self) -> dict[str, Any]:
        """What every document of a student begins with."""
        return {"class": self.code, "title": self.classroom.title, "version": self.version}

    def card_of(self, member: Member) -> BingoCard | None:
        """Return a student's card in the newest round."""
        live = self.round
        for held in live.cards_in_play.values() if live else ():
            if live and held.student == member.number:
                return live.card(held.card)
        return None


def class_store() -> ClassStore:
    """Return the store of the app that is answering."""
    store: ClassStore = flask.current_app.extensions[EXTENSION]
    return store


def load_class(text: str, *, fresh: bool = False) -> ClassState:
    """Return a class as it stands now.

    Args:
        text: its code, as somebody has typed it.
        fresh: whether every student is read anew, so that a change can be decided on them.

    Raises:
        NoClass: there is none.
    """
    code, store = tidy_code(text), class_store()
    try:
        stored = store.load(code) if is_code(code) else None
        if stored is None:
            raise NoClass
        counters, classroom, claims = stored
        members = _members(code, classroom, counters, fresh=fresh)
    except msgspec.MsgspecError:  # it is damaged
        raise NoClass from None
    data = classroom.round
    live = live_round(data, counters, members, claims) if data else None
    return ClassState(code, counters, classroom, members, live)


def _members(
    code: str, classroom: Classroom, counters: ClassCounters, *, fresh: bool
) -> Mapping[int, Member]:
    """Return the students of a class: those that are known, and those who have joined since.

    So of a thousand who join one after the other, each is read once and not each time all. Where
    some were changed, or ``fresh`` says so, all are read.
    """
    known: dict[str, tuple[float, ClassCounters, Mapping[int, Member]]]
    known = flask.current_app.extensions[MEMBERS]
    opened, before, members = known.get(code, (0.0, counters, {}))
    joined = counters.joined - before.joined
    if fresh or opened != classroom.opened or counters.students - before.students != joined:
        members = {member.number: member for member in class_store().students(code)}
    elif joined:
        new = class_store().students_joined(code, before.joined, counters.joined)
        members = {**members, **{member.number: member for member in new}}
    while len(known) >= _CLASSES_KEPT and code not in known:
        known.pop(next(iter(known)), None)
    known[code] = classroom.opened, counters, members
    return members


def commit(state: ClassState, change: Change) -> bool:
    """Write a change if the class is still as it was read.

    What has been called by now is settled with it, so that no other machine's clock, a little
    behind, calls fewer afterwards.

    Returns:
        whether it was written.
    """
    if change.clock is None and state.counters.is_open:
        change = replace(change, clock=state.counters.clock.settled(state.counters.now))
    return class_store().commit(state.code, state.counters, change)


def decide_on(code: str, attempt: Callable[[ClassState], T | None]) -> T:
    """Decide something on a class as it stands, again when somebody else was faster.

    The first time the students are those of whom the class's numbers say that they are the newest.
    What is marked on a card does not change those: so after a failure every student is read anew.

    Args:
        code: the class's, as it was typed.
        attempt: decides and writes; None where the class has changed meanwhile.

    Returns:
        what was decided.

    Raises:
        NoClass: there is none.
        StoreUnavailable: the class has changed each time, or the store does not answer.
    """
    tries = count()
    return decide(lambda: attempt(load_class(code, fresh=next(tries) > 0)))


def page_version(counters: ClassCounters, page: str) -> str:
    """Return what changes whenever a page does.

    Joins do not change a student's: sixty of them would have sixty pages loaded sixty times.

    Args:
        counters: the numbers of the class.
        page: one of :data:`PAGES`.
    """
    right = f".{counters.right}" if counters.right else ""
    version = f"{counters.version}.{counters.calls}{right}"
    often = int(counters.now) // _DASHBOARD_REFRESH
    if page == "screen":
        # Between rounds it tells who plays at the tables.
        return f"{version}-{counters.students}" + ("" if counters.is_open else f"-{often}")
    if page == "dashboard":
        return f"{version}-{counters.students}-{counters.claims}-{often}"
    if page == "insight":
        return f"{version}-{counters.students}-{often}"
    return version


def asks_every(counters: ClassCounters) -> int:
    """Return after how many seconds a page shall ask again.

    Before the first round everybody waits for it, as after a round for the next.
    """
    if counters.is_open:
        every = LIVE
    else:
        waits = counters.round == 0 or counters.now - counters.clock.since < _RECENTLY
        every = RECENT if waits else IDLE
    return max(every, ceil(counters.members / MAX_ASKED))
