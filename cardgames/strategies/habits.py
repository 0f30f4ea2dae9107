"""Habits: mistakes that players repeat, and hands to practise against them.

Each decision that differs from the best play is assigned to one habit. A habit defines a set of
hands, the wrong move, and a name for the hands that does not reveal the correct move.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Final, NamedTuple

from cardgames.cards import FULL_DECK, Rank, shuffled
from cardgames.games.twentyone.rules import POINTS, TABLES, TARGET
from cardgames.puzzles import Position, best_margin, find_theme
from cardgames.strategies.strategy import Strategy, decision
from cardgames.text import Text

EVERYTHING: Final = "everything"
"""The habit of a player who stops on stiff hands against both strong and weak upcards."""

MIN_MARGIN: Final = 0.01
"""Minimum difference in value between the best and the wrong play of a hand, in rounds."""

_STRONG: Final = (Rank.SEVEN, Rank.EIGHT, Rank.NINE, Rank.TEN, Rank.ACE)
"""Upcards with which the dealer seldom busts. A ten represents the court cards."""

_STIFF: Final = range(12, 17)
"""Totals of hard hands that one card can bust, and with which the dealer would draw."""

_STOPS: Final = 17
_LOWEST: Final = 2  # two aces that count as 1
_SOFTEST: Final = 12  # two aces, one of which counts as 11
_MAX_HARD: Final = 20  # with every ace as 1; 21 is excluded, because that decision is trivial
_EACH: Final = 4
"""Number of cards dealt per hand: an upcard, two cards, and a third card in every third hand."""

_MAX_DECKS: Final = 2_000
"""Maximum number of decks from which hands are dealt. On average, a hundred decks contain seven
hands for the rarest habit.
"""


class Habit(NamedTuple):
    """A mistake that some players repeat."""

    chosen: str
    """The name of the wrong move, or an empty string for any move."""

    text: Text
    about: Text
    """A description of the habit's hands that names neither the wrong move nor the correct move."""

    hands: Callable[[int, bool, Rank], bool]
    """A function that returns whether the habit applies, given a total, whether it is soft, and an
    upcard.
    """

    @property
    def is_drilled(self) -> bool:
        """Whether the habit has a wrong move. Only then can there be hands to practise."""
        return self.chosen in ("hit", "stay")


def _stiff(total: int, soft: bool) -> bool:  # noqa: FBT001 - in the order in which a hand is described
    return not soft and total in _STIFF


HABITS: Final[Mapping[str, Habit]] = {
    "surrender": Habit(
        "deal", Text("Gives up the round"), Text("Giving up the round"), lambda *_: True
    ),
    "hits-hard-17": Habit(
        "hit",
        Text("Hits hard 17 or more, whatever the dealer shows"),
        Text("Hard 17 or more"),
        lambda total, soft, _: not soft and total >= _STOPS,
    ),
    "stops-strong": Habit(
        "stay",
        Text("Stops on 12 to 16 against a strong card"),
        Text("12 to 16 against a strong card"),
        lambda total, soft, upcard: _stiff(total, soft) and upcard in _STRONG,
    ),
    "stops-weak": Habit(
        "stay",
        Text("Stops on 12 to 16 when a hit is better"),
        Text("12 to 16 against a weak card"),
        lambda total, soft, upcard: _stiff(total, soft) and upcard not in _STRONG,
    ),
    "hits-stiff": Habit(
        "hit",
        Text("Hits 12 to 16 when the dealer is more likely to bust"),
        Text("12 to 16, when the dealer may bust"),
        lambda total, soft, _: _stiff(total, soft),
    ),
    "stops-safe": Habit(
        "stay",
        Text("Stops although no card can cause a bust"),
        Text("11 or less"),
        lambda total, soft, _: not soft and total < _STIFF.start,
    ),
    "never-hits-soft-17": Habit(
        "stay",
        Text("Never hits soft 17 or less"),
        Text("Soft 17 or less"),
        lambda total, soft, _: soft and total <= _STOPS,
    ),
    "stops-soft": Habit(
        "stay",
        Text("Stops on soft 18 or more against a strong card"),
        Text("Soft 18 or more"),
        lambda total, soft, _: soft and total > _STOPS,
    ),
    "hits-soft": Habit(
        "hit",
        Text("Hits a soft hand that is good enough"),
        Text("Soft hands"),
        lambda _, soft, __: soft,
    ),
    EVERYTHING: Habit(
        "stay",
        Text("Stops on everything that could bust"),
        Text("12 to 16"),
        lambda total, soft, _: _stiff(total, soft),
    ),
    "other": Habit("", Text("Other decisions"), Text("Other hands"), lambda *_: True),
}
"""The habits, keyed by name, with the most obvious mistake first."""


