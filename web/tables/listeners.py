"""Listeners that are called when rounds at a table are over.

A class counts what its students play, and tables know nothing of classes: a listener is registered
while the app is made. One is called either just before the move that ends the rounds is kept, and
writes a hint of what is to be done then: the move may not be kept after all. Or it is called once
that is kept; when the server is killed before, it is not called.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import flask

from cardgames.advice import Decision
from cardgames.records.record import Record
from web.storage.sessions import Session
from web.storage.store import NEVER, StoreUnavailable
from web.tables.location import TableLocation, TableSlot

_BEFORE: Final = "round-listeners-before"
_AFTER: Final = "round-listeners"

log = logging.getLogger("cardgames.tables")


@dataclass(frozen=True, slots=True)
class RoundsOver:
    """The rounds that one move has ended: one, or two where one was given up for the next."""

    location: TableLocation
    """The table; one of a class :class:`TableLocation` alone is the player's own."""

    slot: TableSlot
    """How it stands after the move: ``id`` and ``table.finished`` name a round."""

    records: tuple[Record, ...]
    decisions: tuple[Decision, ...] | None
    """What was decided in the last of them, where the coach has seen all of it."""


Listener = Callable[[RoundsOver], None]
"""It is called in the request that made the move; what it raises is logged and goes no further."""

HintWriter = Callable[[RoundsOver], float]
"""The same before the move is kept: it returns until when that must be, by the store's time."""


def on_rounds_over(app: flask.Flask, listener: Listener) -> None:
    """Have a listener called with the rounds that are played at the tables of an app."""
    app.extensions.setdefault(_AFTER, []).append(listener)


def before_rounds_over(app: flask.Flask, write: HintWriter) -> None:
    """Have a hint written of the rounds that are about to be over."""
    app.extensions.setdefault(_BEFORE, []).append(write)


def notify_listeners(session: Session, over: RoundsOver) -> None:
    """Have all listeners called when the session is saved."""
    extensions = flask.current_app.extensions
    session.before_save += [partial(_write_hint, one, over) for one in extensions.get(_BEFORE, [])]
    session.after_save += [partial(listener, over) for listener in extensions.get(_AFTER, [])]


def _write_hint(write: HintWriter, over: RoundsOver) -> float:
    """Write a hint before a move; a fault of its writer takes no move back.

    Raises:
        StoreUnavailable: the hint cannot be written, and so neither can the move.
    """
    try:
        return write(over)
    except StoreUnavailable:
        raise
    except Exception:
        log.exception("rounds that are about to be over")
        return NEVER
