"""What a student has played of the tournaments of a class, and what their browsers played before.

Who is forgotten may join again, and has seen the cards. So for every browser of theirs the number
of deals outlives them, without a name, until the tournament is over: the deals up to there are
missing for the student that the browser is next.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from web.classroom.model import Member
from web.classroom.state import ClassState, class_store
from web.classroom.tournaments.model import Entry, Tournament, unpack_entry

MAX_BROWSERS: Final = 2_000
"""Maximum number of browsers of forgotten students that are kept for a tournament: the newest."""

DealsPlayed = dict[int, dict[str, int]]
"""Of each tournament that is not over, the number of deals that browsers have begun."""


def is_over(state: ClassState, tournament: Tournament) -> bool:
    """Say whether a tournament is over: at its time, or with its class."""
    return state.classroom.closed or tournament.phase(state.counters.now) == "over"


def is_open(state: ClassState, tournament: Tournament) -> bool:
    """Say whether a tournament can be played now."""
    now = state.counters.now
    return not is_over(state, tournament) and tournament.phase(now) == "open"


def hides_points(state: ClassState, tournament: Tournament) -> bool:
    """Say whether students are not shown yet what their decisions gave away."""
    is_late = tournament.points == "end" and tournament.ranking == "play" and tournament.due > 0
    return is_late and not is_over(state, tournament)


def entries_of(state: ClassState, member: Member) -> Mapping[int, Entry]:
    """Return what a student has played, by the numbers of all tournaments of the class."""
    numbers = [one.number for one in state.classroom.tournaments]
    kept = class_store().tournaments.entries_of(state.code, member.number, numbers)
    found = {number: unpack_entry(data) for number, data in kept.items()}
    if all(one.number in found or is_over(state, one) for one in state.classroom.tournaments):
        before: Mapping[int, int] = {}
    else:
        before = played_before(state, member)
    for one in state.classroom.tournaments:
        found.setdefault(one.number, Entry(first=1 + before.get(one.number, 0)))
    return found


def played_before(state: ClassState, member: Member) -> dict[int, int]:
    """Return how many deals a student's browsers played when they were somebody else's.

    Returns:
        the numbers of deals, by the numbers of the tournaments.
    """
    browsers = member.student.browsers
    return {
        number: most
        for number, deals in _deals_played(state).items()
        if (most := max(deals.get(browser, 0) for browser in browsers))
    }


def deals_played_with(state: ClassState, *gone: Member) -> bytes | None:
    """Return what is kept of browsers once students are forgotten; None if that stays as it is."""
    going = [one.number for one in state.classroom.tournaments if not is_over(state, one)]
    kept, is_changed = _deals_played(state), False
    for member in gone if going else ():
        entries = entries_of(state, member)
        for number in going:
            if deals := entries[number].begun:
                browsers = kept.get(number, {}) | dict.fromkeys(member.student.browsers, deals)
                kept[number] = dict([*browsers.items()][-MAX_BROWSERS:])
                is_changed = True
    return msgspec.msgpack.encode(kept) if is_changed else None


def without_finished(state: ClassState) -> bytes | None:
    """Return what is kept of browsers without tournaments that are over; None if none is over."""
    if not state.classroom.tournaments:
        return None
    store = class_store().tournaments
    data, kept = store.deals_played(state.code), _deals_played(state)
    still = msgspec.msgpack.encode(kept) if kept else b""
    return still if still != data else None


def _deals_played(state: ClassState) -> DealsPlayed:
    """Return what is kept of browsers, of the tournaments that are not over."""
    data = class_store().tournaments.deals_played(state.code)
    kept = msgspec.msgpack.decode(data, type=DealsPlayed) if data else {}
    going = {one.number for one in state.classroom.tournaments if not is_over(state, one)}
    return {number: deals for number, deals in kept.items() if number in going}