def find_habit(chosen: str, total: int, upcard: Rank, *, soft: bool) -> str:
    """Return the name of the habit to which a wrong decision is assigned.

    >>> find_habit("hit", 18, Rank.SIX, soft=False), find_habit("stay", 13, Rank.TEN, soft=False)
    ('hits-hard-17', 'stops-strong')
    """
    return next(
        name
        for name, habit in HABITS.items()
        if name != EVERYTHING and habit.chosen in ("", chosen) and habit.hands(total, soft, upcard)
    )


def has_hands(table: str, name: str) -> bool:
    """Return whether a habit is a mistake in any hand at a table.

    >>> has_hands("blackjack", "stops-soft"), has_hands("simple-21", "stops-soft")
    (True, False)
    """
    return name in HABITS and any(
        _is_wrong(table, name, total, upcard, soft=soft)
        for soft in ((False, True) if TABLES[table].ace_may_be_eleven else (False,))
        for total in range(_SOFTEST if soft else _LOWEST, TARGET + 1)
        for upcard in {*POINTS.values()}
    )


def is_wrong(name: str, position: Position) -> bool:
    """Return whether a habit costs at least :data:`MIN_MARGIN` in a position."""
    upcard = POINTS[position.upcard.rank]
    if not _is_wrong(position.table, name, position.total, upcard, soft=position.is_soft):
        return False
    odds = position.odds
    return odds.best != HABITS[name].chosen and best_margin(odds) >= MIN_MARGIN


def hands_for(table: str, name: str, rng: Random) -> Iterator[Position]:
    """Yield random positions from fresh decks in which a habit is a mistake.

    Args:
        table: The table's slug.
        name: The name of a habit for which :func:`has_hands` is true at the table.
        rng: The random number generator for dealing the positions.
    """
    for _ in range(_MAX_DECKS):
        deck = shuffled(FULL_DECK, rng)
        for start in range(0, len(deck), _EACH):
            upcard, *hand = deck[start : start + (_EACH - 1 if start % 3 else _EACH)]
            if sum(POINTS[card.rank] for card in hand) <= _MAX_HARD:
                position = Position(table, tuple(hand), upcard)
                if is_wrong(name, position):
                    yield replace(position, theme=find_theme(position))


def right_move(position: Position) -> str:
    """Return the best play in a position: ``hit`` or ``stay``."""
    return _right(
        position.table, position.total, POINTS[position.upcard.rank], soft=position.is_soft
    )


def _right(table: str, total: int, upcard: int, *, soft: bool) -> str:
    hits = decision(Strategy.BEST, table)(total, soft, upcard)
    return "hit" if hits else "stay"


def _is_wrong(table: str, name: str, total: int, upcard: int, *, soft: bool) -> bool:
    habit, rank = HABITS[name], tuple(Rank)[upcard - 1]  # a court card counts 10, like a ten
    if not habit.is_drilled or not habit.hands(total, soft, rank):
        return False
    return habit.chosen != _right(table, total, upcard, soft=soft)
