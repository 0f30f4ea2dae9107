"""Cards for students who join a round after the deal."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.card import late_card
from web import db
from web.classroom.bingo.queries import deal_card, dealt_cards
from web.classroom.bingo.rules import may_take_card
from web.classroom.core import access
from web.classroom.core.codes import past_students
from web.classroom.core.models import BingoRound, Classroom, Student

MAX_SET_ASIDE: Final = 50
"""Maximum number of new cards that are tried for a late student."""


def take_late_card(code: str) -> tuple[Classroom, Student]:
    """Deal the current student a card if the open round was dealt without them.

    Return the current class and student, or raise NotAStudent.
    """
    with db.write_transaction():
        classroom, student = access.load_class_as_student(code)
        if may_take_card(classroom, student):
            give_late_card(classroom, student)
    return access.load_class_as_student(code)


def give_late_card(classroom: Classroom, student: Student, **values: int) -> None:
    """Deal a student a remaining card of the open round, and save the class."""
    live, clock, calls = classroom.open_round, None, classroom.calls
    numbers = _cards_left(classroom, live) if live and calls < DECK_SIZE else iter(())
    if live and (number := late_card(live.salt, numbers, live.kind, calls)):
        deal_card(live, student, number, calls)
        if not live.by_hand:
            clock = classroom.clock
            stop = min(live.card(number).bingo_call, clock.stop)
            clock = clock.stopping_at(stop, classroom.now)
    elif not values:
        return
    access.save_students(classroom, clock, **values)


def _cards_left(classroom: Classroom, live: BingoRound) -> Iterator[int]:
    """Yield the cards that the current browser may get, in order of preference.

    A browser that had a card as another student gets that card again, or no card if someone else
    now has it. Otherwise, the cards of students who left are assigned first, so that leaving and
    joining again brings no advantage. New cards follow.
    """
    dealt, past = dealt_cards(live), {*past_students(classroom.code)}
    free = [card for card, students in dealt.items() if not any(students.values())]
    if had := [card for card, students in dealt.items() if past.intersection(students)]:
        return (card for card in had[:1] if card in free)
    first = 1 + max(live.paper, *dealt, 0)
    return chain((card for card in free if card > live.paper), range(first, first + MAX_SET_ASIDE))
