"""What the page of a puzzle receives."""

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar, Final

import msgspec

from cardgames.advice import Advisor, Odds, Out
from cardgames.cards import Rank
from cardgames.game import AnyGame
from cardgames.moves import Move
from cardgames.puzzles import FEW_UNSEEN, Position, rule_against, why
from cardgames.table import Table
from cardgames.text import Text, comma_join
from web.puzzles.progress import Answer
from web.tables.page import BoardPage, Refusal, ShownTable

GONE: Final = Text("Gone: {cards}.")
LEFT: Final = Text("In the deck and face down: {cards}.")


class Verdict(msgspec.Struct, frozen=True):
    """Whether an answer was right, and why."""

    right: bool
    decided: Text
    why: Text
    rule: Text | None
    """The rule of thumb that goes wrong here."""

    odds: Odds
    gain: int
    """By how much the player's rating has changed."""

    @classmethod
    def of(cls, answer: Answer, advisor: Advisor) -> "Verdict":
        """Judge an answer."""
        found = answer.position.odds
        rule = rule_against(answer.position, found.best)
        return cls(
            right=answer.chosen == found.best,
            decided=advisor.decided_text(answer.chosen),
            why=why(answer.position, found),
            rule=rule.text if rule else None,
            odds=found,
            gain=round(answer.gain),
        )


class PuzzlePage(BoardPage, frozen=True, kw_only=True):
    """The page of a puzzle that is to be solved, or was."""

    layout: ClassVar[str] = "puzzles/puzzle.html"
    advice: ClassVar[None] = None
    path: str
    """Where the series is, below ``root``."""

    step: int
    moves: Mapping[str, Move]
    refusal: Refusal | None

    @property
    def address(self) -> str:
        """Where the puzzles of this series are."""
        return f"{self.root}{self.path}"


def known_cards(position: Position, advisor: Advisor) -> Text | None:
    """Return what is gone, or what is left where that is less; None where the deck is fresh."""
    if not position.discards:
        return None
    unseen, gone = position.unseen, position.discards
    cards, sentence = (unseen, LEFT) if len(unseen) <= FEW_UNSEEN else (gone, GONE)
    counts = Counter(card.rank for card in cards)
    outs = (Out(rank, counts[rank]) for rank in Rank if counts[rank])
    return sentence.fill(cards=comma_join(map(advisor.out_text, outs)))


def shown_table(game: AnyGame, advisor: Advisor, position: Position | None) -> ShownTable:
    """Return the table with a position on it; an empty one for none."""
    if position is None:
        return ShownTable.of(Table(game))
    state = advisor.pose(position.player, position.upcard, position.discards)
    return ShownTable.of(Table(game, state))
