"""Who has won how many rounds of class Bingo: since the class began, and in the last hour."""

from collections import defaultdict
from collections.abc import Iterator
from operator import itemgetter
from typing import Final, NamedTuple

from web.classroom.state import ClassState, class_store

HOUR: Final = 3_600
"""Number of seconds."""


class Score(NamedTuple):
    """What a student has done in class Bingo since joining."""

    rounds: int = 0
    """Number of rounds that counted."""

    won: int = 0
    """Number of rounds in which they had place 1."""


def scores(state: ClassState, since: float = 0.0) -> defaultdict[int, Score]:
    """Return what each student of a class has done since a time, by their numbers."""
    found: defaultdict[int, Score] = defaultdict(Score)
    for data in class_store().finished(state.code):
        if data.void or data.finished is None or data.finished.ended < since:
            continue
        first = {card for place in data.finished.places if place.place == 1 for card in place.cards}
        for card, student, _ in data.finished.cards:
            if student:
                rounds, won = found[student]
                found[student] = Score(rounds + 1, won + (card in first))
    return found


class BestPlayer(NamedTuple):
    """Where a student stands at class Bingo; as many rounds won are the same place."""

    place: int
    name: str
    won: int


def best_players(state: ClassState, within: float = 0.0) -> Iterator[BestPlayer]:
    """Yield the students of a class who have won at Bingo, who has won most rounds first.

    Args:
        state: the class.
        within: in how many seconds before now, by the store's clock; 0 for ever.
    """
    known = scores(state, state.counters.now - within if within else 0.0)
    winners = [(known[member.number].won, member.student.name) for member in state.students]
    ranked = sorted(filter(itemgetter(0), winners), key=itemgetter(0), reverse=True)
    counts = [won for won, _ in ranked]
    for won, name in ranked:
        yield BestPlayer(1 + counts.index(won), name, won)
