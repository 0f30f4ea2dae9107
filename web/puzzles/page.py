"""What the page of a puzzle receives."""

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar, Final

import msgspec

from cardgames import GAMES
from cardgames.advice import Advisor, Odds, Out
from cardgames.cards import Rank
from cardgames.game import AnyGame
from cardgames.moves import Move
from cardgames.puzzles import FEW_UNSEEN, Position, rule_against, why
from cardgames.strategies.habits import HABITS
from cardgames.table import Table
from cardgames.text import Text, comma_join
from web.puzzles.progress import Progress, Series, rating_of
from web.puzzles.weak_spots import SET_SIZE
from web.tables.page import Refusal, ShownTable

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
    def of(cls, position: Position, chosen: str, gain: float, advisor: Advisor) -> "Verdict":
        """Judge an answer."""
        found = position.odds
        rule = rule_against(position, found.best)
        return cls(
            right=chosen == found.best,
            decided=advisor.decided_text(chosen),
            why=why(position, found),
            rule=rule.text if rule else None,
            odds=found,
            gain=round(gain),
        )


class PuzzlePage(msgspec.Struct, frozen=True, kw_only=True):
    """The page of a puzzle that is to be solved, or was."""

    layout: ClassVar[str] = "puzzles/puzzle.html"
    chart: ClassVar[None] = None
    owns_deck: ClassVar[bool] = False
    advice: ClassVar[None] = None
    table: ShownTable
    root: str
    path: str
    """Where the series is, below ``root``."""

    habit: str
    """The name of the habit that is drilled; empty for none."""

    position: Position | None
    situation: Text
    moves: Mapping[str, Move]
    progress: Progress
    series: Series
    step: int
    verdict: Verdict | None
    """What is said of the last answer: on its own page, and in a storm above the next puzzle."""

    is_answered: bool
    """Whether this puzzle was answered, so that nothing is to be decided."""

    storm_left: int
    """How many seconds the storm goes on; 0 where there is none."""

    advisor: Advisor
    refusal: Refusal | None = None

    @property
    def base_url(self) -> str:
        """Where the pages about the game are."""
        return f"{self.root}/{self.table.game.info.slug}"

    @property
    def address(self) -> str:
        """Where the puzzles of this series are."""
        return f"{self.root}{self.path}"

    @property
    def theme(self) -> Text | None:
        """What the puzzle is about, or the drill."""
        if self.habit:
            return HABITS[self.habit].about
        return self.position.theme.text if self.position else None

    @property
    def is_weak_spots(self) -> bool:
        """Whether these are the weak spots at a table."""
        return self.path != "/puzzles"

    @property
    def has_others(self) -> bool:
        """Whether there are puzzles among the weak spots that are not the player's own."""
        return self.series.own < SET_SIZE

    @property
    def puzzle_rating(self) -> int:
        """The rating of the puzzle that was answered."""
        last = self.series.answer
        return round(rating_of(self.progress, last.position).rating) if last else 0

    @property
    def known(self) -> Text | None:
        """What is gone, or what is left where that is less; nothing where the deck is fresh."""
        if not self.position or not self.position.discards:
            return None
        unseen, gone = self.position.unseen, self.position.discards
        cards, sentence = (unseen, LEFT) if len(unseen) <= FEW_UNSEEN else (gone, GONE)
        counts = Counter(card.rank for card in cards)
        outs = (Out(rank, counts[rank]) for rank in Rank if counts[rank])
        return sentence.fill(cards=comma_join(map(self.advisor.out_text, outs)))

    @property
    def storm_time(self) -> str:
        """How long the storm goes on, in minutes and seconds."""
        return f"{self.storm_left // 60}:{self.storm_left % 60:02}"


def shown_table(game: AnyGame, advisor: Advisor, position: Position | None) -> ShownTable:
    """Return the table with a position on it; an empty one for none."""
    if position is None:
        return ShownTable.of(Table(game))
    state = advisor.pose(position.player, position.upcard, position.discards)
    return ShownTable.of(Table(game, state))


def game_of(position: Position) -> AnyGame:
    """Return the game of a position's table."""
    return GAMES[position.table]
