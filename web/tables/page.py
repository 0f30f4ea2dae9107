"""The values for a table's page. Their types have no field for a game's state."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import msgspec
from jinja2 import Template

from cardgames.cards import Card, CardGameError, MaskedCards
from cardgames.deck_file import InvalidDeck
from cardgames.game import AnyGame, Result, public_fields
from cardgames.moves import Move
from cardgames.table import Phase, Table
from web.http.addresses import path_on_site
from web.tables.seat import Kind

MAX_ERRORS: Final = 3
"""Maximum number of a deck file's invalid lines in an error message."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a move was rejected.

    It consists of a message and the first invalid lines of a deck file.
    """

    sentence: str
    errors: tuple[str, ...] = ()
    more: int = 0
    """The number of invalid lines that are not shown."""

    field: str = ""
    """The name of the form's field with the error, next to which the message is shown, or an empty
    string.
    """

    @property
    def in_one_line(self) -> str:
        """The complete message in one line, for JSON."""
        if not self.errors:
            return self.sentence
        more = (f"and {self.more} more",) * bool(self.more)
        return f"{self.sentence}: {'; '.join((*self.errors, *more))}"


def to_refusal(error: CardGameError) -> Refusal:
    """Return the reason why a move was rejected, as values for the page."""
    if isinstance(error, InvalidDeck):
        errors = error.errors
        return Refusal(error.text, errors[:MAX_ERRORS], len(errors[MAX_ERRORS:]), error.field)
    return Refusal(error.text, field=error.field)


def public_moves(moves: Iterable[Move]) -> list[dict[str, Any]]:
    """Return moves in the format of the JSON response."""
    return [{"name": move.name, "label": move.label, "fields": move.form} for move in moves]


class ShownTable(msgspec.Struct, frozen=True):
    """A table as the player sees it, for every page with a table."""

    game: AnyGame
    phase: Phase
    round: int
    """The number of the round on the table, or 0 before the first round."""

    view: Any
    """The game's view of the table."""

    tally: Mapping[str, int]
    story: tuple[str, ...]
    """The events of the last move, in plain sentences."""

    result: Result | None
    stacked: bool
    times: int
    """Number of individual actions in the last move."""

    @classmethod
    def of(cls, table: Table) -> "ShownTable":
        """Return the values of a table that the player may see.

        Raises:
            Leak: If the view contains a card that the game has not declared as seen.
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
        """The names of the game's own template and of the general template."""
        info = self.game.info
        return [f"{info.template or info.slug}.html", "tables/plain.html"]

    @property
    def fields(self) -> Iterator[tuple[str, str, MaskedCards | None, Any]]:
        """The name, the label, any cards and the value of each field of the view."""
        labels = {field.name: field.metadata.get("label") for field in fields(self.view)}
        for name in public_fields(self.view.__class__):
            value = getattr(self.view, name)
            called = labels[name] or name.replace("_", " ").capitalize()
            is_cards = isinstance(value, tuple) and all(
                item is None or isinstance(item, Card) for item in value
            )
            yield name, called, value if is_cards else None, value


class TablePage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with a table: during play, after a round, or in a puzzle."""

    table: ShownTable
    layout: str = "tables/table.html"
    """The template that the game's own template extends."""

    kind: Kind | None = None
    """The kind of the table's seat, or None for a finished round or a puzzle."""

    address: str = ""
    """The table's URL."""

    step: int = 0
    moves: Mapping[str, Move] = {}
    note: str = ""
    refusal: Refusal | None = None
    typed: Mapping[str, str] = {}
    """The text fields of a rejected form, which the user can correct."""

    filled: Mapping[str, str] = {}
    """The values in the form for the next deal: the values of the last deal, replaced by the values
    that the user typed.
    """

    round_winners: str = ""
    """The winners of the rounds since the tally was last cleared (:attr:`Table.round_winners`)."""

    panels: Mapping[str, Any] = {}
    """The values of the panels, keyed by name (:data:`web.tables.hooks.Panel`)."""

    def parts(self, slot: str) -> Sequence[Any]:
        """Return the parts that panels added to a slot (:data:`web.tables.hooks.SLOTS`)."""
        added: Sequence[Any] = self.panels.get(slot, ())
        return added

    @property
    def open_moves(self) -> list[Move]:
        """The legal moves of the open round."""
        moves = self.table.game.round_moves
        return [self.moves[move.name] for move in moves if move.name in self.moves]

    @property
    def path(self) -> str:
        """The table's URL without the site's prefix.

        The forms for settings redirect to this URL.
        """
        return path_on_site(self.address)
