"""How a browser becomes a student's: joining, coming back, leaving."""

from dataclasses import dataclass
from typing import Final

from werkzeug.exceptions import ServiceUnavailable

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.card import salted_card
from web.classroom import words
from web.classroom.access import browser_of, member_of, signing_keys
from web.classroom.changes import Change, Newcomer, Refused
from web.classroom.codes import browser_hash, is_rejoin_code
from web.classroom.model import Member, Student
from web.classroom.moves import NotAllowed
from web.classroom.nicknames import (
    NOT_OFFERED,
    checked_nickname,
    checked_real_name,
    is_offered,
    name_key,
)
from web.classroom.rows import ClassCounters
from web.classroom.seats import make_room
from web.classroom.state import MAX_ATTEMPTS, ClassState, class_store, commit, load_class
from web.classroom.student_moves import forget, step_out, with_browser, with_wrong_code
from web.storage.sessions import current_session

_CARDS_TRIED: Final = 50


@dataclass(frozen=True, slots=True)
class JoinForm:
    """What was sent to join with."""

    name: str
    """A nickname of one's own; empty where an offered one was taken."""

    offer: str
    real: str
    receipt: str
    """What the form has been given, so that sending it twice joins once."""


@dataclass(frozen=True, slots=True)
class LateCard:
    """A card for somebody who comes while a round is on."""

    round: int
    number: int
    from_call: int
    bingo_call: int


def join(code: str, form: JoinForm) -> None:
    """Make the browser that asks a student of a class; once is enough.

    Raises:
        NotAllowed: the class is closed, locked or full, or the browser is banned.
        BadName: a name cannot be taken.
    """
    limit = 0
    for _ in range(MAX_ATTEMPTS):
        state = load_class(code)
        if member_of(state):
            return
        if lost := _joined_before(state, form):
            change = with_browser(lost, browser_of(state.code))
            if commit(state, change):
                return
            continue
        match class_store().join(state.code, state.counters, _newcomer(state, form, limit)):
            case Refused.TAKEN:
                raise NotAllowed(words.TAKEN.fill(name=form.offer or form.name))
            case Refused.FULL:
                limit = make_room(state.code)
            case int():
                return
    raise ServiceUnavailable


def require_open(state: ClassState) -> None:
    """Return if a class takes newcomers.

    Raises:
        NotAllowed: it does not.
    """
    if state.classroom.closed:
        raise NotAllowed(words.CLOSED)
    if state.classroom.locked:
        raise NotAllowed(words.LOCKED)


def rejoin(code: str, name: str, sent_code: str) -> bool:
    """Make the browser that asks one more of a student's; return whether name and code fit.

    A wrong code is counted with the student before it is answered. Each answer follows from the
    student's row as it stands when it is written, so guesses at the same moment count one by one.

    Raises:
        NotAllowed: the student is banned, has too many browsers, or too many wrong codes were sent.
    """
    for _ in range(MAX_ATTEMPTS):
        state = load_class(code, fresh=True)
        known = member_of(state)
        member = _called(state, name)
        if member is None:
            return False
        if member.student.is_code_blocked:
            raise NotAllowed(words.CODE_BLOCKED.fill(name=member.student.name))
        if not _fits(state, member, sent_code):
            if commit(state, with_wrong_code(member, state.counters.now)):
                return False
            continue
        if member.student.state == "banned" or (known and known.student.state == "banned"):
            raise NotAllowed(words.BANNED)
        if known and known.number == member.number:
            return True
        change = with_browser(member, browser_of(state.code))
        if commit(state, change):
            return True
    raise ServiceUnavailable


def leave(code: str, what: str) -> None:
    """Let the student of the browser that asks step out, step in, or be forgotten.

    Raises:
        NotAllowed: it is nobody's browser, or the student is banned.
    """
    for _ in range(MAX_ATTEMPTS):
        state = load_class(code, fresh=True)
        member = member_of(state)
        if member is None or member.student.state == "banned":
            raise NotAllowed(words.NOT_NOW)
        change = None
        if what == "forget":
            change = forget(state, member)
        elif what == "step-out" and member.student.state == "in":
            change = step_out(state, member)
        elif what == "step-in" and member.student.state == "out":
            change = _step_in(state, member)
        if change is None or commit(state, change):
            return
    raise ServiceUnavailable


def late_card(state: ClassState, first: int = 0) -> LateCard | None:
    """Return the next card that has no BINGO! yet, if a round is on.

    Args:
        state: the class.
        first: a card that is tried before any other; 0 for none.
    """
    live = state.round
    if live is None or not live.is_open or live.calls >= DECK_SIZE:
        return None
    for _ in range(_CARDS_TRIED):
        number = first or class_store().take_card(state.code)
        card = salted_card(live.data.secret, number, live.data.kind)
        if card.bingo_call > live.calls:
            return LateCard(live.data.number, number, live.calls, card.bingo_call)
        first = 0
    return None


