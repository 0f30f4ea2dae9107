"""Finds the puzzles: ``python -m tools.puzzles`` rewrites ``cardgames/puzzles.csv`` in minutes.

The search examines all of these positions:

* with a fresh deck: every hand of two or three values against every upcard, at each table;
* after one to three rounds in which both sides held two tens: hands of two values;
* with one or two unseen cards and all others gone: every hand of two values, every upcard, and
  every pair of values that may be left.

Suits make no difference, so only values are examined. A position is a puzzle if its best play is
better by at least ``MARGIN`` and a rule of thumb advises the other play. If cards are gone, its
best play must also differ from the best play with a fresh deck. If puzzles differ only in the cards
that make up the same total, only the puzzles with the widest and the narrowest margin are selected.
"""

import csv
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement
from operator import itemgetter
from pathlib import Path
from typing import Final, TextIO

from cardgames.advice import Odds
from cardgames.cards import FULL_DECK, Card, Cards
from cardgames.games.twentyone.rules import POINTS, TABLES, Shoe
from cardgames.puzzles import (
    FEW_UNSEEN,
    MARGIN,
    Position,
    best_margin,
    find_theme,
    rule_against,
)

FILE: Final = Path(__file__).parents[1] / "cardgames" / "puzzles.csv"
VALUES: Final = tuple(range(1, 11))
MOST_TENS_ROUNDS: Final = 3
MOST_UNSEEN: Final = 2

Key = tuple[str, str, int, bool, int, str]
Found = tuple[float, Position, Odds]


def positions() -> Iterator[Position]:
    """Yield every position to examine."""
    for table, rules in TABLES.items():
        yield from _with_fresh_deck(table)
        if rules.shoe is not Shoe.FRESH:
            yield from _without_tens(table)
            yield from _at_the_end(table)


def _with_fresh_deck(table: str) -> Iterator[Position]:
    for size in (2, 3):
        for hand in combinations_with_replacement(VALUES, size):
            for upcard in VALUES:
                yield from _position(table, hand, upcard)


def _without_tens(table: str) -> Iterator[Position]:
    tens = [card for card in FULL_DECK if POINTS[card.rank] == VALUES[-1]]
    for rounds in range(1, MOST_TENS_ROUNDS + 1):
        for hand in combinations_with_replacement(VALUES, 2):
            for upcard in VALUES:
                yield from _position(table, hand, upcard, tuple(tens[: 4 * rounds]))


def _at_the_end(table: str) -> Iterator[Position]:
    for unseen in range(1, MOST_UNSEEN + 1):
        for hand in combinations_with_replacement(VALUES, 2):
            for upcard in VALUES:
                for left in combinations_with_replacement(VALUES, unseen):
                    taken = _cards((*hand, upcard, *left))
                    if taken:
                        gone = tuple(card for card in FULL_DECK if card not in taken)
                        yield from _position(table, hand, upcard, gone)


def _position(
    table: str, hand: tuple[int, ...], upcard: int, gone: Cards = ()
) -> Iterator[Position]:
    """Yield the position with these values, if the cards exist and a decision is open."""
    cards = _cards((*hand, upcard), gone)
    if cards:
        try:
            position = Position(table, cards[:-1], cards[-1], gone)
        except ValueError:
            return
        yield replace(position, theme=find_theme(position))


def _cards(values: tuple[int, ...], gone: Cards = ()) -> Cards:
    """Return distinct available cards with these values, or () if there are too few."""
    taken: list[Card] = []
    for value in values:
        left = (
            card
            for card in FULL_DECK
            if POINTS[card.rank] == value and card not in taken and card not in gone
        )
        card = next(left, None)
        if card is None:
            return ()
        taken.append(card)
    return tuple(taken)


def is_puzzle(position: Position, found: Odds) -> bool:
    """Return whether a rule of thumb is wrong by at least ``MARGIN`` for a position."""
    if best_margin(found) < MARGIN or not rule_against(position, found.best):
        return False
    return not position.discards or replace(position, discards=()).odds.best != found.best


def find() -> list[Found]:
    """Return the puzzles with the widest and the narrowest margin per situation."""
    clearest: dict[Key, Found] = {}
    closest: dict[Key, Found] = {}
    for position in positions():
        found = position.odds
        if not is_puzzle(position, found):
            continue
        one = (best_margin(found), position, found)
        key = _key(position, found)
        clearest[key] = max(clearest.get(key, one), one, key=itemgetter(0))
        closest[key] = min(closest.get(key, one), one, key=itemgetter(0))
    both = {entry[1]: entry for kept in (clearest, closest) for entry in kept.values()}
    return sorted(both.values(), key=lambda one: (one[1].table, one[1].theme, one[1].total, one[0]))


def _key(position: Position, found: Odds) -> Key:
    """Return the properties that all puzzles of a situation have in common."""
    upcard = POINTS[position.upcard.rank]
    return (
        *(position.table, position.theme, position.total, position.is_soft, upcard),
        found.best,
    )


def write(found: list[Found], file: TextIO) -> None:
    """Write puzzles, each with its known cards and the values of both plays.

    The values are in rounds.
    """
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(("table", "theme", "player", "upcard", "discards", "unseen", "hit", "stay"))
    for _, position, found_odds in found:
        rows.writerow(
            (
                *(position.table, position.theme.value, "".join(position.player)),
                position.upcard,
                *_known(position),
                *(f"{found_odds.hit.ev:.9f}", f"{found_odds.stay.ev:.9f}"),
            )
        )


def _known(position: Position) -> tuple[str, str]:
    """Return the gone cards and "", or "" and the unseen cards if few are unseen."""
    if not position.discards or len(position.unseen) > FEW_UNSEEN:
        return "".join(position.discards), ""
    return "", "".join(position.unseen)


def main() -> int:
    """Find the puzzles, and write their file."""
    found = find()
    with FILE.open("w", encoding="ascii") as file:
        write(found, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
