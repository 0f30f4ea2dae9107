"""What is kept of the browsers of forgotten students, until the tournaments that they played end."""

import msgspec

from web.classroom import tournaments
from web.classroom.queries import Member
from web.classroom.state import ClassState, class_store
from web.classroom.state import extend_expiry as extend_expiry
from web.classroom.state import visited_class as visited_class


def keep_deals_played(state: ClassState, *gone: Member) -> None:
    """Keep how many deals of open tournaments the browsers of students have seen."""
    from web.classroom.tournament_table import deals_played_with

    if put := deals_played_with(state, *gone):
        class_store().put(state, put)


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
