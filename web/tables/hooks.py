"""The extension points of a table.

:mod:`web.hooks` lists the functions that use these extension points. A table does not refer to the
functions by name, and calls only the functions for its kind and its game.
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

A part is the name of a template, except in two slots. In ``described``, a part is the ID of an
element that describes the open decision, and in ``links``, it is a tuple of the arguments of the
macro ``link``.
"""

PanelValues = Callable[[PlayerSession, Seat], Mapping[str, Any] | None]
"""Function that returns values for a table's page, keyed by name, or None if there is nothing to
show.

The value under the key of a slot is a part for that slot, and a template can read all values as
``page.panels``. The value under the key ``table`` is the table that is shown on the page and by all
later panels.
"""

NoteMove = Callable[[PlayerSession, Seat, str, Seat], None]
"""Function that is called with the seat before a move, the move's name, and the seat after the
move.
"""

AfterRound = Callable[[Seat, tuple[Record, ...]], None]
"""Function that is called with the records of the rounds that a move ended, in the transaction of
the move.
"""

DayRanks = Callable[[int], Sequence[Any]]
"""Function that returns the player's ranks in other groups for the deals of a day, given the day's
number.
"""


class Panel(NamedTuple):
    """A function that returns a part of a table's page, and the games with this part."""

    values: PanelValues
    games: Container[str] = GAMES
    """The slugs of the games, by default of all games."""

    needs_result: bool = False
    """Whether the part is shown only for a finished round."""


class AfterMove(NamedTuple):
    """A function that is called after a move at a player's own table, for some games."""

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
    """Return the seat that the page shows, and the panels' values, keyed by name."""
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
