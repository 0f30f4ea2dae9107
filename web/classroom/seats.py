"""Seats in a full class: who was not seen lately gives way to a newcomer."""

from typing import Final

from web.classroom import words
from web.classroom.changes import MAX_STUDENTS
from web.classroom.model import Member
from web.classroom.moves import NotAllowed
from web.classroom.presence import last_seen
from web.classroom.state import commit, load_class
from web.classroom.student_moves import forget

SEAT_KEPT: Final = 120.0
"""For how many seconds a seat is kept in a full class after its browser was last seen."""


def make_room(code: str) -> int:
    """Let one more student into a full class, if somebody was not seen for two minutes.

    Who is absent only stops counting, and finds everything when they come back. Where a class has
    as many students as any can have, one who was gone within two minutes of joining is forgotten
    instead: so a flood of joins replaces itself.

    Returns:
        how many students the class takes until then.

    Raises:
        NotAllowed: all seats are taken.
    """
    state = load_class(code, fresh=True)
    now = state.counters.now
    seen = {number: presence.at for number, presence in last_seen(state).items()}
    absent = [number for number, at in seen.items() if now - at >= SEAT_KEPT]
    if len(seen) - len(absent) >= state.classroom.limit:
        raise NotAllowed(words.FULL)
    if len(seen) < MAX_STUDENTS:
        return max(state.classroom.limit, len(seen) + 1)
    brief = [number for number in absent if _was_here_briefly(state.members[number], seen[number])]
    if not brief:
        raise NotAllowed(words.FULL)
    first = state.members[min(brief, key=lambda number: seen[number])]
    commit(state, forget(state, first))  # if that fails, the next attempt looks again
    return MAX_STUDENTS


def _was_here_briefly(member: Member, seen: float) -> bool:
    """Say whether a student was gone soon after they came; one who is banned stays banned."""
    return seen - member.student.joined < SEAT_KEPT and member.student.state != "banned"
