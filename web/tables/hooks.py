"""The extension points of a table. :mod:`web.hooks` lists the functions that use them.

A table does not know the functions by name, and calls only those for its kind and its game.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, Final, NamedTuple

import flask
import msgspec

from cardgames import GAMES
from cardgames.records.record import Record
from web.http.sessions import PlayerSession
from web.tables.seat import Kind, Seat

SLOTS: Final = ("notices", "felt", "aid", "moves", "described", "thoughts", "links")
"""The slots on a table's page to which several panels can add a part.

A part is the name of a template, except in two slots. In ``described`` it is the ID of an element
that describes the open decision, and in ``links`` it is the arguments of the macro ``link``.
"""

PanelValues = Callable[[PlayerSession, Seat], Mapping[str, Any] | None]
"""Returns values for a table's page by name, or None if there is nothing to show.

The key of a slot has a part for that slot, and a template can read all values as ``page.panels``.
The key ``table`` has the table that is shown on the page and by all later panels.
"""

NoteMove = Callable[[PlayerSession, Seat, str, Seat], None]
"""Called with the seat before a move, the move's name, and the seat after the move."""

AfterRound = Callable[[Seat, tuple[Record, ...]], None]
"""Called after a move that ended rounds, with the records of these rounds, in the same transaction.
"""

DayRanks = Callable[[int], Sequence[Any]]
"""Returns the player's ranks in other groups for the deals of a day, given the day's number."""


class Panel(NamedTuple):
    """A function for a part of a table's page, and the tables that have the part."""

    values: PanelValues
    games: Container[str] = GAMES
    """The slugs of the games; by default all games."""

    needs_result: bool = False
    """Whether only a finished round has the part."""


class AfterMove(NamedTuple):
    """A function that is called after a move at a player's own table of some games."""

    note: NoteMove
    games: Container[str]
    """The slugs of the games."""


class Hooks(NamedTuple):
    """The hook functions in the order in which they are called."""

    panels: Mapping[Kind, tuple[Panel, ...]]
    after_move: tuple[AfterMove, ...] = ()
    after_round: tuple[AfterRound, ...] = ()
    day_ranks: tuple[DayRanks, ...] = ()


def install(app: flask.Flask, joining: Hooks) -> None:
    """Set the hook functions of an app's tables."""
    app.extensions["hooks"] = joining


def hooks() -> Hooks:
    """Return the hook functions for the tables of the current app."""
    joining: Hooks = flask.current_app.extensions["hooks"]
    return joining


def show_panels(session: PlayerSession, seat: Seat) -> tuple[Seat, dict[str, Any]]:
    """Return a seat as the page shows it, and the values of the panels by name."""
    slug, panels = seat.table.game.info.slug, dict[str, Any]()
    for panel in hooks().panels[seat.kind]:
        if slug not in panel.games or (panel.needs_result and not seat.table.result):
            continue
        for name, value in (panel.values(session, seat) or {}).items():
            if name == "table":
                seat = msgspec.structs.replace(seat, table=value)
            elif name in SLOTS:
                panels.setdefault(name, []).append(value)
            else:
                panels[name] = value
    return seat, panels
