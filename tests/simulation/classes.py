"""The promises of a class, which are checked only from responses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.simulation.tables import Violation

if TYPE_CHECKING:
    from tests.simulation.students import Student


CENTRE: Final = 12


@dataclass
class RoundModel:
    """The known facts about a round of class Bingo."""

    called: list[str] = field(default_factory=list)
    """The longest list of calls in any response."""

    accepted: Counter[int] = field(default_factory=Counter)
    """Number of responses that reported this call as the request's own call."""

    floor: int = 0
    """Number of calls that were reported or shown."""

    claims: dict[tuple[int, int], bool] = field(default_factory=dict)
    """The answers to students' claims: the student's number, the call and the result."""

    cards: dict[int, Any] = field(default_factory=dict)
    """Each student's card: its number and grid."""

    has_ended: bool = False

    def see_card(self, student: int, card: Any) -> None:
        """Compare a student's card with the cards in earlier responses.

        Args:
            student: Number of the student.
            card: JSON object of the card.

        Raises:
            Violation: If the cards contradict each other.
        """
        shown = card["number"], card["cards"]
        if self.cards.setdefault(student, shown) != shown:
            raise Violation(f"student {student} has two cards")
        if sum(number == card["number"] for number, _ in self.cards.values()) > 1:
            raise Violation(f"two students have card {card['number']}")


class ClassModel:
    """The promises of a class, which are checked only from responses."""

    def __init__(self, code: str) -> None:
        """Start with an empty class."""
        self.code = code
        self.numbers: dict[int, Student] = {}
        """The students, by number."""

        self.gone: set[int] = set()
        """The numbers of students who were removed."""

        self.rounds: dict[int, RoundModel] = {}
        self.in_lesson = False
        """Whether the class is playing together at present."""

        self.version = 0
        """The newest version in a response."""

    def see(self, found: Any, floor: int = 0) -> None:
        """Compare a round in a response with all earlier responses.

        Args:
            found: JSON object of the round, or None.
            floor: Number of calls that had been shown when the request was sent.

        Raises:
            Violation: If the responses contradict each other.
        """
        if found is None:
            return
        known = self.rounds.setdefault(found["number"], RoundModel())
        called = found["called"]
        if len({*called}) < len(called):
            raise Violation(f"a card was called twice: {called}")
        if called != known.called[: len(called)] and known.called != called[: len(known.called)]:
            raise Violation(f"two different orders of calls: {called} {known.called}")
        if len(called) < floor:
            raise Violation(f"{len(called)} calls after {floor} were shown")
        known.called = max(known.called, called, key=len)
        known.floor = max(known.floor, len(called))
        known.has_ended = known.has_ended or found["phase"] in ("over", "void")

    def seat(self, number: int, student: Student) -> None:
        """Record the student to whom a number belongs.

        Raises:
            Violation: If the number is someone else's, or if the student has another number.
        """
        if number in self.gone or self.numbers.setdefault(number, student) is not student:
            raise Violation(f"two students are number {number}")
        if student.number not in (0, number):
            raise Violation(f"student {student.number} is also number {number}")
        student.number = number

    def forget(self, student: Student) -> None:
        """Record the removal of a student, whose browser then gets the same card or no card."""
        for known in self.rounds.values():
            known.cards.pop(student.number, None)
        self.gone.add(student.number)
        self.numbers.pop(student.number, None)
        student.number = 0
