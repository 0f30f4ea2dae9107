"""A class as it stands now, whose browser asks for it, and how it is changed.

Whose browser a request comes from follows from its session, whose id nobody can guess. A class
knows a browser by a hash of that, so what is kept of one class says nothing of another. Where
students sign on, a login stands for all the browsers that it is used in.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any, Final

import flask
from sqlalchemy import bindparam, case, select
from werkzeug.exceptions import Forbidden, NotFound

from cardgames.class_bingo.card import BingoCard
from cardgames.class_bingo.clock import Clock
from web import db
from web.classroom.codes import browser_hash, is_code, login_hash, rejoin_code, tidy_code
from web.classroom.live_round import LiveRound, card_held, live_round
from web.classroom.models import BingoRound, Classroom, Dashboard
from web.classroom.queries import (
    ClassCounters,
    Member,
    counters_in,
    find_class,
    find_counters,
    find_members,
    keep_calls,
    member_of,
    prolong_class,
    save_class,
)
from web.sessions import (
    DAY,
    commit,
    current_login,
    current_session,
    renew_session,
)

MAX_ASKED: Final = 350
"""Maximum number of times a second that all pages of a class ask."""

PAGES: Final = ("", "screen", "dashboard", "insight")
"""The pages that ask whether there is anything new; the first are a student's."""

INSTRUCTORS: Final = "CLASS_INSTRUCTORS"
"""The app's setting: the logins that may open classes."""

LIVE, RECENT, IDLE = 1, 3, 10
"""Seconds after which a page asks again: in a round, before the first or soon after one,
otherwise."""

log = logging.getLogger("cardgames.classroom")

_RECENTLY: Final = 600
_DASHBOARD_REFRESH: Final = 15
"""Seconds after which a dashboard is new anyway: somebody may have gone, or more been judged."""

_VOTE_REFRESH: Final = 3
"""The same while a vote is on: how many have answered is shown."""

_HOUR: Final = 3_600


_HELD: Final = select(Dashboard.number).where(
    Dashboard.class_code == bindparam("code"),
    Dashboard.browser.in_(bindparam("keys", expanding=True)),
)


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


@dataclass(frozen=True)
class ClassState:
    """A class as it stands now; its students and its round are read when they are asked for."""

    code: str
    classroom: Classroom
    data: BingoRound | None
    """The newest round as it is kept."""

    counters: ClassCounters

    @cached_property
    def members(self) -> Mapping[int, Member]:
        """By number, in their order; those who are banned as well."""
        return find_members(self.code, self.classroom.round_number)

    @cached_property
    def round(self) -> LiveRound | None:
        """The newest round."""
        return live_round(self.data, self.counters, self.name_of) if self.data else None

    @property
    def open_data(self) -> BingoRound | None:
        """The newest round as it is kept, while it is on."""
        return self.data if self.data and self.data.ended is None else None

    @property
    def open_round(self) -> LiveRound | None:
        """The newest round while it is on."""
        return self.round if self.open_data else None

    @property
    def students(self) -> tuple[Member, ...]:
        """The students of the class, but for those who are banned."""
        return tuple(member for member in self.members.values() if member.state != "banned")

    @property
    def playing(self) -> tuple[Member, ...]:
        """Those who have not stepped out either."""
        return tuple(member for member in self.members.values() if member.state == "in")

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

    def name_of(self, number: int) -> str:
        """Return the nickname of a student; empty for one who has left."""
        member = self.members.get(number)
        return member.name if member else ""

    def card_of(self, member: Member) -> BingoCard | None:
        """Return a student's card in the newest round."""
        data, live = self.data, None if self.open_data else self.round
        if data and not live:
            held = card_held(data, member)
            return data.card(held) if held else None
        for card in live.cards_in_play.values() if live else ():
            if live and card.student == member.number:
                return live.card(card.card)
        return None

    # ---- Who asks ----------------------------------------------------------------------------

    def own_member(self, *, is_new: bool = False) -> Member | None:
        """Return the student of the browser of the request; also one who is banned.

        ``is_new`` says that the browser may have joined with this very request.
        """
        key = self.own_key
        is_known = current_session().is_kept or self.classroom.asks_sign_on or is_new
        return member_of(self.code, self.classroom.round_number, key) if key and is_known else None

    @property
    def own_key(self) -> str:
        """What stands for the request's browser, or for its login where the class asks for one.

        Empty where it came without.
        """
        return login_of(self.code) if self.classroom.asks_sign_on else browser_of(self.code)

    def own_student(self) -> Member | None:
        """Return the student of the browser of the request, unless they are banned."""
        member = self.own_member()
        return member if member and member.state != "banned" else None

    def require_student(self) -> Member:
        """Return the student of the browser of the request; raise NotAStudent without one."""
        member = self.own_student()
        if member is None:
            raise NotAStudent(self.code)
        return member

    def is_led(self) -> bool:
        """Say whether the browser of the request holds the dashboard."""
        if self.is_opened_by_asker():
            return True
        keys = [*_askers(self.code)]
        found = db.execute(_HELD, code=self.code, keys=keys) if keys else None
        return found is not None and found.first() is not None

    def is_opened_by_asker(self) -> bool:
        """Say whether the browser of the request is the one that has opened the class."""
        return self.classroom.opener in _askers(self.code)

    @cached_property
    def dashboards(self) -> Sequence[Dashboard]:
        """The dashboards that were handed on: those last whose links were used last."""
        newest = case((Dashboard.used > 0, Dashboard.used), else_=Dashboard.at)
        query = select(Dashboard).where(Dashboard.class_code == self.code)
        return db.session().scalars(query.order_by(newest, Dashboard.number)).all()

    def own_dashboard(self) -> Dashboard | None:
        """Return the dashboard that was handed on to the browser of the request."""
        askers = _askers(self.code)
        return next((one for one in self.dashboards if one.browser in askers), None)

    def require_instructor(self) -> None:
        """Raise NotTheInstructor unless the browser of the request holds the dashboard."""
        if not self.is_led():
            raise NotTheInstructor(self.code)

    def rejoin_codes(self, member: Member) -> list[str]:
        """Return what brings another browser to a student: under each of the server's keys a code.

        The first one is shown; those under older keys are believed.
        """
        config, generation = flask.current_app.config, member.generation
        keys = [config["SECRET_KEY"], *reversed(config["SECRET_KEY_FALLBACKS"])]
        return [rejoin_code(key, self.code, member.number, generation) for key in keys]

    # ---- What is written ---------------------------------------------------------------------

    def write(self, clock: Clock | None = None, **values: Any) -> None:
        """Write some columns of the class, and its clock.

        The time is looked at again: however long the request has taken, no clock calls fewer cards
        afterwards than somebody may have seen.
        """
        if self.classroom.is_open:
            before, now = self.classroom.clock, db.now()
            clock, called = (clock or before).settled(now), before.called(now)
            if clock.calls < called:
                clock = replace(clock, calls=called, stop=max(clock.stop, called))
        if clock:
            values |= {"called": clock.calls, "since": clock.since}
            values |= {"every": clock.every, "stop": clock.stop}
        save_class(self.code, values)
        for name, value in values.items():
            setattr(self.classroom, name, value)

    def write_move(self, clock: Clock | None = None, **values: Any) -> None:
        """Write what a move of an instructor changes of the class itself."""
        for name, value in values.items():
            setattr(self.classroom, name, value)
        classroom = self.classroom
        values["has_vote"] = classroom.leads_to_vote and classroom.vote_phase != "solved"
        self.write(clock, version=self.classroom.version + 1, **values)

    def note_students(self, clock: Clock | None = None, **values: Any) -> None:
        """Write that students have come, gone or were changed, and more of the class."""
        self.write(clock, changes=self.classroom.changes + 1, **values)


