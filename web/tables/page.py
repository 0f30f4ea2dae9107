"""What the pages of a table receive: types without a field for a game's state."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final

import msgspec
from jinja2 import Template

from cardgames.cards import Card, CardGameError, MaskedCards
from cardgames.deck_file import InvalidDeck
from cardgames.game import AnyGame, Result
from cardgames.moves import Move
from cardgames.records.transcript import TRANSCRIPTS
from cardgames.table import Phase, Table
from cardgames.view import public_fields
from web.http.addresses import path_on_site
from web.tables.advice import Advice, Regret
from web.tables.charts import RoundProgress, TallyChart, build_chart

_RUN: Final = re.compile("[^0]")  # what ends a run in the winners of rounds

_MIN_RUN: Final = 3  # minimum number of rounds won in a row that a page speaks of

MAX_ERRORS: Final = 3
"""Maximum number of bad lines of a deck file that a refusal names."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a move was not accepted: one sentence, and for a deck file its first bad lines."""

    sentence: str
    errors: tuple[str, ...] = ()
    more: int = 0
    """How many further lines are bad."""

    field: str = ""
    """The field of the form that caused it, where one did: it is shown there."""

    @property
    def in_one_line(self) -> str:
        """The whole of it without line breaks, as the JSON says it."""
        if not self.errors:
            return self.sentence
        more = (f"and {self.more} more",) * bool(self.more)
        return f"{self.sentence}: {'; '.join((*self.errors, *more))}"


def to_refusal(error: CardGameError) -> Refusal:
    """Return why a move is refused, as it is shown."""
    if isinstance(error, InvalidDeck):
        errors = error.errors
        return Refusal(error.text, errors[:MAX_ERRORS], len(errors[MAX_ERRORS:]), error.field)
    return Refusal(error.text, field=error.field)


def public_moves(moves: Iterable[Move]) -> list[dict[str, Any]]:
    """Return moves as the JSON has them."""
    return [{"name": move.name, "label": move.label, "fields": move.form} for move in moves]


def winning_runs(round_winners: str) -> list[int]:
    """Return how many rounds in a row were won, each time; of a run that goes on, at the end.

    >>> winning_runs("0010000"), winning_runs("001")
    ([2, 4], [2, 0])
    """
    return [len(run) for run in _RUN.split(round_winners)]


class ShownTable(msgspec.Struct, frozen=True):
    """A table as its player sees it: what every page with a table on it has."""

    game: AnyGame
    phase: Phase
    round: int
    """The number of the round on the table; 0 before the first."""

    view: Any
    """The game's own view."""

    tally: Mapping[str, int]
    story: tuple[str, ...]
    """What the last move has brought about, in plain sentences."""

    result: Result | None
    stacked: bool
    times: int
    """How many single moves the last one made."""

    @classmethod
    def of(cls, table: Table) -> "ShownTable":
        """Return what a table shows.

        Raises:
            Leak: its game has not declared a card of the view as seen.
        """
        return cls(
            game=table.game,
            phase=table.phase,
            round=table.round,
            view=table.shown(),
            tally=table.counts(),
            story=table.story(),
            result=table.result,
            stacked=table.stacked,
            times=table.times,
        )

    @property
    def templates(self) -> list[str | Template]:
        """The game's own template, and the one for games that have none yet."""
        return [f"{self.game.info.slug}.html", "tables/plain.html"]

    @property
    def fields(self) -> Iterator[tuple[str, str, MaskedCards | None, Any]]:
        """Each field of the view: name, what it is called, cards if it has no more, and value."""
        labels = {field.name: field.metadata.get("label") for field in fields(self.view)}
        for name in public_fields(self.view.__class__):
            value = getattr(self.view, name)
            called = labels[name] or name.replace("_", " ").capitalize()
            is_cards = isinstance(value, tuple) and all(
                one is None or isinstance(one, Card) for one in value
            )
            yield name, called, value if is_cards else None, value


class Hand(msgspec.Struct, frozen=True):
    """A card as its player covers it themselves."""

    covered: tuple[int, ...]
    """The positions that they have covered, and the free centre."""

    lacks: tuple[int, ...]
    """What it lacks, after its player has said that they have won and have not."""

    uncalled: tuple[Card, ...]
    """The cards that they have covered that were not called, after the same."""

    missed: bool
    """Whether they had won and did not say so."""


class BoardPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with a table on it: at play, of a round that is over, or of a puzzle."""

    layout: ClassVar[str]
    """The template that the game's own extends."""

    table: ShownTable
    progress: RoundProgress | None = None
    """How the round has gone, where the game has numbers for it."""

    @property
    def chart(self) -> TallyChart | None:
        """The course of the tally as a line, where there is one."""
        return None

    @property
    def owns_deck(self) -> bool:
        """Whether the page says that the player's own deck is played."""
        return self.table.stacked


class TablePage(BoardPage, frozen=True, kw_only=True):
    """The page of a table at which something can be played."""

    layout: ClassVar[str] = "tables/play.html"
    address: str
    """The table's own."""

    step: int
    moves: Mapping[str, Move]
    note: str
    refusal: Refusal | None
    advice: Advice | None
    """What the coach says, at the tables that have one."""

    typed: Mapping[str, str]
    """What the player had typed into a refused form, to be mended instead of typed again."""

    usual: Mapping[str, str]
    """What the player chose for the last deal."""

    round_winners: str
    """Who won each round since the tally was last cleared (:attr:`Table.round_winners`)."""

    regret: Regret | None = None
    """The decision of a round just lost that can be taken otherwise, as practice."""

    deal: Any = None
    """What is shown of a deal link, where this is the table of one."""

    hand: Hand | None = None
    """The player's card, where they cover it themselves."""

    @property
    def open_moves(self) -> list[Move]:
        """The moves of the open round: what there is to decide."""
        own = {move.name for move in self.table.game.round_moves}
        return [move for name, move in self.moves.items() if name in own]

    @property
    def filled(self) -> Mapping[str, str]:
        """What stands in the form of the next deal."""
        return {**self.usual, **self.typed}

    @property
    def winning_run(self) -> int:
        """How many rounds in a row the player has just won; 0 where that is no best of the table.

        Of the rounds that the table remembers (:attr:`Table.round_winners`), and from three on.
        """
        if not self.table.game.info.winners or self.deal is not None:
            return 0
        runs = winning_runs(self.round_winners)
        return runs[-1] if runs[-1] >= _MIN_RUN and runs[-1] == max(runs) else 0

    @property
    def owns_deck(self) -> bool:
        """Whether the page says that the player's own deck is played; a deal's note says whose."""
        return self.table.stacked and self.deal is None

    @property
    def chart(self) -> TallyChart | None:
        """The course of the tally as a line, once there are enough rounds to draw one."""
        has_course = self.table.game.info.winners and self.deal is None
        return build_chart(self.round_winners) if has_course else None

    @property
    def has_transcript(self) -> bool:
        """Whether the game so far can be had as the sheet's program prints it."""
        return self.table.game.info.slug in TRANSCRIPTS and self.table.phase is not Phase.READY

    @property
    def path(self) -> str:
        """The table's address, as a form names the page to go back to."""
        return path_on_site(self.address)
