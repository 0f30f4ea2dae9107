"""The rules of playing-card Bingo: grids, covering cards, and patterns.

All values are computed from two decks and the number of called cards, so they cannot contradict
each other.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from cardgames.cards import Card, Cards
from cardgames.text import NamedEnum, Text

SIDE: Final = 5
GRID_SIZE: Final = SIDE * SIDE
CENTRE: Final = GRID_SIZE // 2
"""The free card in the middle: dealt face down and never shown (S4-25)."""


class Mode(NamedEnum):
    """The patterns that count as BINGO!, with their characters."""

    LINE = "L", Text("Line")
    CORNERS = "C", Text("Corners")
    FULL = "F", Text("Full")


Pattern = frozenset[int]
"""Positions of a grid: 0 to 24, row by row."""

_ROWS: Final = tuple(range(start, start + SIDE) for start in range(0, GRID_SIZE, SIDE))

LINES: Final[tuple[Pattern, ...]] = (
    *map(frozenset, _ROWS),
    *map(frozenset, zip(*_ROWS, strict=True)),
    frozenset(row[place] for place, row in enumerate(_ROWS)),
    frozenset(row[-1 - place] for place, row in enumerate(_ROWS)),
)
"""The twelve lines: five rows, five columns and two diagonals (S4-30)."""

PATTERNS: Final[dict[Mode, tuple[Pattern, ...]]] = {
    Mode.LINE: LINES,
    Mode.CORNERS: (frozenset((_ROWS[0][0], _ROWS[0][-1], _ROWS[-1][0], _ROWS[-1][-1])),),
    Mode.FULL: (frozenset(range(GRID_SIZE)),),
}
"""The patterns of each mode. A BINGO! is a pattern whose positions are all face down (S4-30 to
S4-32).
"""


def is_bingo(face_down: AbstractSet[int], mode: Mode) -> bool:
    """Return whether the face-down positions contain a BINGO!

    >>> is_bingo({10, 11, 12, 13, 14}, Mode.LINE), is_bingo({10, 11, 12, 13, 14}, Mode.CORNERS)
    (True, False)
    """
    return any(pattern <= face_down for pattern in PATTERNS[mode])


def winning_positions(face_down: AbstractSet[int], mode: Mode) -> Pattern:
    """Return the positions of all complete patterns.

    Without a BINGO!, the result is empty.

    >>> sorted(winning_positions({0, 4, 7, 12, 20, 24}, Mode.CORNERS))
    [0, 4, 20, 24]
    """
    return frozenset().union(*(pattern for pattern in PATTERNS[mode] if pattern <= face_down))


def one_away(face_down: AbstractSet[int], mode: Mode) -> Pattern:
    """Return the positions that would each complete a BINGO!

    After a BINGO!, the result is empty.

    >>> sorted(one_away({10, 11, 12, 13}, Mode.LINE)), sorted(one_away({0, 4}, Mode.CORNERS))
    ([14], [])
    """
    if is_bingo(face_down, mode):
        return frozenset()
    missing = (pattern - face_down for pattern in PATTERNS[mode])
    return frozenset().union(*(left for left in missing if len(left) == 1))


def nearest_missing(face_down: AbstractSet[int], mode: Mode) -> tuple[int, ...]:
    """Return the missing positions of the pattern nearest to completion.

    The positions are in ascending order.

    >>> nearest_missing({0, 12}, Mode.CORNERS), nearest_missing({11, 12, 13}, Mode.LINE)
    ((4, 20, 24), (10, 14))
    """
    missing = (tuple(sorted(pattern - face_down)) for pattern in PATTERNS[mode])
    return min((len(places), places) for places in missing)[1]


def match_key(card: Card, *, speed: bool) -> str:
    """Return the compared part of a card: rank and suit, or only the rank (S4-27)."""
    return card.rank if speed else card


def face_down_positions(grid: Cards, called: Iterable[Card], *, speed: bool) -> dict[int, int]:
    """Return the face-down positions, each with the call that covered it.

    The centre has call 0.

    A matching card is turned face down and never turned up again, so the order of the calls and
    repeated matches make no difference (S4-25, S4-28, A4-3).

    >>> from cardgames.cards import FULL_DECK
    >>> called = [Card("2C"), Card("KC"), Card("2D")]
    >>> face_down_positions(FULL_DECK[:25], called, speed=True)
    {1: 1, 12: 0, 14: 1}
    """
    first_call: dict[str, int] = {}
    for number, card in enumerate(called, start=1):
        first_call.setdefault(match_key(card, speed=speed), number)
    down = {}
    for place, card in enumerate(grid):
        if place == CENTRE:
            down[place] = 0
        elif call := first_call.get(match_key(card, speed=speed)):
            down[place] = call
    return down


def dealt(deck: Cards) -> tuple[Cards, Cards, Cards]:
    """Deal a bingo deck alternately to A and B (S4-43).

    Return both grids and the other cards.

    >>> from cardgames.cards import FULL_DECK
    >>> a, b, rest = dealt(FULL_DECK)
    >>> [str(card) for card in (*a[:2], *b[:2], *rest)]
    ['AC', '3C', '2C', '4C', 'QS', 'KS']
    """
    both = 2 * GRID_SIZE
    return deck[0:both:2], deck[1:both:2], deck[both:]


class Winner(NamedEnum):
    """The winner of a round, with the label for the history. The player is A."""

    A = "A", Text("You won")
    B = "B", Text("Rosa won")
    TIE = "tie", Text("A tie")


def find_winner(*, a_bingo: bool, b_bingo: bool) -> Winner | None:
    """Return the winner, or None if neither player has BINGO! (S4-49, S4-50).

    If both players have BINGO! at the same call, the round is a tie.

    >>> find_winner(a_bingo=False, b_bingo=True)
    <Winner.B: 'B'>
    """
    if a_bingo and b_bingo:
        return Winner.TIE
    if a_bingo or b_bingo:
        return Winner.A if a_bingo else Winner.B
    return None
