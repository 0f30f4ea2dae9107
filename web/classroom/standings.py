"""Who has won how many rounds of class Bingo: since the class began, and in the last hour."""

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Final, NamedTuple

from web.classroom.queries import won_since
from web.classroom.state import ClassState

HOUR: Final = 3_600
"""Number of seconds."""


class BestPlayer(NamedTuple):
    """Where a student stands at class Bingo; as many rounds won are the same place."""

    place: int
    name: str
    won: int


def best_players(state: ClassState, within: float = 0.0) -> Iterator[BestPlayer]:
    """Yield the students of a class who have won at Bingo, who has won most rounds first.

    Args:
        state: the class.
        within: in how many seconds before now; 0 for ever.
    """
    known = _won(state, within)
    winners = [(known.get(member.number, 0), member.name) for member in state.students]
    ranked = sorted(filter(itemgetter(0), winners), key=itemgetter(0), reverse=True)
    counts = [won for won, _ in ranked]
    for won, name in ranked:
        yield BestPlayer(1 + counts.index(won), name, won)


def _won(state: ClassState, within: float) -> Mapping[int, int]:
    """Return how many rounds students have won, by their numbers."""
    if not within:
        return {number: member.won for number, member in state.members.items()}
    return won_since(state.code, state.counters.now - within)
