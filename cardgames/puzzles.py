"""Positions at the twenty-one tables in which a rule of thumb is wrong, and their exact odds.

:func:`puzzles` returns the positions found by ``python -m tools.puzzles``. This command enumerates
the positions of the tables, and selects every position in which a common rule of thumb is wrong and
the best play is better by at least :data:`MARGIN`.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Self

from cardgames.advice import Odds
from cardgames.cards import FULL_DECK, Card, Cards, Suit, split_codes
from cardgames.games.twentyone.rules import POINTS, TABLES, TARGET, Rules, Shoe, is_soft, total
from cardgames.odds import odds
from cardgames.text import NamedEnum, Text, format_number, format_points

MARGIN: Final = 0.05
"""Minimum difference in value between the two plays of a puzzle, as a fraction of a round."""

FEW_UNSEEN: Final = 4
"""Maximum number of unseen cards in a puzzle with the theme "end of the deck"."""

_TEN: Final = 10
_STIFF: Final = 12
_STRONG: Final = (1, 7, 8, 9, _TEN)
"""Upcards with which the dealer seldom busts."""


class Theme(NamedEnum):
    """A theme of puzzles, with the theme's name."""

    SOFT = "soft", Text("A soft hand")
    STIFF = "stiff", Text("A stiff hand against a strong card")
    WEAK = "weak", Text("A stiff hand against a weak card")
    TENS = "tens", Text("A deck with few tens")
    REFILL = "refill", Text("The discards are shuffled back in")
    LAST = "last", Text("The last cards")
    OWN = "own", Text("From your own rounds")


class Rule(NamedEnum):
    """A rule of thumb and its advice."""

    MIMIC = "mimic", Text("“Draw to 17, as the dealer does”")
    NEVER_BUST = "never bust", Text("“Never risk a bust”")
    STAND_ON_17 = "stand on 17", Text("“Stop on 17”")


_REASONS: Final = {
    (Theme.SOFT, "hit"): Text("No card can bust you, and {total} rarely wins"),
    (Theme.SOFT, "stay"): Text("{total} is good enough to win"),
    (Theme.STIFF, "hit"): Text("The dealer busts in only {dealer} of 100 rounds, so {total} loses"),
    (Theme.STIFF, "stay"): Text("{bust} of 100 cards bust you"),
    (Theme.WEAK, "hit"): Text("Only {bust} of 100 cards bust you"),
    (Theme.WEAK, "stay"): Text(
        "The dealer busts in {dealer} of 100 rounds, and a hit may bust you"
    ),
    (Theme.TENS, "hit"): Text("Only {tens} of the {unseen} cards you have not seen count 10"),
    (Theme.TENS, "stay"): Text("{tens} of the {unseen} cards you have not seen count 10"),
    (Theme.REFILL, "hit"): Text("You know the remaining cards: {bust} of 100 next cards bust you"),
    (Theme.REFILL, "stay"): Text(
        "You know the remaining cards: the dealer busts in {dealer} of 100 rounds"
    ),
    (Theme.LAST, "hit"): Text("You know the remaining cards: {bust} of 100 next cards bust you"),
    (Theme.LAST, "stay"): Text(
        "You know the remaining cards: the dealer busts in {dealer} of 100 rounds"
    ),
    (Theme.OWN, "hit"): Text("{bust} of 100 cards bust you, and {total} rarely wins"),
    (Theme.OWN, "stay"): Text("{bust} of 100 cards bust you"),
}
_SAFE_REASONS: Final = {
    Theme.WEAK: Text("No card can bust you"),
    Theme.REFILL: Text("You know the remaining cards: no card can bust you"),
    Theme.LAST: Text("You know the remaining cards: no card can bust you"),
    Theme.OWN: Text("No card can bust you, and {total} rarely wins"),
}
"""The explanations of a hit that cannot bust the hand."""

_RUNS_OUT: Final = Text("When the deck is empty, the round is a tie, which saves your {total}")
_WHY: Final = Text("{reason}: hit {hit} points, {stop} {stay} points.")


