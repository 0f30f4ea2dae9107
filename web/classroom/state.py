"""A class as it stands now, whose browser asks for it, and how it is changed.

Whose browser a request comes from follows from its session, whose id nobody can guess. A class
knows a browser by a hash of that, so what is kept of one class says nothing of another. Where
students sign on, a login stands for all the browsers that it is used in.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from math import ceil
from typing import Any, Final, TypeVar

import flask
import msgspec
from werkzeug.exceptions import Forbidden, NotFound

from cardgames.class_bingo.card import BingoCard
from web.classroom.class_store import ClassStore
from web.classroom.codes import browser_hash, is_code, login_hash, rejoin_code, tidy_code
from web.classroom.live_round import LiveRound, live_round
from web.classroom.model import Change, Classroom, Dashboard, Member
from web.classroom.rows import ClassCounters
from web.sessions import TERM, current_login, current_session
from web.storage.store import decide

MAX_CODES: Final = 20
"""Maximum number of codes without a class that a session may try in a minute."""

MAX_LISTED: Final = 20
MAX_ASKED: Final = 350
"""Maximum number of times a second that all pages of a class ask."""

PAGES: Final = ("", "screen", "dashboard", "insight")
"""The pages that ask whether there is anything new; the first are a student's."""

EXTENSION: Final = "class-store"
"""The app's extensions: the classes, and the students of some as they were last read."""

MEMBERS: Final = "class-members"
INSTRUCTORS: Final = "CLASS_INSTRUCTORS"
"""The app's setting: the logins that may open classes."""

SESSION_ROW: Final = "classes"

LIVE, RECENT, IDLE = 1, 3, 10
"""Seconds after which a page asks again: in a round, before the first or soon after one,
otherwise."""

_RECENTLY: Final = 600
_DASHBOARD_REFRESH: Final = 15
"""Seconds after which a dashboard is new anyway: somebody may have gone, or more been judged."""

_VOTE_REFRESH: Final = 3
"""The same while a vote is on: how many have answered is shown."""

_CLASSES_KEPT: Final = 64

T = TypeVar("T")


class NoClass(NotFound):
    """No class has a code, or none any more."""


class _Outsider(Forbidden):
    """A request for what a class shows to others."""

    def __init__(self, class_code: str) -> None:
        """Say of which class."""
        super().__init__()
        self.class_code = class_code


class NotTheInstructor(_Outsider):
    """The browser of the request does not hold the dashboard of the class."""


class NotAStudent(_Outsider):
    """The browser of the request is nobody's in the class, or that of somebody who was banned."""


@dataclass(frozen=True, slots=True)
class ClassState:
    """A class as it stands now."""

    code: str
    counters: ClassCounters
    classroom: Classroom
    members: Mapping[int, Member]
    """By number, in their order; those who are banned as well."""

    round: LiveRound | None

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

    def own_member(self, *, is_new: bool = False) -> Member | None:
        """Return the student of the browser of the request; also one who is banned.

        ``is_new`` says that the browser may have joined with this very request.
        """
        key = self.own_key
        is_known = current_session().is_kept or self.classroom.asks_sign_on or is_new
        return class_store().student_of(self.code, key) if key and is_known else None

    @property
    def own_key(self) -> str:
        """What stands for the request's browser, or for its login where the class asks for one.

        Empty where it came without.
        """
        return login_of(self.code) if self.classroom.asks_sign_on else browser_of(self.code)

    def own_student(self) -> Member | None:
        """Return the student of the browser of the request, unless they are banned."""
        member = self.own_member()
        return member if member and member.student.state != "banned" else None

    def require_student(self) -> Member:
        """Return the student of the browser of the request; raise NotAStudent without one."""
        member = self.own_student()
        if member is None:
            raise NotAStudent(self.code)
        return member

    def is_led(self) -> bool:
        """Say whether the browser of the request holds the dashboard."""
        return self.is_opened_by_asker() or self.own_dashboard() is not None

    def is_opened_by_asker(self) -> bool:
        """Say whether the browser of the request is the one that has opened the class."""
        return self.classroom.opener in _askers(self.code)

    def own_dashboard(self) -> Dashboard | None:
        """Return the dashboard that was handed on to the browser of the request."""
        listed, askers = self.classroom.dashboards, _askers(self.code)
        return next((one for one in listed if one.browser in askers), None)

    def require_instructor(self) -> None:
        """Raise NotTheInstructor unless the browser of the request holds the dashboard."""
        if not self.is_led():
            raise NotTheInstructor(self.code)

    def rejoin_codes(self, member: Member) -> list[str]:
        """Return what brings another browser to a student: under each of the server's keys a code.

        The first one is shown; those under older keys are believed.
        """
        config, generation = flask.current_app.config, member.student.generation
        keys = [config["SECRET_KEY"], *reversed(config["SECRET_KEY_FALLBACKS"])]
        return [rejoin_code(key, self.code, member.number, generation) for key in keys]

    def commit(self, change: Change) -> bool:
        """Write a change if the class is still as it was read; return whether it was written.

        What has been called by now is settled with it, so that no other machine's clock, a little
        behind, calls fewer afterwards.
        """
        if change.clock is None and self.counters.is_open:
            change = replace(change, clock=self.counters.clock.settled(self.counters.now))
        return class_store().commit(self.code, self.counters, change)


