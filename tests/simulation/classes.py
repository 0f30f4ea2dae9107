"""The promises of a class, which are checked using only the responses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.simulation.tables import require

if TYPE_CHECKING:
    from tests.simulation.students import Student


CENTRE: Final = 12


@dataclass
class RoundModel:
    """The known facts about a round of class Bingo."""

    called: list[str] = field(default_factory=list)  # The longest list of calls in any response.
    accepted: set[int] = field(default_factory=set)  # Calls that a response confirmed.
    floor: int = 0  # Maximum number of calls in any response so far.
    claims: dict[tuple[int, int], bool] = field(default_factory=dict)  # Keyed by student and call.
    cards: dict[int, Any] = field(default_factory=dict)  # Card number and grid, keyed by student.
    has_ended: bool = False

    def see_card(self, student: int, card: Any) -> None:
        """Compare a student's card with the student's cards in earlier responses."""
        shown = card["number"], card["cards"]
        known = self.cards.setdefault(student, shown)
        require(known == shown, f"student {student} has two cards")
        holders = sum(number == card["number"] for number, _ in self.cards.values())
        require(holders == 1, f"two students have card {card['number']}")


class ClassModel:
    """The promises of a class, which are checked using only the responses."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.numbers: dict[int, Student] = {}
        self.gone: set[int] = set()  # The numbers of students who were removed.
        self.rounds: dict[int, RoundModel] = {}
        self.version = 0  # The newest version of the class in a response.

    def floors(self) -> dict[int, int]:
        """Return the number of calls that were shown, keyed by round."""
        return {number: known.floor for number, known in self.rounds.items()}

    def see(self, found: Any, floors: dict[int, int]) -> None:
        """Compare a round in a response with all earlier responses.

        Args:
            found: The JSON object of the round, or None.
            floors: The result of :meth:`floors` before the request was sent.
        """
        if found is None:
            return
        known = self.rounds.setdefault(found["number"], RoundModel())
        called = found["called"]
        require(len({*called}) == len(called), f"a card was called twice: {called}")
        both = min(len(called), len(known.called))
        orders = f"two different orders of calls: {called} {known.called}"
        require(called[:both] == known.called[:both], orders)
        floor = floors.get(found["number"], 0)
        require(len(called) >= floor, f"{len(called)} calls after {floor} were shown")
        known.called = max(known.called, called, key=len)
        known.floor = max(known.floor, len(called))
        known.has_ended = known.has_ended or found["phase"] in ("over", "void")

    def seat(self, number: int, student: Student) -> None:
        """Record that a student has the given number."""
        is_own = number not in self.gone and self.numbers.setdefault(number, student) is student
        require(is_own, f"two students are number {number}")
        require(student.number in (0, number), f"{student.number} is also number {number}")
        student.number = number

    def forget(self, student: Student) -> None:
        """Record the removal of a student.

        The student's browser can only get the same card or none.
        """
        for known in self.rounds.values():
            known.cards.pop(student.number, None)
        self.gone.add(student.number)
        self.numbers.pop(student.number, None)
        student.number = 0
