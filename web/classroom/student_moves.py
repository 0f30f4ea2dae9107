"""What an instructor can do about students, and how students and their seats change."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from cardgames.class_bingo.clock import Clock
from cardgames.text import Text, plural
from web.classroom import words
from web.classroom.answers import NotAllowed, require, time_text
from web.classroom.model import MAX_STUDENTS, Change, Member
from web.classroom.moves import ClassMove, MoveRequest
from web.classroom.nicknames import checked_nickname, is_offered, name_key, offers
from web.classroom.state import ClassState, live_round
from web.classroom.tournament_table import deals_played_with

MAX_ARRIVALS: Final = 30
"""Maximum number of minutes that are offered to take back who came since."""

_MAX_NUMBER: Final = 100 * MAX_STUDENTS
_MAX_MINUTE: Final = 10**9 - 1
_chance: Final = random.SystemRandom()


def available_student_moves(state: ClassState) -> Iterator[ClassMove]:
    """Yield the moves about students that are possible now."""
    if not state.members:
        return
    fields = {"student": None}
    yield ClassMove("rename", Text("Rename"), {**fields, "name": None}, rename)
    yield ClassMove("rejoin-code", Text("New rejoin code"), fields, new_rejoin_code)
    yield ClassMove("remove", Text("Remove"), fields, remove)
    yield ClassMove("remove-since", Text("Remove"), {"since": arrivals(state)}, remove_since)
    yield ClassMove("ban", Text("Ban"), fields, ban)
    yield ClassMove("unban", Text("Unban"), fields, unban)


def arrivals(state: ClassState) -> dict[str, Text]:
    """Return the newest minutes in which students came, with how many came since."""
    counts = Counter(int(member.student.joined) // 60 for member in state.students)
    minutes = sorted(counts, reverse=True)[:MAX_ARRIVALS]
    totals = accumulate(counts[minute] for minute in minutes)
    return {
        str(minute): plural(
            "{time}: one student",
            "{time}: {number} students",
            total,
            time=time_text(minute * 60, state.counters.now),
        )
        for minute, total in zip(minutes, totals, strict=True)
    }


def rename(request: MoveRequest) -> Change:
    """Give a student another nickname; without one, a nickname that is offered."""
    member = requested_student(request)
    others = taken_keys(request.state) - {name_key(member.student.name)}
    sent = request.fields.get("name", "").strip()
    name = checked_nickname(sent or offers(request.language, others, _chance)[0])
    if name_key(name) in others:
        raise NotAllowed(words.TAKEN_NAME.fill(name=name))
    renamed = member.changed(name=name, offered=is_offered(name), renamed=request.now)
    return request.with_classroom(Change(students=(renamed,)))


def new_rejoin_code(request: MoveRequest) -> Change:
    """Give a student a new rejoin code; the old one is no longer good."""
    member = requested_student(request)
    generation = member.student.generation + 1
    after = member.changed(generation=generation, wrong_codes=())
    return request.with_classroom(Change(students=(after,)))


def remove(request: MoveRequest) -> Change:
    """Take a student out of the class; they may sit down again."""
    return request.with_classroom(forget(request.state, requested_student(request)))


def remove_since(request: MoveRequest) -> Change:
    """Take everybody out of the class who came since a minute; they may sit down again."""
    gone = came_since(request.state, request.number("since", 0, _MAX_MINUTE))
    require(bool(gone))
    return request.with_classroom(forget(request.state, *gone))


def ban(request: MoveRequest) -> Change:
    """Take a student out of the class, whose browsers may not join again."""
    member = requested_student(request)
    require(member.student.state != "banned")
    return request.with_classroom(with_state(request.state, member, "banned"))


def unban(request: MoveRequest) -> Change:
    """Let a banned student back to their place; they step in themselves."""
    member = requested_student(request)
    require(member.student.state == "banned")
    return request.with_classroom(with_state(request.state, member, "out"))


def requested_student(request: MoveRequest) -> Member:
    """Return the student that a move is about.

    Raises:
        NotAllowed: the class has none of that number.
    """
    number = request.number("student", 1, _MAX_NUMBER)
    member = request.state.members.get(number)
    if member is None:
        raise NotAllowed(words.NO_STUDENT.fill(number=number))
    return member


def came_since(state: ClassState, minute: int) -> tuple[Member, ...]:
    """Return the students who came in a minute or later.

    Args:
        state: the class.
        minute: counted as the minutes of Unix time.
    """
    return tuple(member for member in state.students if member.student.joined >= minute * 60)


def with_state(state: ClassState, member: Member, to: str) -> Change:
    """Return what lets a student step out, or bans them: their card is out of play."""
    return Change(students=(member.changed(state=to),), clock=_clock_without(state, member))


def forget(state: ClassState, *gone: Member) -> Change:
    """Forget students, but for how many deals of open tournaments their browsers have seen."""
    clock, deals_played = _clock_without(state, *gone), deals_played_with(state, *gone)
    return Change(gone=gone, clock=clock, deals_played=deals_played)


def taken_keys(state: ClassState) -> set[str]:
    """Return the keys of all nicknames of a class."""
    return {name_key(member.student.name) for member in state.members.values()}


def _clock_without(state: ClassState, *gone: Member) -> Clock | None:
    """Return the clock of a round that students' cards are taken out of, if that changes it."""
    live = state.open_round
    if live is None or live.data.by_hand:
        return None
    numbers = {member.number for member in gone}
    others = {number: one for number, one in state.members.items() if number not in numbers}
    after = live_round(live.data, state.counters, others, live.claims)
    stop = after.stop_after(live.data.resumed_at_call)
    return state.counters.clock.stopping_at(stop, state.counters.now)
