"""What a student does with a card in a round that is played by hand: covers, and says BINGO!"""

from dataclasses import replace

import msgspec
from werkzeug.exceptions import ServiceUnavailable

from cardgames.class_bingo.card import BingoCard
from cardgames.class_bingo.results import Claim, judge
from cardgames.games.bingo.rules import CENTRE, GRID_SIZE
from web.classroom import words
from web.classroom.access import member_of
from web.classroom.joining import next_call_at
from web.classroom.model import Member, Student
from web.classroom.moves import NotAllowed, OutOfDate
from web.classroom.state import MAX_ATTEMPTS, ClassState, LiveRound, class_store, load_class


def claim(code: str, named: int) -> Claim:
    """Say BINGO! for the student of the browser that asks; return what became of it.

    Args:
        code: the class's.
        named: the call that their page shows.

    Raises:
        NotAllowed: there is nothing to be claimed.
    """
    for _ in range(MAX_ATTEMPTS):
        state = load_class(code)
        _, card = _card_by_hand(state)
        kept = claim_card(state, card, named)
        if kept:
            return kept
    raise ServiceUnavailable


def claim_card(state: ClassState, card: BingoCard, named: int) -> Claim | None:
    """Say BINGO! for a card; return what became of it, or None if the class has changed."""
    live = state.round
    if live is None:
        return None
    for earlier in live.claims:
        if earlier.card == card.number and (earlier.right or earlier.call == named):
            return earlier
    judged = judge(card, named, live.calls, live.data.resumptions)
    return class_store().claim(state.code, state.counters, judged, next_call_at(state.counters))


def mark(code: str, place: int, *, on: bool, round_number: int | None = None) -> None:
    """Cover or uncover a position of the card of the browser that asks.

    Args:
        code: the class's.
        place: the position, 0 to 24.
        on: whether it is to be covered.
        round_number: the round that the page shows, if it says so.

    Raises:
        NotAllowed: there is no such position, or nothing to be covered.
        OutOfDate: the page is of another round.
    """
    if not 0 <= place < GRID_SIZE or place == CENTRE:
        raise NotAllowed(words.NO_PLACE)
    for _ in range(MAX_ATTEMPTS):
        state = load_class(code)
        member, _ = _card_by_hand(state)
        if round_number not in (None, state.counters.round):
            raise OutOfDate(words.OTHER_ROUND)
        bits = marks_of(member.student, state.counters.round)
        bits = bits | 1 << place if on else bits & ~(1 << place)
        student = msgspec.structs.replace(member.student, marks=(state.counters.round, bits))
        if class_store().save_student(state.code, replace(member, student=student)):
            return
    raise ServiceUnavailable


def marks_of(student: Student, round_number: int) -> int:
    """Return the positions that a student has covered by hand in a round, as bits."""
    marked, bits = student.marks
    return bits if marked == round_number else 0


def marked_places(student: Student, round_number: int) -> tuple[int, ...]:
    """Return the same as positions, the free centre included."""
    bits = marks_of(student, round_number) | 1 << CENTRE
    return tuple(place for place in range(GRID_SIZE) if bits >> place & 1)


def own_claim(live: LiveRound, card: BingoCard, call: int | None = None) -> Claim | None:
    """Return the right claim of a card, or the one at a call, if there is one."""
    for one in live.claims:
        if one.card == card.number and (one.right if call is None else one.call == call):
            return one
    return None


def _card_by_hand(state: ClassState) -> tuple[Member, BingoCard]:
    """Return the student that asks, and their card in a round by hand.

    Raises:
        NotAllowed: there is no such round, or they have no card in it.
    """
    live, member = state.round, member_of(state)
    if live is None:
        raise NotAllowed(words.NO_ROUND)
    if not live.is_open:
        raise NotAllowed(words.ROUND_ENDED.fill(call=live.calls))
    if not live.data.by_hand:
        raise NotAllowed(words.NOT_BY_HAND)
    card = state.card_of(member) if member else None
    if member is None or card is None:
        raise NotAllowed(words.NO_CARD)
    return member, card