def class_store() -> ClassStore:
    """Return the store of the app that is answering."""
    store: ClassStore = flask.current_app.extensions[EXTENSION]
    return store


def load_class(text: str, *, fresh: bool = False) -> ClassState:
    """Return a class as it stands now by its code, as typed; raise NoClass where there is none.

    ``fresh`` has every student read anew, so that a change can be decided on them.
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


def load_counters(text: str) -> ClassCounters:
    """Return only the numbers of a class by its code; raise NoClass where there is none."""
    code = tidy_code(text)
    counters = class_store().counters(code) if is_code(code) else None
    if counters is None:
        raise NoClass
    return counters


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


def decide_on(code: str, attempt: Callable[[ClassState], T | None]) -> T:
    """Decide on a class as it stands, again when ``attempt`` returns None: it has changed.

    The first time the students are those of whom the class's numbers say that they are the newest.
    What is marked on a card does not change those: so after a failure every student is read anew.

    Raises:
        NoClass: there is none.
        StoreUnavailable: the class has changed each time, or the store does not answer.
    """
    tries = count()
    return decide(lambda: attempt(load_class(code, fresh=next(tries) > 0)))


def page_version(counters: ClassCounters, page: str) -> str:
    """Return what changes whenever a page, one of :data:`PAGES`, does.

    Joins do not change a student's: sixty of them would have sixty pages loaded sixty times.
    """
    right = f".{counters.right}" if counters.right else ""
    version = f"{counters.version}.{counters.calls}{right}"
    often = int(counters.now) // (_VOTE_REFRESH if counters.has_vote else _DASHBOARD_REFRESH)
    match page:
        case "screen":  # between rounds it tells who plays at the tables
            return f"{version}-{counters.students}-{'' if counters.is_open else often}"
        case "dashboard":
            return f"{version}-{counters.students}-{counters.claims}-{often}"
        case "insight":
            return f"{version}-{counters.students}-{often}"
    return version


def asks_every(counters: ClassCounters) -> int:
    """Return after how many seconds a page shall ask again: all wait for the first round too."""
    is_recent = counters.now - counters.clock.since < _RECENTLY
    waits = counters.round == 0 or is_recent or counters.has_vote
    every = LIVE if counters.is_open else RECENT if waits else IDLE
    return max(every, ceil(counters.members / MAX_ASKED))


def browser_of(code: str) -> str:
    """Return what stands for the browser of the request, in a class."""
    return browser_hash(code, current_session().sid)


def login_of(code: str) -> str:
    """Return what stands for the login of the request, in a class; empty for none."""
    login = current_login()
    return login and login_hash(code, login)


def signed_on_instructor() -> bool:
    """Say whether the request came with the login of an instructor."""
    return current_login() in flask.current_app.config[INSTRUCTORS]


def holder_of(code: str) -> str:
    """Return what stands for the request as an instructor of a class: a login before a browser."""
    return login_of(code) if signed_on_instructor() else browser_of(code)


def _askers(code: str) -> set[str]:
    """Return what stands for the request as an instructor of a class: its login, its browser."""
    logins = {login_of(code)} if signed_on_instructor() else set()
    return logins | ({browser_of(code)} if current_session().is_kept else set())


def led_class(code: str) -> ClassState:
    """Return a class, if the browser of the request holds its dashboard; else raise as both do."""
    state = load_class(code)
    state.require_instructor()
    return state


class SessionNotes(msgspec.Struct, frozen=True, array_like=True):
    """What a session keeps of classes."""

    joined: tuple[str, ...] = ()
    """The codes of the classes that the browser is in, the newest last."""

    opened: tuple[str, ...] = ()
    day: int = 0
    today: int = 0
    allowed: bool = False
    """Whether a link or the password has made the browser an instructor's."""

    minute: int = 0
    tries: int = 0


def session_notes() -> SessionNotes:
    """Return what the session keeps of classes."""
    return current_session().value(SESSION_ROW, SessionNotes) or SessionNotes()


def note_in_session(*, lasts: bool = True, **changes: Any) -> None:
    """Keep other values in some of the notes; by default the session, and its cookie, then last."""
    session = current_session()
    session.keep(SESSION_ROW, msgspec.structs.replace(session_notes(), **changes))
    if lasts:
        session.live(TERM)


def remember_class(code: str) -> None:
    """Put a class into the session, as the newest."""
    others = (other for other in session_notes().joined if other != code)
    note_in_session(joined=(*others, code)[-MAX_LISTED:])


def forget_class(code: str) -> None:
    """Take a class out of the session."""
    kept = tuple(other for other in session_notes().joined if other != code)
    note_in_session(lasts=False, joined=kept)


def codes_tried() -> int:
    """Return how many codes that no class has the session has tried in this minute."""
    notes = session_notes()
    return notes.tries if notes.minute == int(time.time()) // 60 else 0


def count_wrong() -> None:
    """Count a code that no class has."""
    note_in_session(lasts=False, minute=int(time.time()) // 60, tries=codes_tried() + 1)
