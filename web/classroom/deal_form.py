"""The form that deals a round, and what to expect beside each choice."""

from dataclasses import dataclass
from typing import Final

from cardgames.class_bingo.card import Kind
from cardgames.class_bingo.expectations import expected
from cardgames.games.bingo.rules import Mode
from cardgames.text import Text
from web.classroom.presence import dealt_in
from web.classroom.state import ClassState

CLOCK: Final = 8
"""The usual interval: what to expect is told for it."""

_MINUTE: Final = 60
_SHORT: Final = 90


@dataclass(frozen=True, slots=True)
class Outlook:
    """What to expect of a kind of round."""

    mode: Mode
    speed: bool
    calls: int
    tied: float
    lasts: Text


@dataclass(frozen=True, slots=True)
class DealForm:
    """The form of a deal."""

    number: int
    cards: int
    """Number of students who are dealt in."""

    absent: int
    """Number of students who are not, since they have not been seen lately."""

    outlooks: tuple[tuple[Outlook, ...], ...]
    """A row for each mode: that card, every card of its rank."""

    low: int
    high: int
    """Nine of ten plain line rounds end between these calls."""

    mode: str
    speed: str
    by_hand: str
    every: int
    """What was chosen for the last round."""


def deal_form(state: ClassState) -> DealForm:
    """Return the form, with what was chosen for the last round."""
    cards = len(dealt_in(state))
    usual = expected(Kind(), cards)
    last = state.classroom.round
    return DealForm(
        number=state.counters.round + 1,
        cards=cards,
        absent=len(state.playing) - cards,
        outlooks=tuple(
            tuple(_outlook(Kind(mode, speed), cards) for speed in (False, True)) for mode in Mode
        ),
        low=round(usual.low),
        high=round(usual.high),
        mode=last.mode if last else Mode.LINE,
        speed="Y" if last and last.speed else "N",
        by_hand="Y" if last and last.by_hand else "N",
        every=last.every if last else CLOCK,
    )


def _outlook(kind: Kind, cards: int) -> Outlook:
    found = expected(kind, cards)
    lasts = duration_text(found.calls * CLOCK)
    return Outlook(kind.mode, kind.speed, round(found.calls), found.tied, lasts)


def duration_text(seconds: float) -> Text:
    """Say about how long something lasts.

    >>> duration_text(32), duration_text(112)
    ('30 s', '2 min')
    """
    if seconds < _SHORT:
        return Text("{number} s", number=max(10, round(seconds / 10) * 10))
    return Text("{number} min", number=round(seconds / _MINUTE))
