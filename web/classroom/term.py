"""How long a class lives: its days, from when a dashboard was last open."""

from typing import Final

import msgspec

from web.classroom import tournaments
from web.classroom.model import Change
from web.classroom.state import ClassState, class_store, led_class
from web.sessions import renew_session
from web.storage.store import DAY, Put, pack

_HOUR: Final = 3_600


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
