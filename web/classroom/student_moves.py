"""What an instructor can do about one student, and what a student can do alone."""

import random
from typing import Final

from cardgames.class_bingo.clock import Clock
from web.classroom import words
from web.classroom.changes import MAX_STUDENTS, Change
from web.classroom.model import MAX_BROWSERS, WRONG_CODES_WITHIN, Member
from web.classroom.moves import MoveRequest, NotAllowed, require
from web.classroom.nicknames import checked_nickname, is_offered, name_key, offers
from web.classroom.state import ClassState, live_round
from web.classroom.tournament_table import deals_played_with

_MAX_NUMBER: Final = 100 * MAX_STUDENTS
_MAX_MINUTE: Final = 10**9 - 1
_chance: Final = random.SystemRandom()


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


def remove(request: MoveRequest) -> Change:
    """Take a student out of the class; they may sit down again."""
    member = requested_student(request)
    return request.with_classroom(forget(request.state, member))


def remove_since(request: MoveRequest) -> Change:
    """Take everybody out of the class who came since a minute; they may sit down again."""
    gone = came_since(request.state, request.number("since", 0, _MAX_MINUTE))
    require(bool(gone))
    return request.with_classroom(forget(request.state, *gone))


def came_since(state: ClassState, minute: int) -> tuple[Member, ...]:
    """Return the students who came in a minute or later.

    Args:
        state: the class.
        minute: counted as the minutes of Unix time.
    """
    return tuple(member for member in state.students if member.student.joined >= minute * 60)


def ban(request: MoveRequest) -> Change:
    """Take a student out of the class, whose browsers may not join again."""
    member = requested_student(request)
    require(member.student.state != "banned")
    return request.with_classroom(_with_state(request.state, member, "banned"))


def unban(request: MoveRequest) -> Change:
    """Let a banned student back to their place; they step in themselves."""
    member = requested_student(request)
    require(member.student.state == "banned")
    return request.with_classroom(_with_state(request.state, member, "out"))


def new_rejoin_code(request: MoveRequest) -> Change:
    """Give a student a new rejoin code; the old one is no longer good."""
    member = requested_student(request)
    generation = member.student.generation + 1
    after = member.changed(generation=generation, wrong_codes=())
    return request.with_classroom(Change(students=(after,)))


def step_out(state: ClassState, member: Member) -> Change:
    """Let a student step out: nothing is counted, and their card is out of play."""
    return _with_state(state, member, "out")


def forget(state: ClassState, *gone: Member) -> Change:
    """Forget students, but for how many deals of open tournaments their browsers have seen."""
    return Change(
        gone=gone,
        clock=clock_without(state, *gone),
        deals_played=deals_played_with(state, *gone),
    )


def with_browser(member: Member, browser: str) -> Change:
    """Let another browser be a student's.

    Raises:
        NotAllowed: they have as many as there can be.
    """
    student = member.student
    if len(student.browsers) >= MAX_BROWSERS:
        raise NotAllowed(words.TOO_MANY_BROWSERS.fill(most=MAX_BROWSERS))
    return Change(students=(member.changed(browsers=(*student.browsers, browser)),))


def with_wrong_code(member: Member, now: float) -> Change:
    """Count a wrong rejoin code.

    The tenth in ten minutes blocks the code. The times are not looked at again then, so only a new
    code ends that.
    """
    recent = (at for at in member.student.wrong_codes if now - at < WRONG_CODES_WITHIN)
    return Change(students=(member.changed(wrong_codes=(*recent, now)),))


def clock_without(state: ClassState, *gone: Member) -> Clock | None:
    """Return the clock of a round that students' cards are taken out of, if that changes it."""
    live = state.round
    if live is None or not live.is_open or live.data.by_hand:
        return None
    numbers = {member.number for member in gone}
    others = {number: one for number, one in state.members.items() if number not in numbers}
    after = live_round(live.data, state.counters, others, live.claims)
    stop = after.stop_after(live.data.resumed_at_call)
    return state.counters.clock.stopping_at(stop, state.counters.now)


def taken_keys(state: ClassState) -> set[str]:
    """Return the keys of all nicknames of a class."""
    return {name_key(member.student.name) for member in state.members.values()}


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


def _with_state(state: ClassState, member: Member, to: str) -> Change:
    return Change(students=(member.changed(state=to),), clock=clock_without(state, member))