@dataclass(frozen=True)
class Position:
    """An open decision at a twenty-one table, with all cards that the player knows."""

    table: str
    player: Cards
    upcard: Card
    discards: Cards = ()
    theme: Theme = Theme.OWN

    def __post_init__(self) -> None:
        """Validate the position.

        Raises:
            ValueError: If the table does not exist, no decision is open, or a card occurs twice.
        """
        cards = (*self.player, self.upcard, *self.discards)
        if self.table not in TABLES or len(self.player) < 2:  # noqa: PLR2004 - two cards are dealt
            raise ValueError("That is no hand at a twenty-one table.")
        if len(set(cards)) < len(cards) or len(cards) == len(FULL_DECK):
            raise ValueError("A card lies in one place, and the hole card is one unseen.")
        if self.total > TARGET or (self.discards and self.rules.shoe is Shoe.FRESH):
            raise ValueError("No decision is open so.")

    @property
    def rules(self) -> Rules:
        """The table's rules."""
        return TABLES[self.table]

    @property
    def total(self) -> int:
        """The value of the player's hand."""
        return total(self.player, self.rules)

    @property
    def is_soft(self) -> bool:
        """Whether an ace in the hand counts as 11."""
        return is_soft(self.player, self.rules)

    @property
    def unseen(self) -> Cards:
        """The cards that the player has not seen, in the order of a new deck."""
        seen = {*self.player, self.upcard, *self.discards}
        return tuple(card for card in FULL_DECK if card not in seen)

    @property
    def odds(self) -> Odds:
        """The exact odds of the decision."""
        return odds(self.rules, self.player, self.upcard, self.unseen, self.discards)

    def in_other_suits(self, order: tuple[Suit, ...]) -> Self:
        """Return the same decision with the suits exchanged."""
        other = dict(zip(Suit, order, strict=True))

        def exchanged(cards: Cards) -> Cards:
            return tuple(Card(card.rank + other[card.suit]) for card in cards)

        return self.__class__(
            self.table,
            exchanged(self.player),
            exchanged((self.upcard,))[0],
            tuple(sorted(exchanged(self.discards), key=FULL_DECK.index)),
            self.theme,
        )


def best_margin(odds: Odds) -> float:
    """Return the value of the best play minus that of the other play, in rounds."""
    return abs(odds.hit.ev - odds.stay.ev)


def rule_against(position: Position, best: str) -> Rule | None:
    """Return a rule of thumb that contradicts the best play, or None if no rule does.

    Below 17, one rule is to draw like the dealer, and another rule is to stop as soon as a card can
    bust. From a total of 17 on, both rules say to stop.
    """
    if position.total >= position.rules.dealer_stands:
        return Rule.STAND_ON_17 if best == "hit" else None
    if best == "stay":
        return Rule.MIMIC
    return Rule.NEVER_BUST if position.total >= _STIFF and not position.is_soft else None


def find_theme(position: Position) -> Theme:
    """Return the theme of a position, given the known cards, the hand and the upcard."""
    if position.discards:
        if len(position.unseen) > FEW_UNSEEN:
            return Theme.TENS
        return Theme.REFILL if position.rules.shoe is Shoe.REFILLED else Theme.LAST
    if position.is_soft:
        return Theme.SOFT
    if _STIFF <= position.total < position.rules.dealer_stands:
        return Theme.STIFF if POINTS[position.upcard.rank] in _STRONG else Theme.WEAK
    return Theme.OWN


def why(position: Position, computed: Odds) -> Text:
    """Return a sentence that explains the best play, including both plays' values."""
    unseen = position.unseen
    runs_out = computed.best == "hit" and position.theme is Theme.LAST and len(unseen) == 1
    is_safe = computed.best == "hit" and not computed.bust
    reason = _REASONS[position.theme, computed.best]
    if runs_out:
        reason = _RUNS_OUT
    elif is_safe:
        reason = _SAFE_REASONS.get(position.theme, reason)
    return _WHY.fill(
        reason=reason.fill(
            total=position.total,
            dealer=format_number(computed.dealer["bust"] * 100, ".0f"),
            bust=format_number(computed.bust * 100, ".0f"),
            tens=sum(POINTS[card.rank] == _TEN for card in unseen),
            unseen=len(unseen),
        ),
        stop=position.rules.stop.verb,
        hit=format_points(100 * computed.hit.ev, "+"),
        stay=format_points(100 * computed.stay.ev, "+"),
    )


@cache
def puzzles() -> Mapping[Position, float]:
    """Return all puzzles, each with the margin of its best play.

    The first call takes 80 ms.
    """
    return dict(_read())


def _read() -> Iterator[tuple[Position, float]]:
    text = (files("cardgames") / "puzzles.csv").read_text(encoding="ascii")
    for row in csv.DictReader(text.splitlines()):
        player, upcard = split_codes(row["player"]), Card(row["upcard"])
        discards, unseen = split_codes(row["discards"]), split_codes(row["unseen"])
        if unseen:  # Each row contains the shorter of two lists: the unseen cards or the discards.
            visible = {*player, upcard, *unseen}
            discards = tuple(card for card in FULL_DECK if card not in visible)
        position = Position(row["table"], player, upcard, discards, Theme(row["theme"]))
        yield position, abs(float(row["hit"]) - float(row["stay"]))
