"""How a browser becomes a student's, and how a student goes: seats, and the card of a latecomer.

Everything here is decided on the class as it stands and written if it is still so; where somebody
else was faster it is decided again (:func:`~web.classroom.state.decide_on`). NotAllowed is raised
for what is refused, and BadName for a name that cannot be taken.
"""

from typing import Final

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.card import BingoCard
from cardgames.class_bingo.clock import Clock
from web.classroom import model, nicknames, words
from web.classroom.answers import Fields, NotAllowed, require
from web.classroom.codes import browser_hash, is_among
from web.classroom.model import MAX_STUDENTS, Change, Member
from web.classroom.rows import ClassCounters
from web.classroom.state import ClassState, class_store, decide_on, load_class
from web.classroom.tournament_table import deals_played_with
from web.classroom.updates import last_seen
from web.sessions import current_login, current_session
from web.storage.store import NEVER

SEAT_KEPT: Final = 120.0
"""Number of seconds that a seat is kept in a full class for an absent browser."""

MAX_RECEIPT: Final = 64
_CARDS_TRIED: Final = 50


def join(code: str, form: Fields) -> None:
    """Make the browser of the request a student's of a class; once is enough.

    The form has ``name``, a nickname of one's own, or ``offer``; ``real``; and ``receipt``, which
    it has been given, so that sending it twice joins once.
    """
    limit = 0

    def attempt(state: ClassState) -> bool | None:
        nonlocal limit
        if state.own_member():
            return True
        # On a bad network the answer to a join may be lost, and with it the cookie.
        # Who signs on is known without, and nobody else's receipt may make them another.
        receipt = "" if state.classroom.asks_sign_on else form.get("receipt", "")[:MAX_RECEIPT]
        receipt = receipt and browser_hash(state.code, f"receipt {receipt}")
        if receipt and (lost := class_store().student_of(state.code, receipt)):
            return state.commit(_with_browser(state, lost)) or None
        newcomer = _newcomer(state, form, receipt, limit or state.classroom.limit)
        match class_store().join(state.code, state.counters, newcomer):
            case model.Refused.TAKEN:
                raise NotAllowed(words.TAKEN.fill(name=form.get("offer") or form.get("name", "")))
            case model.Refused.FULL:
                limit = _make_room(state.code)
            case int():
                return True
        return None

    decide_on(code, attempt)


def require_open(state: ClassState) -> None:
    """Raise NotAllowed unless a class takes the newcomer whose request this is."""
    require(not state.classroom.closed, words.CLOSED)
    require(not state.classroom.locked, words.LOCKED)
    require(bool(state.own_key), words.SIGN_ON_FIRST)


def _newcomer(state: ClassState, form: Fields, receipt: str, limit: int) -> model.Newcomer:
    """Return the student that a form makes, with a card if a round is on.

    The receipt finds the student should the same form come again. The limit is how many students
    the class takes for now.
    """
    require_open(state)
    classroom, counters, name = state.classroom, state.counters, _nickname(state, form)
    real = _real_name(classroom, form)
    card = _late_card(state)
    receipts = (receipt,) if receipt and not current_session().is_kept else ()
    student = model.Student(
        name=name,
        offered=nicknames.is_offered(name),
        joined=counters.now,
        browsers=(state.own_key, *receipts),
        late=(counters.round, card.number, counters.calls) if card else None,
    )
    until = next_call_at(counters) if card else NEVER
    return model.Newcomer(student, real, limit, stop=_stop_with(state, card), until=until)


def _real_name(classroom: model.Classroom, form: Fields) -> str:
    """Return the login where students sign on, else the real name that was given, if any."""
    if classroom.asks_sign_on:
        return current_login()
    real = nicknames.checked_real_name(form.get("real", "")) if classroom.real != "no" else ""
    require(classroom.real != "must" or bool(real), words.REAL_NEEDED)
    return real


