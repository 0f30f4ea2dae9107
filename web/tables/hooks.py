"""The extension points of a table. :mod:`web.hooks` lists the functions that use them.

A table does not know the functions by name, and calls only those that apply to its kind.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import flask
import msgspec

from cardgames.records.record import Record
from web.http.sessions import PlayerSession
from web.tables.seat import Kind, Seat

SLOTS: Final = ("notices", "felt", "aid", "moves", "described", "thoughts", "links")
"""The slots on a table's page to which several panels can add a part.

A part is the name of a template, except in two slots. In ``described`` it is the ID of an element
that describes the open decision, and in ``links`` it is the arguments of the macro ``link``.
"""

Panel = Callable[[PlayerSession, Seat], Mapping[str, Any] | None]
"""Returns values for a table's page by name, or None if there is nothing to show.

The key of a slot has a part for that slot, and a template can read all values as ``page.panels``.
The key ``table`` has the table that is shown on the page and by all later panels.
"""

AfterMove = Callable[[PlayerSession, Seat, str, Seat], None]
"""Called with the seat before a move, the move's name, and the seat after the move."""

AfterRound = Callable[[Seat, tuple[Record, ...]], None]
"""Called after a move that ended rounds, with the records of these rounds, in the same transaction.
"""

DayRanks = Callable[[int], Sequence[Any]]
"""Returns the player's ranks in other groups for the deals of a day, given the day's number."""


class GameHooks(NamedTuple):
    """The functions for a player's own table of one game."""

    panel: Panel
    after_move: AfterMove


class Hooks(NamedTuple):
    """The hook functions in the order in which they are called."""

    panels: Mapping[Kind, tuple[Panel, ...]]
    games: Mapping[str, GameHooks] = MappingProxyType({})
    """The functions of single games, by slug. They are called last."""

    after_move: tuple[AfterMove, ...] = ()
    after_round: tuple[AfterRound, ...] = ()
    day_ranks: tuple[DayRanks, ...] = ()

    def of_game(self, seat: Seat) -> GameHooks | None:
        """Return the functions for the game at a player's own table, or None."""
        return self.games.get(seat.table.game.info.slug) if seat.kind == "own" else None


def install(app: flask.Flask, joining: Hooks) -> None:
    """Set the hook functions of an app's tables."""
    app.extensions["hooks"] = joining


def hooks() -> Hooks:
    """Return the hook functions for the tables of the current app."""
    joining: Hooks = flask.current_app.extensions["hooks"]
    return joining


def show_panels(session: PlayerSession, seat: Seat) -> tuple[Seat, dict[str, Any]]:
    """Return a seat as the page shows it, and the values of the panels by name."""
    joining, panels = hooks(), dict[str, Any]()
    called = joining.panels[seat.kind]
    if of_game := joining.of_game(seat):
        called = (*called, of_game.panel)
    for panel in called:
        for name, value in (panel(session, seat) or {}).items():
            if name == "table":
                seat = msgspec.structs.replace(seat, table=value)
            elif name in SLOTS:
                panels.setdefault(name, []).append(value)
            else:
                panels[name] = value
    return seat, panels