def load_class(text: str) -> ClassState:
    """Return a class as it stands now by its code, as typed; raise NoClass where there is none.

    A POST has it to itself from here on, until its transaction ends.
    """
    code, now = tidy_code(text), db.now()
    found = find_class(code, now) if is_code(code) else None
    if found is None:
        raise NoClass
    if _settle_calls(code, counters_in(found[0], now)):
        found = find_class(code, now)
    if found is None:
        raise NoClass
    classroom, data = found
    return ClassState(code, classroom, data, counters_in(classroom, now))


def load_counters(text: str) -> ClassCounters:
    """Return only the numbers of a class by its code; raise NoClass where there is none."""
    code = tidy_code(text)
    counters = find_counters(code) if is_code(code) else None
    if counters is None:
        raise NoClass
    _settle_calls(code, counters)
    return counters


def _settle_calls(code: str, counters: ClassCounters) -> bool:
    """Keep the calls of the clock that are shown for the first time; return whether it was done.

    A machine's clock that was ahead, and is put right, then takes none of them back.
    """
    if not counters.is_open or counters.calls <= counters.called:
        return False
    return settle(lambda: keep_calls(code, counters))


def settle(write: Callable[[], None]) -> bool:
    """Write what a request is about to show for good; a failure must not fail the request."""
    try:
        with db.writing():
            write()
    except db.FAULTS as error:
        log.error("what is shown was not kept: %s", error)  # noqa: TRY400 - as a full disk
        return False
    return True


def visited_class(code: str) -> ClassState:
    """Return a class whose instructor looks at it; it and their session live on from now.

    Raises:
        NoClass: there is none.
        NotTheInstructor: the browser of the request does not hold its dashboard.
    """
    state = led_class(code)
    renew_session()
    extend_expiry(state)
    return state


def extend_expiry(state: ClassState) -> None:
    """Let the class live its days from now; once an hour."""
    until = int(state.counters.now) + state.classroom.days * DAY
    if until - state.classroom.expires > _HOUR:
        with db.writing():
            prolong_class(state.code, until)


def commit_and_scrub() -> None:
    """Keep what the request has written, and leave no trace of what it has deleted."""
    commit()
    db.database().scrub()


def page_version(counters: ClassCounters, page: str) -> str:
    """Return what changes whenever a page of :data:`PAGES` does: a student's not with a join."""
    version = f"{counters.version}.{counters.calls}" + f".{counters.right}" * bool(counters.right)
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
