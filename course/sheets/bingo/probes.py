"""The probes of Bingo, in the student's process."""

import sys
from typing import Any


def break_deal(deck: Any, lines_left: int, number: int, message: str) -> None:
    """Make the calling deck raise an exception once, instead of dealing a card.

    Args:
        deck: The student's class of decks.
        lines_left: The number of lines that have not been typed when the round starts.
        number: The number of the card that is not dealt. The calling deck is the second deck that
            deals in a round.
        message: The argument of the exception.
    """
    real = deck.dealCard
    dealt: dict[int, int] = {}

    def deal(self: object) -> object:
        stdin: Any = sys.stdin
        if stdin.lines_left <= lines_left:
            dealt[id(self)] = dealt.get(id(self), 0) + 1
            second = [*dealt].index(id(self)) == 1
            if second and dealt[id(self)] == number:
                raise Exception(message)  # noqa: TRY002 - required by the sheet
        return real(self)

    deck.dealCard = deal