def may_take_card(state: ClassState, member: Member) -> bool:
    """Say whether a round is on in which a student has no card yet, and may get one."""
    live, late = state.open_round, member.student.late
    if live is None or member.student.state != "in" or state.card_of(member):
        return False
    return not (late and late[0] == live.data.number)


def take_late_card(code: str) -> ClassState:
    """Give the student of the browser that asks a card, if a round was dealt without them.

    Returns:
        the class as it stands now.

    Raises:
        ServiceUnavailable: the class has changed each time.
    """
    for _ in range(MAX_ATTEMPTS):
        state = load_class(code)
        member = member_of(state)
        if member is None or not may_take_card(state, member):
            return state
        commit(state, _with_late_card(state, member, late_card(state)))
    raise ServiceUnavailable


def next_call_at(counters: ClassCounters) -> float:
    """Return until when no further card is called by the clock."""
    clock = counters.clock
    if not counters.is_open or not clock.every or counters.calls >= clock.stop:
        return float("inf")
    return clock.settled(counters.now).since + clock.every


def _newcomer(state: ClassState, form: JoinForm, limit: int) -> Newcomer:
    """Return the student that a form makes, with a card if a round is on.

    Args:
        state: the class.
        form: what was sent.
        limit: how many students the class takes for now; 0 for as many as it was opened for.

    Raises:
        NotAllowed: the class takes nobody, or a name is missing.
        BadName: a name cannot be taken.
    """
    require_open(state)
    name = _nickname(state, form)
    real = checked_real_name(form.real) if state.classroom.real != "no" else ""
    if state.classroom.real == "must" and not real:
        raise NotAllowed(words.REAL_NEEDED)
    card = late_card(state)
    receipt = "" if current_session().version else _receipt(state, form)
    browsers = (browser_of(state.code), *((receipt,) if receipt else ()))
    student = Student(
        name=name,
        offered=is_offered(name),
        joined=state.counters.now,
        browsers=browsers,
        late=(card.round, card.number, card.from_call) if card else None,
    )
    return Newcomer(
        student,
        real=real,
        limit=limit or state.classroom.limit,
        stop=_stop_with(state, card),
        until=next_call_at(state.counters) if card else float("inf"),
    )


def _nickname(state: ClassState, form: JoinForm) -> str:
    """Return the nickname that was chosen.

    Raises:
        NotAllowed: it is not one of those that are offered, where only those can be had.
        BadName: it cannot be taken.
    """
    if form.offer and not (form.name and state.classroom.nicknames == "free"):
        if not is_offered(form.offer):
            raise NotAllowed(NOT_OFFERED)
        return form.offer
    if state.classroom.nicknames == "offered":
        raise NotAllowed(NOT_OFFERED)
    return checked_nickname(form.name)


def _stop_with(state: ClassState, card: LateCard | None) -> int | None:
    """Return where the clock must stop for another card."""
    if card is None or state.round is None or state.round.data.by_hand:
        return None
    return max(card.bingo_call, state.round.calls)


def _step_in(state: ClassState, member: Member) -> Change:
    """Let a student step in again, with the card they had unless that has got BINGO! meanwhile."""
    had = 0
    if state.round and state.round.is_open:
        late = member.student.late
        if late and late[0] == state.round.data.number:
            had = late[1]
        elif member.number in state.round.data.dealt:
            had = member.number
    return _with_late_card(state, member, late_card(state, had))


def _with_late_card(state: ClassState, member: Member, card: LateCard | None) -> Change:
    """Return what gives a student of the class a card; without one, there was none to be had."""
    late = member.student.late
    if card:
        late = (card.round, card.number, card.from_call)
    elif state.open_round:
        late = (state.counters.round, 0, state.counters.calls)
    stop = _stop_with(state, card)
    clock = None
    if stop is not None:
        kept = state.counters.clock
        clock = kept.stopping_at(min(stop, kept.stop), state.counters.now)
    until = next_call_at(state.counters) if card else float("inf")
    students = (member.changed(state="in", late=late),)
    return Change(students=students, clock=clock, until=until)


def _joined_before(state: ClassState, form: JoinForm) -> Member | None:
    """Return the student whom this very form has made already.

    On a bad network the answer to a join may be lost, and with it the cookie.
    """
    receipt = _receipt(state, form)
    return class_store().student_of(state.code, receipt) if receipt else None


def _receipt(state: ClassState, form: JoinForm) -> str:
    return browser_hash(state.code, f"receipt {form.receipt}") if form.receipt else ""


def _called(state: ClassState, name: str) -> Member | None:
    """Return the student of a nickname."""
    key = name_key(name)
    return next((one for one in state.members.values() if name_key(one.student.name) == key), None)


def _fits(state: ClassState, member: Member, sent: str) -> bool:
    generation = member.student.generation
    return is_rejoin_code(sent, signing_keys(), state.code, member.number, generation)
