"""How long a class lives, and how it goes on in a new one, with the same students.

For a new one two places are written. First the class says in which it goes on, in the same write
that refuses a second press; then that one is made, with all students as they are at that moment. A
request that finds it said and not done does it: of an instructor who presses again, or of a student
who is to be forgotten, so that nobody is copied who has been forgotten before.
"""

from contextlib import suppress
from dataclasses import replace
from typing import Final

import msgspec

from web.classes import tournaments
from web.classes.codes import login_hash, new_code
from web.classes.model import MAX_DASHBOARDS, Change, Classroom, Dashboard, Member, Successor
from web.classes.rows import UnknownFormat
from web.live_class.state import (
    ClassState,
    NoClass,
    class_store,
    decide_on,
    holder_of,
    led_class,
    load_class,
    session_notes,
)
from web.storage.sessions import renew_session
from web.storage.store import DAY, Put, decide, pack

MAX_BEFORE: Final = 4
"""Maximum number of classes before one in which its last lesson is looked for."""

_HOUR: Final = 3_600


def next_class(state: ClassState) -> Successor | None:
    """Return in which class another goes on, if that is there."""
    successor = state.classroom.successor
    stored = class_store().load(successor.code) if successor else None
    return successor if stored and stored.classroom.follows == state.code else None


def go_on(code: str, title: str) -> str:
    """Return the code of the class in which another goes on, which is opened once.

    Args:
        code: the class's.
        title: what the new one is called.

    Raises:
        NoClass: there is none with this code.
        NotTheInstructor: the browser of the request does not hold its dashboard.
    """
    new = decide(lambda: None if class_store().counters(drawn := new_code()) else drawn)

    def attempt(state: ClassState) -> bool | None:
        state.require_instructor()
        successor = state.classroom.successor
        if successor and (not successor.is_made or next_class(state)):
            return True
        own = None if state.is_opened_by_asker() else state.own_dashboard()
        made = Successor(new, title, holder_of(new), own.number if own else 0)
        return _write_successor(state, made) or None

    decide_on(code, attempt)
    return make_successor(code)


def make_successor(code: str) -> str:
    """Make the class in which another goes on, unless that is done; return its code or nothing."""
    state = load_class(code, fresh=True)
    successor = state.classroom.successor
    if successor is None or successor.is_made:
        return successor.code if successor else ""
    before, now = state.classroom, state.counters.now
    fields = (before.nicknames, before.real, before.limit, before.days, now, successor.opener)
    dashboards = _dashboards_ahead(state, successor)
    classroom = Classroom(successor.title, *fields, follows=state.code, dashboards=dashboards)
    names = class_store().real_names(state.code)
    logins = names.given if before.asks_sign_on else {}
    known = {number: (login_hash(successor.code, login),) for number, login in logins.items()}
    members = [_copied(state, one, known.get(one.number, ())) for one in state.members.values()]
    expires = int(now) + before.days * DAY
    class_store().create(successor.code, classroom, expires, members, names)

    def attempt(state: ClassState) -> bool | None:
        if state.classroom.successor != successor:
            return True
        return _write_successor(state, msgspec.structs.replace(successor, is_made=True)) or None

    decide_on(code, attempt)
    return successor.code


def known_before(state: ClassState) -> Member | None:
    """Return the student whom the request's browser is in a class that this one follows."""
    if not state.classroom.follows:
        return None
    by_identity = {state.identity(member): member for member in state.members.values()}
    for code in reversed(session_notes().joined):
        with suppress(NoClass, UnknownFormat):
            other = load_class(code)
            known = other.own_member()
            if known and (found := by_identity.get(other.identity(known))):
                return found
    return None


def class_before(state: ClassState) -> ClassState | None:
    """Return the class that this one follows, with those alone who are students of both.

    None where it has ended: its code may be another's by now, which does not go on in this one.
    """
    with suppress(NoClass, UnknownFormat):
        before = load_class(state.classroom.follows)
        successor = before.classroom.successor
        if successor and successor.code == state.code:
            here = {state.identity(member) for member in state.students}
            both = {one.number: one for one in before.students if before.identity(one) in here}
            return replace(before, members=both)
    return None


def classes_before(state: ClassState) -> list[ClassState]:
    """Return the classes that one follows, the newest first and not many.

    Each has those alone who are students of it and of all that follow it.
    """
    found: list[ClassState] = []
    while len(found) < MAX_BEFORE and (before := class_before(found[-1] if found else state)):
        found.append(before)
    return found


def _write_successor(state: ClassState, successor: Successor) -> bool:
    classroom = msgspec.structs.replace(state.classroom, successor=successor)
    return state.commit(Change(classroom=classroom))


def _dashboards_ahead(state: ClassState, successor: Successor) -> tuple[Dashboard, ...]:
    """Return who holds the dashboard of the next class too: all but who opens that."""
    before = state.classroom
    opener = Dashboard(0, before.opened, "", before.opener)
    held = [one for one in (opener, *before.dashboards) if one.browser]
    others = [one for one in held if one.number != successor.by]
    return tuple(
        msgspec.structs.replace(one, number=number, link="", home=one.home or state.code)
        for number, one in enumerate(others[-MAX_DASHBOARDS:], 1)
    )


def _copied(state: ClassState, member: Member, browsers: tuple[str, ...]) -> Member:
    """Return a student with other browsers, and without the cards and marks of one class."""
    home, _ = state.identity(member)
    return member.changed(browsers=browsers, renamed=0.0, late=None, marks=(0, 0), home=home)


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
    """Let the class live its days from now, without what has served its time; once an hour."""
    until = int(state.counters.now) + state.classroom.days * DAY
    if until - state.counters.expires > _HOUR:
        class_store().extend_expiry(state.code, until)
        state.commit(Change(rows=without_finished(state)))


def without_finished(state: ClassState) -> Put:
    """Return the row of what is kept of browsers without tournaments that are over, if any is."""
    if not state.classroom.tournaments:
        return {}
    kept = deals_played(state)
    still = pack(kept) if kept else b""
    is_same = still == class_store().tournaments.deals_played(state.code)
    return {} if is_same else {tournaments.DEALS_PLAYED: still or None}


def deals_played(state: ClassState) -> tournaments.DealsPlayed:
    """Return what is kept of browsers, of the tournaments that are not over."""
    data = class_store().tournaments.deals_played(state.code)
    kept = msgspec.msgpack.decode(data, type=tournaments.DealsPlayed) if data else {}
    closed, now = state.classroom.closed, state.counters.now
    still_on = {
        each.number
        for each in state.classroom.tournaments
        if not closed and each.phase(now) != "over"
    }
    return {number: deals for number, deals in kept.items() if number in still_on}
