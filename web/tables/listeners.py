"""Who is told when rounds at a table are over, once the move that ended them is kept.

A class counts what its students play, and tables know nothing of classes: whoever wants to hear of
rounds says so while the app is made. Nobody is told of a move that was not saved. A server that is
killed between the save and the telling has told nobody, so a listener finds out by itself what it
may have missed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import flask

from cardgames.advice import Decision
from cardgames.records.record import Record
from web.storage.sessions import Session
from web.tables.location import TableLocation, TableSlot

_EXTENSION: Final = "round-listeners"


@dataclass(frozen=True, slots=True)
class RoundsOver:
    """The rounds that one move has ended: one, or two where one was given up for the next."""

    location: TableLocation
    """The table; one of a class :class:`TableLocation` alone is the player's own."""

    slot: TableSlot
    """How it stands after the move: ``id`` and ``table.finished`` tell a round from all others."""

    records: tuple[Record, ...]
    decisions: tuple[Decision, ...] | None
    """What was decided in the last of them, where the coach has seen all of it."""


Listener = Callable[[RoundsOver], None]
"""It is called in the request that made the move; what it raises is logged and goes no further."""


def on_rounds_over(app: flask.Flask, listener: Listener) -> None:
    """Have a listener told of the rounds that are played at the tables of an app."""
    app.extensions.setdefault(_EXTENSION, []).append(listener)


def tell_listeners(session: Session, over: RoundsOver) -> None:
    """Tell all listeners, as soon as the session is saved."""
    listeners: list[Listener] = flask.current_app.extensions.get(_EXTENSION, [])
    session.after_save += [partial(listener, over) for listener in listeners]