def _nickname(state: ClassState, form: Fields) -> str:
    """Return the nickname that was chosen: one of those offered, or one's own where that may be."""
    is_free, name = state.classroom.nicknames == "free", form.get("name", "")
    offer = form.get("offer")
    if offer and not (name and is_free):
        require(nicknames.is_offered(offer), nicknames.NOT_OFFERED)
        return offer
    require(is_free, nicknames.NOT_OFFERED)
    return nicknames.checked_nickname(name)


def _make_room(code: str) -> int:
    """Let one more into a full class, if somebody was not seen for two minutes; return the limit.

    An absent student only stops counting, and finds everything on coming back. Where a class has
    as many students as any can have, one who was gone within two minutes of joining is forgotten
    instead: so a flood of joins replaces itself.
    """
    state = load_class(code, fresh=True)
    seen = {number: presence.at for number, presence in last_seen(state).items()}
    absent = [number for number, at in seen.items() if state.counters.now - at >= SEAT_KEPT]
    require(len(seen) - len(absent) < state.classroom.limit, words.FULL)
    if len(seen) < MAX_STUDENTS:
        return max(state.classroom.limit, len(seen) + 1)
    students = {number: state.members[number].student for number in absent}
    brief = [
        number
        for number, student in students.items()
        if seen[number] - student.joined < SEAT_KEPT and student.state != "banned"
    ]
    require(bool(brief), words.FULL)
    first = state.members[min(brief, key=lambda number: seen[number])]
    state.commit(forget(state, first))  # if that fails, the next attempt looks again
    return MAX_STUDENTS


def rejoin(code: str, name: str, sent_code: str) -> None:
    """Add the browser of the request to those of a student, by their rejoin code.

    A wrong code is counted with the student before it is answered. Each answer follows from the
    student's row as it stands when it is written, so guesses at the same moment count one by one.
    The tenth in ten minutes blocks the code, and only a new code ends that.
    """
    key = nicknames.name_key(name)

    def attempt(state: ClassState) -> bool | None:
        require(not state.classroom.asks_sign_on, words.SIGNS_ON)
        everybody = state.members.values()
        named = (each for each in everybody if nicknames.name_key(each.student.name) == key)
        known, member = state.own_member(), next(named, None)
        if member is None:
            return False
        student, now = member.student, state.counters.now
        require(not student.is_code_blocked, words.CODE_BLOCKED.fill(name=student.name))
        if not is_among(sent_code, state.rejoin_codes(member)):
            recent = (at for at in student.wrong_codes if now - at < model.WRONG_CODES_WITHIN)
            counted = member.changed(wrong_codes=(*recent, now))
            return False if state.commit(Change(students=(counted,))) else None
        is_banned = "banned" in (student.state, known and known.student.state)
        require(not is_banned, words.BANNED)
        if known and known.number == member.number:
            return True
        return state.commit(_with_browser(state, member)) or None

    require(decide_on(code, attempt), words.NO_REJOIN)


def _with_browser(state: ClassState, member: Member) -> Change:
    """Let the browser of the request be a student's, unless they have as many as there can be."""
    browsers, most = member.student.browsers, model.MAX_BROWSERS
    require(len(browsers) < most, words.TOO_MANY_BROWSERS.fill(most=most))
    return Change(students=(member.changed(browsers=(*browsers, state.own_key)),))


def leave(code: str, what: str) -> None:
    """Let the student of the browser of the request step out, step in, or be forgotten."""

    def attempt(state: ClassState) -> bool | None:
        member = state.own_member()
        if member is None or member.student.state == "banned":
            raise NotAllowed(words.NOT_NOW)
        match what, member.student.state:
            case "forget", _:
                change = forget(state, member)
            case "step-out", "in":
                change = with_state(state, member, "out")
            case "step-in", "out":
                change = _step_in(state, member)
            case _:
                return True
        return state.commit(change) or None

    decide_on(code, attempt)


