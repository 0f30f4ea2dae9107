"""How a browser becomes a student's, and how a student goes: seats, and the card of a latecomer.

NotAllowed is raised for what is refused, and BadName for a name that cannot be taken.
"""

from collections.abc import Collection
from typing import Final

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.card import MAX_PUT_ASIDE, BingoCard, next_card
from cardgames.class_bingo.clock import Clock
from web import db
from web.classroom import nicknames, words
from web.classroom.answers import Fields, NotAllowed, require
from web.classroom.codes import browser_hash, is_among
from web.classroom.models import BingoRound, Classroom
from web.classroom.queries import (
    MAX_WRONG_CODES,
    WRONG_CODES_WITHIN,
    Member,
    add_browser,
    add_student,
    delete_students,
    find_member,
    member_of,
    number_named,
    save_student,
    wrong_codes,
)
from web.classroom.rounds import card_had_before, give_late_card, keep_card_had
from web.classroom.seen_deals import keep_deals_seen
from web.classroom.state import ClassState, load_class
from web.classroom.updates import last_seen
from web.sessions import current_login, current_session

MAX_STUDENTS: Final = 1_000
"""Maximum number of students in a class."""

MAX_BROWSERS: Final = 12
"""Maximum number of browsers of a student."""

SEAT_KEPT: Final = 120.0
"""Number of seconds that a seat is kept in a full class for an absent browser."""

MAX_RECEIPT: Final = 64


def join(code: str, form: Fields) -> tuple[ClassState, Member]:
    """Make the browser of the request a student's of a class; once is enough.

    Return the class and the student. The form has ``name``, a nickname of one's own, or ``offer``;
    ``real``; and ``receipt``, which it has been given, so that sending it twice joins once.
    """
    state = load_class(code)
    if own := state.own_member():
        return state, own
    # On a bad network the answer to a join may be lost, and with it the cookie.
    # Who signs on is known without, and nobody else's receipt may make them another.
    receipt = "" if state.classroom.asks_sign_on else form.get("receipt", "")[:MAX_RECEIPT]
    receipt = receipt and browser_hash(state.code, f"receipt {receipt}")
    round_number = state.classroom.round_number
    if receipt and (lost := member_of(state.code, round_number, receipt)):
        return state, _add_browser(state, lost)
    require_open(state)
    name, real = _nickname(state, form), _real_name(state.classroom, form)
    if state.classroom.members >= state.classroom.limit:
        _make_room(state)
    key = nicknames.name_key(name)
    if number_named(state.code, key):
        raise NotAllowed(words.TAKEN.fill(name=form.get("offer") or form.get("name", "")))
    receipts = (receipt,) if receipt and not current_session().is_kept else ()
    number, is_offered = state.classroom.joined + 1, nicknames.is_offered(name)
    member = Member(state.code, number, name, key, is_offered, state.counters.now)
    add_student(member, real, (state.own_key, *receipts))
    came = {"joined": number, "members": state.classroom.members + 1}
    _give_late_card(state, number, is_new=True, **came)
    return state, member


def require_open(state: ClassState) -> None:
    """Raise NotAllowed unless a class takes the newcomer whose request this is."""
    require(not state.classroom.closed, words.CLOSED)
    require(not state.classroom.locked, words.LOCKED)
    require(bool(state.own_key), words.SIGN_ON_FIRST)


def _real_name(classroom: Classroom, form: Fields) -> str:
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


def _make_room(state: ClassState) -> None:
    """Let one more into a full class, if somebody was not seen for two minutes.

    An absent student only stops counting, and finds everything on coming back. Where a class has
    as many students as any can have, one who was gone within two minutes of joining is forgotten
    instead: so a flood of joins replaces itself.
    """
    seen = {number: presence.at for number, presence in last_seen(state).items()}
    absent = [number for number, at in seen.items() if state.counters.now - at >= SEAT_KEPT]
    require(len(seen) - len(absent) < state.classroom.limit, words.FULL)
    if len(seen) < MAX_STUDENTS:
        return
    brief = [
        number
        for number in absent
        if seen[number] - state.members[number].joined < SEAT_KEPT
        and state.members[number].state != "banned"
    ]
    require(bool(brief), words.FULL)
    forget(state, state.members[min(brief, key=lambda number: seen[number])])


def rejoin(code: str, name: str, sent_code: str) -> tuple[ClassState, Member]:
    """Add the browser of the request to those of a student, by their rejoin code.

    Return the class and the student. A wrong code is counted with the student before it is
    answered: guesses at the same moment count one by one. The tenth in ten minutes blocks the code,
    and only a new code ends that.
    """
    state = load_class(code)
    require(not state.classroom.asks_sign_on, words.SIGNS_ON)
    number, now = number_named(state.code, nicknames.name_key(name)), state.counters.now
    member = find_member(state.code, state.classroom.round_number, number)
    if member is None:
        raise NotAllowed(words.NO_REJOIN)
    wrong, known = wrong_codes(member), state.own_member()
    require(len(wrong) < MAX_WRONG_CODES, words.CODE_BLOCKED.fill(name=member.name))
    if not is_among(sent_code, state.rejoin_codes(member)):
        recent = [at for at in wrong if now - at < WRONG_CODES_WITHIN]
        save_student(member, wrong_codes=[*recent, now])
        state.note_students()
        db.commit()  # a refusal, which is kept all the same
        raise NotAllowed(words.NO_REJOIN)
    require("banned" not in (member.state, known and known.state), words.BANNED)
    if known and known.number == member.number:
        return state, known
    return state, _add_browser(state, member)


