"""How the checks look at games of Bingo, in the student's process."""

import sys
from typing import Any


def break_deal(deck: Any, lines_left: int, number: int, message: str) -> None:
    """Let the calling deck raise an exception once, instead of dealing this card of a round.

    Args:
        deck: the class.
        lines_left: how many lines are not typed yet when a round begins.
        number: which card; the deck is the second one that deals in the round.
        message: the argument of the exception.
    """
    real = deck.dealCard
    dealt: dict[int, int] = {}

    def deal(self: object) -> object:
        stdin: Any = sys.stdin
        if stdin.lines_left <= lines_left:
            dealt[id(self)] = dealt.get(id(self), 0) + 1
            second = [*dealt].index(id(self)) == 1
            if second and dealt[id(self)] == number:
                raise Exception(message)  # noqa: TRY002 - as the sheet has it
        return real(self)

    deck.dealCard = deal