def forget(state: ClassState, *gone: Member) -> Change:
    """Forget students, but for how many deals of open tournaments their browsers have seen."""
    rows = deals_played_with(state, *gone)
    return Change(clock=_clock_without(state, *gone), rows=rows, gone=gone)


def with_state(state: ClassState, member: Member, to: str) -> Change:
    """Return what lets a student step out, or bans them: their card is out of play."""
    return Change(students=(member.changed(state=to),), clock=_clock_without(state, member))


def _clock_without(state: ClassState, *gone: Member) -> Clock | None:
    """Return the clock of a round that students' cards are taken out of, if that changes it."""
    live = state.open_round
    if live is None or live.data.by_hand:
        return None
    without, paper = {member.number for member in gone}, live.data.paper
    held = live.cards_in_play.values()
    stay = [one.card for one in held if one.student not in without or one.card <= paper]
    stop = live.stop_after(live.data.resumed_at_call, stay)
    return state.counters.clock.stopping_at(stop, state.counters.now)


def came_since(state: ClassState, minute: int) -> tuple[Member, ...]:
    """Return the students who came in a minute of Unix time or later."""
    return tuple(member for member in state.students if member.student.joined >= minute * 60)


def taken_keys(state: ClassState) -> set[str]:
    """Return the keys of all nicknames of a class."""
    return {nicknames.name_key(member.student.name) for member in state.members.values()}


def may_take_card(state: ClassState, member: Member) -> bool:
    """Say whether a round is on in which a student has no card yet, and may get one."""
    live, late = state.open_round, member.student.late
    if live is None or member.student.state != "in" or state.card_of(member):
        return False
    return not (late and late[0] == live.data.number)


def take_late_card(code: str) -> tuple[ClassState, Member]:
    """Give the student of the request's browser a card, if a round was dealt without them.

    Return the class as it stands now and the student; raise NotAStudent where there is none.
    """

    def attempt(state: ClassState) -> tuple[ClassState, Member] | None:
        member = state.require_student()
        if not may_take_card(state, member):
            return state, member
        state.commit(_with_late_card(state, member))
        return None

    return decide_on(code, attempt)


def next_call_at(counters: ClassCounters) -> float:
    """Return until when no further card is called by the clock."""
    clock = counters.clock
    if not counters.is_open or not clock.every or counters.calls >= clock.stop:
        return NEVER
    return clock.settled(counters.now).since + clock.every


def _step_in(state: ClassState, member: Member) -> Change:
    """Let a student step in again, with the card they had unless that has got BINGO! meanwhile."""
    live, late, had = state.open_round, member.student.late, 0
    if live and late and late[0] == live.data.number:
        had = late[1]
    elif live and member.number in live.data.dealt:
        had = member.number
    return _with_late_card(state, member, had)


def _with_late_card(state: ClassState, member: Member, had: int = 0) -> Change:
    """Let a student play, if a round is on with the card they had, or another if one is left."""
    late, counters, card = member.student.late, state.counters, _late_card(state, had)
    if state.open_round:
        late = (counters.round, card.number if card else 0, counters.calls)
    stop, clock = _stop_with(state, card), None
    if stop is not None:
        clock = counters.clock.stopping_at(min(stop, counters.clock.stop), counters.now)
    until = next_call_at(counters) if card else NEVER
    return Change(students=(member.changed(state="in", late=late),), clock=clock, until=until)


def _late_card(state: ClassState, first: int = 0) -> BingoCard | None:
    """Return the next card that has no BINGO! yet, if a round is on; one is tried before any."""
    live = state.open_round
    if live is None or live.calls >= DECK_SIZE:
        return None
    for _ in range(_CARDS_TRIED):
        card = live.card(first or class_store().take_card(state.code))
        if card.bingo_call > live.calls:
            return card
        first = 0
    return None


def _stop_with(state: ClassState, card: BingoCard | None) -> int | None:
    """Return where the clock must stop for another card."""
    live = state.open_round
    if card is None or live is None or live.data.by_hand:
        return None
    return max(card.bingo_call, live.calls)