def _add_browser(state: ClassState, member: Member) -> Member:
    """Let the browser of the request be a student's, unless they have as many as there can be."""
    is_full = len(member.browsers) >= MAX_BROWSERS
    require(not is_full, words.TOO_MANY_BROWSERS.fill(most=MAX_BROWSERS))
    if known := state.own_member():
        _keep_card(state, known, (state.own_key,))
        keep_deals_seen(state.code, (known.number,), state.own_key)
    add_browser(member, state.own_key)
    state.note_students()
    return member


def leave(code: str, what: str) -> tuple[ClassState, Member | None]:
    """Let the student of the browser of the request step out, step in, or be forgotten.

    Return the class and the student; None for one who was forgotten.
    """
    state = load_class(code)
    member = state.own_member()
    if member is None or member.state == "banned":
        raise NotAllowed(words.NOT_NOW)
    match what, member.state:
        case "forget", _:
            forget(state, member)
            return state, None
        case "step-out", "in":
            set_state(state, member, "out")
        case "step-in", "out":
            _step_in(state, member)
    return state, find_member(state.code, state.classroom.round_number, member.number)


def forget(state: ClassState, *gone: Member) -> None:
    """Forget students, but for what their browsers have seen.

    That is how many deals of open tournaments, and which card of the round that is on.
    """
    numbers = [member.number for member in gone]
    keep_deals_seen(state.code, numbers)
    for member in gone:
        _keep_card(state, member, member.browsers)
    clock = _clock_without(state, *gone)
    delete_students(state.code, numbers)
    state.note_students(clock, members=state.classroom.members - len(gone))


def set_state(state: ClassState, member: Member, to: str) -> None:
    """Let a student step out, or ban them: their card is out of play."""
    clock = _clock_without(state, member)
    save_student(member, state=to)
    state.note_students(clock)


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
    return tuple(member for member in state.students if member.joined >= minute * 60)


def taken_keys(state: ClassState) -> set[str]:
    """Return the keys of all nicknames of a class."""
    return {nicknames.name_key(member.name) for member in state.members.values()}


def may_take_card(state: ClassState, member: Member) -> bool:
    """Say whether a round is on in which a student has no card yet, and may get one."""
    data = state.open_data
    if data is None or member.state != "in" or member.late_card is not None:
        return False
    return member.number not in data.dealt


def take_late_card(code: str) -> tuple[ClassState, Member]:
    """Give the student of the request's browser a card, if a round was dealt without them.

    Return the class as it stands now and the student; raise NotAStudent where there is none.
    """
    state = load_class(code)
    member = state.require_student()
    if not may_take_card(state, member):
        return state, member
    with db.writing():
        state = load_class(code)
        member = state.require_student()
        if may_take_card(state, member):
            _give_late_card(state, member.number)
    state = load_class(code)
    return state, state.require_student()


def _step_in(state: ClassState, member: Member) -> None:
    """Let a student step in again, with the card they had unless that has got BINGO! meanwhile."""
    save_student(member, state="in")
    _give_late_card(state, member.number, _card_had(state, member))


def _card_had(state: ClassState, member: Member) -> int | None:
    """Return the card that a student has, or had before stepping out; None for none.

    It is 0 where no card was left for them.
    """
    data = state.open_data
    if data is None or member.late_card is not None:
        return member.late_card
    return member.number if member.number in data.dealt else None


def _keep_card(state: ClassState, member: Member, browsers: Collection[str]) -> None:
    """Keep the card of a student for browsers that are theirs no more."""
    had = _card_had(state, member)
    if state.open_data and had is not None:
        keep_card_had(state.code, state.open_data.number, had, browsers)


def _give_late_card(
    state: ClassState, student: int, had: int | None = None, *, is_new: bool = False, **values: int
) -> None:
    """Let a student play, if a round is on with the card they had, or another if they had none.

    Where none is left, somebody new may ask again. What else changes of the class is written with
    it.
    """
    data, clock, calls = state.open_data, None, state.counters.calls
    if data:
        card, values["next_card"] = _late_card(state, data, student, had)
        if card or not is_new:
            give_late_card(state.code, data.number, student, card.number if card else 0, calls)
        if card and not data.by_hand:
            clock = state.counters.clock
            stop = max(card.bingo_call, calls)
            clock = clock.stopping_at(min(stop, clock.stop), state.counters.now)
    state.note_students(clock, **values)


def _late_card(
    state: ClassState, data: BingoRound, student: int, had: int | None
) -> tuple[BingoCard | None, int]:
    """Return a student's card of a round that was dealt, and the next number that nobody has had.

    A browser of theirs that had a card as somebody else gets that one, unless somebody has it.
    """
    calls, following = state.counters.calls, state.classroom.next_card
    if had is None:
        had = card_had_before(state.code, data.number, student)
        others = (member for member in state.members.values() if member.number != student)
        if had and had in {_card_had(state, member) for member in others}:
            had = 0
    if calls >= DECK_SIZE:
        return None, following
    card = next_card(data.salt, following, data.kind, calls, had=had)
    if had is not None:
        return card, following
    return card, card.number + 1 if card else following + MAX_PUT_ASIDE
